/**
 * The settings of redaction. Credentials and account numbers are redacted by default, because no question about an
 * agent needs them. E-mail addresses and telephone numbers are what many agents are judged by, and are asked for; see
 * docs/decisions/0009-redaction.md.
 */
import { z } from 'zod';
import {
  BUILT_IN_PATTERNS,
  BY_KEY,
  type BuiltInPattern,
  DEFAULT_PATTERNS,
  PATTERN_NAME,
  USER_ID,
} from '../model/redaction.ts';
import { customPatternMistake } from '../redact/custom-patterns.ts';
import { mapping } from './mapping.ts';
import { section } from './section.ts';
import { type Setting, setting, yesOrNo } from './setting.ts';

const CUSTOM_MAX = 32;
const KEYS_MAX = 200;
const PATTERN_LENGTH_MAX = 500;
const SALT_LENGTH_MIN = 16;

const KNOWN = BUILT_IN_PATTERNS.join(', ');
const patternList = `a list of ${KNOWN}; or all, or none`;
const patterns = z
  .union([z.literal('all'), z.literal('none'), z.array(z.string()).readonly()], patternList)
  .transform((given, context): readonly BuiltInPattern[] => {
    if (given === 'all') return BUILT_IN_PATTERNS;
    if (given === 'none') return [];
    for (const [index, name] of given.entries()) {
      if (isBuiltIn(name)) continue;
      const message = `one of ${KNOWN}; patterns of your own go under custom`;
      context.addIssue({ code: 'custom', path: [index], message });
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

const nameExpected = 'a name of small letters, digits, _ and -, beginning with a letter, at most 32 characters';
const name = z
  .string(nameExpected)
  .regex(PATTERN_NAME, nameExpected)
  .refine((given) => !isBuiltIn(given) && given !== BY_KEY && given !== USER_ID, {
    message: `a name of its own: ${KNOWN}, ${BY_KEY} and ${USER_ID} are taken`,
  });
const patternExpected = 'a regular expression in RE2 syntax (https://github.com/google/re2/wiki/Syntax)';
const pattern = z
  .string(patternExpected)
  .max(PATTERN_LENGTH_MAX, `at most ${PATTERN_LENGTH_MAX} characters`)
  .superRefine((given, context) => {
    const mistake = customPatternMistake(given);
    if (mistake !== undefined) context.addIssue({ code: 'custom', message: `${patternExpected}: ${mistake}` });
  });

const CUSTOM = {
  name: setting({ key: 'name', required: true, example: 'employee' }, 'Stands in place of what is found.', name),
  pattern: setting({ key: 'pattern', required: true, example: 'EMP-[0-9]{6}' }, 'In the syntax of RE2.', pattern),
};
const custom = z
  .array(mapping(CUSTOM), 'a list of mappings with the fields name and pattern')
  .max(CUSTOM_MAX, `at most ${CUSTOM_MAX} patterns`)
  .superRefine((all, context) => {
    for (const [index, one] of all.entries()) {
      if (all.findIndex((other) => other.name === one.name) === index) continue;
      context.addIssue({ code: 'custom', path: [index, 'name'], message: 'a name that no other pattern has' });
    }
  })
  .readonly();

/** Only from the environment: what is in a configuration file is in a repository before long. */
const salt: Setting<string | undefined> = {
  key: 'redaction.salt',
  variable: 'ASSAY_REDACTION_SALT',
  help: 'Salt of the hashes, the same for all instances; kept in the data folder unless given.',
  takes: `at least ${SALT_LENGTH_MIN} random characters`,
  variableOnly: true,
  read: (sources) => {
    const given = sources.readVariable({ key: 'redaction.salt', variable: 'ASSAY_REDACTION_SALT' });
    if (given === undefined || given.length >= SALT_LENGTH_MIN) return given;
    const expected = `at least ${SALT_LENGTH_MIN} random characters, such as \`openssl rand -hex 32\` gives`;
    sources.mistake('redaction.salt', `a salt of ${given.length} characters can be guessed`, expected);
    return undefined;
  },
};

export const REDACTION = section('start', 'Removes secrets before anything is stored (redaction.md).', {
  patterns: setting(
    { key: 'redaction.patterns', default: DEFAULT_PATTERNS },
    `Patterns that are looked for: some of ${KNOWN}; or all, or none.`,
    patterns,
  ),
  keys: setting(
    { key: 'redaction.keys', default: [], example: ['http.request.header.*'] },
    'More attributes and members whose whole value goes, besides those that the pattern secret knows.',
    keys,
  ),
  custom: setting(
    { key: 'redaction.custom', default: [], example: [{ name: 'employee', pattern: 'EMP-[0-9]{6}' }] },
    'Patterns of your own.',
    custom,
    CUSTOM,
  ),
  hashUserIds: yesOrNo({ key: 'redaction.hash_user_ids', default: false }, 'Hashes user ids; Kafka needs a salt.'),
  salt,
});
