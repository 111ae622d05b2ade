/** Decides the redaction of an attribute by its key, once for each key that has a number in the table of keys. */
import { compileGlob, type Matcher } from '../model/glob.ts';
import { keyTable, NO_NUMBER } from '../otlp/key-table.ts';
import type { RedactionRules } from '../model/redaction.ts';
import type { SecretName, SecretNames } from './secret-names.ts';

export type KeyRule =
  /** Only what the patterns find in its value. */
  | { readonly rule: 'patterns' }
  /** The whole value goes. */
  | { readonly rule: 'whole' }
  /** A user's id, to be hashed. */
  | { readonly rule: 'user-id' }
  /** A name that says secret: texts and numbers go that are one. */
  | { readonly rule: 'secret'; readonly kind: SecretName; readonly name: string }
  /** Headers: a member that may be a secret is one. */
  | { readonly rule: 'headers' }
  /** An object with a user's id in it. */
  | { readonly rule: 'user-id-within'; readonly names: ReadonlySet<string> }
  /** Joins spans: hashed where a pattern is found in it. */
  | { readonly rule: 'identifier' };

export const BY_PATTERNS: KeyRule = { rule: 'patterns' };

const HEADER = /(?:^|[._])headers?[._]/i;
const HEADERS = /(?:^|[._]|[a-z](?=H))headers?$/i;

export class KeyRules {
  readonly #names: SecretNames;
  readonly #userIds: ReadonlySet<string>;
  readonly #members: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #identifiers: ReadonlySet<string>;
  readonly #globs: readonly Matcher[];
  /** By the key's number; a hole has not been asked yet. */
  readonly #byNumber: (KeyRule | undefined)[] = [];

  constructor(rules: RedactionRules, names: SecretNames) {
    this.#names = names;
    this.#userIds = new Set(rules.userIds?.keys);
    this.#members = new Map(rules.userIds?.members.map(({ key, names }) => [key, new Set(names)]));
    this.#identifiers = new Set(rules.identifiers);
    this.#globs = rules.keys.map(compileGlob);
  }

  of(bytes: Buffer, start: number, end: number): KeyRule {
    const number = keyTable.numberOf(bytes, start, end);
    if (number === NO_NUMBER) return this.#find(bytes.toString('utf8', start, end));
    const known = number < this.#byNumber.length ? this.#byNumber[number] : undefined;
    if (known !== undefined) return known;
    const rule = this.#find(keyTable.text(number));
    while (this.#byNumber.length <= number) this.#byNumber.push(undefined);
    this.#byNumber[number] = rule;
    return rule;
  }

  #find(key: string): KeyRule {
    if (this.#globs.some((matches) => matches(key))) return { rule: 'whole' };
    if (this.#userIds.has(key)) return { rule: 'user-id' };
    const names = this.#members.get(key);
    if (names !== undefined) return { rule: 'user-id-within', names };
    if (this.#identifiers.has(key)) return { rule: 'identifier' };
    const kind = this.#names.of(key);
    if (kind === undefined && HEADERS.test(key)) return { rule: 'headers' };
    if (kind === undefined || kind === 'key') return BY_PATTERNS;
    // The place of a header says what it is.
    return { rule: 'secret', kind: HEADER.test(key) ? 'secret' : kind, name: key };
  }
}
