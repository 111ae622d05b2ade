import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { BUILT_IN_PATTERNS } from '../../src/model/redaction.ts';
import { unmask } from '../../src/redact/disguise.ts';
import { jsonValues } from '../../src/redact/json-values.ts';
import { TextScanner } from '../../src/redact/text-scanner.ts';
import { SecretNames } from '../../src/redact/secret-names.ts';
import { SECRETS, textRedactor } from './redacting.ts';
import { rounds } from '../rounds.ts';

const NAMES = new SecretNames({ builtIn: true, globs: [] });

const redact = textRedactor();

describe.each(Object.entries(SECRETS))('%s', (pattern, secrets) => {
  it.each(secrets)('is found: %s', (secret) => {
    const shown = pattern === 'bearer' ? `${secret.split(' ')[0]} [REDACTED:bearer]` : `[REDACTED:${pattern}]`;
    expect(redact(secret)).toBe(shown);
    expect(redact(`It is ${secret}, he said.`)).toBe(`It is ${shown}, he said.`);
    expect(redact(`(${secret})\n`)).toBe(`(${shown})\n`);
  });
});

test.each([
  [
    'ids of tool calls, answers and runs',
    'call_4111111111111111 toolu_01A09q90qw90lq917835lq9 srvtoolu_01WYG3ziw53XMcoyKL4XcZmE',
  ],
  [
    'ids of OpenAI',
    'chatcmpl-9zAbCdEfGhIjKlMnOpQrStUvWxYz1 resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b msg_4111111111111111',
  ],
  [
    'ids of threads and runs',
    'thread_abc123ABC123abc123ABC123 run_4111111111111111 asst_4111111111111111 fc_0123456789abcdef0123456789abcdef',
  ],
  ['UUIDs', '550e8400-e29b-41d4-a716-446655440000 41111111-1111-4111-8111-111111111111'],
  ['trace and span ids', '0af7651916cd43dd8448eb211c80319c b7ad6b7169203331'],
  ['times', '2026-03-04T10:00:00+00:00 2026-03-04 10:00:00 +0100, 04.03.2026 10:00, 05/06/2026 1000, 09:00-10:00'],
  ['times as numbers', '1772619000 1772619000000 1772619000000000 1772619000000000000'],
  ['counts and lists of numbers', '200 500 1000 2000, 30 60 90 120, 12,345,678.90'],
  ['numbers with a fraction', '0.4111111111111111 +12.3456789 3.14159265358979'],
  ['versions and addresses', 'npm i @types/node@26.6.6, 10.0.0.1:4317, v1.2.3-rc.1'],
  ['a card number whose check digit is wrong', '4111111111111112'],
  ['an account number whose check digits are wrong', 'DE88370400440532013000'],
  ['words that begin like keys', 'task-1234567890abcdef12345 sk-learn desk-1234567890abcdefgh ask-me-anything'],
  [
    'what follows the words bearer and basic',
    'the bearer of responsibilities; Basic understanding of Bearer authentication',
  ],
  ['base64 of a JSON object that is no token', 'eyJhIjoxfQ== eyJhbGciOiJIUzI1NiJ9'],
  ['a picture for dense screens', 'logo@2x.png'],
  ['names without a domain', '@alice user@localhost a @ b'],
])('left alone: %s', (_, text) => {
  expect(redact(text)).toBe(text);
});

test('only the patterns that were asked for are looked for', () => {
  const scan = (pattern: (typeof BUILT_IN_PATTERNS)[number], text: string) =>
    new TextScanner([pattern], new SecretNames({ builtIn: pattern === 'secret', globs: [] }))
      .scan(Buffer.from(text), 0, Buffer.byteLength(text))
      .map((found) => found.pattern);
  const named = ['password=hunter22', 'postgres://app:S3cr3t@db/x'];
  const everything = [...Object.values(SECRETS).flat(), ...named].join(' ; ');

  for (const pattern of BUILT_IN_PATTERNS) expect(new Set(scan(pattern, everything))).toEqual(new Set([pattern]));
});

test.each([
  ['a key with a card number in it', 'sk-4111111111111111-abcdef', '[REDACTED:api_key]'],
  ['a token with an address in it', 'Bearer user@example.com/12345678', 'Bearer [REDACTED:email]/12345678'],
  ['two secrets without anything between', 'bob@example.com+14155550132', '[REDACTED:email][REDACTED:phone]'],
  ['an address behind letters of a language without blanks', '请联系bob@example.com谢谢', '请联系[REDACTED:email]谢谢'],
  ['a private key that was cut off', 'key: -----BEGIN PRIVATE KEY-----\nMIIEv', 'key: [REDACTED:api_key]'],
])('where patterns meet: %s', (_, text, expected) => {
  expect(redact(text)).toBe(expected);
});

test('within a request the same is found, although most bytes are not looked at', () => {
  const secret = fc.constantFrom(...Object.values(SECRETS).flat());
  const words = fc.stringMatching(/^[ a-zA-Z0-9,.;:"'(){}@+%/äß界_\n-]{0,40}$/);
  const scanner = new TextScanner(BUILT_IN_PATTERNS, NAMES);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(words, fc.oneof(secret, words))),
      fc.nat({ max: 7 }),
      fc.nat({ max: 3 }),
      (parts, shift, rest) => {
        const text = Buffer.from(parts.flat().join(' '));
        // Other memory before and after, so that words of four bytes are aligned in every way.
        const memory = Buffer.alloc(shift + text.length + rest, '4');
        const request = Buffer.from(memory.buffer, memory.byteOffset + shift, text.length);
        text.copy(request);
        const expected = scanner.scan(text, 0, text.length);

        scanner.begin(request);
        const found = scanner.scan(request, 0, request.length);
        scanner.end();

        expect(found).toEqual(expected);
      },
    ),
    { numRuns: rounds(3000) },
  );
});

/** A text that counts every byte read. */
function counted(bytes: Buffer): { readonly bytes: Buffer; readonly looks: () => number } {
  let looks = 0;
  const proxy = new Proxy(bytes, {
    get: (target, key) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) {
        looks += 1;
        return target[Number(key)];
      }
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        const result: unknown = Reflect.apply(value, target, given);
        if (key === 'indexOf') {
          const [, from] = given;
          looks += (result === -1 ? target.length : Number(result)) - Number(from ?? 0) + 1;
          return result;
        }
        // `toString` and `subarray` count the bytes they read.
        const [from, to] = given.filter((argument) => typeof argument === 'number');
        looks += (to ?? target.length) - (from ?? 0);
        return result;
      };
    },
  });
  return { bytes: proxy, looks: () => looks };
}

test.each([
  ...['a@', 'a%40', 'a.', 'a@a.a', '1', '1 ', '4111 ', '41111', '+1', '+1 ', '(415) ', '415-', '0', '012 '],
  ...[
    'eyJ.',
    'eyJ',
    'eyJaaaaaaaa.',
    'eyJaaaaaaaa..',
    'Bearer ',
    'Bearer',
    'basic ',
    'sk-',
    'sk-1',
    'SG.',
    'SG.a.',
    'ya29.',
  ],
  ...[
    '-',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    'DE89',
    'DE89 ',
    'DE89 A ',
    '\\',
    '\\u0040',
    '\\/',
    '"',
    '[',
    '{"a":',
    '_',
    'password=',
    'secret:',
    'secret: ',
    'token=',
    'token:a',
    'cookie:',
    'cookie: a ',
    'password="',
    'token:\'x token:"y ',
    'token:\\"',
    '"token": "a',
    '://',
    'a://b:',
    'a://b:c',
    'https://hooks.slack.com/services/T',
    '12345678:AA',
    '%',
    '%25',
    '%2',
    '&#',
    '&nbsp',
    '=40',
    '(at)',
    '\\u00',
    '\u00a0',
    '\u200b',
    '１',
    'sk-proj-Ab12Cd34Ef56Gh78\n',
    'c2stcHJvai1BYjEyQ2QzNEVmNTZHaDc4SWo5MA==',
    'c2stcHJvai1BYjEy',
    'SGVsbG8gd29ybGQgaGVsbG8gd29ybGQ',
    '4111.1111.',
    '4111"," ',
    'de89 3704 ',
    'M.a.',
    'a://b:c/',
    "identified by '",
    " by '",
    ';Pwd={a;',
    'password: `a',
    '**password:** ',
    '\npassword: a',
    '- password: ',
    'API_KEY=a ',
    'api key: ',
    'jdbc:oracle:thin:',
    'oracle:thin:a/',
    '1//0gAbCdEf0123456789',
    '4111\n',
    '4111|',
    '4111_',
    'DE89/3704',
    'cookie: a="',
    'cookie: a="b" ',
    'cookie: a=\\"',
    'authorization: digest a="b", ',
    'eyJ/',
    'aGVsbG8/aGVsbG8+',
    '612 345 ',
    '(11) 9',
    '55 1234 ',
  ],
])('hostile text costs no more than its length: %j', (piece) => {
  const work = (length: number) => {
    const text = counted(Buffer.from(piece.repeat(Math.ceil(length / piece.length))));
    new TextScanner(BUILT_IN_PATTERNS, NAMES).scan(text.bytes, 0, text.bytes.length);
    return text.looks() / text.bytes.length;
  };

  const small = work(2000);
  const large = work(16_000);

  expect(large).toBeLessThan(Math.max(small * 1.1, small + 1));
  expect(large).toBeLessThan(60);
});

test.each(['%25', '%2541', '&#64;', '\\', '\\\\u0041', '\u200b', '１', '=40', ' (at) ', '%C2%A0', 'a'])(
  'reading a text without its disguises costs no more than its length: %j',
  (piece) => {
    const work = (length: number) => {
      const text = counted(Buffer.from(piece.repeat(Math.ceil(length / piece.length))));
      unmask(text.bytes, { addresses: true });
      return text.looks() / text.bytes.length;
    };

    const small = work(2000);
    const large = work(16_000);

    expect(large).toBeLessThan(Math.max(small * 1.1, small + 1));
    expect(large).toBeLessThan(60);
  },
);

test('the names of a JSON text cost no more than its length, however it is nested', () => {
  for (const [open, close] of [
    ['{"secret":[', ']}'],
    ['{"secret":["",', ']}'],
    ['{"mine":{"a":', '}}'],
    ['{"secret":[0,', ']}'],
  ] as const) {
    const work = (depth: number) => {
      const json = Buffer.from(`${open.repeat(depth)}1${close.repeat(depth)}`);
      const text = counted(json);
      const names = new SecretNames({ builtIn: true, globs: ['mine'] });
      for (const _ of jsonValues(text.bytes, { names, isCard: () => false }));
      return text.looks() / json.length;
    };
    const [small, large] = [work(100), work(800)];

    expect(large, open).toBeLessThan(small * 1.2 + 1);
  }
});
