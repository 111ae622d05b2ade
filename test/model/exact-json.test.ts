import { expect, test } from 'vitest';
import { parseExactly } from '../../src/model/exact-json.ts';
import { readWrittenDocument } from '../../src/model/written-document.ts';

test.each([
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', '9007199254740993'],
  ['-9007199254740993', '-9007199254740993'],
  ['1790000000000000000.5', 1790000000000000000],
  ['{"id": 12345678901234567890, "n": [1, 1e30]}', { id: '12345678901234567890', n: [1, 1e30] }],
  ['"12345678901234567890"', '12345678901234567890'],
])('whole numbers keep their digits, in JSON and in YAML: %s', (text, value) => {
  expect(parseExactly(text)).toEqual(value);
  expect(readWrittenDocument(text, 'a.yaml').value).toEqual(value);
});

test('what is no JSON throws, and names of members are only names', () => {
  expect(() => parseExactly('{"a": 12345678901234567890')).toThrow(SyntaxError);
  const parsed = parseExactly('{"__proto__": 12345678901234567890}') as object;
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  expect(Object.entries(parsed)).toEqual([['__proto__', '12345678901234567890']]);
});
