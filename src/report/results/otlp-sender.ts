/**
 * Sends results to an OTLP/HTTP receiver for logs, as protobuf. It does not try again by itself: what was not taken waits in the store, and whoever
 * sends decides when.
 */
import { gzipSync } from 'node:zlib';
import { ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer';
import { beginningOf, reasonOf, retryAfterMs } from '../http-answer.ts';
import { EvaluationEvents } from './evaluation-events.ts';
import type { ResultPayload } from './result-payload.ts';

export interface OtlpSenderOptions {
  /** Of the receiver for logs. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly version: string;
}

export type Sent =
  | { readonly taken: true }
  /** `refused`: it will never take these, because they are not well-formed to it, or too large. */
  | { readonly taken: false; readonly problem: string; readonly refused: boolean; readonly waitMs: number };

/** It is what was sent that is wrong. Anything else, a wrong address or wrong credentials among it, is mended on one side or the other. */
const REFUSED = new Set([400, 413, 422]);

export class OtlpSender {
  readonly #options: OtlpSenderOptions;
  readonly #events: EvaluationEvents;

  constructor(options: OtlpSenderOptions) {
    this.#options = options;
    this.#events = new EvaluationEvents(options.version);
  }

  async send(payloads: readonly ResultPayload[], signal: AbortSignal): Promise<Sent> {
    const records = payloads.flatMap((payload) => [...this.#events.of(payload)]);
    const body = ProtobufLogsSerializer.serializeRequest(records);
    if (body === undefined) throw new Error('results could not be written as protobuf');
    const { url, headers, timeoutMs } = this.#options;
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          ...headers,
          'content-type': 'application/x-protobuf',
          'content-encoding': 'gzip',
          'user-agent': 'assay',
        },
        body: new Uint8Array(gzipSync(body)),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      const said = await beginningOf(response);
      if (response.ok) return { taken: true };
      const problem = `it answered ${response.status}${said === '' ? '' : `: ${said}`}`;
      return { taken: false, problem, refused: REFUSED.has(response.status), waitMs: retryAfterMs(response) };
    } catch (error) {
      return { taken: false, problem: reasonOf(error), refused: false, waitMs: 0 };
    }
  }
}
