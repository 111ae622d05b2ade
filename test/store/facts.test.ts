import { expect, test } from 'vitest';
import { withFacts } from '../../src/store/facts.ts';

const ANSWER = 'ended: with an answer';
const ERROR = 'ended: with an error';

test('facts only become more, sorted; the same object where nothing is new', () => {
  const known = ['calls: none', 'tool: a'];
  expect(withFacts(known, ['tool: a'])).toBe(known);
  expect(withFacts(known, ['b: c', 'tool: a'])).toEqual(['b: c', 'calls: none', 'tool: a']);
  expect(withFacts(undefined, [])).toBeUndefined();
});

test('a later turn replaces how it ended, and an earlier one does not, in whatever order they come', () => {
  const earlier = ['tool: a', ANSWER];
  const later = ['tool: b', ERROR];
  const inOrder = withFacts(withFacts(undefined, earlier, { isLater: true }), later, { isLater: true });
  const lateFirst = withFacts(withFacts(undefined, later, { isLater: true }), earlier, { isLater: false });
  expect(inOrder).toEqual([ERROR, 'tool: a', 'tool: b']);
  expect(lateFirst).toEqual(inOrder);
  expect(withFacts(['tool: a'], [ERROR], { isLater: false })).toEqual([ERROR, 'tool: a']);
  expect(withFacts(inOrder, ['failed: s/c'])).toEqual([ERROR, 'failed: s/c', 'tool: a', 'tool: b']);
});

test('of too many the same ones stay', () => {
  const many = Array.from({ length: 200 }, (_, at) => `tool: ${String(at).padStart(3, '0')}`);
  const backwards = many.toReversed().reduce<readonly string[] | undefined>((all, one) => withFacts(all, [one]), []);
  expect(withFacts([], many)).toHaveLength(72);
  expect(backwards).toEqual(withFacts([], many));
});
