import { expect, test } from 'vitest';
import { kindName } from '../../src/model/named-kinds.ts';

test.each([
  ['a character without width', 'a\u200bb', 'ab'],
  ['one at the beginning, and spaces behind it', '\ufeff  a\t\u00a0b ', 'a b'],
  ['a letter and its accent apart', 'e\u0301te\u0301', '\u00e9t\u00e9'],
  ['an accent behind a character without width', 'e\u200b\u0301', '\u00e9'],
  ['nothing but what nobody sees', '\u200b\u00ad\u2060', ''],
])('%s makes no other kind', (_, written, name) => {
  expect(kindName(written)).toBe(name);
});

test('an emoji stays whole, and characters that turn text round stay to be refused', () => {
  for (const name of ['\u{1F469}\u200d\u{1F4BB} away', 'a\u202eb']) expect(kindName(name)).toBe(name);
});
