import { expect, test } from 'vitest';
import type { RowGroup } from '../../src/assemble/open/row-groups.ts';
import {
  type ClosedTurn,
  OpenTurns,
  type Row,
  type TraceIdWords,
  type TurnLimits,
} from '../../src/assemble/open-turns.ts';
import { randomFrom, shuffled } from '../random.ts';

const LIMITS: TurnLimits = {
  settleMs: 10,
  idleMs: 60,
  maxAgeMs: 900,
  maxSpans: 50,
  maxBytes: 100_000,
  maxOpenTurns: 1000,
  maxOpenSpans: 10_000,
};

const GROUP: RowGroup = {
  entryPosition: 0,
  signal: 'traces',
  sender: 0,
  resourcePosition: 0,
  resourceLength: 0,
  scopePosition: 0,
  scopeLength: 0,
};

interface Span {
  readonly trace: string;
  readonly id: string;
  readonly parent?: string;
  readonly remote?: boolean;
  readonly bytes?: number;
  /** Hash of the conversation that it names. */
  readonly of?: number;
}

/** A line of a scenario: these spans, at this time, in one entry of the log. */
type Line = readonly [at: number, ...spans: Span[]];

function row(span: Span, position: number): Row {
  return {
    traceId: traceIdOf(span.trace),
    spanIdHigh: halvesOf(span.id).high,
    spanIdLow: halvesOf(span.id).low,
    parentIdHigh: halvesOf(span.parent).high,
    parentIdLow: halvesOf(span.parent).low,
    parentIsRemote: span.remote === true,
    position,
    length: span.bytes ?? 100,
    group: GROUP,
    conversation: span.of ?? 0,
  };
}

/** Names stand for ids; no two here share their first four and their last four letters. */
function halvesOf(name: string | undefined): { readonly high: number; readonly low: number } {
  if (name === undefined) return { high: 0, low: 0 };
  const bytes = Buffer.from(name.padEnd(8, ' '));
  return { high: bytes.readInt32BE(0), low: bytes.readInt32BE(bytes.length - 4) };
}

/** Names stand for trace ids as well; they are ordered as their names are. */
function traceIdOf(name: string): TraceIdWords {
  const bytes = Buffer.alloc(16);
  bytes.write(name);
  return [bytes.readInt32BE(0), bytes.readInt32BE(4), bytes.readInt32BE(8), bytes.readInt32BE(12)];
}

function nameOf({ traceId }: ClosedTurn): string {
  return Buffer.from(traceId, 'hex').toString().replaceAll('\0', '');
}

function play(lines: readonly Line[], until: number, limits: Partial<TurnLimits> = {}): ClosedTurn[] {
  const turns = new OpenTurns({ ...LIMITS, ...limits });
  const closed: ClosedTurn[] = [];
  let position = 0;
  for (const [at, ...spans] of lines) {
    closed.push(...turns.advance(at));
    const nextPosition = position + spans.length;
    for (const span of spans) {
      turns.add(row(span, position), { at, nextPosition });
      position += 1;
    }
  }
  closed.push(...turns.advance(until));
  return closed;
}

function brief(closed: readonly ClosedTurn[]): string[] {
  return closed.map((turn) => `${nameOf(turn)} ${turn.cause} at ${turn.closedAt} with ${turn.rows.length}`);
}

const root = { trace: 'T', id: 'root' };
const child = { trace: 'T', id: 'child', parent: 'root' };

test.each<[claim: string, lines: Line[], until: number, expected: string[]]>([
  [
    'a complete turn closes when it has settled',
    [
      [1, child],
      [5, root],
    ],
    100,
    ['T settled at 15 with 2'],
  ],
  [
    'it stays open a moment before that',
    [
      [1, child],
      [5, root],
    ],
    14,
    [],
  ],
  [
    'a root before its child counts the same',
    [
      [1, root],
      [5, child],
    ],
    100,
    ['T settled at 15 with 2'],
  ],
  ['a turn without its root closes when it is idle', [[1, child]], 100, ['T idle at 61 with 1']],
  [
    'a missing parent keeps a turn with an ended root open',
    [[1, root, { trace: 'T', id: 'leaf', parent: 'gone' }]],
    60,
    [],
  ],
  [
    'a late parent completes it',
    [
      [1, root, { trace: 'T', id: 'leaf', parent: 'middle' }],
      [40, { trace: 'T', id: 'middle', parent: 'root' }],
    ],
    100,
    ['T settled at 50 with 3'],
  ],
  [
    'a span whose parent is in another process stands for the root',
    [[1, { ...child, remote: true }]],
    100,
    ['T settled at 11 with 1'],
  ],
  [
    'a turn that never comes to rest closes at its maximum age',
    Array.from({ length: 40 }, (_, index): Line => [1 + index * 30, { trace: 'T', id: `s${index}`, parent: 'gone' }]),
    901,
    ['T max_age at 901 with 30'],
  ],
  [
    'a span after the close opens the turn anew',
    [
      [1, root],
      [50, child],
    ],
    200,
    ['T settled at 11 with 1', 'T idle at 110 with 1'],
  ],
  [
    'turns close in the order of their deadlines, and of their ids where those are equal',
    [
      [1, { trace: 'B', id: 'b' }, { trace: 'A', id: 'a' }],
      [2, { trace: 'C', id: 'c' }],
    ],
    100,
    ['A settled at 11 with 1', 'B settled at 11 with 1', 'C settled at 12 with 1'],
  ],
])('%s', (_claim, lines, until, expected) => {
  const played = lines.filter(([at]) => at <= until);

  expect(brief(play(played, until))).toEqual(expected);
});

test('a turn over its limit of spans closes at the end of the instant, with all spans of that instant', () => {
  const spans = Array.from({ length: 60 }, (_, index) => ({ trace: 'T', id: `s${index}`, parent: 'root' }));

  const closed = play([[1, ...spans]], 2);

  expect(brief(closed)).toEqual(['T size at 1 with 60']);
});

test('a turn over its limit of bytes closes likewise', () => {
  const closed = play([[1, { ...child, bytes: 100_001 }]], 2);

  expect(brief(closed)).toEqual(['T size at 1 with 1']);
});

test('when more turns are open than may be, those that would close first go', () => {
  const lines: Line[] = Array.from(
    { length: 6 },
    (_, index): Line => [index + 1, { trace: `T${index}`, id: 'x', parent: 'gone' }],
  );

  const closed = play(lines, 7, { maxOpenTurns: 4 });

  expect(brief(closed)).toEqual(['T0 pressure at 5 with 1', 'T1 pressure at 6 with 1']);
});

test('says when no span came twice', () => {
  expect(play([[1, root, child]], 100)[0]?.spansAreDistinct).toBe(true);
  expect(play([[1, root, child, child]], 100)[0]?.spansAreDistinct).toBe(false);
});

test('counts what is open, and nothing once all has closed', () => {
  const turns = new OpenTurns(LIMITS);
  turns.advance(1);
  turns.add(row(root, 0), { at: 1, nextPosition: 1 });
  turns.add(row(child, 1), { at: 1, nextPosition: 2 });

  expect([turns.turnCount, turns.rowCount, turns.byteCount]).toEqual([1, 2, 200]);
  turns.advance(1000);
  expect([turns.turnCount, turns.rowCount, turns.byteCount]).toEqual([0, 0, 0]);
});

test('the order of rows within an instant, and how often time is looked at, change nothing', () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  const lines: Line[] = [];
  for (let at = 1; at < 400; at += 1 + Math.floor(random() * 12)) {
    const count = Math.floor(random() * 5);
    const spans = Array.from({ length: count }, (): Span => {
      const trace = `T${Math.floor(random() * 8)}`;
      const id = `s${Math.floor(random() * 12)}`;
      const parent = random() < 0.3 ? undefined : `s${Math.floor(random() * 12)}`;
      return parent === undefined ? { trace, id } : { trace, id, parent };
    });
    lines.push([at, ...spans]);
  }
  const summary = (closed: readonly ClosedTurn[]) => brief(closed).join('\n');
  const expected = summary(play(lines, 1000, { maxSpans: 6 }));

  for (let round = 0; round < 50; round += 1) {
    const mixed = lines.flatMap(([at, ...spans]): Line[] => {
      const order = shuffled(spans, random);
      const cut = Math.floor(random() * (order.length + 1));
      // One entry or two at the same time, sometimes with a clock tick in between.
      const parts: Line[] = [
        [at, ...order.slice(0, cut)],
        [at, ...order.slice(cut)],
      ];
      return random() < 0.5 ? parts : [[at, ...order]];
    });
    expect(summary(play(mixed, 1000, { maxSpans: 6 })), `seed ${seed}`).toBe(expected);
  }
});

test('a turn says with its close which of its conversations other open turns had named by then, and since when', () => {
  const closed = play(
    [
      [1, { trace: 'A', id: 'a', of: 7 }],
      [2, { trace: 'B', id: 'b', of: 7 }],
      [3, { trace: 'C', id: 'c', of: 8 }, { trace: 'D', id: 'd' }],
      [4, { trace: 'B', id: 'more', parent: 'b', of: 8 }],
    ],
    100,
  );

  expect(closed.map((turn) => [nameOf(turn), turn.closedAt, turn.openBeside])).toEqual([
    ['A', 11, [{ conversation: 7, at: 2 }]],
    ['C', 13, [{ conversation: 8, at: 4 }]],
    ['D', 13, []],
    ['B', 14, []],
  ]);
  expect(closed.at(-1)?.named).toEqual([
    { conversation: 7, at: 2 },
    { conversation: 8, at: 4 },
  ]);
});

test('a span is the first of its turn to name a conversation once, however many do', () => {
  const turns = new OpenTurns(LIMITS);
  const span = (id: string, of: number) => row({ trace: 'A', id, of }, 0);
  turns.advance(1);
  const input = { at: 1, nextPosition: 1 };

  expect([span('a', 0), span('b', 7), span('c', 7), span('d', 8)].map((one) => turns.add(one, input))).toEqual([
    false,
    true,
    false,
    true,
  ]);
});

test('that everything names one conversation does not make closing slower with the number of turns', () => {
  const turns = new OpenTurns({ ...LIMITS, maxOpenTurns: 100_000, maxOpenSpans: 100_000 });
  const count = 40_000;
  for (let at = 1; at <= 10; at += 1) {
    turns.advance(at);
    for (let trace = 0; trace < count / 10; trace += 1)
      turns.add(row({ trace: `${at} ${trace}`, id: 'root', of: 7 }, trace), { at, nextPosition: trace + 1 });
  }
  const startedAt = performance.now();

  const closed = turns.advance(100);

  expect(closed).toHaveLength(count);
  expect(closed.at(0)?.openBeside).toEqual([{ conversation: 7, at: 1 }]);
  expect(closed.at(-1)?.openBeside).toEqual([]);
  expect(performance.now() - startedAt).toBeLessThan(5000);
});
