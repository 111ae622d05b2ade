import { describe, expect, test } from 'vitest';
import { pythonFields, pythonLiteral, pythonObject, pythonObjectIn } from '../../src/model/python-literal.ts';

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

describe('what Python prints of objects', () => {
  test('has values without names, and constants', () => {
    const printed = "Item(at=datetime.datetime(2026, 5, 5, tzinfo=datetime.timezone.utc), none=None, name='a')";

    expect(JSON.parse(JSON.stringify(pythonObject(printed)))).toEqual({
      at: { '0': 2026, '1': 5, '2': 5, tzinfo: 'datetime.timezone.utc' },
      none: null,
      name: 'a',
    });
  });

  test('is fields alone where Pydantic prints it; those after what is not understood are left out', () => {
    expect({ ...pythonFields("status='success' result='{\"a\": 1}' error=None") }).toEqual({
      status: 'success',
      result: '{"a": 1}',
      error: null,
    });
    expect({ ...pythonFields('a=1 b=<object at 0x7f> c=2') }).toEqual({ a: 1 });
    expect({ ...pythonFields('words of somebody') }).toEqual({});
  });

  test('is found inside a longer text, the last of its class, unless it is cut', () => {
    const text = '{"raw": "Answer(text=\'Usage(n=1)\', usage=Usage(n=2, more=More(m=3)))"}';

    expect(JSON.parse(JSON.stringify(pythonObjectIn(text, 'Usage')))).toEqual({ n: 2, more: { m: 3 } });
    expect(pythonObjectIn(text.slice(0, text.indexOf('m=3')), 'Usage')).toBeUndefined();
    expect(pythonObjectIn(text, 'Costs')).toBeUndefined();
  });
});
