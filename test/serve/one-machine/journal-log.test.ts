import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ClosedTurn, TurnLimits } from '../../../src/assemble/open-turns.ts';
import { ConversationNotes } from '../../../src/engine/conversation-notes.ts';
import { Journal } from '../../../src/journal/journal.ts';
import type { TraceId } from '../../../src/model/ids.ts';
import { encodeTable } from '../../../src/otlp/batch-table.ts';
import { transcodeTraces } from '../../../src/otlp/json-transcoder.ts';
import { indexTraces } from '../../../src/otlp/traces-reader.ts';
import { JournalLog, type JournalScorer, POSITION } from '../../../src/serve/one-machine/journal-log.ts';
import { TurnPacker } from '../../../src/serve/scoring/turn-packer.ts';
import { tinySpans } from '../../receive/tiny-spans.ts';
import { tempDirectory } from '../../temp-directory.ts';

const LIMITS: TurnLimits = {
  settleMs: 60_000,
  idleMs: 60_000,
  maxAgeMs: 60_000,
  maxSpans: 8,
  maxBytes: 100_000,
  maxOpenTurns: 1000,
  maxOpenSpans: 10_000,
};

/** The cast is the brand. */
const TRACES = ['a', 'b'].map((letter) => letter.repeat(32) as TraceId);

function batchOf(traceId: string, span: number) {
  const spans = [{ traceId, spanId: span.toString(16).padStart(16, '0'), name: `span ${span}` }];
  const bytes = transcodeTraces(Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })));
  const index = indexTraces(bytes);
  return { signal: 'traces' as const, bytes, table: encodeTable(index), rows: index.spanCount };
}

/** A scorer whose store has traces up to these positions. */
function scorerWith(stored: ReadonlyMap<TraceId, number>, readFrom = 0): JournalScorer {
  return {
    oldestWaiting: undefined,
    floor: { position: 0, logTime: 0, readFrom, logEnd: 0 },
    close: () => {},
    time: () => {},
    stop: async () => {},
    filedPositions: async (_, traceIds) =>
      new Map(
        traceIds.flatMap((traceId) => {
          const position = stored.get(traceId);
          return position === undefined ? [] : [[traceId, { [POSITION]: position }] as const];
        }),
      ),
  };
}

async function opened(
  directory: string,
  stored: ReadonlyMap<TraceId, number>,
  readFrom = 0,
  limits = LIMITS,
  onClosed: (turn: ClosedTurn) => void = () => {},
  onTime: () => void = () => {},
) {
  const { journal, recovered } = await Journal.open({
    directory,
    segmentBytes: 1 << 20,
    maxBytes: 1 << 28,
    floor: { position: 0, logTime: 0 },
    onEvent: () => {},
  });
  const log = new JournalLog({
    journal,
    packer: new TurnPacker(directory),
    limits,
    notes: new ConversationNotes([]),
    scorer: { ...scorerWith(stored, readFrom), close: (_, turn) => onClosed(turn), time: onTime },
  });
  await log.read([...recovered]);
  onTestFinished(() => log.stop());
  return { log, recovered, journal };
}

test('after a restart, rows that the store has do not open a turn again, and rows that came later do', async () => {
  const directory = tempDirectory();
  const [a = TRACES[0] as TraceId, b = a] = TRACES;
  const first = await opened(directory, new Map());
  for (const batch of [batchOf(a, 1), batchOf(b, 2), batchOf(a, 3)]) {
    expect(await first.log.accept(batch)).toEqual({ admitted: true });
  }
  await first.log.stop();

  const nothingStored = await opened(directory, new Map());
  const [, second, third] = nothingStored.recovered;
  expect(nothingStored.log.openSpans).toBe(3);
  await nothingStored.log.stop();
  // The first row of one trace is stored, and all rows of the other.
  const stored = new Map([
    [a, second?.position ?? 0],
    [b, third?.nextPosition ?? 0],
  ]);
  const again = await opened(directory, stored);

  expect(again.log.openTurns).toBe(1);
  expect(again.log.openSpans).toBe(1);
});

test('after a restart, rows before the position that the store has no need of are not read, whatever is known of their traces', async () => {
  const directory = tempDirectory();
  const [a = TRACES[0] as TraceId, b = a] = TRACES;
  const first = await opened(directory, new Map());
  expect(first.journal.readFrom).toBe(first.journal.endPosition);
  for (const batch of [batchOf(a, 1), batchOf(b, 2)]) expect(await first.log.accept(batch)).toEqual({ admitted: true });
  // Their segment is needed, from its beginning.
  expect(first.journal.readFrom).toBe(0);
  await first.log.stop();
  const { recovered, log } = await opened(directory, new Map());
  await log.stop();

  const again = await opened(directory, new Map(), recovered[1]?.position);
  expect(again.log.openSpans).toBe(1);
  await again.log.stop();
  const done = await opened(directory, new Map(), recovered[1]?.nextPosition);

  expect(done.log.openSpans).toBe(0);
  expect(done.journal.readFrom).toBe(done.journal.endPosition);
});

function tinyBatch(spans: number, first: number) {
  const bytes = tinySpans(spans, first);
  return { signal: 'traces' as const, bytes, table: encodeTable(indexTraces(bytes)), rows: spans };
}

test('a batch of many spans is answered before all of them are in open turns, and a stop takes the rest', async () => {
  const { log } = await opened(tempDirectory(), new Map(), 0, { ...LIMITS, maxOpenTurns: 1e6, maxOpenSpans: 1e6 });
  expect(await log.accept(tinyBatch(50_000, 1))).toEqual({ admitted: true });
  expect(log.openSpans).toBeLessThan(50_000);
  await log.stop();
  expect([log.openSpans, log.openTurns]).toEqual([50_000, 50_000]);
});

test('when half of the turns that may be open are, large batches are refused and small ones are taken', async () => {
  const { log } = await opened(tempDirectory(), new Map(), 0, { ...LIMITS, maxOpenTurns: 3000 });
  expect(await log.accept(tinyBatch(1501, 1))).toEqual({ admitted: true });
  // A batch is taken in slices, of which a busy machine has more.
  await expect.poll(() => log.openTurns).toBe(1501);
  expect(await log.accept(tinyBatch(1001, 5000))).toEqual({
    admitted: false,
    reason: '1501 turns are open and 0 wait to be scored, with 1501 spans',
    retryAfterSeconds: 1,
  });
  expect(await log.accept(tinyBatch(1000, 5000))).toEqual({ admitted: true });
});

test('turns that wait to be scored count until they are stored', { timeout: 120_000 }, async () => {
  const closed: ClosedTurn[] = [];
  const limits = { ...LIMITS, maxOpenTurns: 1e6, maxOpenSpans: 1e7, settleMs: 0, idleMs: 0 };
  const { log } = await opened(tempDirectory(), new Map(), 0, limits, (turn) => closed.push(turn));
  log.start();
  // 600,000 turns of one span take more than half of 512 MiB once they are closed.
  for (let sent = 0; sent < 6; sent += 1) {
    const admitted = log.accept(tinyBatch(100_000, sent * 100_000 + 1));
    expect(await admitted).toEqual({ admitted: true });
    await expect.poll(() => closed.length, { timeout: 30_000 }).toBe((sent + 1) * 100_000);
  }
  expect(await log.accept(tinyBatch(1001, 700_000))).toMatchObject({
    admitted: false,
    reason: '0 turns are open and 600000 wait to be scored, with 600000 spans',
  });
  for (const turn of closed) log.stored(turn);
  expect(await log.accept(tinyBatch(1001, 700_000))).toEqual({ admitted: true });
});

test('no more turns close than may wait to be scored, receiving goes on, and a stop does not wait for them', async () => {
  const closed: ClosedTurn[] = [];
  const limits = { ...LIMITS, maxOpenTurns: 1500, settleMs: 0, idleMs: 0 };
  const { log } = await opened(tempDirectory(), new Map(), 0, limits, (turn) => closed.push(turn));
  log.start();
  for (const first of [1, 2001, 4001]) expect(await log.accept(tinyBatch(1000, first))).toEqual({ admitted: true });

  await expect.poll(() => closed.length).toBe(1500);
  expect(await log.accept(tinyBatch(10, 9001))).toEqual({ admitted: true });
  expect(closed).toHaveLength(1500);
  for (const turn of closed.slice(0, 700)) log.stored(turn);
  await expect.poll(() => closed.length).toBe(2200);
  await log.stop();

  expect(closed).toHaveLength(2200);
  expect(closed.map(({ traceId }) => traceId)).toEqual(closed.map(({ traceId }) => traceId).toSorted());
});

test('while nothing is stored, ticks do not wait behind each other', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const closed: ClosedTurn[] = [];
  const onTime = vi.fn();
  const onClosed = (turn: ClosedTurn) => closed.push(turn);
  // After one turn that waits to be stored there is no room for another.
  const limits = { ...LIMITS, settleMs: 1, maxOpenTurns: 1 };
  const { log, journal } = await opened(tempDirectory(), new Map(), 0, limits, onClosed, onTime);
  const [a = TRACES[0] as TraceId] = TRACES;
  await log.accept(batchOf(a, 1));
  log.start();
  await sleep(20);
  vi.advanceTimersByTime(50);
  await vi.waitFor(() => expect(closed).toHaveLength(1));

  // Each tick that is put behind the others asks for the time.
  const asked = vi.spyOn(journal, 'time', 'get');
  vi.advanceTimersByTime(60_000);
  await sleep(20);
  expect(asked.mock.calls.length).toBeLessThan(2);
  expect(onTime).not.toHaveBeenCalled();
  for (const turn of closed) log.stored(turn);

  await vi.waitFor(() => expect(onTime).toHaveBeenCalledOnce());
  await sleep(100);
  expect(onTime).toHaveBeenCalledOnce();
  // And they go on.
  vi.advanceTimersByTime(1000);
  await vi.waitFor(() => expect(onTime).toHaveBeenCalledTimes(2));
});
