/** Events between Kafka and the shared store, to be counted and logged. */
/** Fate of a record that holds no spans and no log records: what could not be read, and what is empty. */
export const RECORD_FATES = ['dead-letter', 'dropped', 'empty'] as const;

export type ClusterEvent =
  | {
      readonly type: 'records-read';
      readonly topic: string;
      readonly signal: 'traces' | 'logs';
      readonly records: number;
      readonly rows: number;
      readonly bytes: number;
    }
  | {
      readonly type: 'record-unreadable';
      readonly topic: string;
      readonly partition: number;
      readonly offset: number;
      readonly reason: string;
      readonly fate: Exclude<(typeof RECORD_FATES)[number], 'empty'>;
    }
  /** A tombstone, or a request of nothing. */
  | { readonly type: 'record-empty'; readonly topic: string }
  | { readonly type: 'record-late'; readonly topic: string; readonly byMs: number }
  | { readonly type: 'lanes-gained'; readonly lanes: readonly number[]; readonly kept: number }
  | { readonly type: 'lanes-lost'; readonly lanes: readonly number[]; readonly because: string }
  /** Undefined: it is over. */
  | { readonly type: 'kafka-problem'; readonly problem: string | undefined }
  | { readonly type: 'store-problem'; readonly problem: string | undefined }
  | { readonly type: 'sending-problem'; readonly problem: string | undefined }
  | { readonly type: 'arrivals-filed'; readonly arrivals: number; readonly tookMs: number }
  | {
      readonly type: 'conversations-scored';
      readonly conversations: number;
      readonly arrivals: number;
      readonly tookMs: number;
    }
  | { readonly type: 'evaluations-sent'; readonly evaluations: number };
