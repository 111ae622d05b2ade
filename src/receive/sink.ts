/** Where the receivers hand on what they received. The journal is behind it, or Kafka; tests have one that refuses. */
import type { Rejection } from './status.ts';

export interface ReceivedBatch {
  readonly signal: 'traces' | 'logs';
  /** An export request in protobuf, checked. It belongs to the sink from now on. */
  readonly bytes: Uint8Array;
  /** The places of its rows, as otlp/batch-table.ts writes them. */
  readonly table: Uint8Array;
  readonly rows: number;
  /** `model/sender.ts`. */
  readonly sender?: number | undefined;
}

export type Admission =
  /** Records that can never be accepted are rejected, and the rest is stored. */
  | { readonly admitted: true; readonly rejected?: Rejection | undefined }
  | { readonly admitted: false; readonly reason: string; readonly retryAfterSeconds: number };

export interface BatchSink {
  /** Resolves once the batch is durable, or once it is clear that it will not be: the client is told nothing earlier. */
  accept(batch: ReceivedBatch): Promise<Admission>;
}
