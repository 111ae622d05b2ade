import { expect, test } from 'vitest';
import { visibleJson } from '../../src/model/visible-text.ts';

test('JSON has nothing in it that a terminal would obey or that turns the text around, and is the same JSON', () => {
  const hostile = {
    reason: 'paid \u202Eeno\u202C \u2066x\u2069 \u200F \u009B31m \u2028 \u{E0041} \u0007 fine äöü 日本 👍',
  };
  const text = visibleJson(hostile);

  expect(text).toMatch(/^[ -~ äöü日本👍]*$/u);
  expect(text).toContain('\\u202eeno\\u202c');
  expect(JSON.parse(text)).toEqual(hostile);
  expect(visibleJson([1], 2)).toBe('[\n  1\n]');
});
