import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ClosedTurn } from '../../../src/assemble/open-turns.ts';
import { TurnSpool } from '../../../src/kafka/turn-spool.ts';
import type { TraceId } from '../../../src/model/ids.ts';
import { encodeTable } from '../../../src/otlp/batch-table.ts';
import { transcodeLogs, transcodeTraces } from '../../../src/otlp/json-transcoder.ts';
import { indexLogs } from '../../../src/otlp/logs-reader.ts';
import { indexTraces } from '../../../src/otlp/traces-reader.ts';
import { Lane, type LaneBatch } from '../../../src/serve/cluster/lane.ts';
import type { LanePositions } from '../../../src/store/cluster-store.ts';
import { tinySpans } from '../../receive/tiny-spans.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { LIMITS, partsForTest } from './small-lanes.ts';
import { rounds } from '../../rounds.ts';

const TOPICS = ['spans', 'logs'] as const;
const END = 100_000;

interface Written {
  readonly timestamp: number;
  readonly batch: LaneBatch;
}

function traceIdOf(number: number): string {
  return (number + 1).toString(16).padStart(32, '0');
}

function spanIdOf(number: number): string {
  return (number + 1).toString(16).padStart(16, '0');
}

function spanRecord(timestamp: number, spans: readonly { trace: number; span: number; parent: number | undefined }[]) {
  const request = {
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: spans.map(({ trace, span, parent }) => ({
              traceId: traceIdOf(trace),
              spanId: spanIdOf(span),
              ...(parent === undefined ? {} : { parentSpanId: spanIdOf(parent) }),
              name: `span ${span}`,
            })),
          },
        ],
      },
    ],
  };
  const bytes = transcodeTraces(Buffer.from(JSON.stringify(request)));
  const index = indexTraces(bytes);
  return { timestamp, batch: { signal: 'traces' as const, bytes, table: encodeTable(index), rows: index.spanCount } };
}

function logRecord(timestamp: number, trace: number) {
  const record = { traceId: traceIdOf(trace), spanId: spanIdOf(0), body: { stringValue: `log at ${timestamp}` } };
  const request = { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] };
  const bytes = transcodeLogs(Buffer.from(JSON.stringify(request)));
  const index = indexLogs(bytes);
  return { timestamp, batch: { signal: 'logs' as const, bytes, table: encodeTable(index), rows: index.recordCount } };
}

/** The output of a lane, in order: turns that it closed, and times up to which it has closed all. */
type Said = { readonly turn: ClosedTurn; readonly positions: LanePositions } | { readonly time: number };

/** A lane over two topics in memory, and the store of the turns it closed. */
class Run {
  readonly filed: string[] = [];
  readonly #topics: Readonly<Record<string, readonly Written[]>>;
  readonly #spool: TurnSpool;
  readonly #filedTo = new Map<TraceId, Record<string, number>>();
  #storedPositions: Record<string, number> = {};
  #committed: Record<string, { offset: number; time: number }> = {};
  #waiting: Said[] = [];
  #filedTime = 0;
  #lane: Lane;

  constructor(spans: readonly Written[], logs: readonly Written[]) {
    this.#topics = { spans, logs };
    this.#spool = new TurnSpool(path.join(tempDirectory(), 'spool'), { segmentBytes: 4096 });
    onTestFinished(() => this.#spool.close());
    this.#lane = this.#begin();
  }

  get spooled(): number {
    return this.#spool.bytes;
  }

  get offsets(): readonly number[] {
    return TOPICS.map((topic) => this.#lane.progress(topic).offset);
  }

  readOne(topic: string): boolean {
    const offset = this.#lane.next(topic);
    const written = this.#topics[topic]?.[offset];
    if (written === undefined) return false;
    const filed = this.#lane.isReplayed(topic, offset) ? this.#filedTo : new Map<TraceId, LanePositions>();
    this.#lane.push(topic, [{ offset, ...written }], filed);
    this.#lane.advance();
    return true;
  }

  /** The brokers report that nothing more is there; later records have later timestamps. */
  quiet(topic: string): void {
    const rest = this.#topics[topic]?.slice(this.#lane.next(topic)) ?? [];
    this.#lane.quiet(topic, Math.min(END, ...rest.map(({ timestamp }) => timestamp)));
    this.#lane.advance();
  }

  /** The store takes the first of the closed turns. */
  file(count: number): void {
    for (const said of this.#waiting.splice(0, count)) {
      if ('time' in said) {
        this.#filedTime = Math.max(this.#filedTime, said.time);
        continue;
      }
      const { turn, positions } = said;
      // Other instances may have judged up to the filed time.
      expect(turn.closedAt).toBeGreaterThan(this.#filedTime);
      this.filed.push(`${turn.traceId.slice(-4)} ${turn.cause} at ${turn.closedAt}: ${turn.rows.length} rows`);
      const known = this.#filedTo.get(turn.traceId) ?? {};
      for (const topic of TOPICS) known[topic] = Math.max(known[topic] ?? 0, positions[topic] ?? 0);
      this.#filedTo.set(turn.traceId, known);
      for (const topic of TOPICS) {
        this.#storedPositions[topic] = Math.max(this.#storedPositions[topic] ?? 0, positions[topic] ?? 0);
      }
      this.#lane.stored(turn);
    }
  }

  commit(): void {
    for (const topic of TOPICS) this.#committed[topic] = this.#lane.progress(topic);
  }

  crash(): void {
    this.#lane.drop();
    this.#waiting = [];
    this.#lane = this.#begin();
  }

  finish(): readonly string[] {
    for (const topic of TOPICS) while (this.readOne(topic));
    for (const topic of TOPICS) this.#lane.quiet(topic, END);
    this.#lane.advance();
    this.file(Number.POSITIVE_INFINITY);
    return this.filed.toSorted();
  }

  #begin(): Lane {
    return new Lane({
      owned: { group: 'g', lane: 0, epoch: 1, time: 0, positions: { ...this.#storedPositions } },
      topics: TOPICS.map((topic) => ({ topic, ...(this.#committed[topic] ?? { offset: 0, time: 0 }) })),
      limits: LIMITS,
      parts: {
        spool: this.#spool,
        ...partsForTest({
          closed: (_, turn, positions) => this.#waiting.push({ turn, positions }),
          time: (_, time) => this.#waiting.push({ time }),
          late: () => {},
        }),
      },
    });
  }
}

/** Spans of a few traces, some with missing parents, late roots, or timestamps that go back. */
const spanTopic = fc
  .array(
    fc.record({
      trace: fc.nat({ max: 3 }),
      parent: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
      after: fc.nat({ max: 30 }),
      back: fc.oneof(fc.constant(0), fc.nat({ max: 60 })),
    }),
    { minLength: 5, maxLength: 25 },
  )
  .map((steps) => {
    let time = 1000;
    return steps.map(({ trace, parent, after, back }, index) => {
      time += after;
      const own = { trace, span: index, parent };
      return spanRecord(
        time - back,
        index % 3 === 0 ? [own, { trace: (trace + 1) % 4, span: 100 + index, parent }] : [own],
      );
    });
  });
const logTopic = fc
  .array(fc.record({ trace: fc.nat({ max: 3 }), after: fc.nat({ max: 60 }) }), { maxLength: 10 })
  .map((steps) => {
    let time = 1000;
    return steps.map(({ trace, after }) => {
      time += after;
      return logRecord(time, trace);
    });
  });
const action = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('read spans', 'read logs') },
  { weight: 3, arbitrary: fc.constantFrom('quiet spans', 'quiet logs') },
  { weight: 2, arbitrary: fc.constantFrom('file one', 'file all') },
  { weight: 2, arbitrary: fc.constant('commit') },
  { weight: 1, arbitrary: fc.constant('crash') },
);

test('whatever happens in between, the same turns close at the same time with the same rows, each once', () => {
  fc.assert(
    fc.property(spanTopic, logTopic, fc.array(action, { minLength: 20, maxLength: 120 }), (spans, logs, actions) => {
      const undisturbed = new Run(spans, logs).finish();
      const run = new Run(spans, logs);
      for (const step of actions) {
        if (step === 'read spans') run.readOne('spans');
        else if (step === 'read logs') run.readOne('logs');
        else if (step === 'quiet spans') run.quiet('spans');
        else if (step === 'quiet logs') run.quiet('logs');
        else if (step === 'file one') run.file(1);
        else if (step === 'file all') run.file(Number.POSITIVE_INFINITY);
        else if (step === 'commit') run.commit();
        else run.crash();
      }

      expect(run.finish()).toEqual(undisturbed);
      expect(run.offsets).toEqual([spans.length, logs.length]);
    }),
    { numRuns: rounds(300) },
  );
});

test('once everything is filed, the spool holds nothing but its last file', () => {
  const spans = Array.from({ length: 200 }, (_, index) =>
    spanRecord(1000 + index * 20, [{ trace: index, span: index, parent: undefined }]),
  );
  const run = new Run(spans, []);

  run.finish();

  expect(run.filed).toHaveLength(200);
  expect(run.spooled).toBeLessThanOrEqual(4096 + 200);
});

test('a record that is held back holds the offset back, and nothing else', async () => {
  const spool = new TurnSpool(path.join(tempDirectory(), 'spool'));
  onTestFinished(() => spool.close());
  const lane = new Lane({
    owned: { group: 'g', lane: 0, epoch: 1, time: 0, positions: {} },
    topics: [{ topic: 'spans', offset: 0, time: 0 }],
    limits: LIMITS,
    parts: { spool, ...partsForTest({ closed: (_, turn) => lane.stored(turn) }) },
  });
  const safe = Promise.withResolvers<void>();

  const held = { offset: 0, timestamp: 1000, batch: undefined, heldBy: safe.promise };
  const record = { offset: 1, ...spanRecord(1000, [{ trace: 1, span: 1, parent: undefined }]) };
  lane.push('spans', [held, record], new Map());
  lane.quiet('spans', 2000);
  lane.advance();

  expect(lane.openTurns).toBe(0);
  expect(lane.progress('spans').offset).toBe(0);

  safe.resolve();
  await safe.promise;
  expect(lane.progress('spans')).toEqual({ offset: 2, time: 2000 });
});

test('records that a full disk refuses have not come: they come again, each once', () => {
  const spool = new TurnSpool(path.join(tempDirectory(), 'spool'));
  onTestFinished(() => spool.close());
  const append = vi.spyOn(spool, 'append').mockImplementationOnce(() => {
    throw new Error('ENOSPC: no space left on device, write');
  });
  const closed: ClosedTurn[] = [];
  const lane = new Lane({
    owned: { group: 'g', lane: 0, epoch: 1, time: 0, positions: {} },
    topics: [{ topic: 'spans', offset: 0, time: 0 }],
    limits: LIMITS,
    parts: { spool, ...partsForTest({ closed: (_, turn) => closed.push(turn) }) },
  });
  const records = [1, 2, 3].map((trace) => ({
    offset: trace - 1,
    ...spanRecord(1000, [{ trace, span: trace, parent: undefined }]),
  }));

  expect(() => lane.push('spans', records, new Map())).toThrow('ENOSPC');
  const nextBefore = lane.next('spans');
  lane.push('spans', records, new Map());
  lane.quiet('spans', END);
  lane.advance();

  expect([nextBefore, lane.next('spans')]).toEqual([0, 3]);
  expect(append).toHaveBeenCalledTimes(2);
  expect(closed).toHaveLength(3);
  for (const turn of closed) lane.stored(turn);
  expect(lane.progress('spans').offset).toBe(3);
});

/** A lane with this many open turns, which all close when it becomes quiet. */
function laneWithTurns(count: number, closed: ClosedTurn[]) {
  const spool = new TurnSpool(path.join(tempDirectory(), 'spool'));
  onTestFinished(() => spool.close());
  const lane = new Lane({
    owned: { group: 'g', lane: 0, epoch: 1, time: 0, positions: {} },
    topics: [{ topic: 'spans', offset: 0, time: 0 }],
    limits: { ...LIMITS, maxOpenTurns: count, maxOpenSpans: count },
    parts: { spool, ...partsForTest({ closed: (_, turn) => closed.push(turn) }) },
  });
  const bytes = tinySpans(count, 1);
  const batch = { signal: 'traces' as const, bytes, table: encodeTable(indexTraces(bytes)), rows: count };
  lane.push('spans', [{ offset: 0, timestamp: 1000, batch }], new Map());
  lane.advance();
  return lane;
}

test('a jump of time closes turns in slices, between which records come, in the order of one go', async () => {
  const inOneGo: ClosedTurn[] = [];
  const whole = laneWithTurns(60_000, inOneGo);
  whole.quiet('spans', END);
  whole.advance();
  const closed: ClosedTurn[] = [];
  const lane = laneWithTurns(60_000, closed);
  lane.quiet('spans', END);

  const advanced = lane.advanceInSlices();
  await setImmediate();
  const atFirst = closed.length;
  lane.push('spans', [{ offset: 1, ...spanRecord(END + 1, [{ trace: 1, span: 1, parent: undefined }]) }], new Map());
  await advanced;
  await lane.advanceInSlices();

  expect(atFirst).toBeLessThan(60_000);
  expect(closed).toEqual(inOneGo);
  expect([lane.openTurns, lane.time]).toEqual([1, END + 1]);
});

test('a lane that is dropped between two slices closes nothing more', async () => {
  const closed: ClosedTurn[] = [];
  const lane = laneWithTurns(60_000, closed);
  lane.quiet('spans', END);
  const advanced = lane.advanceInSlices();
  await setImmediate();

  lane.drop();
  const atDrop = closed.length;
  await advanced;

  expect(atDrop).toBeLessThan(60_000);
  expect(closed).toHaveLength(atDrop);
});
