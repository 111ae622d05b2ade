/** Events of the receivers, to be counted and logged. */
import type { RedactionCounts } from '../redaction.ts';

export const TRANSPORTS = ['http', 'grpc'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** Ports that listen, by their names in the settings. */
export const LISTENERS = ['otlp_http', 'otlp_grpc', 'http'] as const;

/** Why a connection was closed. */
export const DROP_REASONS = [
  /** More are open on the port than may be. */
  'no_place',
  /** The address gave up more gRPC calls than it completed, or sent frames out of place. */
  'http2_flood',
  /** The client has not taken the answers that it asked for. */
  'answers_not_taken',
] as const;
export type DropReason = (typeof DROP_REASONS)[number];

export const SIGNALS = ['traces', 'logs'] as const;
type Signal = (typeof SIGNALS)[number];

export const CONTENT_ENCODINGS = ['identity', 'gzip', 'deflate', 'zstd'] as const;
export type ContentEncoding = (typeof CONTENT_ENCODINGS)[number];

/** Why a request was answered with an error, or not at all. */
export const REFUSE_REASONS = [
  /** Not what the format says; sending it again is of no use. */
  'malformed',
  'too-large',
  'unsupported-type',
  'unsupported-encoding',
  'unknown-path',
  'wrong-method',
  /** The client has no token that lets it send (`assay_access_refused_total` says why). */
  'access',
  /** More bytes are on their way through than may be; to be sent again. */
  'overloaded',
  /** The journal did not take it; to be sent again. */
  'not-admitted',
  /** The client went away, or was too slow. */
  'aborted',
  'timeout',
  'internal',
] as const;
export type RefuseReason = (typeof REFUSE_REASONS)[number];

/** Why a partial success rejected records. */
export const REJECT_REASONS = ['invalid_id', 'too_large', 'unknown_project'] as const;
export type RejectReason = (typeof REJECT_REASONS)[number];

export type ReceiveEvent =
  | {
      readonly type: 'batch-received';
      readonly transport: Transport;
      readonly signal: Signal;
      readonly encoding: ContentEncoding;
      readonly format: 'protobuf' | 'json';
      /** Spans or log records that were accepted. */
      readonly records: number;
      /** Size as journaled: protobuf, without compression. */
      readonly bytes: number;
    }
  | {
      readonly type: 'records-rejected';
      readonly transport: Transport | 'kafka';
      readonly signal: Signal;
      readonly reason: RejectReason;
      readonly records: number;
    }
  | {
      /** Rejected records of a request that was accepted. */
      readonly type: 'text-redacted';
      readonly signal: Signal;
      readonly counts: RedactionCounts;
    }
  | {
      readonly type: 'request-refused';
      readonly transport: Transport;
      readonly reason: RefuseReason;
      /** HTTP or gRPC status; 0 if the client had gone. */
      readonly code: number;
    }
  | {
      readonly type: 'connection-dropped';
      readonly port: (typeof LISTENERS)[number];
      readonly because: DropReason;
    }
  | { readonly type: 'metrics-discarded'; readonly transport: Transport; readonly bytes: number };
