import { expect, test } from 'vitest';
import { readWrittenDocument } from '../../src/model/written-document.ts';
import { readSuite } from '../../src/score/suite/read-suite.ts';

test.each(['a: { __proto__: 1 }', 'a:\n  - "__proto__": { x: 1 }', '__proto__: &x { a: 1 }'])(
  'the name of the prototype is refused wherever it stands, with its place: %j',
  (text) => {
    const { value, mistakes } = readWrittenDocument(text, 'any.yaml');

    expect(value).toBeUndefined();
    expect(mistakes).toMatchObject([
      { problem: "'__proto__' cannot be the name of anything", expected: 'another name' },
    ]);
    const lines = text.slice(0, text.search(/"?__proto__/)).split('\n');
    expect(mistakes[0]).toMatchObject({ line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 });
  },
);

const suiteWith = (extract: string, weight: string) => `suite: s
version: 1
scope: conversation
extract: { ${extract}: final_answer }
criteria:
  - { name: a, question: Is it?, weight: ${weight}, check: 'true' }
`;

test.each([
  ['__proto__', '1', "'__proto__' cannot be the name of anything", 'another name'],
  ['text', '.nan', 'it is not a number', 'a number from 0 to 1, up to six decimal places'],
  [
    'text',
    '1e400',
    'it is beyond the range of numbers, ±1.7976931348623157e+308',
    'a number from 0 to 1, up to six decimal places',
  ],
])('a suite with the extract %s and the weight %s is refused', (extract, weight, problem, expected) => {
  const { suite, mistakes } = readSuite(suiteWith(extract, weight), 'a.yaml');

  expect(suite).toBeUndefined();
  expect(mistakes).toMatchObject([{ problem, expected }]);
});

test.each([
  ['lists', (levels: number) => `a: ${'['.repeat(levels)}${']'.repeat(levels)}`],
  ['mappings', (levels: number) => `a: ${'{b: '.repeat(levels)}1${'}'.repeat(levels)}`],
  ['lists without brackets', (levels: number) => `a:\n  ${'- '.repeat(levels)}1`],
  ['indentation', (levels: number) => Array.from({ length: levels }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
  ['lists that are not closed', (levels: number) => `a: ${'['.repeat(levels)}`],
])('%s of many levels are one mistake that says so', (_, nested) => {
  for (const levels of [201, 1_000, 5_000]) {
    const { value, mistakes } = readWrittenDocument(nested(levels), 'any.yaml');

    expect(value).toBeUndefined();
    expect(mistakes).toContainEqual(
      expect.objectContaining({ problem: 'lists and mappings are nested too deeply', expected: 'at most 200 levels' }),
    );
    expect(mistakes.map(({ problem }) => problem).join()).not.toContain('call stack');
  }
});

test('two hundred levels are read', () => {
  expect(readWrittenDocument(`a: ${'['.repeat(199)}${']'.repeat(199)}`, 'any.yaml').mistakes).toEqual([]);
});
