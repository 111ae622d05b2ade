/** Events of reading the store for clients, to be counted and logged. */
export type ReadingEvent =
  | {
      readonly type: 'store-read';
      /** Route as registered, with names of parameters in place of their values. */
      readonly route: string;
      readonly status: number;
      /** Waiting included. */
      readonly tookMs: number;
    }
  | { readonly type: 'read-refused'; readonly because: ReadRefusal }
  /** A part of an answer is missing, because it could not be read. */
  | { readonly type: 'read-incomplete'; readonly what: string; readonly error: string }
  | { readonly type: 'reading-restarted'; readonly because: ReadingEnd; readonly error: string };

/** Why a read was not done. */
export const READ_REFUSALS = [
  /** All places of the queue are taken. */
  'queue_full',
  /** Another address needed the room. */
  'displaced',
  'waited_too_long',
  'took_too_long',
  /** The reading thread failed. */
  'thread_ended',
  /** The client did not wait for its turn. */
  'client_gone',
  'stopping',
] as const;
export type ReadRefusal = (typeof READ_REFUSALS)[number];

/** Why another reading thread was started. */
type ReadingEnd = 'deadline' | 'ended';
