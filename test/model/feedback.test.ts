/** Feedback of users: its polarity, and which of several opinions counts. */
import { expect, test } from 'vitest';
import { countingFeedback, type Feedback, polarityOf, polarityOfAll } from '../../src/model/feedback.ts';
import type { ConversationId, TraceId } from '../../src/model/ids.ts';

test.each([
  [{ label: 'thumbs_up' }, 'positive'],
  [{ label: ' Thumbs Down ' }, 'negative'],
  [{ label: 'no', score: 5 }, 'negative'],
  [{ score: 1 }, 'positive'],
  [{ score: 0 }, 'negative'],
  [{ score: -1 }, 'negative'],
  [{ score: 5 }, 'positive'],
  [{ score: 4 }, 'positive'],
  [{ score: 3 }, 'neutral'],
  [{ score: 2 }, 'negative'],
  [{ score: 1, scale: [1, 5] as const }, 'negative'],
  [{ score: 3, scale: [1, 5] as const }, 'neutral'],
  [{ score: 0.6, scale: [0, 1] as const }, 'positive'],
  [{ label: 'meh', score: 1 }, 'positive'],
  [{}, 'neutral'],
])('%j is %s, and clear', (opinion, polarity) => {
  expect(polarityOf(opinion)).toEqual({ polarity });
});

test.each([
  [{ score: 0.7 }, 'a score of 0.7 means nothing without its scale'],
  [{ score: 5, scale: 'unreadable' as const }, 'a score of 5 means nothing, since its scale cannot be read'],
  [{ score: 7, scale: [1, 5] as const }, 'a score of 7 is outside of its scale, 1 to 5'],
  [{ score: 0.9, scale: [1, 5] as const }, 'a score of 0.9 is outside of its scale, 1 to 5'],
  [{ score: 11, scale: [1, 10] as const }, 'a score of 11 is outside of its scale, 1 to 10'],
  [{ score: 80 }, 'a score of 80 means nothing without its scale'],
  [{ label: 'meh' }, 'the label is no known word and there is no score'],
])('%j is neutral because %s', (opinion, unclear) => {
  expect(polarityOf(opinion)).toEqual({ polarity: 'neutral', unclear });
});

function said(id: string, polarity: Feedback['polarity'], more: Partial<Feedback> = {}): Feedback {
  const conversationId = 'c' as ConversationId;
  return { id, conversationId, name: 'thumbs', label: polarity, atMs: 1, polarity, way: 'api', ...more };
}

test('the latest opinion of a user about an answer counts, whatever order they come in', () => {
  const other = { traceId: 'a'.repeat(32) as TraceId };
  const all = [
    said('changed', 'positive', { atMs: 3, user: 'ana' }),
    said('first', 'negative', { atMs: 2, user: 'ana' }),
    said('of-ben', 'neutral', { user: 'ben' }),
    said('of-answer', 'neutral', { atMs: 4, user: 'ana', ...other }),
  ];

  for (const order of [all, all.toReversed()])
    expect(countingFeedback(order).map(({ id }) => id)).toEqual(['of-ben', 'changed', 'of-answer']);
  expect(polarityOfAll(all)).toBe('positive');
  expect(polarityOfAll([...all, said('of-carl', 'negative', { user: 'carl' })])).toBe('negative');
  expect(polarityOfAll([])).toBeUndefined();
});

test('a comment alone does not erase a thumb, of the same user or of none', () => {
  const comment = (id: string, more: Partial<Feedback>) =>
    said(id, 'neutral', { label: undefined, comment: 'hm', atMs: 5, ...more });
  const down = said('down', 'negative', { user: 'ana' });
  const anonymous = said('anonymous', 'negative', {});

  expect(polarityOfAll([down, comment('c', { user: 'ana' })])).toBe('negative');
  expect(polarityOfAll([down, comment('c', {})])).toBe('negative');
  expect(polarityOfAll([anonymous, comment('c', {})])).toBe('negative');
  expect(countingFeedback([down, comment('c', { user: 'ana' })]).map(({ id }) => id)).toEqual(['down', 'c']);
});

test('feedback without a user counts by itself, and a label of the same user replaces', () => {
  const all = [said('a', 'negative'), said('b', 'positive', { atMs: 2 })];
  expect(countingFeedback(all).map(({ id }) => id)).toEqual(['a', 'b']);
  expect(polarityOfAll(all)).toBe('negative');

  const changed = all.map((one) => ({ ...one, user: 'ana' }));
  expect(countingFeedback(changed).map(({ id }) => id)).toEqual(['b']);
  expect(polarityOfAll([...changed, said('c', 'neutral', { atMs: 3, user: 'ana' })])).toBe('neutral');
});
