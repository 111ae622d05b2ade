/**
 * A thread that runs checks, and that is started again when a check had to be stopped or it has died.
 *
 *   starting -- says it is ready -------------------------> ready
 *   ready    -- a check ran past its limit, or it died ---> starting (whoever owns it sends again what was not answered)
 *   any      -- it ends and is not wanted any more -------> ended
 *
 * Its first message is of the type `ready`. Messages of a thread that has been replaced are not heard.
 */
import { Worker } from 'node:worker_threads';
import type { ScoringEvent } from '../model/events/scoring-events.ts';
import type { CompiledSuite } from '../score/suite.ts';
import { CheckWatchdog } from './check-watchdog.ts';

export interface WatchedThreadOptions<From> {
  /** The module it runs, beside that of the caller, without its suffix. */
  readonly module: string;
  readonly from: string;
  /** What it is given; the buffer of the watch and the checks that it must not run are added. */
  readonly data: object;
  readonly suites: readonly CompiledSuite[];
  readonly checkTimeoutMs: number;
  readonly onMessage: (message: From) => void;
  /** It has ended, and will not be started again. */
  readonly onEnded: () => void;
  readonly onEvent: (event: ScoringEvent) => void;
}

const RETRY_AFTER_MS = 1000;
const WATCH_EVERY_MS = 50;

export class WatchedThread<To, From extends { readonly type: string }> {
  readonly #options: WatchedThreadOptions<From>;
  readonly #checks: CheckWatchdog;
  #worker: Worker | undefined;
  #isReady = false;
  #isWanted = true;
  #watchdog: NodeJS.Timeout | undefined;

  constructor(options: WatchedThreadOptions<From>) {
    this.#options = options;
    this.#checks = new CheckWatchdog(options);
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Resolves once it is ready; rejects where it ends before that. */
  async start(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#spawn({ onReady: resolve, onFailure: reject });
    await promise;
    this.#watchdog = setInterval(() => this.#watchChecks(), WATCH_EVERY_MS);
    this.#watchdog.unref();
  }

  /** Not heard by a thread that is still starting. */
  post(message: To, transfer: ArrayBuffer[] = []): void {
    this.#worker?.postMessage(message, transfer);
  }

  /** When it ends, that is the end; false where there is none that could. */
  expectEnd(): boolean {
    this.#isWanted = false;
    return this.#worker !== undefined;
  }

  async terminate(): Promise<void> {
    this.#isWanted = false;
    await this.#worker?.terminate();
    this.stopWatching();
  }

  stopWatching(): void {
    clearInterval(this.#watchdog);
  }

  #spawn(first?: { readonly onReady: () => void; readonly onFailure: (error: Error) => void }): void {
    this.#isReady = false;
    const worker = new Worker(this.#url(), { workerData: { ...this.#options.data, ...this.#checks.nextThread() } });
    this.#worker = worker;
    let failure: Error | undefined;
    worker.on('error', (error: Error) => {
      failure = error;
    });
    worker.on('exit', (code) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      const wasReady = this.#isReady;
      this.#isReady = false;
      if (!this.#isWanted) {
        this.#options.onEnded();
        return;
      }
      const error = failure ?? new Error(`the thread ${this.#options.module} ended with code ${code}`);
      if (first !== undefined && !wasReady) {
        first.onFailure(error);
        return;
      }
      this.#options.onEvent({ type: 'scorer-failed', error: String(error.stack ?? error) });
      setTimeout(() => this.#spawnIfWanted(), RETRY_AFTER_MS);
    });
    worker.on('message', (message: From) => {
      if (this.#worker !== worker) return;
      if (message.type === 'ready') this.#isReady = true;
      this.#options.onMessage(message);
      if (message.type === 'ready') first?.onReady();
    });
  }

  #spawnIfWanted(): void {
    if (this.#isWanted) this.#spawn();
    else this.#options.onEnded();
  }

  #watchChecks(): void {
    const worker = this.#worker;
    if (worker === undefined) return;
    const hanging = this.#checks.takeHanging();
    if (hanging === undefined) return;
    const { suite, criterion, suspended, because } = hanging;
    this.#options.onEvent({ type: 'check-stopped', suite, criterion, suspended });
    this.#worker = undefined;
    this.#isReady = false;
    // What it had begun in the store is rolled back when it goes.
    worker
      .terminate()
      .then(() => this.#spawnIfWanted())
      .catch((error: unknown) => this.#options.onEvent({ type: 'scorer-failed', error: String(error) }));
    this.#options.onEvent({ type: 'scorer-restarted', because });
  }

  /** Source runs as `.ts`, the published package as `.js`. */
  #url(): URL {
    const { module, from } = this.#options;
    return new URL(`./${module}.${from.endsWith('.ts') ? 'ts' : 'js'}`, from);
  }
}
