import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { candidatesFile } from '../../scripts/build-candidates.ts';
import { SecretNames } from '../../src/redact/secret-names.ts';
import { TextScanner } from '../../src/redact/text-scanner.ts';
import { randomFrom } from '../random.ts';
import { FOUND, HARMLESS, LEFT } from './examples.ts';
import { ALL_RULES, BY_DEFAULT, SECRETS } from './redacting.ts';
import { FOUND_SECOND, HARMLESS_SECOND, LEFT_SECOND } from './second-review.ts';

/** `ASSAY_TEST_REQUESTS=20000 npx vitest run test/redact/candidates.test.ts` draws more. */
const REQUESTS = Number(process.env.ASSAY_TEST_REQUESTS ?? 150);
const SEED = Number(process.env.ASSAY_TEST_SEED ?? 1);
const TEXTS = 24;
const WINDOW = 32_768;

const EXAMPLES = [...FOUND, ...LEFT, ...HARMLESS, ...FOUND_SECOND, ...LEFT_SECOND, ...HARMLESS_SECOND].map(([, text]) =>
  text.replaceAll(/⟦([^|⟧]*)\|\w+⟧/g, '$1'),
);
/** Each begins, ends or hides something for one of the recognisers. */
const PIECES = (
  '4111 11 1 4111-1111 DE89 de89 gb29NWBK password token: api_key= "pwd":" \\"secret\\":\\" Cookie: Bearer basic BEARER: eyJ eyJhbGciOiJIUzI1NiJ9. sk- ' +
  "sk-proj-Ab12Cd34Ef56Gh78Ij90 xoxb- 1//0gAb12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr -----BEGIN ---- c2stcHJvai1BYjEyQ2QzNEVmNTZHaDc4SWo5MA == IDENTIFIED BY ' :// " +
  'https://hooks.slack.com/services/ jdbc:oracle:thin:scott/tiger@ 123456789:AA @ %40 %2540 =40 (at) [dot] &#64; &nbsp; \\u0040 \\\\u0040 \\/ \\ \\\\ \\ufeff “ ö – + / . - _ ~ = : , " { } [ ]'
)
  .split(' ')
  .concat(' ', '  ', '\n', '\u00a0', '\u200b', '４１', '٤', "'", '` ', '** ', '\t', 'x'.repeat(70), ' '.repeat(40));

const SPLIT: readonly string[] = [
  'jdbc:oracle:thin:scott/tiger@db',
  'jdbc:oracle:oci:scott/tiger@db',
  '123456789:AAabcdefghijklmnopqrstuvwxyzABCDEFG',
  "alter user bob identified by 'Tr0ub4dor'",
];

describe('candidates never pass over what the scanner finds', () => {
  it.each([
    ['by default', BY_DEFAULT],
    ['with all patterns', ALL_RULES],
  ])('%s', (_, rules) => {
    const names = new SecretNames({ builtIn: true, globs: rules.keys });
    const scanner = new TextScanner(rules.patterns, names);
    let held = 0;
    let bare = 0;
    for (let seed = SEED; seed < SEED + REQUESTS; seed++) {
      const { request, texts } = randomRequest(seed);
      scanner.begin(request);
      for (const { start, end } of texts) {
        const quick = scanner.mayHold(request, start, end);
        const thorough = scanner.scan(request, start, end).length > 0 || scanner.needsCloserLook;
        if (quick !== thorough) {
          const text = JSON.stringify(request.toString('latin1', start, end));
          expect.fail(`seed ${seed}: the scanner finds ${thorough}, candidates ${quick} at ${start} in ${text}`);
        }
        if (thorough) held++;
        else bare++;
      }
      scanner.end();
    }

    expect(Math.min(held, bare)).toBeGreaterThan(REQUESTS * 4);
  });
});

it('a secret is found wherever the border of two windows runs through it', () => {
  const names = new SecretNames({ builtIn: true, globs: [] });
  const scanner = new TextScanner(ALL_RULES.patterns, names);
  const missed: string[] = [];
  let tried = 0;
  for (const secret of [...Object.values(SECRETS).flat(), ...EXAMPLES.filter(({ length }) => length < 40), ...SPLIT]) {
    const bytes = Buffer.from(secret);
    for (let behind = 0; behind <= bytes.length; behind++) {
      const start = WINDOW - behind;
      const end = start + bytes.length;
      const request = Buffer.concat([Buffer.alloc(start, ' '), bytes, Buffer.from(' ')]);
      scanner.begin(request);
      // Behind another byte, so that nothing is found because a text begins.
      const isFound = scanner.mayHold(request, start - 1, end);
      const isThere = scanner.scan(request, start - 1, end).length > 0 || scanner.needsCloserLook;
      if (isThere) tried++;
      if (isFound !== isThere) missed.push(`${behind} bytes before the border: ${secret}`);
      scanner.end();
    }
  }

  expect(tried).toBeGreaterThan(1000);
  expect(missed).toEqual([]);
});

it('the module is the one that its source makes', async () => {
  const file = path.resolve(import.meta.dirname, '../../src/redact/candidates-wasm.ts');

  expect(readFileSync(file, 'utf8')).toBe(await candidatesFile());
});

/** Texts between bytes that belong to none, at all alignments, and across the borders of windows. */
function randomRequest(seed: number) {
  const random = randomFrom(seed);
  const below = (max: number) => Math.floor(random() * max);
  const one = <T>(items: readonly T[]): T => {
    const item = items[below(items.length)];
    if (item === undefined) throw new Error('no items');
    return item;
  };
  const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => below(256)));
  const secrets = Object.values(SECRETS).flat();
  const piece = () => {
    const choice = below(10);
    if (choice < 4) return one(PIECES);
    if (choice < 6)
      return one(['what time is it', 'check_availability', 'ok', 'call_9f8e7d6c', '2025-11-26T05:30:00Z', 'a']);
    if (choice < 7) return one(EXAMPLES);
    if (choice < 8) return one<string>(secrets);
    if (choice < 9) return JSON.stringify(JSON.stringify({ [one(PIECES)]: one(PIECES), text: one(EXAMPLES) }));
    return String.fromCharCode(...bytes(below(4)));
  };
  const text = (): Buffer => {
    const whole = Buffer.from(Array.from({ length: 1 + below(4) }, piece).join(one(['', '', ' ', '"', '\n'])));
    if (below(4) === 0 && whole.length > 0) whole[below(whole.length)] = below(256);
    const start = below(3) === 0 ? below(whole.length) : 0;
    return whole.subarray(start, below(3) === 0 ? start + below(whole.length - start + 1) : whole.length);
  };
  const parts: Buffer[] = [];
  const texts: { readonly start: number; readonly end: number }[] = [];
  let length = 0;
  const add = (part: Buffer) => {
    parts.push(part);
    length += part.length;
  };
  add(Buffer.alloc(below(3) === 0 ? WINDOW - below(200) : below(70), one(['a', ' ', '1', '-', '/', '\\'])));
  for (let count = 0; count < TEXTS; count++) {
    add(below(2) === 0 ? bytes(below(5)) : Buffer.from(one(['A', '1', '\\', '//', 'DE', '"', '-', ''])));
    const start = length;
    add(text());
    texts.push({ start, end: length });
  }
  add(bytes(below(20)));
  return { request: Buffer.concat(parts), texts };
}
