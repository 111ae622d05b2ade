/**
 * Sends one request of OTLP/JSON after another to a receiver. It waits and retries as the protocol asks (429, 502, 503, 504 and
 * connections that fail), until the time of the request is over. `send` never throws: it returns the problem.
 */
import { readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { maskedSecrets, secretsOfHeaders, secretsOfUrl } from '../../model/masked-secrets.ts';
import { backoffMs } from '../results/http-answer.ts';

interface OtlpExporterOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: 'gzip' | 'none';
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/** Problem of one attempt; undefined where the receiver took it. */
type Attempt = { readonly problem: string; readonly isWorthRetrying: boolean; readonly waitMs: number } | undefined;

const RETRYABLE = new Set([429, 502, 503, 504]);
const BACKOFF = { first: 1000, most: 5000 };
const ANSWER_LENGTH_MAX = 1024;

export class OtlpExporter {
  readonly #options: OtlpExporterOptions;

  constructor(options: OtlpExporterOptions) {
    this.#options = options;
  }

  /** Undefined once it is taken, else the problem. */
  async send(json: string, stopped: AbortSignal): Promise<string | undefined> {
    const deadline = Date.now() + this.#options.timeoutMs;
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(this.#options.timeoutMs)]);
    for (let number = 1; ; number += 1) {
      const attempt = await this.#attempt(json, signal);
      if (attempt === undefined) return undefined;
      const waitMs = Math.max(attempt.waitMs, backoffMs(number, BACKOFF));
      if (!attempt.isWorthRetrying || signal.aborted || Date.now() + waitMs >= deadline) return attempt.problem;
      await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  }

  async #attempt(json: string, signal: AbortSignal): Promise<Attempt> {
    const { url, headers } = this.#options;
    try {
      const { status, reason, text, waitMs } = await this.#post(json, signal);
      if (status >= 200 && status < 300) return undefined;
      const shown = maskedSecrets(text, [...secretsOfUrl(url), ...secretsOfHeaders(headers)]);
      const problem = `it answered ${status} ${reason}${shown === '' ? '' : `: ${shown}`}`;
      return { problem, isWorthRetrying: RETRYABLE.has(status), waitMs };
    } catch (error) {
      const problem = signal.aborted ? 'it did not answer in time' : codeOf(error);
      return { problem, isWorthRetrying: true, waitMs: 0 };
    }
  }

  /** Not `fetch`, which takes no certificates of its own. */
  #post(json: string, signal: AbortSignal) {
    const { url, headers, compression, tls } = this.#options;
    const body = compression === 'gzip' ? gzipSync(json) : Buffer.from(json);
    const { promise, resolve, reject } =
      Promise.withResolvers<Readonly<{ status: number; reason: string; text: string; waitMs: number }>>();
    const options = {
      method: 'POST',
      signal,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': body.length,
        'user-agent': 'assay',
        ...(compression === 'gzip' && { 'content-encoding': 'gzip' }),
      },
    };
    const request = url.startsWith('https:')
      ? requestHttps(url, { ...options, ...certificates(tls) })
      : requestHttp(url, options);
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        if (text.length < ANSWER_LENGTH_MAX) text += part;
      });
      response.on('error', reject);
      response.on('end', () => {
        const waitMs = Number(response.headers['retry-after'] ?? 0) * 1000;
        resolve({
          status: response.statusCode ?? 0,
          reason: response.statusMessage ?? '',
          text: text.slice(0, ANSWER_LENGTH_MAX).trim(),
          waitMs: Number.isFinite(waitMs) ? waitMs : 0,
        });
      });
    });
    request.end(body);
    return promise;
  }
}

/** Read for each request, because certificates are renewed while Assay runs. */
function certificates({ ca, cert, key }: OtlpExporterOptions['tls']) {
  return {
    ...(ca !== undefined && { ca: readFileSync(ca) }),
    ...(cert !== undefined && { cert: readFileSync(cert) }),
    ...(key !== undefined && { key: readFileSync(key) }),
  };
}

/** Several addresses of one host fail with an empty message, but all of them with a code. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
