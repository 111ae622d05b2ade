/** Arguments as values: what counts as the same, and how a difference is described. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../src/model/json.ts';
import { valueDifferences } from '../../../src/score/expected/value-differences.ts';

test.each<[what: string, expected: Json, given: Json | undefined]>([
  ['the same text', 'JFK', 'JFK'],
  ['a number as text', 30, '30'],
  ['a number as text with zeros', 30, ' 30.00 '],
  ['a text where a number was given', '30', 30],
  ['two numbers that only rounding tells apart', 0.3, 0.1 + 0.2],
  ['a long id, as number and as text', 123456789012345, '123456789012345'],
  ['an id beyond what a double holds', '9007199254740993', '9007199254740993'],
  ['a yes as text', true, 'True'],
  ['one time in two zones', '2026-03-02T10:00:00Z', '2026-03-02T12:00+02:00'],
  ['one time with and without seconds', '2026-03-02T10:00', '2026-03-02 10:00:00.000'],
  ['a day and its midnight', '2026-03-02', '2026-03-02T00:00:00'],
  ['a day and its midnight in a zone', '2026-03-02', '2026-03-02T00:00:00Z'],
  ['a day and its midnight in another zone', '2026-03-02', '2026-03-02T00:00:00+09:00'],
  ['nothing and no argument', null, undefined],
  ['a set in another order', ['ana', 'bob', 'bob'], ['bob', 'ana', 'bob']],
  ['a set of numbers as texts', [1, 2], ['2', '1']],
  ['more members than expected', { a: 1 }, { a: 1, b: 2 }],
  ['more members inside a list', [{ a: 1 }, { a: 2 }], [{ a: 1, price: 3 }, { a: 2 }]],
  ['an object as the text of its JSON', { a: [1] }, '{"a": [1]}'],
  ['a list as the text of its JSON', ['x'], '["x"]'],
  [
    'lists that belong together, both in another order',
    { item_ids: [1, 2], new_item_ids: [3, 4] },
    { item_ids: [2, 1], new_item_ids: [4, 3] },
  ],
  [
    'lists that have nothing to do with each other',
    { people: ['a', 'b'], rooms: [1, 2] },
    { people: ['b', 'a'], rooms: [1, 2] },
  ],
  ['hostile names', JSON.parse('{"__proto__": {"a": 1}}') as Json, JSON.parse('{"__proto__": {"a": 1}}') as Json],
])('the same: %s', (_what, expected, given) => {
  expect(valueDifferences(expected, given, 'x')).toEqual([]);
});

test.each<[what: string, expected: Json, given: Json | undefined, differences: readonly string[]]>([
  ['another text', 'JFK', 'jfk', ['x is "jfk", expected "JFK"']],
  [
    'a long id with another last digit',
    123456789012345,
    123456789012346,
    ['x is 123456789012346, expected 123456789012345'],
  ],
  [
    'an id beyond what a double holds',
    '9007199254740993',
    '9007199254740992',
    ['x is "9007199254740992", expected "9007199254740993"'],
  ],
  ['texts that are numbers stay texts', '007', '7', ['x is "7", expected "007"']],
  ['another number', 30, 31, ['x is 31, expected 30']],
  ['an empty text is no 0', 0, '', ['x is "", expected 0']],
  [
    'a time without a zone is none with one',
    '2026-03-02T10:00',
    '2026-03-02T10:00Z',
    ['x is "2026-03-02T10:00Z", expected "2026-03-02T10:00"'],
  ],
  ['something where nothing is expected', null, 1, ['x is 1, expected null']],
  ['nothing', { a: 1 }, {}, ['x.a is missing, expected 1']],
  ['one of a set', ['ana', 'bob'], ['bob', 'carl'], ['x lacks "ana"', 'x has "carl", which was not expected']],
  ['each as often', ['a', 'a', 'b'], ['a', 'b', 'b'], ['x lacks "a"', 'x has "b", which was not expected']],
  [
    'the order of objects',
    [{ a: 1 }, { a: 2 }],
    [{ a: 2 }, { a: 1 }],
    ['x[0].a is 2, expected 1', 'x[1].a is 1, expected 2'],
  ],
  ['how many objects', [{ a: 1 }], [{ a: 1 }, { a: 2 }], ['x has 2 elements, expected 1']],
  ['what is no object', { a: 1 }, 'a', ['x is "a", expected {a: 1}']],
  ['what every object has', { toString: 1 }, {}, ['x.toString is missing, expected 1']],
  [
    'lists that belong together, in orders that do not agree',
    { item_ids: [1, 2], new_item_ids: [3, 4] },
    { item_ids: [1, 2], new_item_ids: [4, 3] },
    ['x.item_ids and x.new_item_ids lack [1, 3], [2, 4] together'],
  ],
])('not the same: %s', (_what, expected, given, differences) => {
  expect(valueDifferences(expected, given, 'x')).toEqual(differences);
});

test('whatever is given is the same as itself, and a member more makes no difference', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, name) => {
      // The cast holds: it is a JSON value.
      const json = value as Json;
      expect(valueDifferences(json, json, 'x')).toEqual([]);
      expect(valueDifferences({ a: json }, { [`${name}-more`]: 1, a: json }, 'x')).toEqual([]);
    }),
  );
});

test('nesting beyond reason is refused, and no stack runs over', () => {
  let deep: Json = 1;
  for (let at = 0; at < 10_000; at += 1) deep = [[deep]];

  expect(() => valueDifferences(deep, deep, 'x')).toThrow('nested more than 50 levels');
});
