/** Damage of a data folder, as a start finds it. docs/decisions/0031 has the states that lead to each kind. */
export const DAMAGE_KINDS = [
  /** No database, or an empty one, where there was one. */
  'store-missing',
  /** Not a database, or a malformed one. */
  'store-unreadable',
  /** The database lacks commits that it had. */
  'store-behind',
  /** Another store's database. */
  'store-replaced',
  /** A content file that rows refer to is not there. */
  'content-missing',
  /** A content file ends before what rows refer to. */
  'content-short',
  /** A content file of another store, or with nothing of this one. */
  'content-replaced',
  /** Content that the store does not know, and that is more than a crash leaves. */
  'content-unknown',
  /** A piece of content fails its checksum. */
  'content-damaged',
  /** A part of the journal fails its checksum: one request, or several. */
  'journal-corrupt',
  /** The journal, or all of its segments. */
  'journal-missing',
  /** The journal ends before records that it had. */
  'journal-behind',
  'segment-missing',
  'segment-short',
  /** A segment of which no record can be read. */
  'segment-unreadable',
  'salt-missing',
  'salt-changed',
] as const;
export type DamageKind = (typeof DAMAGE_KINDS)[number];

export interface Damage {
  readonly kind: DamageKind;
  /** A sentence for people. */
  readonly what: string;
  /** Whether conversations, or what people said of them, may be lost. */
  readonly losesData: boolean;
  /** Stable for the same loss at the next start, and different for another loss. */
  readonly key: string;
}
