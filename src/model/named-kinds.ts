/**
 * Kinds of failure: groups of conversations that went badly, each under a name that people gave it in their readings. A
 * kind is open until somebody says that it is watched, or that it is mended.
 */
import { withHidden } from './visible-text.ts';

export const KIND_STATES = ['open', 'watched', 'mended'] as const;
export type KindState = (typeof KIND_STATES)[number];

/** `back`: a conversation of the kind began after the kind was called mended. */
export type ShownKindState = KindState | 'back';

export const KIND_CHARACTERS_MAX = 80;

/** Format characters, except those that turn text round: a name with these is a mistake. */
const UNSEEN = /(?![\u202a-\u202e\u2066-\u2069])\p{Cf}/gu;

/**
 * A name as people mean it: without white space around it, one space in place of several, and without characters that
 * nobody sees. Names that look the same are the same.
 */
export function kindName(written: string): string {
  const seen = withHidden(written, (run) => run.replaceAll(UNSEEN, ''));
  return seen.normalize('NFC').trim().replaceAll(/\s+/g, ' ');
}

/** A person says how far a kind is, or gives it another name: all its readings move, into an existing kind as well. */
export type KindChange = { readonly agent: string; readonly kind: string; readonly by: string } & (
  | { readonly state: KindState }
  | { readonly into: string }
);

/** Changes the kind of a bad reading by a person; null takes it away. */
export interface GivenKind {
  readonly conversationId: string;
  readonly by: string;
  readonly kind: string | null;
}

/** A person's reading of a conversation that went badly. */
export interface FailedReading {
  readonly conversationId: string;
  readonly by: string;
  readonly kind: string | undefined;
  readonly note: string | undefined;
  /** The beginning of the user's first words. */
  readonly asked: string | undefined;
  /** When the conversation began, in milliseconds. */
  readonly beganAt: number;
}

/** Bad readings of a kind, or of none. Times are those at which conversations began, in milliseconds. */
export interface CountedKind {
  readonly kind: string | undefined;
  readonly readings: number;
  readonly conversations: number;
  /** Conversations that began after somebody last said how far the kind is. */
  readonly later: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

export interface KeptKind {
  readonly name: string;
  readonly state: KindState;
  /** When it was said, in milliseconds. */
  readonly stateAt: number;
}
