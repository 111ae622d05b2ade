/** Events of the journal, to be counted and logged. */
export type JournalEvent =
  | {
      readonly type: 'journal-recovered';
      readonly entries: number;
      readonly rows: number;
      /** Bytes behind the good end that were not whole; 0 after a clean stop. */
      readonly cutBytes: number;
      readonly tookMs: number;
    }
  | {
      readonly type: 'journal-corrupt';
      readonly position: number;
      readonly length: number;
      readonly quarantinedAt: string;
    }
  /** A segment's file ended before it should. */
  | {
      readonly type: 'journal-segment-short';
      readonly position: number;
      readonly size: number;
      readonly capacity: number;
    }
  | { readonly type: 'journal-synced'; readonly records: number; readonly bytes: number; readonly tookMs: number }
  | { readonly type: 'journal-refused'; readonly because: string; readonly detail: string; readonly records: number }
  /** After a refusal: there is room again, and it can be written. */
  | { readonly type: 'journal-writable' }
  | { readonly type: 'journal-segment-failed'; readonly detail: string };
