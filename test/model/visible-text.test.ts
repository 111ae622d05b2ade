import { expect, test } from 'vitest';
import { visibleJson, visibleParts, visibleText } from '../../src/model/visible-text.ts';

/** Every character that Unicode calls a control, a format, or a separator of lines or paragraphs. */
const HIDDEN = Array.from({ length: 0x110000 }, (_, point) => point)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point))
  .filter((character) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(character) && !/[\n\t]/.test(character));

test('no hidden character stays in a text, alone, in a run or between letters', () => {
  expect(HIDDEN.length).toBeGreaterThan(200);
  for (const character of HIDDEN) {
    expect(visibleText(`a${character}b`)).toBe('a b');
    expect(visibleText(character.repeat(3))).toBe(' ');
  }
  expect(visibleText(HIDDEN.join(''))).toBe(' ');
});

test('in JSON they are escaped, and it is the same JSON', () => {
  const value = { [HIDDEN.join('x')]: HIDDEN.map((character) => `a${character}b`), line: 'a\nb\tc' };
  const json = visibleJson(value);

  expect(JSON.parse(json)).toEqual(value);
  expect(HIDDEN.filter((character) => json.includes(character))).toEqual([]);
});

test.each([
  'Plain, with a line\nand a tab\t.',
  'Grüße, 你好, 안녕, مرحبا, שלום',
  'A family: \u{1f468}\u200d\u{1f469}\u200d\u{1f467}, a heart: \u2764\ufe0f\u200d\u{1f525}',
])('what people write stays as it is: %s', (text) => {
  expect(visibleText(text)).toBe(text);
});

test('parts of a text say which characters are hidden, and lose none of the others', () => {
  expect(visibleParts('plain\n\ttext')).toEqual([{ words: 'plain\n\ttext' }]);
  expect(visibleParts('')).toEqual([]);
  expect(visibleParts('\u202eevil\u0007\u200b! مرحبا')).toEqual([
    { hidden: ['U+202E'] },
    { words: 'evil' },
    { hidden: ['U+0007', 'U+200B'] },
    { words: '! مرحبا' },
  ]);
  expect(visibleParts('\u{e0041}')).toEqual([{ hidden: ['U+E0041'] }]);
  for (const character of HIDDEN) {
    expect(visibleParts(`a${character}b`).map((part) => ('words' in part ? part.words : part.hidden.length))).toEqual([
      'a',
      1,
      'b',
    ]);
  }
});
