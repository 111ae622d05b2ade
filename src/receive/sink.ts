/** Takes requests from the receivers. The journal is behind it, or Kafka; tests have a sink that refuses. */
import type { RejectReason } from '../model/events/receive-events.ts';
import type { Rejection } from './status.ts';

export interface ReceivedBatch {
  readonly signal: 'traces' | 'logs';
  /** An export request in protobuf, checked. It belongs to the sink from now on. */
  readonly bytes: Uint8Array;
  /** Rows of its spans, as otlp/batch-table.ts has them. */
  readonly table: Uint8Array;
  readonly rows: number;
  /** `model/sender.ts`. */
  readonly sender?: number | undefined;
}

export interface RejectedRecords extends Rejection {
  readonly reason: RejectReason;
}

export type Admission =
  /** Records that can never be accepted are rejected, and the rest is stored. */
  | { readonly admitted: true; readonly rejected?: RejectedRecords | undefined }
  | { readonly admitted: false; readonly reason: string; readonly retryAfterSeconds: number };

export interface BatchSink {
  /** Resolves once the batch is durable, or certain not to be. The client gets no answer before that. */
  accept(batch: ReceivedBatch): Promise<Admission>;
}
