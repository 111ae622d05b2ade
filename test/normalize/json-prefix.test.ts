import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completedPrefix } from '../../src/normalize/json-prefix.ts';
import { rounds } from '../rounds.ts';

test.each([
  ['[{"role":"user","content":"Is the ro', [{ role: 'user', content: 'Is the ro' }]],
  ['{"room": 12, "gue', { room: 12 }],
  ['{"room": 12, "guest":', { room: 12 }],
  ['{"room": 12', {}],
  ['{"room": 12, "open": tr', { room: 12 }],
  ['{"a":{"b":[1,2,{"c":"d', { a: { b: [1, 2, { c: 'd' }] } }],
  ['["one", "two\\', ['one', 'two']],
  ['["one", "two\\u00e', ['one', 'two']],
  ['["one", "two\\\\', ['one', 'two\\']],
  ['[', []],
  ['{', {}],
])('%s keeps what was there', (text, value) => {
  expect(completedPrefix(text)).toEqual({ value });
});

test.each(['{not json', '[see above]', 'plain', '{"a":1}}', '{"a" 1}', '[1,,2]', ''])('%s was not cut', (text) => {
  expect(completedPrefix(text)).toBeUndefined();
});

test('any JSON object or list cut anywhere gives a value of the same kind, of which every text is a beginning of one that was there', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())),
      fc.nat(),
      (value, cut) => {
        const text = JSON.stringify(value);
        const prefix = text.slice(0, 1 + (cut % text.length));
        if (prefix === text) return;
        // Lists that begin with a literal are taken for prose; see BEGINNING.
        if (/^\[(?:t|f|n)/.test(prefix)) return;
        const found = completedPrefix(prefix);

        expect(Array.isArray(found?.value)).toBe(Array.isArray(value));
        for (const part of textsIn(found?.value)) {
          expect(textsIn(value).some((whole) => whole.startsWith(part))).toBe(true);
        }
      },
    ),
    { numRuns: rounds(500) },
  );
});

test('a megabyte of brackets or quotes takes one pass', () => {
  for (const text of ['['.repeat(1 << 20), `["${'\\"'.repeat(1 << 19)}`, `{"a":"${'{'.repeat(1 << 20)}`]) {
    expect(() => completedPrefix(text)).not.toThrow();
  }
});

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [...(Array.isArray(value) ? [] : [key]), ...textsIn(item)]);
}
