/**
 * Sends results to an OTLP/HTTP receiver, as protobuf: for logs, or for traces where they are to be OpenInference's. It does not try again by itself: what was not taken waits in the store, and whoever
 * sends decides when.
 */
import { gzipSync } from 'node:zlib';
import { OWN_SCOPE } from '../../model/marks.ts';
import { maskedSecrets, secretsOfHeaders, secretsOfUrl } from '../../model/masked-secrets.ts';
import { transcodeLogs, transcodeTraces } from '../../otlp/json-transcoder.ts';
import { logsJson, tracesJson } from '../../otlp/otlp-json.ts';
import { beginningOf, reasonOf, retryAfterMs } from './http-answer.ts';
import { evaluationEvents } from './evaluation-events.ts';
import { openInferenceSpan } from './openinference-spans.ts';
import type { ResultPayload } from './result-payload.ts';

type ResultFormat = 'opentelemetry' | 'openinference';

export interface OtlpSenderOptions {
  /** URL of the receiver for the signal. */
  readonly url: string;
  readonly format: ResultFormat;
  readonly project: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly version: string;
}

type Sent =
  | { readonly taken: true }
  /** `refused`: it will never take these, because they are not well-formed to it, or too large. */
  | { readonly taken: false; readonly problem: string; readonly refused: boolean; readonly waitMs: number };

/**
 * Statuses for wrong content, which a retry does not help. Anything else, wrong addresses and credentials too, can be
 * mended meanwhile.
 */
const REFUSED = new Set([400, 413, 422]);

export class OtlpSender {
  readonly #options: OtlpSenderOptions;

  constructor(options: OtlpSenderOptions) {
    this.#options = options;
  }

  async send(payloads: readonly ResultPayload[], signal: AbortSignal): Promise<Sent> {
    const body = requestOf(payloads, this.#options);
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
      const shown = maskedSecrets(said, [...secretsOfUrl(url), ...secretsOfHeaders(headers)]);
      const problem = `it answered ${response.status}${shown === '' ? '' : `: ${shown}`}`;
      return { taken: false, problem, refused: REFUSED.has(response.status), waitMs: retryAfterMs(response) };
    } catch (error) {
      return { taken: false, problem: reasonOf(error), refused: false, waitMs: 0 };
    }
  }
}

function requestOf(payloads: readonly ResultPayload[], { format, project, version }: OtlpSenderOptions): Uint8Array {
  // Records of this scope are never scored, so that nothing circulates.
  const scope = { name: OWN_SCOPE, version };
  const resource = { 'service.name': 'assay', 'service.version': version };
  if (format === 'openinference') {
    // Phoenix keeps what belongs together in projects; without a name, in its default one.
    const group = {
      resource: { ...resource, 'openinference.project.name': project },
      scope,
      records: payloads.map(openInferenceSpan),
    };
    return transcodeTraces(Buffer.from(tracesJson([group])));
  }
  return transcodeLogs(Buffer.from(logsJson([{ resource, scope, records: payloads.flatMap(evaluationEvents) }])));
}
