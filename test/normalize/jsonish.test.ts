import { describe, expect, test } from 'vitest';
import { contentOf, LazyContent } from '../../src/normalize/content.ts';
import { decodeJsonish, DEPTH_MAX, toJson } from '../../src/normalize/jsonish.ts';

describe('decoding a value that may be JSON', () => {
  test.each([
    ['an object', '{"a":1}', { a: 1 }],
    ['a list behind blanks', ' [1,2]', [1, 2]],
    ['an object encoded twice', JSON.stringify('{"a":1}'), { a: 1 }],
    ['a text encoded once', '"hello"', 'hello'],
    ['plain text', 'hello', 'hello'],
    ['text that begins like a list', '[object ToolMessage]', '[object ToolMessage]'],
    ['text in brackets', '[urgent] help me', '[urgent] help me'],
    ['a Python dictionary', "{'a': True}", "{'a': True}"],
    ['balanced but wrong JSON', '{"a": True}', '{"a": True}'],
  ])('%s is whole', (_what, text, value) => {
    expect(decodeJsonish(text)).toEqual({ state: 'whole', value });
  });

  test('unwraps twice and no more', () => {
    const thrice = JSON.stringify(JSON.stringify(JSON.stringify({ a: 1 })));

    expect(decodeJsonish(thrice).value).toBe('{"a":1}');
  });

  const written = JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'a "quoted" \\ {text}' }] }]);
  test.each(Array.from({ length: written.length - 2 }, (_, at) => at + 2))(
    'JSON cut after %i characters is truncated, never something else',
    (length) => {
      expect(decodeJsonish(written.slice(0, length)).state).toBe(length === written.length ? 'whole' : 'truncated');
    },
  );

  test.each([
    '__REDACTED__',
    '<REDACTED>',
    'FILTERED',
    '<not serializable>',
    '[REDACTED:email]',
    '[REDACTED:a-pattern_of-our-own_0123456789]',
  ])('%s is redacted', (marker) => {
    expect(decodeJsonish(marker).state).toBe('redacted');
  });

  test.each([
    'Write to [REDACTED:email].',
    '[REDACTED:email] [REDACTED:phone]',
    '[REDACTED:',
    '[REDACTED:a b]',
    '[1, 2]',
  ])('%s is not: there is something to look at', (text) => {
    expect(decodeJsonish(text).state).not.toBe('redacted');
  });
});

describe('content', () => {
  test('is read once, and only when looked at', () => {
    let reads = 0;
    const content = new LazyContent(() => {
      reads += 1;
      return '{"b":1,"a":2}';
    });
    expect(reads).toBe(0);

    expect([content.text, content.json, content.state]).toEqual(['{"b":1,"a":2}', { b: 1, a: 2 }, 'whole']);
    expect(reads).toBe(1);
  });

  test.each([
    ['a structured value is written out', { a: [1, 'x'] }, '{"a":[1,"x"]}', { a: [1, 'x'] }],
    ['a text in JSON is the text', '"free at ten"', 'free at ten', 'free at ten'],
    ['an empty object is there', {}, '{}', {}],
    ['a number is one', '7.5', '7.5', 7.5],
    ['a truth value is one', 'false', 'false', false],
    ['a number that is an identifier stays text', '0042', '0042', '0042'],
    [
      'a number that would lose digits stays text',
      '12345678901234567890',
      '12345678901234567890',
      '12345678901234567890',
    ],
    ['a bigint too large for a number is text', 2n ** 60n, '"1152921504606846976"', '1152921504606846976'],
  ])('%s', (_what, value, text, json) => {
    const content = contentOf(value);

    expect([content.state, content.text, content.json]).toEqual(['whole', text, json]);
  });

  test.each([[undefined], [null], ['']])('%j is missing', (value) => {
    expect(contentOf(value)).toEqual({ state: 'missing', text: '', json: null });
  });
});

describe('JSON from outside', () => {
  test('has no prototype and cannot reach one', () => {
    const hostile = toJson(JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"a":{}}'));

    expect(Object.getPrototypeOf(hostile)).toBeNull();
    expect(Object.keys(hostile as object)).toEqual(['__proto__', 'constructor', 'a']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test(`is cut below ${DEPTH_MAX} levels`, () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const content = contentOf(deep);

    expect(content.state).toBe('whole');
    expect(JSON.stringify(content.json)).toBe(`${'['.repeat(DEPTH_MAX)}null${']'.repeat(DEPTH_MAX)}`);
  });
});
