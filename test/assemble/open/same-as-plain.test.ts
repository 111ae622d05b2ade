import { expect, test } from 'vitest';
import type { RowGroup } from '../../../src/assemble/open/row-groups.ts';
import { type ClosedTurn, OpenTurns, type Row, type TurnLimits } from '../../../src/assemble/open-turns.ts';
import { randomFrom } from '../../random.ts';
import { PlainOpenTurns } from '../plain-open-turns.ts';

const LIMITS: TurnLimits = {
  settleMs: 10,
  idleMs: 40,
  maxAgeMs: 90,
  maxSpans: 9,
  maxBytes: 100_000,
  maxOpenTurns: 6,
  maxOpenSpans: 40,
};

interface Entry {
  readonly at: number;
  readonly nextPosition: number;
  readonly rows: readonly Row[];
}

/** Few traces, ids and conversations, so that each thing that can be meets each other. */
function entriesOf(seed: number, traces: number): readonly Entry[] {
  const random = randomFrom(seed);
  const upTo = (count: number) => Math.floor(random() * count);
  // Positions beyond 32 bits, as those of a journal of some days.
  let position = 5_000_000_000;
  let at = 1;
  return Array.from({ length: 120 }, () => {
    at += random() < 0.5 ? 0 : upTo(25);
    const entryPosition = position;
    position += 100;
    const groups = [0, 1].map(
      (number): RowGroup => ({
        entryPosition,
        signal: random() < 0.8 ? 'traces' : 'logs',
        sender: upTo(2 ** 31),
        resourcePosition: position + number,
        resourceLength: upTo(50),
        scopePosition: position + 10 + number,
        scopeLength: upTo(50),
      }),
    );
    const rows = Array.from({ length: upTo(5) }, (): Row => {
      const length = random() < 0.02 ? 100_001 : 1 + upTo(200);
      const span = upTo(10);
      const parent = upTo(12) % 10;
      position += length;
      return {
        // The sign of a word must not matter to the order of ids.
        traceId: [upTo(2) * -1, 0, 7, upTo(traces) - 2],
        spanIdHigh: span === 0 ? 0 : -span,
        spanIdLow: span,
        parentIdHigh: parent === 0 ? 0 : -parent,
        parentIdLow: parent,
        parentIsRemote: random() < 0.1,
        position: position - length,
        length,
        group: groups[upTo(2)] as RowGroup,
        conversation: random() < 0.5 ? 0 : 1 + upTo(12),
      };
    });
    return { at, nextPosition: position, rows };
  });
}

test('open turns do what the rules say with plain objects, whatever comes', () => {
  const base = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const causes = new Set<string>();
  for (let round = 0; round < 40; round += 1) {
    const seed = base + round;
    const turns = new OpenTurns(LIMITS);
    const plain = new PlainOpenTurns(LIMITS);
    const closed: ClosedTurn[] = [];
    for (const { at, nextPosition, rows } of entriesOf(seed, 2 + (round % 9))) {
      closed.push(...turns.advance(at));
      expect(closed.splice(0), `seed ${seed}, before ${at}`).toEqual(plain.advance(at).map((turn) => noted(turn)));
      for (const row of rows) {
        const input = { at, nextPosition };
        expect(turns.add(row, input), `seed ${seed}, at ${at}`).toBe(plain.add(row, input));
      }
      expect([turns.turnCount, turns.rowCount, turns.byteCount], `seed ${seed}`).toEqual(plain.counts);
    }
    const end = 1_000_000;
    expect(turns.advance(end), `seed ${seed}, at the end`).toEqual(plain.advance(end).map((turn) => noted(turn)));
    expect([turns.turnCount, turns.rowCount, turns.byteCount]).toEqual([0, 0, 0]);
  }
  expect(causes).toEqual(new Set(['settled', 'idle', 'max_age', 'size', 'pressure']));

  function noted(turn: ClosedTurn): ClosedTurn {
    causes.add(turn.cause);
    return turn;
  }
});

test('a pause between any two steps changes nothing', () => {
  const [whole, stepwise] = [new OpenTurns(LIMITS), new OpenTurns(LIMITS)];
  const expected: ClosedTurn[] = [];
  const found: ClosedTurn[] = [];
  let steps = 0;
  for (const { at, nextPosition, rows } of [...entriesOf(1, 60), { at: 1_000_000, nextPosition: 0, rows: [] }]) {
    expected.push(...whole.advance(at));
    const advancing = stepwise.advancing(at);
    for (let step = advancing.next(); step.done !== true; step = advancing.next()) {
      steps += 1;
      if (step.value !== undefined) found.push(step.value);
    }
    for (const row of rows) for (const turns of [whole, stepwise]) turns.add(row, { at, nextPosition });
  }

  expect(found).toEqual(expected);
  expect(steps).toBeGreaterThanOrEqual(found.length);
});
