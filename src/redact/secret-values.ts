/**
 * Whether the value of a name that says secret is one. These are none, and say something that is worth knowing: a value
 * that is empty or masked, a placeholder of a template or of documentation, a type, a reference to where the secret is
 * kept, what an earlier redaction left.
 */
import { isDigit, isLetter } from './bytes.ts';
import type { SecretName } from './secret-names.ts';

/** Longer text is no placeholder. */
const PLACEHOLDER_MAX = 128;
const PLACEHOLDER = new RegExp(
  [
    '[*•●·x.\\-_#\\s]*', // empty, masked
    '<[^<>]*>',
    '\\[[^[\\]]*\\]', // [REDACTED:secret], [hidden]
    '\\{+[^{}]*\\}+',
    '\\$\\{[^{}]*\\}+',
    '\\$\\(?[A-Za-z_][A-Za-z_0-9]*\\)?',
    '%\\(?[A-Za-z_]*\\)?s?%?',
    '(?:secret)?(?:string|str|text|bytes)[!?]?',
    '(?:number|integer|int|boolean|bool|object|array|any|null|none|nil|undefined|true|false|yes|no)',
    '(?:required|optional|hidden|masked|redacted|filtered|removed|omitted|missing|unset|not[ _]set|n/a|todo|tbd|ok)',
    '(?:(?:in)?correct|(?:in)?valid|wrong|expired|weak|strong|(?:un)?changed|updated|verified|accepted|rejected|denied)',
    '(?:failed|mismatch|empty|blank|present|provided|given|sensitive|confidential|protected|configured|encrypted|hashed)',
    '(?:enabled|disabled|set|available|unavailable|stored|generated|pending|forgotten|unknown)',
    '(?:your|my|the|insert|replace|example|some)[-_ ][a-z-_ ]+',
    '[a-z]+[-_ ](?:here|placeholder)',
    '(?:process\\.env|os\\.environ|os\\.getenv|env|getenv|secrets|vault|settings|config|self|this|args)[.:([][^\\s]*',
    '(?:op|vault|secret|secrets|sm|gcp-secret|awssm|keyvault)://[^\\s]*',
    'arn:aws:(?:secretsmanager|ssm):[^\\s]*',
  ]
    .map((form) => `(?:${form})`)
    .join('|')
    .replace(/^/, '^(?:(?:bearer|basic|token|apikey) +)?(?:')
    .replace(/$/, ')$'),
  'i',
);
/** The place where a secret is kept, and not the secret. */
const FILE = /^(?:\.{1,2}|~)\//;
const DIRECTORY = /^(?:[/~.]|[A-Za-z]:[\\/])/;
const NUMBER = /^[\d.eE+-]*$/;
/** Schemes of RFC 9110, and of the big clouds. */
const SCHEME =
  /^(?:bearer|basic|digest|token|apikey|bot|negotiate|ntlm|hawk|sharedkey|aws4-hmac-sha256|oauth|dpop|hmac|mac|vapid)[ :]+(?=\S)/i;
const PAIR = /^[^\s=;,"']{1,64}=[^\s;]/;

/** Without a digit, a blank or an `=` there is no credential, no scheme and no cookie. */
const TELLS = new Uint8Array(256);
for (const sign of '0123456789 =') TELLS[sign.charCodeAt(0)] = 1;

/** A sentence about a secret, as of a form that checks it: `Must be at least 12 characters`. */
const SENTENCE_MIN = 3;
const SENTENCE_WORD = /^[("']?(?:[A-Za-z][a-z'’-]*|\d+\+?)[.,;:!?)"']*$/;
const SAYS_RULE =
  /\b(?:must|should|cannot|can't|at (?:least|most)|too (?:short|long|weak|common|simple)|required|characters?|(?:in)?correct|invalid|wrong|expired|(?:not|n't) match|missing|please|forgot(?:ten)?|reset)\b/i;

const RANDOM_MIN = 15;
const LIKELY_MIN = 6;
/** Without a digit or mixed case it is more likely a word. */
const WORDLIKE_MIN = 40;

export function isSecretValue(kind: SecretName, name: string, bytes: Buffer, start: number, end: number): boolean {
  // The dearest question comes last.
  return end > start && looksLike(kind, name, bytes, start, end) && !isPlaceholder(bytes, start, end);
}

function looksLike(kind: SecretName, name: string, bytes: Buffer, start: number, end: number): boolean {
  switch (kind) {
    case 'key':
      return true;
    case 'secret': {
      const beginning = bytes.toString('latin1', start, Math.min(end, start + 4));
      return !FILE.test(beginning) && !(/pwd$/i.test(name) && DIRECTORY.test(beginning));
    }
    case 'likely':
      return isLikely(bytes, start, end);
    case 'random':
      return (
        isOneToken(bytes, start, end) &&
        isRandom(bytes, start, end) &&
        !isNumber(bytes, start, end) &&
        !areWords(bytes, start, end)
      );
  }
}

/** Where the credential begins: that it was sent with `Bearer` is worth knowing. */
export function behindScheme(bytes: Buffer, start: number, end: number): number {
  const scheme = SCHEME.exec(bytes.toString('latin1', start, Math.min(end, start + 32)));
  return start + (scheme?.[0].length ?? 0);
}

function isPlaceholder(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > PLACEHOLDER_MAX) return false;
  const text = bytes.toString('utf8', start, end).trim();
  return PLACEHOLDER.test(text) || isSentence(text);
}

function isSentence(text: string): boolean {
  const words = text.split(/\s+/);
  return words.length >= SENTENCE_MIN && SAYS_RULE.test(text) && words.every((word) => SENTENCE_WORD.test(word));
}

function isLikely(bytes: Buffer, start: number, end: number): boolean {
  const stop = Math.min(end, start + PLACEHOLDER_MAX);
  let at = start;
  while (at < stop && !TELLS[bytes[at] ?? 0]) at++;
  if (at === stop) return false;
  const text = bytes.toString('latin1', start, stop);
  const scheme = SCHEME.exec(text)?.[0].length ?? 0;
  if (scheme > 0) return isPlaceholder(bytes, start + scheme, end) ? false : end - start - scheme >= LIKELY_MIN;
  if (PAIR.test(text)) return true;
  return end - start >= LIKELY_MIN && isOneToken(bytes, start, end) && hasLettersAndDigits(bytes, start, end);
}

function isOneToken(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte <= 0x20 || byte >= 0x7f || byte === 0x22 || byte === 0x3c) return false;
  }
  return true;
}

function isNumber(bytes: Buffer, start: number, end: number): boolean {
  return end - start < PLACEHOLDER_MAX && NUMBER.test(bytes.toString('latin1', start, end));
}

function hasLettersAndDigits(bytes: Buffer, start: number, end: number): boolean {
  let letters = false;
  let digits = false;
  for (let at = start; at < end; at++) {
    letters ||= isLetter(bytes[at] ?? 0);
    digits ||= isDigit(bytes[at] ?? 0);
  }
  return letters && digits;
}

export function isRandom(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (length < RANDOM_MIN) return false;
  let digits = 0;
  let upper = 0;
  let lower = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (isDigit(byte)) digits++;
    else if (isLetter(byte)) byte < 0x61 ? upper++ : lower++;
  }
  return digits > 0 || length >= WORDLIKE_MIN || (length >= 20 && upper > 1 && lower > 1);
}

/** `morning-session-2025-monday`: two words or more, and numbers that are no longer than a year. */
const WORDS =
  /^(?=.*[A-Za-z]{3}.*[-_.].*[A-Za-z]{3})(?:[A-Z]?[a-z]{1,15}|[A-Z]{1,15}|\d{1,4})(?:[-_.](?:[A-Z]?[a-z]{1,15}|[A-Z]{1,15}|\d{1,4}))+$/;

export function areWords(bytes: Buffer, start: number, end: number): boolean {
  return end - start <= PLACEHOLDER_MAX && WORDS.test(bytes.toString('latin1', start, end));
}
