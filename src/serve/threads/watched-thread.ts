/**
 * A thread that runs checks, and that is started again when a check had to be stopped or it has died.
 *
 *   starting -- says it is ready -------------------------> ready
 *   ready    -- a check ran past its limit, or it died ---> starting (whoever owns it sends again what was not answered)
 *   ready    -- replaced by one with other suites --------> starting, once it has done what it was sent
 *   any      -- it ends and is not wanted any more -------> ended
 *
 * Its first message is of the type `ready`. Messages of a thread that has been replaced are not heard.
 */
import type { Worker } from 'node:worker_threads';
import { startThread, type ThreadModule } from '../../model/start-thread.ts';
import type { ScoringEvent } from '../../model/events/scoring-events.ts';
import { CheckWatchdog, type WatchedChecks } from './check-watchdog.ts';
import { RETRY_PAUSE_MS } from './retry-pause.ts';

/** Values that may differ for the next thread. */
interface ThreadWork extends WatchedChecks {
  /** Start data of the thread; the buffer of the watch and the checks that it must not run are added. */
  readonly data: object;
}

interface WatchedThreadOptions<From> extends ThreadWork, ThreadModule {
  readonly onMessage: (message: From) => void;
  /** Called when the thread has ended and will not be started again. */
  readonly onEnded: () => void;
  readonly onEvent: (event: ScoringEvent) => void;
}

const WATCH_EVERY_MS = 50;
/** A thread that is to be replaced has this long to do what it was sent; then it is begun again by the next. */
const FAREWELL_MS = 10_000;

export class WatchedThread<To, From extends { readonly type: string }> {
  readonly #options: WatchedThreadOptions<From>;
  #work: ThreadWork;
  #checks: CheckWatchdog;
  /** Callers that wait for a thread with the current parts. */
  #awaiting: (() => void)[] = [];
  #worker: Worker | undefined;
  #isReady = false;
  #isWanted = true;
  #watchdog: NodeJS.Timeout | undefined;

  constructor(options: WatchedThreadOptions<From>) {
    this.#options = options;
    this.#work = options;
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

  /** Says farewell to the thread, which must make it end, and starts another. Resolves once that is ready, or none is wanted any more. */
  replace(work: ThreadWork, farewell: To): Promise<void> {
    this.#work = work;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaiting.push(resolve);
    this.#isReady = false;
    const worker = this.#worker;
    // Between two threads the next one is about to be started, and is for this.
    if (worker === undefined) return promise;
    worker.postMessage(farewell);
    const timer = setTimeout(() => {
      worker.terminate().catch((error: unknown) => this.#failed(error));
    }, FAREWELL_MS);
    worker.once('exit', () => clearTimeout(timer));
    return promise;
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
    this.#begun();
  }

  stopWatching(): void {
    clearInterval(this.#watchdog);
  }

  #spawn(first?: { readonly onReady: () => void; readonly onFailure: (error: Error) => void }): void {
    this.#isReady = false;
    const work = this.#work;
    if (this.#checks.of !== work) this.#checks = new CheckWatchdog(work);
    const worker = startThread(this.#options, { workerData: { ...work.data, ...this.#checks.nextThread() } });
    this.#worker = worker;
    let failure: Error | undefined;
    let wasStarted = false;
    worker.on('error', (error: Error) => {
      failure = error;
    });
    worker.on('exit', (code) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#isReady = false;
      if (!this.#isWanted) {
        this.#ended();
        return;
      }
      const isReplaced = work !== this.#work && failure === undefined;
      if (isReplaced && wasStarted) {
        this.#spawn();
        return;
      }
      const error = failure ?? new Error(`the thread ${this.#options.module} ended with code ${code}`);
      if (first !== undefined && !wasStarted) {
        first.onFailure(error);
        return;
      }
      this.#failed(error);
      setTimeout(() => this.#spawnIfWanted(), RETRY_PAUSE_MS);
    });
    worker.on('message', (message: From) => {
      if (this.#worker !== worker) return;
      const isReady = message.type === 'ready';
      if (isReady) {
        wasStarted = true;
        this.#isReady = work === this.#work;
      }
      this.#options.onMessage(message);
      if (!isReady) return;
      first?.onReady();
      if (work === this.#work) this.#begun();
    });
  }

  #spawnIfWanted(): void {
    if (this.#isWanted) this.#spawn();
    else this.#ended();
  }

  #begun(): void {
    for (const resolve of this.#awaiting.splice(0)) resolve();
  }

  #ended(): void {
    this.#options.onEnded();
    this.#begun();
  }

  #failed(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#options.onEvent({ type: 'scorer-failed', error: text });
  }

  #watchChecks(): void {
    const worker = this.#worker;
    if (worker === undefined) return;
    const hanging = this.#checks.takeHanging();
    if (hanging === undefined) return;
    const { suite, criterion, suspendedUntil, because } = hanging;
    this.#options.onEvent({ type: 'check-stopped', suite, criterion, suspendedUntil });
    this.#worker = undefined;
    this.#isReady = false;
    // Ending the thread rolls its open transaction back.
    worker
      .terminate()
      .then(() => this.#spawnIfWanted())
      .catch((error: unknown) => this.#failed(error));
    this.#options.onEvent({ type: 'scorer-restarted', because });
  }
}
