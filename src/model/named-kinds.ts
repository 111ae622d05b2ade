/**
 * Kinds of failure: groups of conversations that went badly, each under a name that people gave it in their readings. A
 * kind is open until somebody says that it is watched, or that it is mended.
 */
export const KIND_STATES = ['open', 'watched', 'mended'] as const;
export type KindState = (typeof KIND_STATES)[number];

/** `back`: a conversation of the kind began after the kind was called mended. */
export type ShownKindState = KindState | 'back';

export const KIND_CHARACTERS_MAX = 80;

/** A name as people mean it: without white space around it, and one space in place of several. */
export function kindName(written: string): string {
  return written.trim().replaceAll(/\s+/g, ' ');
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

export interface KeptKind {
  readonly name: string;
  readonly state: KindState;
  /** When it was said, in milliseconds. */
  readonly stateAt: number;
}
