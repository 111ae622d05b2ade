/** Which runs there are, and what they are given. */
import { expect, test } from 'vitest';
import {
  chosenCases,
  drawnOrder,
  newConversationId,
  planParts,
  planRuns,
  seedOf,
} from '../../../src/offline/run/run-plan.ts';
import { caseOf } from './running-experiment.ts';

const cases = [caseOf('a', 'x'), caseOf('b', 'x', { tags: ['smoke'] }), caseOf('ab', 'x', { tags: ['slow'] })];

test('all cases are run once before any is run again', () => {
  const planned = planRuns(cases, { repeats: 2, seed: 1 });

  expect(planned.map((run) => `${run.case.id}${run.repeat}`)).toEqual(['a1', 'b1', 'ab1', 'a2', 'b2', 'ab2']);
});

test('all repeats of the cases before a look are in a part of their own', () => {
  const parts = planParts(cases, [2, 3], { repeats: 2, seed: 1 });

  expect(parts.map((part) => part.map((run) => `${run.case.id}${run.repeat}`))).toEqual([
    ['a1', 'b1', 'a2', 'b2'],
    ['ab1', 'ab2'],
  ]);
});

test('the drawn order comes from the seed and the ids, not from the file, and has each case once', () => {
  const many = Array.from({ length: 100 }, (_, index) => ({ id: `case-${String(index).padStart(2, '0')}` }));
  const order = drawnOrder(many, 1);

  expect(drawnOrder(many.toReversed(), 1)).toEqual(order);
  expect(drawnOrder(many.slice(1), 1)).toEqual(order.filter(({ id }) => id !== 'case-00'));
  expect(drawnOrder(many, 2)).not.toEqual(order);
  expect(order.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(many);
  // The first half of the file is not the first half of the order.
  const early = order.slice(0, 50).filter(({ id }) => id < 'case-50').length;
  expect(early).toBeGreaterThan(12);
  expect(early).toBeLessThan(38);
});

test('a seed comes from the experiment, the case and the repeat, and from nothing else', () => {
  const all = planRuns(cases, { repeats: 3, seed: 1 });
  const fewer = planRuns(cases.slice(1), { repeats: 2, seed: 1 });

  expect(new Set(all.map(({ seed }) => seed)).size).toBe(9);
  for (const run of fewer) expect(run.seed).toBe(seedOf(1, run.case.id, run.repeat));
  expect(seedOf(1, 'b', 2)).toBe(all.find((run) => run.case.id === 'b' && run.repeat === 2)?.seed);
  expect(seedOf(2, 'b', 2)).not.toBe(seedOf(1, 'b', 2));
  for (const { seed } of all) expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31).toBe(true);
});

test.each([
  [undefined, [], ['a', 'b', 'ab']],
  ['a*', [], ['a', 'ab']],
  ['?', [], ['a', 'b']],
  [undefined, ['smoke', 'slow'], ['b', 'ab']],
  ['a*', ['smoke', 'slow'], ['ab']],
  ['z', [], []],
])('of the cases those are chosen whose id is %s and that have one of the tags %s', (only, tags, expected) => {
  expect(chosenCases(cases, { only, tags }).map(({ id }) => id)).toEqual(expected);
});

test('a conversation has another id each time, readable and fit for a header', () => {
  const [planned] = planRuns([caseOf(`café/1 ${'x'.repeat(300)}`, 'x')], { repeats: 1, seed: 1 });
  if (planned === undefined) return expect.unreachable();
  const ids = [newConversationId('e', planned), newConversationId('e', planned)];

  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^run-e-caf-1-x{54}-1-[0-9a-f]{8}$/);
});
