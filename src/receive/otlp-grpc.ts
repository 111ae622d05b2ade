/**
 * OTLP over gRPC (https://opentelemetry.io/docs/specs/otlp/#otlpgrpc): TraceService, LogsService and MetricsService, each
 * with the one method Export. The server hands over bytes and is told bytes; it decodes nothing itself.
 *
 *   OK                  taken, durably; with partial_success where some spans were rejected; metrics are thrown away
 *   INVALID_ARGUMENT    malformed
 *   RESOURCE_EXHAUSTED  over the limit, after decompression; without RetryInfo, so that nobody sends it again
 *   UNAVAILABLE         not now: RetryInfo in grpc-status-details-bin says when
 */
import {
  Metadata,
  ResponderBuilder,
  Server,
  ServerCredentials,
  type handleUnaryCall,
  type ServerInterceptingCallInterface,
  ServerInterceptingCall,
  ServerListenerBuilder,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { RefuseReason } from '../model/events/receive-events.ts';
import { unreachable } from '../model/unreachable.ts';
import { type AdmissionPorts, admitRequest } from './admit-request.ts';
import { InFlightBytes } from './in-flight-bytes.ts';
import { listenError } from './listen.ts';
import type { OtlpHttpOptions, Receiver } from './otlp-http.ts';
import { RequestReading } from './request-reading.ts';
import { encodeResponse, encodeStatus, RPC_CODES, type Status } from './status.ts';
import { RETRY_AFTER_SECONDS } from '../model/retry-after.ts';

type OtlpGrpcOptions = OtlpHttpOptions;

type Signal = 'traces' | 'logs' | 'metrics';

const SERVICES = {
  traces: 'opentelemetry.proto.collector.trace.v1.TraceService',
  logs: 'opentelemetry.proto.collector.logs.v1.LogsService',
  metrics: 'opentelemetry.proto.collector.metrics.v1.MetricsService',
} as const satisfies Record<Signal, string>;

const RECEIVE_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;
/** A message is counted when it is whole, not while it arrives; this bounds how many arrive at once. */
const CALLS_MAX = 256;

export async function startOtlpGrpc(options: OtlpGrpcOptions): Promise<Receiver> {
  const receiver = new GrpcReceiver(options);
  const server = new Server({
    'grpc.max_receive_message_length': options.maxBodyBytes,
    'grpc.max_concurrent_streams': CALLS_MAX,
    interceptors: [(_, call) => receiver.guard(call)],
  });
  for (const signal of ['traces', 'logs', 'metrics'] as const) {
    server.addService(serviceOf(signal), implementationOf(receiver, signal));
  }
  const port = await bind(server, options);
  let stopping: Promise<void> | undefined;
  return {
    port,
    stop: () => {
      stopping ??= stop(server).then(() => receiver.close());
      return stopping;
    },
  };
}

class GrpcReceiver {
  readonly #options: OtlpGrpcOptions;
  readonly #inFlight: InFlightBytes;
  readonly #reading: RequestReading;
  readonly #ports: AdmissionPorts;
  #calls = 0;

  constructor(options: OtlpGrpcOptions) {
    this.#options = options;
    this.#inFlight = new InFlightBytes(options.maxInFlightBytes);
    this.#reading = new RequestReading(options.redaction);
    this.#ports = { sink: options.sink, understand: this.#reading.understand, onEvent: options.onEvent };
  }

  /** When nothing is in hand any more. */
  close(): Promise<void> {
    return this.#reading.stop();
  }

  async export(signal: Signal, bytes: Buffer): Promise<Buffer> {
    const { onEvent } = this.#options;
    if (signal === 'metrics') {
      onEvent({ type: 'metrics-discarded', transport: 'grpc', bytes: bytes.length });
      return encodeResponse(signal, undefined, 'protobuf');
    }
    const reservation = this.#inFlight.reserve();
    try {
      if (!reservation.tryGrow(bytes.length)) throw this.#refuse('overloaded', OVERLOADED);
      const request = { transport: 'grpc', signal, format: 'protobuf', encoding: 'identity', bytes } as const;
      const answer = await admitRequest(request, this.#ports);
      switch (answer.answer) {
        case 'accepted':
          return encodeResponse(signal, answer.rejection, 'protobuf');
        case 'malformed':
          throw this.#refuse('malformed', { code: RPC_CODES.invalidArgument, message: answer.message });
        case 'not-admitted': {
          const { message, retryAfterSeconds } = answer;
          throw this.#refuse('not-admitted', { code: RPC_CODES.unavailable, message, retryAfterSeconds });
        }
        default:
          return unreachable(answer);
      }
    } catch (error) {
      if (error instanceof GrpcRefusal) throw error;
      const message = `Assay failed at this request: ${error instanceof Error ? error.message : String(error)}`;
      throw this.#refuse('internal', { code: RPC_CODES.internal, message });
    } finally {
      reservation.release();
    }
  }

  /** Turns calls away while there is no room for their message, and ends those whose message does not come. */
  guard(call: ServerInterceptingCallInterface): ServerInterceptingCall {
    this.#calls += 1;
    let state: 'receiving' | 'received' | 'refused' = 'receiving';
    const refuse = (reason: RefuseReason, status: Status) => {
      state = 'refused';
      call.sendStatus(this.#refuse(reason, status).toStatus());
    };
    const timer = setTimeout(() => {
      const message = `the request did not arrive within ${RECEIVE_TIMEOUT_MS / 1000} s`;
      refuse('timeout', { code: RPC_CODES.deadlineExceeded, message });
    }, RECEIVE_TIMEOUT_MS);
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        if (this.#calls > CALLS_MAX || this.#inFlight.isFull) refuse('overloaded', OVERLOADED);
        else next(metadata);
      })
      .withOnReceiveMessage((message, next) => {
        clearTimeout(timer);
        state = 'received';
        next(message);
      })
      .withOnCancel(() => {
        // The end of every call, good or bad. gRPC itself has ended a call whose message was too large or not what its
        // compression says, and does not tell: it counts as aborted.
        clearTimeout(timer);
        this.#calls -= 1;
        if (state === 'receiving') this.#refuse('aborted', { code: RPC_CODES.internal, message: '' });
      })
      .build();
    return new ServerInterceptingCall(call, new ResponderBuilder().withStart((next) => next(listener)).build());
  }

  #refuse(reason: RefuseReason, status: Status): GrpcRefusal {
    const code = reason === 'aborted' ? 0 : status.code;
    this.#options.onEvent({ type: 'request-refused', transport: 'grpc', reason, code });
    return new GrpcRefusal(status);
  }
}

const OVERLOADED: Status = {
  code: RPC_CODES.unavailable,
  message: 'more requests are on their way through than there is room for',
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};

class GrpcRefusal extends Error {
  readonly #status: Status;

  constructor(status: Status) {
    super(status.message);
    this.#status = status;
  }

  toStatus(): { readonly code: number; readonly details: string; readonly metadata: Metadata } {
    const metadata = new Metadata();
    metadata.set('grpc-status-details-bin', encodeStatus(this.#status, 'protobuf'));
    // The details travel percent-encoded, which half a surrogate pair does not survive.
    return { code: this.#status.code, details: this.message.toWellFormed(), metadata };
  }
}

function serviceOf(signal: Signal): ServiceDefinition {
  const identity = (bytes: Buffer) => bytes;
  return {
    Export: {
      path: `/${SERVICES[signal]}/Export`,
      requestStream: false,
      responseStream: false,
      requestSerialize: identity,
      requestDeserialize: identity,
      responseSerialize: identity,
      responseDeserialize: identity,
    },
  };
}

function implementationOf(receiver: GrpcReceiver, signal: Signal): UntypedServiceImplementation {
  const handle: handleUnaryCall<Buffer, Buffer> = (call, callback) => {
    receiver.export(signal, call.request).then(
      (response) => callback(null, response),
      (error: unknown) => {
        // `export` fails in one way only; anything else would be a mistake in it.
        const refusal =
          error instanceof GrpcRefusal ? error : new GrpcRefusal({ code: RPC_CODES.internal, message: String(error) });
        callback(refusal.toStatus());
      },
    );
  };
  return { Export: handle };
}

function bind(server: Server, { host, port }: OtlpGrpcOptions): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  server.bindAsync(address, ServerCredentials.createInsecure(), (error, boundPort) => {
    if (error === null) resolve(boundPort);
    else reject(listenError('OTLP/gRPC', { host, port }, error));
  });
  return promise;
}

function stop(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => server.forceShutdown(), STOP_TIMEOUT_MS);
  server.tryShutdown(() => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
