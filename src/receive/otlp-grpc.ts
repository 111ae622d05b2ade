/**
 * OTLP over gRPC (https://opentelemetry.io/docs/specs/otlp/#otlpgrpc): TraceService, LogsService and MetricsService, each
 * with the one method Export. The server takes bytes and returns bytes; it decodes nothing itself.
 *
 *   OK                  accepted, durably; with partial_success where some spans were rejected; metrics are discarded
 *   INVALID_ARGUMENT    malformed
 *   UNAUTHENTICATED     no token that lets it send
 *   PERMISSION_DENIED   one of another role, or a caller that none excuses
 *   UNIMPLEMENTED       another method, or another compression
 *   RESOURCE_EXHAUSTED  over the limit of bytes or of records; without RetryInfo, so that nobody retries
 *   DEADLINE_EXCEEDED   the request did not arrive in time
 *   UNAVAILABLE         not now: RetryInfo in grpc-status-details-bin says when
 */
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { limitConnections } from '../listen/connection-limit.ts';
import { listen } from '../listen/listen.ts';
import { headOfCall } from '../listen/request-head.ts';
import { turnedAway } from '../listen/shared-port.ts';
import type { AccessGuard } from '../model/access.ts';
import type { ContentEncoding, DropReason, RefuseReason } from '../model/events/receive-events.ts';
import { unreachable } from '../model/unreachable.ts';
import { type CallEnd, createGrpcServer } from './grpc/grpc-server.ts';
import { answerGrpc, refuseGrpc } from './grpc/answer.ts';
import { bodyLengthIn, compressionOf, MESSAGE_HEAD_BYTES, messageIn } from './grpc/message.ts';
import type { Reservation } from './in-flight-bytes.ts';
import { type Reception, OVERLOADED, TOO_MANY_RECORDS } from './reception.ts';
import type { Receiver, ReceiverOptions, ReceivingSide } from './otlp-http.ts';
import { discardBody, readBody } from './read-body.ts';
import { senderOf } from '../model/sender.ts';
import { accessStatus, encodeResponse, RPC_CODES, type Status } from './status.ts';

type Signal = 'traces' | 'logs' | 'metrics';

const SIGNALS: ReadonlyMap<string, Signal> = new Map([
  ['/opentelemetry.proto.collector.trace.v1.TraceService/Export', 'traces'],
  ['/opentelemetry.proto.collector.logs.v1.LogsService/Export', 'logs'],
  ['/opentelemetry.proto.collector.metrics.v1.MetricsService/Export', 'metrics'],
]);

const RECEIVE_TIMEOUT_MS = 60_000;

export async function startOtlpGrpc(options: ReceiverOptions<GrpcReceiver>): Promise<Receiver> {
  const { reception, security, shared, ...address } = options;
  const receiver = new GrpcReceiver(options);
  const onDropped = (because: DropReason) =>
    reception.onEvent({ type: 'connection-dropped', port: 'otlp_grpc', because });
  const { server, stop } = createGrpcServer({
    handle: (stream, headers) => {
      const found = shared?.find(headOfCall('otlp_grpc', stream, headers), receiver) ?? { side: receiver };
      if ('side' in found) return found.side.handle(stream, headers);
      const refusal = withoutProject(turnedAway(found));
      return Promise.resolve(receiver.refuse(stream, refusal));
    },
    security,
    onFlood: () => onDropped('http2_flood'),
  });
  limitConnections(server, { onDropped: () => onDropped('no_place') });
  const port = await listen(server, 'OTLP/gRPC', address);
  let stopping: Promise<void> | undefined;
  return {
    port,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** Head of a call, known before its message has been read. */
interface Head {
  readonly signal: Signal;
  readonly encoding: ContentEncoding;
}

interface Refusal {
  readonly reason: RefuseReason;
  readonly status: Status;
}

export class GrpcReceiver implements ReceivingSide {
  readonly access: AccessGuard;
  readonly reception: Reception;

  constructor({ reception, access }: ReceivingSide) {
    this.reception = reception;
    this.access = access;
  }

  async handle(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<CallEnd> {
    const reservation = this.reception.reserve();
    try {
      const head = this.#admit(stream, headers);
      if ('reason' in head) return this.refuse(stream, head);
      if (head.signal === 'metrics') return await this.#discardMetrics(stream);
      return await this.#receive(stream, { ...head, signal: head.signal }, reservation);
    } catch (error) {
      const message = `Assay failed at this request: ${error instanceof Error ? error.message : String(error)}`;
      return this.refuse(stream, { reason: 'internal', status: { code: RPC_CODES.internal, message } });
    } finally {
      reservation.release();
    }
  }

  /** The head of a call whose client may send. */
  #admit(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): (Head & { readonly sender: number }) | Refusal {
    const head = readHead(headers);
    if ('reason' in head) return head;
    const action = { takes: 'ingest', route: headers[':path'] ?? '' } as const;
    const sent = headOfCall('otlp_grpc', stream, headers);
    const decided = this.access.decide(sent, action);
    if (!decided.allowed) return { reason: 'access', status: accessStatus(decided) };
    return { ...head, sender: senderOf(decided.caller, this.access.clientOf(sent)) };
  }

  async #receive(
    stream: ServerHttp2Stream,
    { signal, encoding, sender }: Head & { readonly signal: 'traces' | 'logs'; readonly sender: number },
    reservation: Reservation,
  ): Promise<CallEnd> {
    const { maxBodyBytes } = this.reception;
    const body = await this.#inTime(stream, (maxBytes) =>
      readBody(stream, { maxBytes, announced: undefined, announcedBy: bodyLengthIn, reservation }),
    );
    if (body === 'timeout') return 'done';
    if (body.read === 'shredded') return 'flooding';
    // A connection that is lost looks like the end of what it sent.
    if (body.read === 'aborted' || stream.aborted) return this.#aborted();
    if (body.read === 'overloaded') return this.refuse(stream, overloaded());
    if (body.read === 'too-large') return this.refuse(stream, tooLarge(maxBodyBytes));
    const message = messageIn(body.bytes, encoding);
    if ('problem' in message) return this.refuse(stream, malformed(message.problem));
    const isGone = () => stream.destroyed;
    const request = { transport: 'grpc', signal, format: 'protobuf', ...message, sender, reservation, isGone } as const;
    const answer = await this.reception.take(request);
    switch (answer.answer) {
      case 'accepted':
        answerGrpc(stream, encodeResponse(signal, answer.rejection, 'protobuf'));
        return 'done';
      case 'malformed':
        return this.refuse(stream, malformed(answer.message));
      case 'too-large':
        return this.refuse(stream, tooLarge(maxBodyBytes));
      case 'too-many':
        return this.refuse(stream, exhausted(TOO_MANY_RECORDS));
      case 'overloaded':
        return this.refuse(stream, overloaded());
      case 'not-admitted': {
        const { message: why, retryAfterSeconds } = answer;
        const status = { code: RPC_CODES.unavailable, message: why, retryAfterSeconds };
        return this.refuse(stream, { reason: 'not-admitted', status });
      }
      case 'gone':
        return this.#aborted();
      default:
        return unreachable(answer);
    }
  }

  async #discardMetrics(stream: ServerHttp2Stream): Promise<CallEnd> {
    const body = await this.#inTime(stream, (maxBytes) => discardBody(stream, { maxBytes, announced: undefined }));
    if (body === 'timeout') return 'done';
    if (body.read === 'shredded') return 'flooding';
    if (body.read === 'aborted') return this.#aborted();
    if (body.read === 'too-large') return this.refuse(stream, tooLarge(this.reception.maxBodyBytes));
    const bytes = Math.max(body.bytes - MESSAGE_HEAD_BYTES, 0);
    this.reception.onEvent({ type: 'metrics-discarded', transport: 'grpc', bytes });
    answerGrpc(stream, encodeResponse('metrics', undefined, 'protobuf'));
    return 'done';
  }

  /** Refuses a request that does not arrive in time, which ends its reading. */
  async #inTime<T>(stream: ServerHttp2Stream, read: (maxBytes: number) => Promise<T>): Promise<T | 'timeout'> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      const message = `the request did not arrive within ${RECEIVE_TIMEOUT_MS / 1000} s`;
      this.refuse(stream, { reason: 'timeout', status: { code: RPC_CODES.deadlineExceeded, message } });
    }, RECEIVE_TIMEOUT_MS);
    const body = await read(this.reception.maxBodyBytes + MESSAGE_HEAD_BYTES);
    clearTimeout(timer);
    return isLate ? 'timeout' : body;
  }

  #aborted(): CallEnd {
    this.reception.onEvent({ type: 'request-refused', transport: 'grpc', reason: 'aborted', code: 0 });
    return 'done';
  }

  refuse(stream: ServerHttp2Stream, { reason, status }: Refusal): CallEnd {
    this.reception.onEvent({ type: 'request-refused', transport: 'grpc', reason, code: status.code });
    refuseGrpc(stream, status);
    return OURS.has(reason) ? 'done' : 'refused';
  }
}

/** Refusals for reasons of ours, not of the client. */
const OURS: ReadonlySet<RefuseReason> = new Set<RefuseReason>(['overloaded', 'not-admitted', 'internal', 'timeout']);

function readHead(headers: IncomingHttpHeaders): Head | Refusal {
  const path = headers[':path'] ?? '';
  const signal = SIGNALS.get(path);
  if (signal === undefined) {
    const message = `nothing is received at ${path}: OTLP has Export of TraceService, LogsService and MetricsService`;
    return { reason: 'unknown-path', status: { code: RPC_CODES.unimplemented, message } };
  }
  const encoding = compressionOf(headers['grpc-encoding']);
  if (encoding === undefined) {
    const message = `grpc-encoding "${headers['grpc-encoding']}": expected identity, gzip, deflate or zstd`;
    return { reason: 'unsupported-encoding', status: { code: RPC_CODES.unimplemented, message } };
  }
  return { signal, encoding };
}

function withoutProject({ status, message }: ReturnType<typeof turnedAway>): Refusal {
  if (status === 503)
    return { reason: 'not-admitted', status: { ...OVERLOADED, code: RPC_CODES.unavailable, message } };
  if (status === 404) return { reason: 'unknown-path', status: { code: RPC_CODES.notFound, message } };
  return { reason: 'access', status: accessStatus({ allowed: false, status, reason: 'unknown_token', message }) };
}

function malformed(message: string): Refusal {
  return { reason: 'malformed', status: { code: RPC_CODES.invalidArgument, message } };
}

function tooLarge(maxBytes: number): Refusal {
  return exhausted(`the request has more than ${maxBytes} bytes after decompression: send smaller batches`);
}

function exhausted(message: string): Refusal {
  return { reason: 'too-large', status: { code: RPC_CODES.resourceExhausted, message } };
}

function overloaded(): Refusal {
  return { reason: 'overloaded', status: { code: RPC_CODES.unavailable, ...OVERLOADED } };
}
