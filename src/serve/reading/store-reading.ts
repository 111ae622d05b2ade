/**
 * The main thread's end of reading: who waits for the reading thread, and what becomes of those who wait.
 *
 *   waiting    in a queue that all clients share fairly     full: 429; displaced by another address: 429; too long: 503
 *   running    one at a time in the thread                  past its deadline, or the thread dies: 503, another thread is started
 *   answered   sent to the client
 *
 * The service's own reads (evidence for notices, likeness of criteria, calibration) go before those of clients. There are
 * few of them, and they are not refused.
 */
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../model/start-thread.ts';
import type { DamageEvent } from '../../model/events/damage-events.ts';
import type { ReadingEvent, ReadRefusal } from '../../model/events/reading-events.ts';
import type { Answer } from '../../report/http/answer.ts';
import type { StorePlace } from '../open-reader.ts';
import { RETRY_PAUSE_MS } from '../retry-pause.ts';
import { FairQueue } from './fair-queue.ts';
import { FAREWELL_MS, HEAP_MIB_MAX, READ_DEADLINE_MS, WAIT_MAX_MS, WAITING_MAX } from './read-limits.ts';
import type {
  FromReading,
  OwnJob,
  OwnResults,
  ReadAnswer,
  ReadingState,
  RouteJob,
  ToReading,
} from './reading-protocol.ts';
import { refusedRead } from './refused-read.ts';

interface ReadingParts {
  /** State that answers depend on. A part that has not changed is the same object. */
  readonly state: () => ReadingState;
  readonly onEvent: (event: ReadingEvent | Extract<DamageEvent, { readonly type: 'content-damaged' }>) => void;
  /** Other limits than those of read-limits.ts. */
  readonly deadlineMs?: number;
}

/** A client's request to read. */
interface ClientRead {
  readonly job: RouteJob;
  /** Address of the client. */
  readonly from: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

type Waiting =
  | { readonly by: 'client'; readonly job: RouteJob; readonly settle: (outcome: Outcome) => void }
  | { readonly by: 'service'; readonly job: OwnJob; readonly settle: (outcome: Outcome) => void };

type Outcome =
  | { readonly is: 'answered'; readonly answer: ReadAnswer }
  | { readonly is: 'done'; readonly result: OwnResults[keyof OwnResults] }
  | { readonly is: 'failed'; readonly error: Error }
  | { readonly is: 'refused'; readonly because: ReadRefusal };

interface Running {
  readonly id: number;
  readonly waiting: Waiting;
  readonly deadline: NodeJS.Timeout;
}

const SHOW_DETECTION: ReadonlySet<string> = new Set(['/api/detection', '/api/v1/detections']);

export class StoreReading {
  readonly #clients = new FairQueue<Waiting>(WAITING_MAX);
  readonly #own: Waiting[] = [];
  /** From its start on. */
  #parts: ReadingParts | undefined;
  #place: StorePlace | undefined;
  #worker: Worker | undefined;
  #isReady = false;
  #isStopped = false;
  #running: Running | undefined;
  #lastId = 0;
  /** State as the thread has it. */
  #known: Partial<ReadingState> = {};
  /** Threads past their deadline that have not ended yet. */
  #ending = 0;
  #restart: NodeJS.Timeout | undefined;

  /** Clients that wait for their turn. */
  get waiting(): number {
    return this.#clients.size;
  }

  /** Resolves once the thread has opened the store; rejects if it cannot. */
  async start(place: StorePlace, parts: ReadingParts): Promise<void> {
    this.#place = place;
    this.#parts = parts;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#spawn(place, { onReady: resolve, onFailure: reject });
    await promise;
  }

  async answer({ job, from, signal }: ClientRead): Promise<Answer> {
    const began = performance.now();
    const outcome = await this.#waitFor(job, from, signal);
    const { path: route } = job;
    if (outcome.is === 'failed') {
      this.#parts?.onEvent({ type: 'store-read', route, status: 500, tookMs: performance.now() - began });
      throw outcome.error;
    }
    if (outcome.is === 'refused') {
      this.#parts?.onEvent({ type: 'read-refused', because: outcome.because });
      return refusedRead(outcome.because);
    }
    if (outcome.is === 'done') throw new Error('a read of the service was answered to a client');
    const { answer } = outcome;
    this.#parts?.onEvent({ type: 'store-read', route, status: answer.status, tookMs: performance.now() - began });
    return answer;
  }

  /** Rejects if it fails or the thread is stopped. */
  async own<What extends OwnJob['what']>(job: Extract<OwnJob, { readonly what: What }>): Promise<OwnResults[What]> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    if (this.#isStopped) throw new Error('the reading thread has been stopped');
    this.#own.push({ by: 'service', job, settle: resolve });
    this.#next();
    const outcome = await promise;
    if (outcome.is === 'failed') throw outcome.error;
    if (outcome.is !== 'done')
      throw new Error(`the store was not read: ${outcome.is === 'refused' ? outcome.because : outcome.is}`);
    // The cast holds because the thread gives the result of the job that it was sent.
    return outcome.result as OwnResults[What];
  }

  /** Refuses those that wait; a read that is under way has a moment. May be called twice. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#restart);
    for (const { settle } of [...this.#own.splice(0), ...this.#clients.takeAll()])
      settle({ is: 'refused', because: 'stopping' });
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    this.#post({ type: 'stop' });
    const timer = setTimeout(() => void worker.terminate(), FAREWELL_MS);
    await ended;
    clearTimeout(timer);
  }

  #waitFor(job: RouteJob, from: string, signal: AbortSignal): Promise<Outcome> {
    if (this.#isStopped) return Promise.resolve({ is: 'refused', because: 'stopping' });
    if (signal.aborted) return Promise.resolve({ is: 'refused', because: 'client_gone' });
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const leave = (because: ReadRefusal) => {
      // A running read is answered by the thread.
      if (this.#clients.remove(waiting)) waiting.settle({ is: 'refused', because });
    };
    const onGone = () => leave('client_gone');
    const timer = setTimeout(() => leave('waited_too_long'), WAIT_MAX_MS);
    const waiting: Waiting = {
      by: 'client',
      job,
      settle: (outcome) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onGone);
        resolve(outcome);
      },
    };
    signal.addEventListener('abort', onGone);
    const added = this.#clients.add(from, waiting);
    if (!added.added) waiting.settle({ is: 'refused', because: 'queue_full' });
    else added.displaced?.settle({ is: 'refused', because: 'displaced' });
    this.#next();
    return promise;
  }

  #next(): void {
    if (this.#running !== undefined || !this.#isReady || this.#worker === undefined) return;
    const waiting = this.#own.shift() ?? this.#clients.take();
    if (waiting === undefined) return;
    this.#lastId += 1;
    const id = this.#lastId;
    const deadline = setTimeout(() => this.#overrun(id), this.#parts?.deadlineMs ?? READ_DEADLINE_MS);
    this.#running = { id, waiting, deadline };
    this.#post({ type: 'read', id, job: waiting.job, changed: this.#changedFor(waiting.job) });
  }

  /** Detection's report can be large, so it is sent only to who shows it. */
  #changedFor(job: RouteJob | OwnJob): Partial<ReadingState> {
    const { suites, detection, prices } = this.#parts?.state() ?? this.#known;
    const showsDetection = job.what === 'route' && SHOW_DETECTION.has(job.path);
    const changed = {
      ...(suites === this.#known.suites ? {} : { suites }),
      ...(prices === undefined || prices === this.#known.prices ? {} : { prices }),
      ...(!showsDetection || detection === this.#known.detection ? {} : { detection }),
    };
    this.#known = { ...this.#known, ...changed };
    return changed;
  }

  #receive(message: FromReading): void {
    if (message.type === 'left-out') {
      this.#parts?.onEvent({ type: 'read-incomplete', what: message.what, error: message.error });
      return;
    }
    if (message.type === 'damaged') {
      this.#parts?.onEvent({ type: 'content-damaged', what: message.what, reason: message.reason });
      return;
    }
    if (message.type === 'ready' || message.id !== this.#running?.id) return;
    if (message.type === 'answered') this.#settle({ is: 'answered', answer: message.answer });
    else if (message.type === 'done') this.#settle({ is: 'done', result: message.result });
    else this.#settle({ is: 'failed', error: new Error(message.error) });
    this.#next();
  }

  #settle(outcome: Outcome): void {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    clearTimeout(running.deadline);
    running.waiting.settle(outcome);
  }

  #spawn(
    place: StorePlace,
    first?: { readonly onReady: () => void; readonly onFailure: (error: Error) => void },
  ): void {
    const worker = startThread(
      { module: 'reading-thread', from: import.meta.url },
      { workerData: { store: place }, resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX } },
    );
    this.#worker = worker;
    this.#known = {};
    let failure: Error | undefined;
    worker.on('message', (message: FromReading) => {
      if (this.#worker !== worker) return;
      if (message.type !== 'ready') {
        this.#receive(message);
        return;
      }
      this.#isReady = true;
      first?.onReady();
      this.#next();
    });
    worker.on('error', (error: Error) => {
      failure = error;
    });
    worker.on('exit', (code) => {
      if (this.#worker !== worker) return;
      const wasReady = this.#isReady;
      this.#worker = undefined;
      this.#isReady = false;
      this.#settle({ is: 'refused', because: this.#isStopped ? 'stopping' : 'thread_ended' });
      const error = failure ?? new Error(`the reading thread ended with code ${code}`);
      if (this.#isStopped) return;
      if (!wasReady && first !== undefined) {
        first.onFailure(error);
        return;
      }
      this.#parts?.onEvent({ type: 'reading-restarted', because: 'ended', error: error.message });
      this.#restart = setTimeout(() => this.#spawn(place), RETRY_PAUSE_MS);
    });
  }

  /** Ends the thread, because a read cannot be stopped in any other way. */
  #overrun(id: number): void {
    const { running, worker, place } = { running: this.#running, worker: this.#worker, place: this.#place };
    if (running?.id !== id || worker === undefined || place === undefined) return;
    this.#worker = undefined;
    this.#isReady = false;
    this.#settle({ is: 'refused', because: 'took_too_long' });
    const { job } = running.waiting;
    const error = `${job.what === 'route' ? job.path : job.what} ran past its deadline`;
    this.#parts?.onEvent({ type: 'reading-restarted', because: 'deadline', error });
    // A statement that runs in SQLite keeps the old thread until it is done. The new one does not wait for that, unless
    // an older one still runs as well: then there would be ever more of them.
    const ended = worker.terminate();
    const isAlone = this.#ending === 0;
    this.#ending += 1;
    if (isAlone) this.#spawn(place);
    ended
      .then(() => {
        this.#ending -= 1;
        if (!isAlone && !this.#isStopped) this.#spawn(place);
      })
      .catch((problem: unknown) =>
        this.#parts?.onEvent({ type: 'reading-restarted', because: 'ended', error: String(problem) }),
      );
  }

  #post(message: ToReading): void {
    this.#worker?.postMessage(message);
  }
}
