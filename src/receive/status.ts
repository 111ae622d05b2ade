/**
 * The answers of OTLP, in protobuf and in JSON.
 *
 *   google.rpc.Status {  1 code int32   2 message string   3 details Any*  }
 *   google.protobuf.Any {  1 type_url string   2 value bytes  }
 *   google.rpc.RetryInfo {  1 retry_delay Duration  }   google.protobuf.Duration {  1 seconds int64   2 nanos int32  }
 *
 *   ExportTraceServiceResponse, ExportLogsServiceResponse {  1 partial_success  }
 *   partial_success {  1 rejected_spans or rejected_log_records int64   2 error_message string  }
 */
import type { RefusedAccess } from '../model/access.ts';
import { ProtoWriter } from '../otlp/proto-writer.ts';

export type Format = 'protobuf' | 'json';

/** The codes of gRPC, which google.rpc.Status uses over HTTP as well. */
export const RPC_CODES = {
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

const REFUSED_CODES = {
  400: RPC_CODES.invalidArgument,
  401: RPC_CODES.unauthenticated,
  403: RPC_CODES.permissionDenied,
  429: RPC_CODES.resourceExhausted,
} as const satisfies Record<RefusedAccess['status'], number>;

/** The answer to a client that may not send. It does not say when to send again: the same token will not be known then. */
export function accessStatus({ status, message }: RefusedAccess): Status {
  return { code: REFUSED_CODES[status], message };
}

export interface Status {
  readonly code: (typeof RPC_CODES)[keyof typeof RPC_CODES];
  readonly message: string;
  /** Present where the client should send again. */
  readonly retryAfterSeconds?: number;
}

const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo';
/** An answer repeats a little of what was sent, never much. */
const MESSAGE_LENGTH_MAX = 1000;

export function encodeStatus(status: Status, format: Format): Buffer {
  const message = status.message.slice(0, MESSAGE_LENGTH_MAX);
  const { code, retryAfterSeconds } = status;
  if (format === 'json') {
    const details =
      retryAfterSeconds === undefined ? [] : [{ '@type': RETRY_INFO, retryDelay: `${retryAfterSeconds}s` }];
    return Buffer.from(JSON.stringify({ code, message, details }));
  }
  const writer = new ProtoWriter({ initialBytes: 256 });
  writer.uint32(1, code);
  writer.text(2, message);
  if (retryAfterSeconds !== undefined) {
    writer.openMessage(3);
    writer.text(1, RETRY_INFO);
    writer.openMessage(2); // RetryInfo
    writer.openMessage(1); // Duration
    writer.uint32(1, retryAfterSeconds);
    writer.closeMessage();
    writer.closeMessage();
    writer.closeMessage();
  }
  return writer.finish();
}

export interface Rejection {
  readonly records: number;
  readonly message: string;
}

/** A request without rejections has no partial success at all, as the specification asks. */
export function encodeResponse(
  signal: 'traces' | 'logs' | 'metrics',
  rejection: Rejection | undefined,
  format: Format,
): Buffer {
  if (format === 'json') {
    if (rejection === undefined) return Buffer.from('{}');
    const count = signal === 'logs' ? 'rejectedLogRecords' : 'rejectedSpans';
    const partialSuccess = { [count]: String(rejection.records), errorMessage: rejection.message };
    return Buffer.from(JSON.stringify({ partialSuccess }));
  }
  if (rejection === undefined) return Buffer.alloc(0);
  const writer = new ProtoWriter({ initialBytes: 256 });
  writer.openMessage(1);
  writer.uint32(1, rejection.records);
  writer.text(2, rejection.message);
  writer.closeMessage();
  return writer.finish();
}
