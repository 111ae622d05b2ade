/**
 * A thread for questions that cost too much for the thread that reads: the main thread's end of it.
 *
 *   waiting   in a queue that addresses share         too many, or too many of one address: 429; too long: 503
 *   running   one at a time                           past its deadline, or the thread dies: 503
 *   replied   nobody asks for a while                 the thread is ended
 *
 * The thread is started when it is needed, with the parts that are current then. When these change, as after a reload,
 * another one is started. It is no `WatchedThread`: that one is started again at once, for work that must not be lost.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { startThread, type ThreadModule } from '../model/start-thread.ts';
import type { ReadRefusal } from '../model/events/reading-events.ts';
import { FairQueue } from './reading/fair-queue.ts';

export interface AskedThreadLimits {
  /** From its turn on, the start of the thread included. */
  readonly deadlineMs: number;
  readonly waitMaxMs: number;
  /** Questions that wait, of all addresses and of one. */
  readonly waitingMax: number;
  readonly waitingOfOneMax: number;
  /** The thread is ended when nobody has asked for so long. */
  readonly idleMs: number;
  readonly heapMibMax: number;
  /** A thread that is to end has this long to close what it has open. */
  readonly farewellMs: number;
  /** A stop waits this long for threads to end. */
  readonly stopMs: number;
}

/** Messages to the thread. */
export type ToAsked<Sent> =
  | { readonly type: 'ask'; readonly id: number; readonly sent: Sent }
  | { readonly type: 'stop' };

/** Messages of the thread. After its last reply another thread is started for the next question. */
export type FromAsked<Reply> =
  | { readonly type: 'ready' }
  | { readonly type: 'replied'; readonly id: number; readonly reply: Reply; readonly isLast?: boolean }
  | { readonly type: 'failed'; readonly id: number; readonly error: string };

interface AskedThreadParts<Question, Sent, Parts> {
  /** That it runs. */
  readonly runs: ThreadModule;
  readonly startData: () => object;
  /** Parts that a thread is started for; another object once they have changed. */
  readonly current: () => Parts;
  /** The question as the thread gets it; undefined if it makes no sense with these parts any more. */
  readonly sent: (question: Question, parts: Parts) => Sent | undefined;
  readonly limits: AskedThreadLimits;
}

interface Asked<Question> {
  readonly question: Question;
  /** Address of the client. */
  readonly from: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

export type AskedOutcome<Reply> =
  | { readonly is: 'replied'; readonly reply: Reply }
  /** The parts have changed, and the question makes no sense any more. */
  | { readonly is: 'outdated' }
  | { readonly is: 'failed'; readonly error: string }
  | { readonly is: 'refused'; readonly because: ReadRefusal };

interface Waiting<Question, Reply> {
  readonly question: Question;
  readonly settle: (outcome: AskedOutcome<Reply>) => void;
}

interface Running<Question, Reply> {
  readonly id: number;
  readonly waiting: Waiting<Question, Reply>;
  readonly deadline: NodeJS.Timeout;
}

interface Thread<Parts> {
  readonly worker: Worker;
  readonly parts: Parts;
  isReady: boolean;
}

export class AskedThread<Question, Sent, Parts, Reply> {
  readonly #parts: AskedThreadParts<Question, Sent, Parts>;
  readonly #queue: FairQueue<Waiting<Question, Reply>>;
  #running: Running<Question, Reply> | undefined;
  #thread: Thread<Parts> | undefined;
  /** Threads that have not ended yet. */
  readonly #ending = new Set<Promise<unknown>>();
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isStopped = false;

  constructor(parts: AskedThreadParts<Question, Sent, Parts>) {
    this.#parts = parts;
    this.#queue = new FairQueue(parts.limits.waitingMax);
  }

  /** Whether there is a thread. */
  get isWarm(): boolean {
    return this.#thread !== undefined;
  }

  ask({ question, from, signal }: Asked<Question>): Promise<AskedOutcome<Reply>> {
    const { waitingOfOneMax, waitMaxMs } = this.#parts.limits;
    const no = (because: ReadRefusal) => Promise.resolve<AskedOutcome<Reply>>({ is: 'refused', because });
    if (this.#isStopped) return no('stopping');
    if (signal.aborted) return no('client_gone');
    if (this.#queue.waitingOf(from) >= waitingOfOneMax) return no('queue_full');
    const { promise, resolve } = Promise.withResolvers<AskedOutcome<Reply>>();
    const leave = (because: ReadRefusal) => {
      // One that runs is answered by the thread.
      if (this.#queue.remove(waiting)) waiting.settle({ is: 'refused', because });
    };
    const onGone = () => leave('client_gone');
    const timer = setTimeout(() => leave('waited_too_long'), waitMaxMs);
    const waiting: Waiting<Question, Reply> = {
      question,
      settle: (outcome) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onGone);
        resolve(outcome);
      },
    };
    signal.addEventListener('abort', onGone);
    const added = this.#queue.add(from, waiting);
    if (!added.added) waiting.settle({ is: 'refused', because: 'queue_full' });
    else added.displaced?.settle({ is: 'refused', because: 'displaced' });
    this.#next();
    return promise;
  }

  /** Refuses those that wait and the one that runs. May be called twice. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { settle } of this.#queue.takeAll()) settle({ is: 'refused', because: 'stopping' });
    this.#settle({ is: 'refused', because: 'stopping' });
    this.#end();
    // A statement inside SQLite keeps a thread that was terminated; nothing waits for that.
    const limit = new AbortController();
    const waited = sleep(this.#parts.limits.stopMs, undefined, { signal: limit.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#ending), waited]);
    limit.abort();
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const waiting = this.#queue.take();
    if (waiting === undefined) {
      this.#endLater();
      return;
    }
    clearTimeout(this.#idle);
    this.#lastId += 1;
    const id = this.#lastId;
    const deadline = setTimeout(() => this.#overrun(id), this.#parts.limits.deadlineMs);
    this.#running = { id, waiting, deadline };
    if (this.#thread?.parts !== this.#parts.current()) this.#end();
    this.#thread ??= this.#spawn();
    if (this.#thread.isReady) this.#send(this.#thread);
  }

  #send({ worker, parts }: Thread<Parts>): void {
    if (this.#running === undefined) return;
    const { id, waiting } = this.#running;
    const sent = this.#parts.sent(waiting.question, parts);
    if (sent === undefined) {
      // It made sense when the question was looked at, and a reload came between.
      this.#settle({ is: 'outdated' });
      this.#next();
      return;
    }
    worker.postMessage({ type: 'ask', id, sent } satisfies ToAsked<Sent>);
  }

  #receive(thread: Thread<Parts>, message: FromAsked<Reply>): void {
    if (this.#thread !== thread) return;
    if (message.type === 'ready') {
      thread.isReady = true;
      this.#send(thread);
      return;
    }
    if (message.id !== this.#running?.id) return;
    if (message.type === 'failed') this.#settle({ is: 'failed', error: message.error });
    else {
      this.#settle({ is: 'replied', reply: message.reply });
      if (message.isLast === true) this.#end();
    }
    this.#next();
  }

  #settle(outcome: AskedOutcome<Reply>): void {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    clearTimeout(running.deadline);
    running.waiting.settle(outcome);
  }

  #spawn(): Thread<Parts> {
    const { runs, startData, current, limits } = this.#parts;
    const worker = startThread(runs, {
      workerData: startData(),
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMibMax },
    });
    const thread: Thread<Parts> = { worker, parts: current(), isReady: false };
    let failure: Error | undefined;
    worker.on('message', (message: FromAsked<Reply>) => this.#receive(thread, message));
    worker.on('error', (error: Error) => {
      failure = error;
    });
    worker.on('exit', (code) => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      const error = failure?.message ?? `the thread ended with code ${code}`;
      this.#settle(thread.isReady ? { is: 'refused', because: 'thread_ended' } : { is: 'failed', error });
      this.#next();
    });
    return thread;
  }

  /** Ends the thread, because a computation cannot be stopped in any other way. */
  #overrun(id: number): void {
    if (this.#running?.id !== id) return;
    const thread = this.#thread;
    this.#thread = undefined;
    if (thread !== undefined) this.#untilGone(thread.worker.terminate());
    this.#settle({ is: 'refused', because: 'took_too_long' });
    this.#next();
  }

  #endLater(): void {
    clearTimeout(this.#idle);
    if (this.#thread === undefined) return;
    this.#idle = setTimeout(() => this.#end(), this.#parts.limits.idleMs);
    this.#idle.unref();
  }

  #end(): void {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    if (thread === undefined) return;
    this.#thread = undefined;
    const { worker } = thread;
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.postMessage({ type: 'stop' } satisfies ToAsked<Sent>);
    const timer = setTimeout(() => void worker.terminate(), this.#parts.limits.farewellMs);
    this.#untilGone(ended.finally(() => clearTimeout(timer)));
  }

  #untilGone(ended: Promise<unknown>): void {
    const kept = ended.catch(() => undefined).finally(() => this.#ending.delete(kept));
    this.#ending.add(kept);
  }
}
