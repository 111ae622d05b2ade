import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ArrivalReader } from '../../../src/engine/arrival.ts';
import { UNWATCHED } from '../../../src/engine/check-watch.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { engineSettings, turnLimits } from '../../../src/engine/engine-settings.ts';
import { Intake } from '../../../src/engine/intake.ts';
import { encodeTable } from '../../../src/otlp/batch-table.ts';
import { transcodeTraces } from '../../../src/otlp/json-transcoder.ts';
import { indexTraces } from '../../../src/otlp/traces-reader.ts';
import { RecordingLog } from '../../../src/engine/recorded/recording-log.ts';
import { PIECE_HEAD_BYTES } from '../../../src/store/sqlite/content-piece.ts';
import type { Retention } from '../../../src/store/sqlite/retention.ts';
import { READ_FROM } from '../../../src/serve/one-machine/journal-log.ts';
import { SqliteScoring } from '../../../src/serve/one-machine/sqlite-scoring.ts';
import type { FromScorer, OrderedCommand, SentTurn, TurnCommand } from '../../../src/serve/scoring/scoring-protocol.ts';
import { builtinSuites, defaultSettings } from '../../engine/log-driver.ts';
import { exportRequest, traffic } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';

const DAY_MS = 86_400_000;
/** Makes everything old enough to be deleted. */
const NOTHING_IS_KEPT = { keepMs: -DAY_MS, keepFailedMs: -DAY_MS };
const SETTINGS = defaultSettings();
const LANE = { group: 'journal', lane: 0, epoch: 0, time: 0, positions: {} };

/** A turn in two parts, of which the second arrives after the first has closed. */
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

async function threads(retention: Partial<Retention> = {}, clocks?: ConstructorParameters<typeof SqliteScoring>[2]) {
  const suites = await builtinSuites(['default']);
  const directory = tempDirectory();
  const posted: FromScorer[] = [];
  /** A dead thread is followed by another on the same store. */
  const open = () =>
    new SqliteScoring(
      {
        kind: 'one-machine',
        storeFile: path.join(directory, 'assay.db'),
        retention: { maxBytes: 1 << 30, keepMs: 1e12, keepFailedMs: 1e12, reopenMs: DAY_MS, ...retention },
      },
      {
        makeEngine: (store, onEvent) =>
          new Engine({ settings: engineSettings(SETTINGS), suites, store, watch: UNWATCHED, onEvent }),
        idKeys: [],
        post: (message) => posted.push(message),
      },
      clocks,
    );
  const fates = () =>
    posted.flatMap((message) =>
      message.type === 'events'
        ? message.events.flatMap((event) => (event.type === 'turn-closed' ? [event.fate] : []))
        : [],
    );
  const events = () => posted.flatMap((message) => (message.type === 'events' ? message.events : []));
  return { open, fates, events, directory };
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

const timeOf = (sequence: number, time: number, readFrom = 0): OrderedCommand => ({
  type: 'time',
  sequence,
  lane: LANE,
  positions: { [READ_FROM]: readFrom },
  time,
});

/** A counter that is read from the database has another label order, and no exemplar. */
function valuesOf(side: SqliteScoring): readonly string[] {
  return side
    .totals()
    .map(({ metric, labels, value }) => `${metric} ${JSON.stringify(Object.entries(labels).toSorted())} ${value}`)
    .toSorted();
}

/** A conversation that was scored and since deleted by retention; the thread after it is open. */
async function prunedConversation(options: { readonly readFrom: number; readonly reopenMs?: number }) {
  const [first, later] = turnInParts();
  if (first === undefined || later === undefined || !('arrival' in first)) return expect.unreachable();
  const { open, fates } = await threads({ ...NOTHING_IS_KEPT, reopenMs: options.reopenMs ?? 0 });
  const before = open();
  const end = first.arrival.closedAt + SETTINGS.conversation.idleMs;
  await before.take([commandOf(first, 1), timeOf(2, end, options.readFrom)]);
  const totals = valuesOf(before);
  await before.tidy();
  expect([before.store.count('conversations'), before.store.count('traces')]).toEqual([0, 0]);
  await before.close();
  return { first, later, end, totals, fates, after: open() };
}

test('a conversation that retention deleted is not counted again when the log is read again', async () => {
  const { first, after, totals, fates } = await prunedConversation({ readFrom: 0 });

  const answer = await after.answer({ ask: 'filed', lane: LANE, traceIds: [first.arrival.traceId] });
  await after.take([commandOf(first, 1)]);

  expect(answer).toEqual({ filed: [[first.arrival.traceId, { journal: first.arrival.position }]] });
  expect(fates()).toEqual(['stored', 'stored-already']);
  expect(valuesOf(after)).toEqual(totals);
  expect(after.store.count('conversations')).toBe(0);
  await after.close();
});

test('what is sent again of a turn that retention deleted, or comes late for it, is left out', async () => {
  const { later, after, totals, fates, first } = await prunedConversation({ readFrom: Number.MAX_SAFE_INTEGER });
  expect(after.floor.readFrom).toBe(Number.MAX_SAFE_INTEGER);

  await after.take([commandOf(later, 3), timeOf(4, first.arrival.closedAt + 9_000_000)]);

  expect(fates()).toEqual(['stored', 'pruned']);
  expect(valuesOf(after)).toEqual(totals);
  expect(after.store.count('conversations')).toBe(0);
  await after.close();
});

test('a deleted turn is forgotten once the log does not hold it and it would be too late; until then it is not', async () => {
  const { first, end, after } = await prunedConversation({ readFrom: 0, reopenMs: 2 * DAY_MS });
  const remembered = async (at: number, readFrom: number) => {
    after.store.begin();
    after.store.raiseFloor({ position: 0, logTime: at, readFrom: 0 });
    after.store.commit();
    await after.take([timeOf(5, at, readFrom)]);
    await after.tidy();
    return after.store.pruned.count;
  };

  expect(await remembered(end + DAY_MS, first.arrival.position)).toBe(1);
  expect(await remembered(end + 3 * DAY_MS, first.arrival.position)).toBe(0);
  await after.close();
});

test('a wall clock 100 days ahead deletes nothing for a day, says so once, and then goes on', async () => {
  const [first] = turnInParts();
  if (first === undefined || !('arrival' in first)) return expect.unreachable();
  const time = { passed: 0, wrongBy: 0 };
  const begun = Date.now();
  const clocks = { wall: () => begun + time.passed + time.wrongBy, elapsed: () => time.passed };
  const { open, events } = await threads({ keepMs: 30 * DAY_MS, keepFailedMs: 90 * DAY_MS }, clocks);
  const side = open();
  await side.take([commandOf(first, 1), timeOf(2, first.arrival.closedAt + SETTINGS.conversation.idleMs)]);
  await side.tidy();
  const jumps = () => events().flatMap((event) => (event.type === 'clock-jumped' ? [event.byMs] : []));

  time.wrongBy = 100 * DAY_MS;
  for (let hour = 0; hour < 24; hour += 1) {
    time.passed += DAY_MS / 24;
    await side.tidy();
  }
  expect(side.store.count('conversations')).toBe(1);
  expect(jumps()).toEqual([100 * DAY_MS]);

  time.passed += DAY_MS / 12;
  await side.tidy();
  expect(side.store.count('conversations')).toBe(0);
  expect(jumps()).toEqual([100 * DAY_MS, undefined]);
  await side.close();
});

test.each([
  ['before the first round of retention', 'runs on'],
  ['while a new store is stopped that had no round of retention', 'restarts'],
])('a clock that jumps %s deletes nothing', async (_, then) => {
  const [first] = turnInParts();
  if (first === undefined || !('arrival' in first)) return expect.unreachable();
  const time = { passed: 0, wrongBy: 0 };
  const begun = Date.now();
  const clocks = { wall: () => begun + time.passed + time.wrongBy, elapsed: () => time.passed };
  const { open, events } = await threads({ keepMs: 30 * DAY_MS, keepFailedMs: 90 * DAY_MS }, clocks);
  const before = open();
  await before.take([commandOf(first, 1), timeOf(2, first.arrival.closedAt + SETTINGS.conversation.idleMs)]);
  if (then === 'restarts') await before.close();
  time.passed = 8000;
  time.wrongBy = 100 * DAY_MS;
  const side = then === 'restarts' ? open() : before;

  await side.tidy();

  expect(side.store.count('conversations')).toBe(1);
  const jumps = events().flatMap((event) =>
    event.type === 'clock-jumped' ? [Math.round((event.byMs ?? 0) / DAY_MS)] : [],
  );
  expect(jumps).toEqual([100]);
  await side.close();
});

test('a conversation whose stored spans are damaged is not judged, and what is sent again heals it', async () => {
  const [first] = turnInParts();
  if (first === undefined || !('arrival' in first)) return expect.unreachable();
  const { open, events, directory } = await threads();
  const before = open();
  await before.take([commandOf(first, 1)]);
  await before.close();
  const file = path.join(directory, 'content', '00000000.content');
  const bytes = readFileSync(file);
  const at = PIECE_HEAD_BYTES + 40;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(file, bytes);

  const after = open();
  await after.take([timeOf(2, first.arrival.closedAt + SETTINGS.conversation.idleMs)]);
  const reader = after.store.reader();
  const [unscored] = reader.list({ limit: 1 });

  expect(unscored?.unscoredBecause).toBe('not_understood');
  expect(events().some(({ type }) => type === 'content-damaged')).toBe(true);
  expect(after.store.count('evaluations')).toBe(0);

  const again = { ...first.arrival, position: first.arrival.position + 1_000_000 };
  await after.take([
    commandOf({ arrival: again }, 3),
    timeOf(4, first.arrival.closedAt + 3 * SETTINGS.conversation.idleMs),
  ]);
  expect(after.store.count('evaluations')).toBeGreaterThan(0);
  reader.close();
  await after.close();
});

test('a store that does not take transactions is reported until it takes them, once', async () => {
  const { open, events } = await threads();
  const { troubles } = open();

  troubles.said('take', new Error('disk full'));
  troubles.said('take', new Error('disk full'));
  troubles.over('score');
  troubles.over('take');
  troubles.over('take');

  const reports = events().flatMap((event) => (event.type === 'store-writable' ? [event.problem] : []));
  expect(reports).toEqual(['disk full', undefined]);
});

test('the store gives the room of its WAL back where it takes more than it may', async () => {
  const [first] = turnInParts();
  if (first === undefined) return expect.unreachable();
  const { open, directory } = await threads({ maxBytes: 1 });
  const side = open();
  await side.take([commandOf(first, 1)]);
  const wal = path.join(directory, 'assay.db-wal');
  expect(statSync(wal).size).toBeGreaterThan(0);

  await side.tidy();

  expect(statSync(wal).size).toBe(0);
  await side.close();
});
