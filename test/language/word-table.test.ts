import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WordTable } from '../../src/language/word-table.ts';

const word = fc.string({ unit: fc.constantFrom(...'abc'), minLength: 1, maxLength: 4 });

test('finds the same as a map, in the middle of a text', () => {
  fc.assert(
    fc.property(fc.dictionary(word, fc.nat()), fc.array(word, { maxLength: 20 }), (entries, asked) => {
      const table = new WordTable(new Map(Object.entries(entries)));
      const text = ` ${asked.join(' ')} `;
      let from = 1;
      for (const one of asked) {
        expect(table.find(text, from, from + one.length)).toBe(entries[one]);
        from += one.length + 1;
      }
      expect(table.find(text, 0, 0)).toBeUndefined();
    }),
  );
});
