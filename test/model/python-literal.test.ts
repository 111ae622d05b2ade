import { describe, expect, test } from 'vitest';
import { pythonLiteral } from '../../src/model/python-literal.ts';

describe('a Python literal', () => {
  test.each<[string, unknown]>([
    ["{'at': 1, 'who': ['Ann', \"Bo's\"], 'all': None}", { at: 1, who: ['Ann', "Bo's"], all: null }],
    ["{'nested': {'a': (1, 2.5, -3), 'b': ()}}", { nested: { a: [1, 2.5, -3], b: [] } }],
    ["{'a': True, 'b': False,}", { a: true, b: false }],
    ["'it\\'s \\\\ \\n \\x41 \\u00e9 \\U0001F600'", "it's \\ \n A é 😀"],
    ["{'__proto__': {'polluted': True}}", JSON.parse('{"__proto__":{"polluted":true}}')],
    ['{}', {}],
    ['1e3', 1000],
  ])('%s is read', (text, value) => {
    expect(JSON.parse(JSON.stringify(pythonLiteral(text)))).toEqual(value);
  });

  test.each([
    "{'at': datetime.datetime(2026, 5, 5)}",
    "{'at': <object at 0x7f>}",
    "{'at': 1",
    "{'at' 1}",
    "{1: 'at'}",
    "{'at': 1} trailing",
    "'open",
    "'\\q'",
    "'\\xZZ'",
    '[1 2]',
    '...',
    '',
    '['.repeat(10_000),
  ])('%s is none', (text) => {
    expect(pythonLiteral(text)).toBeUndefined();
  });

  test('of a million characters takes a moment', () => {
    const begun = performance.now();

    expect(pythonLiteral(`['${"x', '".repeat(200_000)}']`)).toHaveLength(200_001);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
