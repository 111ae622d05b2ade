import { expect, test } from 'vitest';
import type { TranscriptStepJson, TurnJson } from '../../src/api/conversation-detail.ts';
import { stepRows } from '../../src/page/conversation/step-rows.ts';

const step = (id: string, from: number, to: number, parent?: string): TranscriptStepJson => ({
  step_id: id,
  trace_id: 't',
  kind: 'tool',
  name: id,
  began_at: new Date(from).toISOString(),
  ended_at: new Date(to).toISOString(),
  status: 'ok',
  ...(parent === undefined ? {} : { parent }),
});
const turn = (steps: readonly TranscriptStepJson[]): TurnJson => ({
  turn_id: 'one',
  trace_ids: ['t'],
  began_at: new Date(0).toISOString(),
  ended_at: new Date(0).toISOString(),
  asked: '',
  answered: '',
  dialects: [],
  steps,
});
const shape = (of: TurnJson) => stepRows(of).map((row) => `${'  '.repeat(row.depth)}${row.step.step_id}`);

test('steps stand under their parents, in the order in which they began', () => {
  expect(
    shape(turn([step('c', 30, 40, 'a'), step('a', 0, 100), step('b', 10, 20, 'a'), step('d', 12, 15, 'b')])),
  ).toEqual(['a', '  b', '    d', '  c']);
});

test('a step whose parent is not there is a root, and steps that are their own parents are not lost', () => {
  expect(
    shape(turn([step('a', 0, 1, 'gone'), step('x', 2, 3, 'y'), step('y', 4, 5, 'x'), step('z', 6, 7, 'z')])),
  ).toEqual(['a', 'x', 'y', 'z']);
});

test('a clock that ran backwards gives no negative length, and a turn of one moment divides by nothing', () => {
  const [only] = stepRows(turn([step('a', 50, 20)]));
  const [moment] = stepRows(turn([step('a', 5, 5)]));

  expect(only).toMatchObject({ durationMs: 0, length: 0 });
  expect(moment).toMatchObject({ from: 0, length: 0 });
});

test('thousands of steps, one within the other, are as many rows', () => {
  const deep = Array.from({ length: 5_000 }, (_, index) =>
    step(`s${index}`, index, 10_000, index === 0 ? undefined : `s${index - 1}`),
  );
  const rows = stepRows(turn(deep));

  expect(rows).toHaveLength(5_000);
  expect(rows.at(-1)?.depth).toBe(4_999);
});
