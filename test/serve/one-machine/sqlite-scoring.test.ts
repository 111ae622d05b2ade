import path from 'node:path';
import { expect, test } from 'vitest';
import { ArrivalReader } from '../../../src/engine/arrival.ts';
import { UNWATCHED } from '../../../src/engine/check-watch.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { engineSettings, turnLimits } from '../../../src/engine/engine-settings.ts';
import { Intake } from '../../../src/engine/intake.ts';
import { encodeTable } from '../../../src/model/otlp/batch-table.ts';
import { transcodeTraces } from '../../../src/model/otlp/json-transcoder.ts';
import { indexTraces } from '../../../src/model/otlp/traces-reader.ts';
import { RecordingLog } from '../../../src/offline/recording-log.ts';
import { SqliteScoring } from '../../../src/serve/one-machine/sqlite-scoring.ts';
import type { FromScorer, SentTurn, TurnCommand } from '../../../src/serve/scoring-protocol.ts';
import { builtinSuites, defaultSettings } from '../../engine/log-driver.ts';
import { exportRequest, traffic } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';

const SETTINGS = defaultSettings();
const LANE = { group: 'journal', lane: 0, epoch: 0, time: 0, positions: {} };

/** A turn in two parts, of which the second comes after the first has closed. */
function turnInParts(): readonly SentTurn[] {
  const log = new RecordingLog();
  const arrivals = new ArrivalReader((position, length) => log.read(position, length));
  const turns: SentTurn[] = [];
  const intake = new Intake(turnLimits(SETTINGS), {
    closed: (turn) => turns.push({ arrival: arrivals.arrivalOf(turn) }),
    released: () => {},
  });
  const [conversation] = [...traffic({ seed: 1, conversations: 1, endMarks: 'all' })];
  const [first, ...others] = conversation?.turns[0] ?? [];
  if (first === undefined) throw new Error('the turn has no spans');
  for (const [index, spans] of [[first], others].entries()) {
    const bytes = transcodeTraces(Buffer.from(exportRequest(spans, 'v1')));
    const logTime = 1_000_000 * (index + 1);
    intake.take(log.append({ signal: 'traces', bytes, table: encodeTable(indexTraces(bytes)), logTime }));
  }
  intake.advance(9_000_000);
  log.close();
  return turns;
}

async function threads() {
  const suites = await builtinSuites(['default']);
  const directory = tempDirectory();
  const posted: FromScorer[] = [];
  /** A thread that has died is followed by another on the same store. */
  const open = () =>
    new SqliteScoring(
      {
        kind: 'one-machine',
        storeFile: path.join(directory, 'assay.db'),
        retention: { maxBytes: 1 << 30, keepMs: 1e12, keepFailedMs: 1e12 },
      },
      {
        makeEngine: (store, onEvent) =>
          new Engine({ settings: engineSettings(SETTINGS), suites, store, watch: UNWATCHED, onEvent }),
        idKeys: [],
        post: (message) => posted.push(message),
      },
    );
  const fates = () =>
    posted.flatMap((message) =>
      message.type === 'events'
        ? message.events.flatMap((event) => (event.type === 'turn-closed' ? [event.fate] : []))
        : [],
    );
  return { open, fates };
}

const commandOf = (turn: SentTurn, sequence: number): TurnCommand => ({
  type: 'turn',
  sequence,
  lane: LANE,
  positions: {},
  turn,
});

test('a turn that the thread before stored and did not answer is not scored again, and what came later is', async () => {
  const [first, later] = turnInParts();
  if (first === undefined || later === undefined || !('arrival' in first)) return expect.unreachable();
  const { open, fates } = await threads();
  const before = open();
  await before.take([commandOf(first, 1)]);
  const totals = before.totals();
  await before.close();

  const after = open();
  const { content, spans, ...closed } = first.arrival;
  await after.take([commandOf(first, 1), commandOf({ unreadable: 'the disk lost it', closed }, 2)]);
  expect(after.totals()).toEqual(totals);
  await after.take([commandOf(later, 3)]);
  await after.close();

  expect(fates()).toEqual(['stored', 'stored-already', 'stored-already', 'revised']);
});

test('time raises the floor of the log only with a conversation that was due', async () => {
  const [first] = turnInParts();
  if (first === undefined || !('arrival' in first)) return expect.unreachable();
  const { closedAt } = first.arrival;
  const { open } = await threads();
  const side = open();
  const tick = (time: number) => side.take([{ type: 'time', sequence: 1, lane: LANE, positions: {}, time }]);

  await tick(closedAt - 1);
  expect(side.floor.logTime).toBe(0);
  await side.take([commandOf(first, 1)]);
  await tick(closedAt + 1);
  expect(side.floor.logTime).toBe(closedAt);
  await tick(closedAt + SETTINGS.conversation.idleMs);
  expect(side.floor.logTime).toBe(closedAt + SETTINGS.conversation.idleMs);
  await side.close();
});
