import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { ALL_RULES, SECRETS, textRedactor } from './redacting.ts';

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
      { numRuns: 300 },
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
    { numRuns: 500 },
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

  it('takes time linear in the text, also where each search could look to its end', () => {
    // This would take minutes if a search for each match went to the end of the text; the test's time limit is the
    // bound.
    const text = 'EMP-1 '.repeat(150_000);
    expect(withPattern('EMP-1(?:.*X)?')(text)).not.toContain('EMP');
    expect(withPattern('(a*)*b')('a'.repeat(300_000))).toHaveLength(300_000);
  });
});
