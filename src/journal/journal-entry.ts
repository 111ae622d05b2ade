/** Entry that the journal hands out for each durable batch. */
export type Signal = 'traces' | 'logs';

export interface JournalEntry {
  readonly signal: Signal;
  readonly position: number;
  /** The position behind this entry. */
  readonly nextPosition: number;
  readonly logTime: number;
  readonly rows: number;
  /** `model/sender.ts`. */
  readonly sender?: number | undefined;
  readonly table: Uint8Array;
  /** Position of the request's first byte: a span at byte n of the request is at `payloadPosition + n`. */
  readonly payloadPosition: number;
}
