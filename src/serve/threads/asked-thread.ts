/**
 * A thread for questions that cost too much for the thread that reads: the main thread's end of it.
 *
 *   waiting   in a queue that addresses share         too many, or too many of one address: 429; too long: 503
 *   running   one at a time, unless it says otherwise past its deadline, or the thread dies: 503
 *             its client goes                         the thread is told; if it goes on for a second, it is ended
 *   replied   nobody asks for a while                 the thread is ended
 *
 * While a question runs, the thread may ask the main thread for things that only that has (`wants`), and say things that
 * belong to no question (`said`). The service's own questions go before those of clients. There are few of them, and they
 * are not refused.
 *
 * The thread is started when it is needed, with the parts that are current then. When these change, as after a reload,
 * another one is started. One that is kept is started at the start, and again when it has ended. It is no `WatchedThread`:
 * that one has work that must not be lost.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { startThread, type ThreadModule } from '../../model/start-thread.ts';
import type { ReadRefusal } from '../../model/events/reading-events.ts';
import { FairQueue } from './fair-queue.ts';
import { RETRY_PAUSE_MS } from './retry-pause.ts';

export interface AskedThreadLimits {
  /** From its turn on, the start of the thread included. */
  readonly deadlineMs: number;
  readonly waitMaxMs: number;
  /** Questions that run at the same time, in one thread. */
  readonly atOnceMax: number;
  /** Questions that wait, of all addresses and of one. */
  readonly waitingMax: number;
  readonly waitingOfOneMax: number;
  /** The thread is ended when nobody has asked for so long; one that is kept never is. */
  readonly idleMs?: number;
  /** One that goes on for so long after its client has gone is ended. Starting another costs about as much. */
  readonly leftAloneMs?: number;
  readonly heapMibMax: number;
  /** A thread that is to end has this long to close what it has open. */
  readonly farewellMs: number;
  /** A stop waits this long for threads to end. */
  readonly stopMs: number;
}

/** Messages to the thread. */
export type ToAsked<Sent, Given = never> =
  | { readonly type: 'ask'; readonly id: number; readonly sent: Sent }
  /** The client has gone: its reply is not needed any more. */
  | { readonly type: 'gone'; readonly id: number }
  | { readonly type: 'given'; readonly id: number; readonly want: number; readonly given: Given }
  | { readonly type: 'stop' };

/** Messages of the thread. After its last reply another thread is started for the next question. */
export type FromAsked<Reply, Wanted = never, Said = never> =
  | { readonly type: 'ready' }
  | { readonly type: 'said'; readonly said: Said }
  /** Numbered, for the answer to it. */
  | { readonly type: 'wants'; readonly id: number; readonly want: number; readonly wanted: Wanted }
  | { readonly type: 'replied'; readonly id: number; readonly reply: Reply; readonly isLast?: boolean }
  | { readonly type: 'failed'; readonly id: number; readonly error: string };

type Restart<Question> =
  | { readonly because: 'ended'; readonly error: string }
  | { readonly because: 'deadline'; readonly question: Question };

interface AskedThreadParts<Question, Sent, Parts, Wanted, Given, Said> {
  /** That it runs. */
  readonly runs: ThreadModule;
  readonly startData: () => object;
  /** Parts that a thread is started for; another object once they have changed. */
  readonly current: () => Parts;
  /** The question as the thread gets it; undefined if it makes no sense with these parts any more. */
  readonly sent: (question: Question, parts: Parts) => Sent | undefined;
  /** Things that the thread wants for a question while it runs. Never rejects. */
  readonly give?: (wanted: Wanted, question: Question) => Promise<Given>;
  /** Memory of a thing that is given away with it, so that there is no copy of it. */
  readonly givesAway?: (given: Given) => readonly ArrayBuffer[];
  readonly onSaid?: (said: Said) => void;
  /** Present for a thread that is kept: why another one is started. */
  readonly onRestart?: (restart: Restart<Question>) => void;
  readonly limits: AskedThreadLimits;
}

/** Young heap of such a thread. It can afford to collect more often, and a larger one gives less memory back. */
const YOUNG_MIB_MAX = 16;
const LEFT_ALONE_MS = 1_000;
/** Threads that were ended and still run: a statement inside SQLite is not interrupted. With more there is no other one. */
const ENDING_MAX = 1;

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
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  readonly settle: (outcome: AskedOutcome<Reply>) => void;
}

interface Running<Question, Reply> {
  readonly waiting: Waiting<Question, Reply>;
  readonly deadline: NodeJS.Timeout;
  isSent: boolean;
}

interface Thread<Parts> {
  readonly worker: Worker;
  readonly parts: Parts;
  isReady: boolean;
}

/** Nobody has to be waited for in vain. */
const NEVER = new AbortController().signal;

export class AskedThread<Question, Sent, Parts, Reply, Wanted = never, Given = never, Said = never> {
  readonly #parts: AskedThreadParts<Question, Sent, Parts, Wanted, Given, Said>;
  readonly #queue: FairQueue<Waiting<Question, Reply>>;
  /** The service's own, before those of clients. */
  readonly #own: Waiting<Question, Reply>[] = [];
  /** By their numbers, which the thread knows them by. */
  readonly #running = new Map<number, Running<Question, Reply>>();
  #thread: Thread<Parts> | undefined;
  /** Threads that have not ended yet. */
  readonly #ending = new Set<Promise<unknown>>();
  #idle: NodeJS.Timeout | undefined;
  /** Until a kept thread that has ended is started again. */
  #restart: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isStopped = false;

  constructor(parts: AskedThreadParts<Question, Sent, Parts, Wanted, Given, Said>) {
    this.#parts = parts;
    this.#queue = new FairQueue(parts.limits.waitingMax);
  }

  /** Whether there is a thread. */
  get isWarm(): boolean {
    return this.#thread !== undefined;
  }

  /** Clients that wait for their turn. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Starts a thread that is kept. Resolves once it is ready; rejects where it ends before that. */
  async start(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#thread = this.#spawn({ onReady: resolve, onFailure: reject });
    await promise;
  }

  /** A question of the service itself. */
  async askFirst(question: Question): Promise<AskedOutcome<Reply>> {
    if (this.#isStopped) return { is: 'refused', because: 'stopping' };
    const { promise, resolve } = Promise.withResolvers<AskedOutcome<Reply>>();
    this.#own.push({ question, signal: NEVER, settle: resolve });
    this.#next();
    return await promise;
  }

  ask({ question, from, signal }: Asked<Question>): Promise<AskedOutcome<Reply>> {
    const { waitingOfOneMax, waitMaxMs } = this.#parts.limits;
    const no = (because: ReadRefusal) => Promise.resolve<AskedOutcome<Reply>>({ is: 'refused', because });
    if (this.#isStopped) return no('stopping');
    if (signal.aborted) return no('client_gone');
    if (this.#queue.waitingOf(from) >= waitingOfOneMax) return no('queue_full');
    const { promise, resolve } = Promise.withResolvers<AskedOutcome<Reply>>();
    const leave = (because: ReadRefusal) => {
      // A running question is answered by the thread.
      if (this.#queue.remove(waiting)) waiting.settle({ is: 'refused', because });
    };
    const onGone = () => {
      leave('client_gone');
      this.#leftAlone(waiting);
    };
    const timer = setTimeout(() => leave('waited_too_long'), waitMaxMs);
    const waiting: Waiting<Question, Reply> = {
      question,
      signal,
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
    clearTimeout(this.#restart);
    for (const { settle } of [...this.#own.splice(0), ...this.#queue.takeAll()])
      settle({ is: 'refused', because: 'stopping' });
    this.#settleAll({ is: 'refused', because: 'stopping' });
    this.#end();
    // A statement inside SQLite keeps a thread that was terminated; nothing waits for that.
    const limit = new AbortController();
    const waited = sleep(this.#parts.limits.stopMs, undefined, { signal: limit.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#ending), waited]);
    limit.abort();
  }

  #next(): void {
    while (this.#running.size < this.#atOnceMax() && this.#mayBegin()) {
      const waiting = this.#own.shift() ?? this.#queue.take();
      if (waiting === undefined) {
        this.#endLater();
        return;
      }
      this.#begin(waiting);
    }
  }

  /** Questions that run in a thread with old parts end there before another is begun. */
  #atOnceMax(): number {
    return this.#thread !== undefined && this.#thread.parts !== this.#parts.current()
      ? 1
      : this.#parts.limits.atOnceMax;
  }

  #mayBegin(): boolean {
    // The deadline of a question to a kept thread does not include its start.
    if (this.#parts.onRestart !== undefined) return this.#thread?.isReady === true;
    return this.#thread !== undefined || this.#ending.size <= ENDING_MAX;
  }

  #begin(waiting: Waiting<Question, Reply>): void {
    clearTimeout(this.#idle);
    this.#lastId += 1;
    const id = this.#lastId;
    const deadline = setTimeout(() => this.#giveUp(id, 'took_too_long'), this.#parts.limits.deadlineMs);
    this.#running.set(id, { waiting, deadline, isSent: false });
    if (this.#thread?.parts !== this.#parts.current()) this.#end();
    this.#thread ??= this.#spawn();
    if (this.#thread.isReady) this.#send(this.#thread);
  }

  #send({ worker, parts }: Thread<Parts>): void {
    for (const [id, running] of this.#running) {
      if (running.isSent) continue;
      running.isSent = true;
      const sent = this.#parts.sent(running.waiting.question, parts);
      // A reload has made the question meaningless since it was accepted.
      if (sent === undefined) this.#settle(id, { is: 'outdated' });
      else worker.postMessage({ type: 'ask', id, sent } satisfies ToAsked<Sent, Given>);
    }
    this.#next();
  }

  #receive(thread: Thread<Parts>, message: FromAsked<Reply, Wanted, Said>): void {
    if (this.#thread !== thread) return;
    if (message.type === 'said') {
      this.#parts.onSaid?.(message.said);
      return;
    }
    if (message.type === 'ready') {
      thread.isReady = true;
      this.#send(thread);
      return;
    }
    const running = this.#running.get(message.id);
    if (running === undefined) return;
    if (message.type === 'wants') {
      void this.#give(thread, message, running);
      return;
    }
    if (message.type === 'failed') this.#settle(message.id, { is: 'failed', error: message.error });
    else {
      this.#settle(message.id, { is: 'replied', reply: message.reply });
      if (message.isLast === true) this.#end();
    }
    this.#next();
  }

  /** A client that has gone gets nothing. */
  async #give(
    thread: Thread<Parts>,
    { id, want, wanted }: Extract<FromAsked<Reply, Wanted>, { readonly type: 'wants' }>,
    { waiting }: Running<Question, Reply>,
  ): Promise<void> {
    if (waiting.signal.aborted) return;
    const given = await this.#parts.give?.(wanted, waiting.question);
    if (given === undefined || !this.#running.has(id)) return;
    thread.worker.postMessage({ type: 'given', id, want, given } satisfies ToAsked<Sent, Given>, [
      ...(this.#parts.givesAway?.(given) ?? []),
    ]);
  }

  #settle(id: number, outcome: AskedOutcome<Reply>): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#running.delete(id);
    clearTimeout(running.deadline);
    running.waiting.settle(outcome);
  }

  #settleAll(outcome: AskedOutcome<Reply>): void {
    for (const id of [...this.#running.keys()]) this.#settle(id, outcome);
  }

  #leftAlone(waiting: Waiting<Question, Reply>): void {
    const [id] = [...this.#running].find(([, running]) => running.waiting === waiting) ?? [];
    if (id === undefined) return;
    this.#thread?.worker.postMessage({ type: 'gone', id } satisfies ToAsked<Sent, Given>);
    setTimeout(() => this.#giveUp(id, 'client_gone'), this.#parts.limits.leftAloneMs ?? LEFT_ALONE_MS).unref();
  }

  #spawn(first?: { readonly onReady: () => void; readonly onFailure: (error: Error) => void }): Thread<Parts> {
    const { runs, startData, current, limits, onRestart } = this.#parts;
    const worker = startThread(runs, {
      workerData: startData(),
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMibMax, maxYoungGenerationSizeMb: YOUNG_MIB_MAX },
    });
    const thread: Thread<Parts> = { worker, parts: current(), isReady: false };
    let failure: Error | undefined;
    worker.on('message', (message: FromAsked<Reply, Wanted, Said>) => {
      if (message.type === 'ready') first?.onReady();
      this.#receive(thread, message);
    });
    worker.on('error', (error: Error) => {
      failure = error;
    });
    worker.on('exit', (code) => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      const error = failure ?? new Error(`the thread ended with code ${code}`);
      const isRefused = thread.isReady || onRestart !== undefined;
      this.#settleAll(isRefused ? { is: 'refused', because: 'thread_ended' } : { is: 'failed', error: error.message });
      if (first !== undefined && !thread.isReady) {
        first.onFailure(error);
        return;
      }
      if (onRestart !== undefined) {
        onRestart({ because: 'ended', error: error.message });
        this.#restart = setTimeout(() => {
          this.#restart = undefined;
          this.#keep();
          this.#next();
        }, RETRY_PAUSE_MS);
      }
      this.#next();
    });
    return thread;
  }

  /** Ends the thread, because a computation cannot be stopped in any other way. */
  #giveUp(id: number, because: ReadRefusal): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    const thread = this.#thread;
    this.#thread = undefined;
    if (thread !== undefined) this.#untilGone(thread.worker.terminate());
    this.#parts.onRestart?.({ because: 'deadline', question: running.waiting.question });
    this.#settle(id, { is: 'refused', because });
    this.#settleAll({ is: 'refused', because: 'thread_ended' });
    this.#keep();
    this.#next();
  }

  /** Starts a thread that is kept, where there is none. */
  #keep(): void {
    if (this.#parts.onRestart === undefined || this.#isStopped || this.#restart !== undefined) return;
    if (this.#ending.size <= ENDING_MAX) this.#thread ??= this.#spawn();
  }

  #endLater(): void {
    clearTimeout(this.#idle);
    const { idleMs } = this.#parts.limits;
    if (this.#thread === undefined || this.#running.size > 0 || idleMs === undefined) return;
    this.#idle = setTimeout(() => this.#end(), idleMs);
    this.#idle.unref();
  }

  #end(): void {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    if (thread === undefined) return;
    this.#thread = undefined;
    const { worker } = thread;
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.postMessage({ type: 'stop' } satisfies ToAsked<Sent, Given>);
    const timer = setTimeout(() => void worker.terminate(), this.#parts.limits.farewellMs);
    this.#untilGone(ended.finally(() => clearTimeout(timer)));
  }

  #untilGone(ended: Promise<unknown>): void {
    const kept = ended
      .catch(() => undefined)
      .finally(() => {
        this.#ending.delete(kept);
        this.#keep();
        this.#next();
      });
    this.#ending.add(kept);
  }
}
