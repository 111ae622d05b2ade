import { expect, test } from 'vitest';
import { excerptOf, formsOf, markedParts, wordFinder } from '../../src/model/word-forms.ts';

test.each([
  [['refund', 'refunds', 'refunded', 'refunding']],
  [['cancel', 'cancels', 'cancelled', 'canceled', 'cancelling']],
  [['policy', 'policies']],
  [['change', 'changes', 'changed', 'changing']],
  [['match', 'matches', 'matched', 'matching']],
  [['stop', 'stops', 'stopped', 'stopping']],
  [['apply', 'applies', 'applied', 'applying']],
])('each of %j finds all the others', (forms) => {
  for (const form of forms) expect(formsOf(form), form).toEqual(expect.arrayContaining(forms));
});

test.each(['is', 'string', 'address', '4711', 'straße', '会議', 'constructor'])(
  '%s is no form of another word',
  (word) => {
    const roots = ['i', 'str', 'addres', '471', 'straß', '会', 'construct'];
    expect(formsOf(word)).toContain(word);
    for (const root of roots) expect(formsOf(word)).not.toContain(root);
  },
);

test('a text is marked where a word is, whatever its case, accents and form; the last may be a beginning', () => {
  const isFound = wordFinder('zurich REFUNDS ord');

  expect(markedParts('Zürich refunded my order.', isFound)).toEqual([
    { text: 'Zürich', isFound: true },
    { text: ' ', isFound: false },
    { text: 'refunded', isFound: true },
    { text: ' my ', isFound: false },
    { text: 'order', isFound: true },
    { text: '.', isFound: false },
  ]);
  expect(markedParts('nothing', isFound)).toEqual([{ text: 'nothing', isFound: false }]);
  expect(markedParts('', isFound)).toEqual([{ text: '', isFound: false }]);
  expect(markedParts('明日の会議を', wordFinder('会議'))).toEqual([{ text: '明日の会議を', isFound: true }]);
});

test('an excerpt has the word and what stands around it, from the beginning of a word', () => {
  const text = `${'before '.repeat(20)}refunded${' after'.repeat(20)}`;

  expect(excerptOf(text, wordFinder('refund'), { before: 20, after: 12 })).toBe(
    '… before before refunded after after …',
  );
  expect(excerptOf('refund it', wordFinder('refund'), { before: 20, after: 12 })).toBe('refund it');
  expect(excerptOf(`${'x'.repeat(100)}:refund`, wordFinder('refund'), { before: 20, after: 12 })).toBe('… refund');
  expect(excerptOf('nothing', wordFinder('refund'), { before: 20, after: 12 })).toBeUndefined();
});
