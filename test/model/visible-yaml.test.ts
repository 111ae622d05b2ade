import { expect, test } from 'vitest';
import { Document, parse } from 'yaml';
import { visibleText } from '../../src/model/visible-text.ts';
import { visibleYaml } from '../../src/model/visible-yaml.ts';

const HIDDEN = [
  ...Array.from({ length: 32 }, (_, at) => String.fromCodePoint(0x80 + at)),
  ...['\u001b', '\u007f', '\r', '\u202a', '\u202e', '\u2066', '\u2069', '\u200e', '\u200f', '\u061c', '\u200b'],
  ...['\u2028', '\u2029', '\ufeff', '\u{e0041}', '\u{e0041}\u202e\u009b'],
];
const AROUND = ['', 'a', '"', "'", '\\', '\\\\', '- ', 'a: ', '#', 'a\nb', '\n\n', '  ', '{', '\\u202e', '\t'];

test('hidden characters of keys and values are escaped, and the value is the same', () => {
  for (const hidden of HIDDEN)
    for (const before of AROUND)
      for (const after of AROUND) {
        const text = `${before}${hidden}${after}`;
        const value = { [text]: text, list: [text, { deep: text }] };

        const yaml = visibleYaml(new Document(value, { aliasDuplicateObjects: false }));

        expect(parse(yaml)).toEqual(value);
        expect(visibleText(yaml)).toBe(yaml);
      }
});

test('other texts are written as they were', () => {
  const value = { a: 'plain', b: 'ü 日本 👩\u200d💻', c: 'two\nlines\n' };
  const document = () => new Document(value);

  expect(visibleYaml(document())).toBe(document().toString({ lineWidth: 0 }));
});
