import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wordsOf } from '../../src/model/search-words.ts';

test.each<[string, readonly string[]]>([
  ['Where is ORD-4711, please?', ['where', 'is', 'ord', '4711', 'please']],
  ['Zürich, ZURICH, zurich', ['zurich']],
  ['明日の会議', ['明日', '日の', 'の会', '会議']],
  ['会', ['会']],
  ['iPhone15を買う', ['iphone15', 'を買', '買う']],
  ['ana@example.com paid 12.50€', ['ana', 'example', 'com', 'paid', '12', '50']],
  ['Ｆｕｌｌ ｗｉｄｔｈ', ['full', 'width']],
  ['\u0000\u202e --- ;', []],
  ['', []],
])('%j', (text, words) => {
  expect(wordsOf(text, 100)).toEqual(words);
});

test('a word is cut, and there are never more than asked for', () => {
  expect(wordsOf('x'.repeat(1000), 10)).toEqual(['x'.repeat(40)]);
  expect(wordsOf('a b c d', 2)).toEqual(['a', 'b']);
});

test('any text gives words of letters and digits only, and the same words again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const words = wordsOf(text, 50);
      expect(words.length).toBeLessThanOrEqual(50);
      for (const word of words) expect(word).toMatch(/^[\p{L}\p{N}]{1,40}$/u);
      expect(wordsOf(words.join(' '), 1000)).toEqual(words);
    }),
  );
});

test('plain text gives each of its runs of letters and digits once', () => {
  const letters = fc.constantFrom(...'abAB01 -\n~');
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 600 }), fc.integer({ min: 1, max: 200 }), (text, most) => {
      const runs = (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((run) => run.slice(0, 40));
      expect(wordsOf(text, most)).toEqual([...new Set(runs)].slice(0, most));
    }),
  );
  const many = Array.from({ length: 4000 }, (_, index) => `w${index}`);
  expect(wordsOf([...many, ...many].join(' '), 4000)).toEqual(many);
});
