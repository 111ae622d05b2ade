/** Which runs there are, and what they are given. */
import { expect, test } from 'vitest';
import { chosenCases, newConversationId, planRuns, seedOf } from '../../../src/offline/run/run-plan.ts';
import { caseOf } from './running-experiment.ts';

const cases = [caseOf('a', 'x'), caseOf('b', 'x', { tags: ['smoke'] }), caseOf('ab', 'x', { tags: ['slow'] })];

test('all cases are run once before any is run again', () => {
  const planned = planRuns(cases, { repeats: 2, seed: 1 });

  expect(planned.map((run) => `${run.case.id}${run.repeat}`)).toEqual(['a1', 'b1', 'ab1', 'a2', 'b2', 'ab2']);
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
