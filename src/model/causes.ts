/**
 * Why a turn was closed, why a conversation was due, and why it has no score.
 *
 * Stores keep them as texts, and instances of several versions may share a store. A text that only a newer version knows is read as `unknown`:
 * nothing stops, it is shown as such, and a row that is written again keeps that word.
 */
const UNKNOWN = 'unknown';

export const CLOSE_CAUSES = ['settled', 'idle', 'max_age', 'size', 'pressure'] as const;
export type CloseCause = (typeof CLOSE_CAUSES)[number] | typeof UNKNOWN;

export const DUE_CAUSES = ['idle', 'end_marker', 'single_trace', 'max_age', 'max_turns'] as const;
export type DueCause = (typeof DUE_CAUSES)[number] | typeof UNKNOWN;

export const UNSCORED_CAUSES = ['no_suite_matched', 'not_understood', 'moved'] as const;
export type UnscoredCause = (typeof UNSCORED_CAUSES)[number] | typeof UNKNOWN;

export function readCloseCause(text: string): CloseCause {
  return CLOSE_CAUSES.find((cause) => cause === text) ?? UNKNOWN;
}

export function readDueCause(text: string): DueCause {
  return DUE_CAUSES.find((cause) => cause === text) ?? UNKNOWN;
}

export function readUnscoredCause(text: string): UnscoredCause {
  return UNSCORED_CAUSES.find((cause) => cause === text) ?? UNKNOWN;
}
