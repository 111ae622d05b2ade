/**
 * Runs an agent and keeps what it exported meanwhile: spans of this process, by `CapturingSpanProcessor`, and what comes over an endpoint of its own, for an
 * agent that is another process. The endpoint is there for a function that takes an argument.
 */
import { startPrivateReceiver } from '../receive/private-receiver.ts';
import type { Json } from '../model/json.ts';
import { type RecordedBatch, protobufBatch } from '../engine/recorded/recorded-batch.ts';
import { understandRecorded } from '../engine/recorded/understand-recording.ts';
import { Capture } from './capture.ts';

/** Where an agent of another process may export to. */
export interface PrivateEndpoint {
  /** OTLP over HTTP, such as `http://127.0.0.1:40001`. */
  readonly otlpEndpoint: string;
  /** Variables with the endpoint, which every OpenTelemetry SDK reads. */
  readonly env: { readonly OTEL_EXPORTER_OTLP_ENDPOINT: string; readonly OTEL_EXPORTER_OTLP_PROTOCOL: string };
}

export interface ConversationOptions {
  /** Ground truth, as criteria read it. */
  readonly truth?: Json;
  /** How long to wait, once the function has returned, for spans that have not ended or not come. 5 seconds unless given. */
  readonly timeoutMs?: number;
}

/** Run of an agent, as its spans show it. */
export interface CapturedConversation<T = unknown> {
  /** Result of the function. */
  readonly result: T;
  readonly truth: Json | undefined;
  /** As they were exported. */
  readonly batches: readonly RecordedBatch[];
}

const TIMEOUT_MS = 5000;
const MIB = 1024 * 1024;

/** Throws what the function throws, and where nothing was exported. */
export async function conversationOf<T>(
  run: ((endpoint: PrivateEndpoint) => T | PromiseLike<T>) | (() => T | PromiseLike<T>),
  { truth, timeoutMs = TIMEOUT_MS }: ConversationOptions = {},
): Promise<CapturedConversation<T>> {
  const capture = new Capture();
  const received = new Received();
  const endpoint = run.length === 0 ? undefined : await openEndpoint(received);
  try {
    const given = endpoint ?? NOWHERE;
    const result = await capture.run(async () => await run(given));
    const deadline = AbortSignal.timeout(timeoutMs);
    await beforeDeadline(capture.allEnded(), deadline);
    if (endpoint !== undefined && capture.spans === 0) await beforeDeadline(received.complete(), deadline);
    const own = capture.request();
    const batches = [...received.batches, ...(own === undefined ? [] : [protobufBatch('traces', own)])];
    if (batches.length === 0) throw new Error(nothingCame(endpoint !== undefined));
    return { result, truth, batches };
  } finally {
    await endpoint?.stop();
  }
}

const NOWHERE: PrivateEndpoint = {
  otlpEndpoint: '',
  env: { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_EXPORTER_OTLP_PROTOCOL: '' },
};

async function openEndpoint(received: Received): Promise<PrivateEndpoint & { stop(): Promise<void> }> {
  const receiver = await startPrivateReceiver({
    port: 0,
    maxBodyBytes: 64 * MIB,
    maxInFlightBytes: 256 * MIB,
    // Redacted later, as recordings are, when it is read.
    redaction: undefined,
    onEvent: () => {},
    sink: {
      accept: async ({ signal, bytes, table, rows }) => {
        received.add({ signal, bytes, table, rows, rejected: 0, logTime: 0 });
        return { admitted: true };
      },
    },
  });
  const otlpEndpoint = `http://127.0.0.1:${receiver.port}`;
  return {
    otlpEndpoint,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' },
    stop: () => receiver.stop(),
  };
}

class Received {
  readonly batches: RecordedBatch[] = [];
  #arrival = Promise.withResolvers<void>();

  add(batch: RecordedBatch): void {
    this.batches.push(batch);
    this.#arrival.resolve();
    this.#arrival = Promise.withResolvers();
  }

  /** Resolves once something is there, and no span of it names a parent that is not. */
  async complete(): Promise<void> {
    for (;;) {
      const arrival = this.#arrival.promise;
      const seen = this.batches.length;
      if (await isWhole(this.batches)) return;
      // Spans that arrived meanwhile are read before waiting for more.
      if (this.batches.length === seen) await arrival;
    }
  }
}

async function isWhole(batches: readonly RecordedBatch[]): Promise<boolean> {
  const { conversations } = await understandRecorded(batches);
  const turns = conversations.flatMap((conversation) => conversation.turns);
  return turns.length > 0 && turns.every((turn) => !turn.lacksParents && !turn.flags.includes('root-missing'));
}

/** Late spans are left out: either there is enough to score, or there is nothing, which is reported. */
async function beforeDeadline(work: Promise<void>, deadline: AbortSignal): Promise<void> {
  if (deadline.aborted) return;
  const passed = Promise.withResolvers<void>();
  const pass = () => passed.resolve();
  deadline.addEventListener('abort', pass);
  try {
    await Promise.race([work, passed.promise]);
  } finally {
    deadline.removeEventListener('abort', pass);
  }
}

function nothingCame(hasEndpoint: boolean): string {
  return hasEndpoint
    ? 'no spans came to the endpoint that the function was given: does the agent export to OTEL_EXPORTER_OTLP_ENDPOINT, and flush before it ends?'
    : 'no spans were started in the function: is CapturingSpanProcessor among the `spanProcessors` of the SDK, and the SDK started? An agent of another process takes the endpoint: conversationOf(({ env }) => …)';
}
