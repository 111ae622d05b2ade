/**
 * The settings of redaction. What is on without being asked for are credentials and numbers of accounts: no question about
 * an agent needs them. E-mail addresses and telephone numbers are what many agents are judged by, and are asked for; see
 * docs/decisions/0009-redaction.md.
 */
import { z } from 'zod';
import {
  BUILT_IN_PATTERNS,
  BY_KEY,
  type BuiltInPattern,
  type CustomPattern,
  PATTERN_NAME,
  USER_ID,
} from '../model/redaction.ts';
import { customPatternMistake } from '../receive/redact/custom-patterns.ts';
import type { Sources, Variables } from './sources.ts';

export interface RedactionSettings {
  readonly patterns: readonly BuiltInPattern[];
  readonly keys: readonly string[];
  readonly custom: readonly CustomPattern[];
  readonly hashUserIds: boolean;
  /** From the environment; undefined where it is to be kept beside the data. */
  readonly salt: string | undefined;
}

const DEFAULT_PATTERNS: readonly BuiltInPattern[] = ['card', 'iban', 'bearer', 'api_key', 'jwt'];
const CUSTOM_MAX = 32;
const KEYS_MAX = 200;
const PATTERN_LENGTH_MAX = 500;
const SALT_LENGTH_MIN = 16;
const SALT_VARIABLE = 'ASSAY_REDACTION_SALT';

export function readRedaction(sources: Sources, env: Variables): RedactionSettings {
  return {
    patterns: sources.read<readonly BuiltInPattern[]>({ key: 'redaction.patterns' }, patterns, DEFAULT_PATTERNS).value,
    keys: sources.read({ key: 'redaction.keys' }, keys, []).value,
    custom: sources.read({ key: 'redaction.custom' }, custom, []).value,
    hashUserIds: sources.read({ key: 'redaction.hash_user_ids' }, hashUserIds, false).value,
    salt: readSalt(sources, env),
  };
}

/** Only from the environment: what is in a configuration file is in a repository before long. */
function readSalt(sources: Sources, env: Variables): string | undefined {
  const salt = env[SALT_VARIABLE];
  if (salt === undefined || salt === '') return undefined;
  if (salt.length >= SALT_LENGTH_MIN) return salt;
  const name = { key: 'redaction', variable: SALT_VARIABLE };
  const problem = `a salt of ${salt.length} characters can be guessed`;
  sources.mistake(
    name,
    'variable',
    problem,
    `at least ${SALT_LENGTH_MIN} random characters, such as \`openssl rand -hex 32\` gives`,
  );
  return undefined;
}

const KNOWN = BUILT_IN_PATTERNS.join(', ');
const patternList = `a list of ${KNOWN}; or all, or none`;
const patterns = z
  .union([z.literal('all'), z.literal('none'), z.array(z.string())], patternList)
  .transform((given, context): readonly BuiltInPattern[] => {
    if (given === 'all') return BUILT_IN_PATTERNS;
    if (given === 'none') return [];
    for (const [index, name] of given.entries()) {
      if (isBuiltIn(name)) continue;
      context.addIssue({
        code: 'custom',
        path: [index],
        message: `one of ${KNOWN}; patterns of your own go under custom`,
      });
    }
    return BUILT_IN_PATTERNS.filter((name) => given.includes(name));
  });

function isBuiltIn(name: string): boolean {
  return BUILT_IN_PATTERNS.some((known) => known === name);
}

const someGlobs = 'a list of attribute keys; * stands for any run of characters';
const keys = z
  .array(z.string(someGlobs).min(1, 'an attribute key that is not empty'), someGlobs)
  .max(KEYS_MAX, `at most ${KEYS_MAX} keys`)
  .readonly();

const hashUserIds = z.boolean('true or false');

const nameExpected = 'a name of small letters, digits, _ and -, beginning with a letter, at most 32 characters';
const patternExpected = 'a regular expression in RE2 syntax (https://github.com/google/re2/wiki/Syntax)';
const customPattern = z
  .strictObject(
    {
      name: z
        .string(nameExpected)
        .regex(PATTERN_NAME, nameExpected)
        .refine((name) => !isBuiltIn(name) && name !== BY_KEY && name !== USER_ID, {
          message: `a name of its own: ${KNOWN}, ${BY_KEY} and ${USER_ID} are taken`,
        }),
      pattern: z
        .string(patternExpected)
        .max(PATTERN_LENGTH_MAX, `at most ${PATTERN_LENGTH_MAX} characters`)
        .superRefine((pattern, context) => {
          const mistake = customPatternMistake(pattern);
          if (mistake !== undefined) context.addIssue({ code: 'custom', message: `${patternExpected}: ${mistake}` });
        }),
    },
    'a mapping with the fields name and pattern, and no others',
  )
  .readonly();
const custom = z
  .array(customPattern, 'a list of mappings with the fields name and pattern')
  .max(CUSTOM_MAX, `at most ${CUSTOM_MAX} patterns`)
  .superRefine((all, context) => {
    for (const [index, { name }] of all.entries()) {
      if (all.findIndex((other) => other.name === name) === index) continue;
      context.addIssue({ code: 'custom', path: [index, 'name'], message: 'a name that no other pattern has' });
    }
  })
  .readonly();
