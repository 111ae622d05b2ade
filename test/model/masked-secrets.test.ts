import { expect, test } from 'vitest';
import { maskedSecrets, secretsOfHeaders, secretsOfUrl } from '../../src/model/masked-secrets.ts';

const KEY = 'sk-JUDGE+KEY/secret 0123456789ÄÖ';
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** The longest stretch of the secret that is in the text, in any of the forms. */
function longestLeft(text: string, forms: readonly string[]): number {
  for (let length = 40; length > 0; length -= 1)
    for (const form of forms)
      for (let at = 0; at + length <= form.length; at += 1)
        if (text.includes(form.slice(at, at + length))) return length;
  return 0;
}

test.each([
  ['whole', KEY],
  ['its beginning', KEY.slice(0, 12)],
  ['its first eight characters', KEY.slice(0, 8)],
  ['its end', KEY.slice(-9)],
  ['its middle', KEY.slice(9, 22)],
  ['percent encoded', encodeURIComponent(KEY)],
  ['percent encoded in small letters', encodeURIComponent(KEY).replace(/%../g, (written) => written.toLowerCase())],
  ['in base64', base64(KEY)],
  ['in base64 behind a name', base64(`user:${KEY}`)],
  ['in base64 behind another name', base64(`users:${KEY}:x`)],
  ['in base64 for addresses', Buffer.from(`a:${KEY}`).toString('base64url')],
  ['in hex', Buffer.from(KEY).toString('hex')],
  ['as JSON', JSON.stringify({ key: KEY })],
])('a secret is not told, %s', (_how, told) => {
  const masked = maskedSecrets(`Incorrect API key provided: ${told}. See the manual.`, [KEY]);

  const encoded = ['', 'a', 'ab'].map((before) => base64(before + KEY));
  const forms = [KEY, encodeURIComponent(KEY), Buffer.from(KEY).toString('hex'), ...encoded];
  expect(longestLeft(masked, forms)).toBeLessThan(12);
  expect(masked).not.toContain(told);
  expect(masked.startsWith('Incorrect API key provided: ')).toBe(true);
  expect(masked.endsWith(' See the manual.')).toBe(true);
});

test.each([
  ['in capital letters', 'SK-JUDGEKEYSECRET-'],
  ['in small letters', 'sk-judgekeysecret-'],
  ['its first sixteen characters', 'sk-JudgeKeySecre'],
  ['its first eight and stars', 'sk-Judge********'],
  ['its first seven and stars', 'sk-Judg***7890'],
  ['its first six, quoted', '"sk-Jud"'],
])('the beginning of a secret is not told, %s', (_how, told) => {
  const masked = maskedSecrets(`no such key: ${told}`, ['sk-JudgeKeySecret-1234567890']);

  expect(masked.toLowerCase()).not.toContain('sk-j');
});

test('words that begin as the secret does in the middle, or less, stay', () => {
  const text = 'ask-Jud: sk-Ju is short, and task-judo is here';

  expect(maskedSecrets(text, ['sk-JudgeKeySecret-1234567890'])).toBe(text);
});

test('a short secret is masked as a whole, and no secret changes nothing', () => {
  expect(maskedSecrets('the password hunter2 is wrong', ['hunter2'])).toBe('the password … is wrong');
  expect(maskedSecrets('it answered 500', [undefined, ''])).toBe('it answered 500');
});

test('of an address the host is told, and of a header the scheme', () => {
  const url = 'https://hooks.slack.com/services/T000/B000/XXXXXXXXXXXX';
  expect(maskedSecrets(`no such hook at hooks.slack.com: ${url}`, secretsOfUrl(url))).toBe(
    'no such hook at hooks.slack.com: https://hooks.slack.com…',
  );
  expect(
    maskedSecrets('Bearer abcdefghijkl is unknown', secretsOfHeaders({ authorization: 'Bearer abcdefghijkl' })),
  ).toBe('Bearer … is unknown');
});
