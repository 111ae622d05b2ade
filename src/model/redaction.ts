/**
 * The words of redaction: which patterns are built in, what stands in place of what was taken out, and the rules of a run
 * as plain data, so that they can be handed to another thread.
 */
export const BUILT_IN_PATTERNS = [
  'email',
  'phone',
  'card',
  'iban',
  'bearer',
  'api_key',
  'jwt',
  'secret',
  'url_password',
] as const;
export type BuiltInPattern = (typeof BUILT_IN_PATTERNS)[number];

/** Many agents are judged by whom they wrote to or called; no question needs the other patterns. */
export const DEFAULT_PATTERNS: readonly BuiltInPattern[] = BUILT_IN_PATTERNS.filter(
  (pattern) => pattern !== 'email' && pattern !== 'phone',
);

/** Pattern name for a value that was removed because of its key. */
export const BY_KEY = 'key';
/** Pattern name for a hashed user id. */
export const USER_ID = 'user_id';

export const PATTERN_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

export interface CustomPattern {
  readonly name: string;
  /** Pattern in RE2's syntax. */
  readonly pattern: string;
}

export interface RedactionRules {
  readonly patterns: readonly BuiltInPattern[];
  readonly custom: readonly CustomPattern[];
  /** Globs over keys of attributes and names of members. */
  readonly keys: readonly string[];
  readonly userIds: UserIdKeys | undefined;
  /**
   * Attributes by which spans are put together. Where a pattern is found in one of them, the whole value is hashed, so
   * that what belonged together still does.
   */
  readonly identifiers: readonly string[];
  /** Makes the hashes of one installation useless to another. Kept as long as hashes are to agree. */
  readonly salt: string;
}

/** Attributes that hold a user's id, and those that hold an object with one. */
export interface UserIdKeys {
  readonly keys: readonly string[];
  readonly members: readonly { readonly key: string; readonly names: readonly string[] }[];
}

/** How often each name of a pattern was found. */
export type RedactionCounts = { readonly [pattern: string]: number };

const MARKER_START = '[REDACTED:';
const MARKER = /^\[REDACTED:[a-z][a-z0-9_-]{0,31}\]$/;
export const MARKER_LENGTH_MAX = MARKER_START.length + 32 + 1;

export function redactionMarker(name: string): string {
  return `${MARKER_START}${name}]`;
}

/** Whether the text is a marker and nothing else. */
export function isRedactionMarkerOfOurs(text: string): boolean {
  return text.length <= MARKER_LENGTH_MAX && text.startsWith(MARKER_START) && MARKER.test(text);
}

/** The names that the rules can count under. */
export function redactionNames(rules: RedactionRules): readonly string[] {
  return [
    ...rules.patterns,
    ...rules.custom.map(({ name }) => name),
    ...(rules.keys.length > 0 ? [BY_KEY] : []),
    ...(rules.userIds === undefined ? [] : [USER_ID]),
  ];
}

/** The patterns by which something was taken out of a text, each once. */
export function redactionsIn(text: string): readonly string[] {
  if (!text.includes(MARKER_START)) return [];
  return [...new Set([...text.matchAll(/\[REDACTED:([a-z][a-z0-9_-]{0,31})\]/g)].flatMap(([, name]) => name ?? []))];
}
