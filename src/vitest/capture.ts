/**
 * Which spans are whose, in a process where several tests may run at once: a span belongs to the conversation in whose asynchronous context it was started.
 * Spans that were started outside of any are nobody's, and are not kept.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { transcodeTraces } from '../otlp/json-transcoder.ts';
import { tracesJson } from '../otlp/otlp-json.ts';
import { type FinishedSpan, spanGroups } from './finished-span.ts';

export class Capture {
  readonly #open = new Set<object>();
  readonly #ended: FinishedSpan[] = [];
  #allEnded: PromiseWithResolvers<void> | undefined;

  get spans(): number {
    return this.#ended.length;
  }

  /** Runs it; what spans are started within are kept here. */
  run<T>(work: () => T): T {
    return storage().run(this, work);
  }

  started(span: object): void {
    this.#open.add(span);
  }

  ended(span: FinishedSpan): void {
    this.#open.delete(span);
    this.#ended.push(span);
    if (this.#open.size === 0) this.#allEnded?.resolve();
  }

  /** Resolves once all that were started have ended. */
  async allEnded(): Promise<void> {
    if (this.#open.size === 0) return;
    this.#allEnded = Promise.withResolvers();
    await this.#allEnded.promise;
  }

  /** An export request; undefined where there was nothing. */
  request(): Uint8Array | undefined {
    return this.#ended.length === 0 ? undefined : transcodeTraces(Buffer.from(tracesJson(spanGroups(this.#ended))));
  }
}

/**
 * Hands the spans of an agent to the tests that run it. Give it to the SDK beside the processors that export, if there are any:
 *
 *     new NodeSDK({ spanProcessors: [new CapturingSpanProcessor()] }).start();
 */
export class CapturingSpanProcessor {
  readonly #capturedBy = new WeakMap<object, Capture>();

  onStart(span: object): void {
    const capture = storage().getStore();
    if (capture === undefined) return;
    this.#capturedBy.set(span, capture);
    capture.started(span);
  }

  onEnd(span: object): void {
    // The cast holds: the SDK gives spans to processors.
    this.#capturedBy.get(span)?.ended(span as FinishedSpan);
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}

const KEY = Symbol.for('assay.vitest.capture');

/** One for the process, even where the agent and the tests have loaded this module each for itself. */
function storage(): AsyncLocalStorage<Capture> {
  const shared = globalThis as { [KEY]?: AsyncLocalStorage<Capture> };
  shared[KEY] ??= new AsyncLocalStorage<Capture>();
  return shared[KEY];
}
