import fc from 'fast-check';
import { describe, expect, it, test, vi } from 'vitest';
import { DEFAULT_PATTERNS } from '../../src/model/redaction.ts';
import { CustomPatterns } from '../../src/redact/custom-patterns.ts';
import { SecretNames } from '../../src/redact/secret-names.ts';
import { TextRedactor } from '../../src/redact/text-redactor.ts';
import { TextScanner } from '../../src/redact/text-scanner.ts';
import { ALL_RULES, SECRETS, textRedactor } from './redacting.ts';
import { rounds } from '../rounds.ts';

const redact = textRedactor();
const secrets = fc.constantFrom(...Object.values(SECRETS).flat());
/** Text without any finding, also next to a secret. */
const harmless = fc
  .stringMatching(/^[ a-z,;:!?()"'\\/<>{}[\]äß界\n\t-]{0,20}$/)
  .map((text) => ` | ${text} | `)
  .filter((text) => redact(text) === text);

describe('a text that is JSON', () => {
  it.each([
    ['a value', '{"to":"bob@example.com"}', '{"to":"[REDACTED:email]"}'],
    ['a member name', '{"bob@example.com":true}', '{"[REDACTED:email]":true}'],
    ['behind an escape', '["a\\nbob@example.com"]', '["a\\n[REDACTED:email]"]'],
    ['JSON in JSON', '{"a":"{\\"m\\":\\"x\\\\nbob@example.com\\"}"}', '{"a":"{\\"m\\":\\"x\\\\n[REDACTED:email]\\"}"}'],
    ['an escape that need not be', '{"a":"bob\\u0040example.com"}', '{"a":"[REDACTED:email]"}'],
    ['escaped slashes', '{"a":"Bearer ab\\/cd1234efgh5678"}', '{"a":"Bearer [REDACTED:bearer]"}'],
    ['a string alone', '"bob@example.com"', '"[REDACTED:email]"'],
    [
      'blanks and all',
      ' {\n  "a" : "+14155550132" ,\n "b" : 1.50 }\n',
      ' {\n  "a" : "[REDACTED:phone]" ,\n "b" : 1.50 }\n',
    ],
  ])('stays JSON: %s', (_, text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it('keeps its numbers, whatever they look like', () => {
    const text = '{"id":4111111111111111,"at":[1772619000000,4111111111111111]}';
    expect(redact(text)).toBe(text);
  });

  it('that was cut off loses no more than the secret', () => {
    expect(redact('{"a":"x\\nbob@example.com","b":"and mo')).toBe('{"a":"x\\n[REDACTED:email]","b":"and mo');
    expect(redact('{"a":"bob\\u0040example.com","b":"and mo')).toBe('{"a":"[REDACTED:email]","b":"and mo');
  });

  it('keeps its escapes around a secret', () => {
    expect(redact('{"a":"caf\\u00e9 \\/ bob@example.com \\ud83d\\ude00"}')).toBe(
      '{"a":"caf\\u00e9 \\/ [REDACTED:email] \\ud83d\\ude00"}',
    );
  });

  it('parses to the same with its secrets replaced, however it was nested and escaped', () => {
    const value = fc.letrec((tie) => ({
      leaf: fc.oneof(
        harmless,
        fc.tuple(harmless, secrets, harmless).map((parts) => ({ parts })),
        fc.integer(),
        // One in some ten thousand is a valid card number.
        fc
          .double({ noNaN: true, noDefaultInfinity: true })
          .filter((number) => redact(String(number)) === String(number)),
        fc.constant(null),
      ),
      node: fc.oneof(
        { maxDepth: 4 },
        tie('leaf'),
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), tie('node'), { maxKeys: 4 }),
        tie('node').map((inner) => ({ inner })),
      ),
    })).node;
    const build = (node: unknown, shown: (secret: string) => string): unknown => {
      if (Array.isArray(node)) return node.map((item) => build(item, shown));
      if (typeof node !== 'object' || node === null) return node;
      if ('parts' in node && Array.isArray(node.parts))
        return `${node.parts[0]}${shown(String(node.parts[1]))}${node.parts[2]}`;
      if ('inner' in node) return JSON.stringify(build(node.inner, shown));
      return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, build(item, shown)]));
    };

    fc.assert(
      fc.property(value, (node) => {
        const found = redact(JSON.stringify(build({ node }, (secret) => secret)));
        // JSON inside strings is serialized again if something in it was replaced, so its content is compared.
        expect(JSON.parse(found)).toEqual(JSON.parse(JSON.stringify(build({ node }, (secret) => redact(secret)))));
      }),
      { numRuns: rounds(300) },
    );
  });
});

test('what is around a secret keeps every byte', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(harmless, secrets)), harmless, (parts, end) => {
      const text = parts.map(([before, secret]) => before + secret).join('') + end;
      expect(redact(text)).toBe(parts.map(([before, secret]) => before + redact(secret)).join('') + end);
    }),
  );
});

test('redacting what was redacted changes nothing', () => {
  const pieces = fc.oneof(
    secrets,
    harmless,
    fc.string(),
    fc.constantFrom('[REDACTED:email]', '[REDACTED:', '@', '+1', '\\', '"'),
  );
  fc.assert(
    fc.property(fc.array(pieces), (parts) => {
      const once = redact(parts.join(''));
      expect(redact(once)).toBe(once);
      const json = redact(JSON.stringify(parts));
      expect(redact(json)).toBe(json);
      expect(() => JSON.parse(json) as unknown).not.toThrow();
    }),
    { numRuns: rounds(500) },
  );
});

describe('a pattern of the user', () => {
  const withPattern = (pattern: string) =>
    textRedactor({ ...ALL_RULES, patterns: [], custom: [{ name: 'own', pattern }] });

  it.each([
    ['anywhere', 'EMP-[0-9]+', 'x EMP-1, EMP-22', 'x [REDACTED:own], [REDACTED:own]'],
    ['greedy to the end of the line', 'password: .*', 'a password: x y\nb', 'a [REDACTED:own]\nb'],
    ['over lines and long', '(?s)BEGIN.*?END', `a BEGIN${'x\n'.repeat(3000)}END b`, 'a [REDACTED:own] b'],
    ['in any language', 'Größe \\p{L}+', 'die Größe Übermaß!', 'die [REDACTED:own]!'],
    ['anchored', '^[0-9]+$', '123', '[REDACTED:own]'],
    ['anchored, in a string of JSON', '^[0-9]+$', '{"a":"123","b":"x 123"}', '{"a":"[REDACTED:own]","b":"x 123"}'],
    ['that would eat quotes', 'secret.*', '{"a":"secret \\"x\\"","b":1}', '{"a":"[REDACTED:own]","b":1}'],
    ['that finds itself in the marker', '[A-Z]+', 'aBCd', 'a[REDACTED:own]d'],
  ])('is found %s', (_, pattern, text, expected) => {
    expect(withPattern(pattern)(text)).toBe(expected);
    expect(withPattern(pattern)(expected)).toBe(expected);
  });

  it.each([
    [
      'a representation of Python',
      "{'a': 'EMP-1', 'b': 'my secret x', 'c': 1}",
      "{'a': 'EMP-1', 'b': 'my [REDACTED:own]', 'c': 1}",
    ],
    ['an escape', '{"a":"se\\u0063ret x","b":"cut he', '{"a":"[REDACTED:own]","b":"cut he'],
    ['a form', 'a=1&b=my+secret%20x&c=2', 'a=1&b=my+[REDACTED:own]&c=2'],
  ])('is found in %s, and goes no further than the string', (_, text, expected) => {
    expect(withPattern('secret.*')(text)).toBe(expected);
    expect(withPattern('secret.*')(expected)).toBe(expected);
  });

  it('is found at the beginning of a string, whatever the string stands in', () => {
    expect(withPattern('^[0-9]+$')("{'a': '123', 'b': 'x 123'}")).toBe("{'a': '[REDACTED:own]', 'b': 'x 123'}");
  });

  it('takes time linear in the text, also where each search could look to its end', () => {
    // This would take minutes if a search for each match went to the end of the text; the test's time limit is the
    // bound.
    const text = 'EMP-1 '.repeat(150_000);
    expect(withPattern('EMP-1(?:.*X)?')(text)).not.toContain('EMP');
    expect(withPattern('(a*)*b')('a'.repeat(300_000))).toHaveLength(300_000);
  });
});

test.each([
  'password: "\\\'%22',
  '4111111111111111 \'"%41\\n',
  '\'{"a": "4111111111111111"}\' ',
  "'4111\\n' +\n",
  '%2522%5C',
  '`"\'password: x',
])('a text that was made to be read again and again is read a bounded number of times: %j', (piece) => {
  const work = (length: number) => {
    const names = new SecretNames({ builtIn: true, globs: [] });
    const scanner = new TextScanner(DEFAULT_PATTERNS, names);
    const scan = vi.spyOn(scanner, 'scan');
    const text = Buffer.from(piece.repeat(Math.ceil(length / piece.length)));
    new TextRedactor(scanner, names, new CustomPatterns([]), () => {}).redact(text, 0, text.length);
    return scan.mock.calls.reduce((sum, [, start, end]) => sum + end - start, 0) / text.length;
  };

  const small = work(32_000);
  const large = work(128_000);

  expect(large).toBeLessThan(small * 1.1);
  expect(large).toBeLessThan(120);
});

test('findings by the hundred thousand are no more than a list', () => {
  const text = JSON.stringify('bob@example.com '.repeat(150_000));
  expect(redact(text)).not.toContain('bob');
});
