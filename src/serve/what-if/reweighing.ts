/**
 * The main thread's end of questions that need the suites themselves (other weights, golden traces, a conversation as a
 * test): the questions that wait for the thread, and their outcomes.
 *
 *   waiting   one question of each address             a second one, or all places are taken: 429; too long: 503
 *   running   one at a time                            past its deadline, or the thread dies: 503
 *   answered                                           nobody asks for a while: the thread is ended
 *
 * The thread is started when it is needed, with the suites that run then. After a reload another one is started. It is
 * not the reading thread, because a question here takes a second of processor where a read takes milliseconds. It is no
 * `WatchedThread` either: that one is started again at once, for work that must not be lost.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { isLive, type SuiteOutline } from '../../engine/suite-outline.ts';
import type { ReadingEvent, ReadRefusal } from '../../model/events/reading-events.ts';
import { RETRY_AFTER_SECONDS } from '../../model/retry-after.ts';
import { type Answer, jsonAnswer } from '../../report/http/answer.ts';
import {
  DEADLINE_MS,
  FAREWELL_MS,
  HEAP_MIB_MAX,
  IDLE_MS,
  STOP_MS,
  WAIT_MAX_MS,
  WAITING_MAX,
} from './what-if-limits.ts';
import type { FromWhatIf, SuiteQuestion, ToWhatIf, WhatIfStart } from './what-if-protocol.ts';

interface ReweighingParts {
  /** Start data of a thread for the suites that run now. */
  readonly start: () => WhatIfStart;
  /** Suites that run; another list after a reload. */
  readonly suites: () => readonly SuiteOutline[];
  readonly onEvent: (event: ReadingEvent) => void;
  /** Other limits than those of what-if-limits.ts. */
  readonly deadlineMs?: number;
  readonly idleMs?: number;
}

interface Asked {
  readonly question: SuiteQuestion;
  /** Address of the client. */
  readonly from: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

type Outcome = Done | { readonly is: 'refused'; readonly because: Refusal };

type Done =
  | ({ readonly is: 'answered' } & Pick<Answer, 'status' | 'type' | 'body'>)
  | { readonly is: 'outdated'; readonly suite: string }
  | { readonly is: 'failed'; readonly error: string };

type Refusal = Exclude<ReadRefusal, 'displaced'>;

interface Waiting {
  readonly question: SuiteQuestion;
  readonly settle: (outcome: Outcome) => void;
}

interface Running {
  readonly id: number;
  readonly waiting: Waiting;
  readonly deadline: NodeJS.Timeout;
}

interface Thread {
  readonly worker: Worker;
  /** The list that it was started for. */
  readonly suites: readonly SuiteOutline[];
  isReady: boolean;
}

export const SUITE_PATHS = {
  'what-if': '/api/v1/what-if',
  golden: '/api/v1/golden-comparison/{conversation...}',
  test: '/api/v1/test/{conversation...}',
} as const satisfies Record<SuiteQuestion['is'], string>;

export class Reweighing {
  readonly #parts: ReweighingParts;
  /** By address, the first first. */
  readonly #waiting = new Map<string, Waiting>();
  #running: Running | undefined;
  #thread: Thread | undefined;
  /** Threads that have not ended yet. */
  readonly #ending = new Set<Promise<unknown>>();
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isStopped = false;

  constructor(parts: ReweighingParts) {
    this.#parts = parts;
  }

  /** Whether there is a thread. */
  get isWarm(): boolean {
    return this.#thread !== undefined;
  }

  async answer(asked: Asked): Promise<Answer> {
    const began = performance.now();
    const outcome = await this.#waitFor(asked);
    if (outcome.is === 'refused') {
      this.#parts.onEvent({ type: 'read-refused', because: outcome.because });
      return refused(outcome.because);
    }
    const answer = answerOf(outcome);
    const tookMs = performance.now() - began;
    const route = SUITE_PATHS[asked.question.is];
    this.#parts.onEvent({ type: 'store-read', route, status: answer.status, tookMs });
    return answer;
  }

  /** Refuses those that wait and the one that runs. May be called twice. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { settle } of waiting) settle({ is: 'refused', because: 'stopping' });
    this.#settle({ is: 'refused', because: 'stopping' });
    this.#end();
    // A statement inside SQLite keeps a thread that was terminated; nothing waits for that.
    const limit = new AbortController();
    const waited = sleep(STOP_MS, undefined, { signal: limit.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#ending), waited]);
    limit.abort();
  }

  #waitFor({ question, from, signal }: Asked): Promise<Outcome> {
    const no = (because: Refusal) => Promise.resolve<Outcome>({ is: 'refused', because });
    if (this.#isStopped) return no('stopping');
    if (signal.aborted) return no('client_gone');
    if (this.#waiting.has(from) || this.#waiting.size >= WAITING_MAX) return no('queue_full');
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const leave = (because: Refusal) => {
      // One that runs is answered by the thread.
      if (this.#waiting.get(from) !== waiting) return;
      this.#waiting.delete(from);
      waiting.settle({ is: 'refused', because });
    };
    const onGone = () => leave('client_gone');
    const timer = setTimeout(() => leave('waited_too_long'), WAIT_MAX_MS);
    const waiting: Waiting = {
      question,
      settle: (outcome) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onGone);
        resolve(outcome);
      },
    };
    signal.addEventListener('abort', onGone);
    this.#waiting.set(from, waiting);
    this.#next();
    return promise;
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#endLater();
      return;
    }
    const [from, waiting] = first;
    this.#waiting.delete(from);
    clearTimeout(this.#idle);
    this.#lastId += 1;
    const id = this.#lastId;
    const deadline = setTimeout(() => this.#overrun(id), this.#parts.deadlineMs ?? DEADLINE_MS);
    this.#running = { id, waiting, deadline };
    if (this.#thread?.suites !== this.#parts.suites()) this.#end();
    this.#thread ??= this.#spawn();
    if (this.#thread.isReady) this.#ask(this.#thread);
  }

  #ask({ worker, suites }: Thread): void {
    if (this.#running === undefined) return;
    const { id, waiting } = this.#running;
    const { question } = waiting;
    const live = suites.filter(isLive);
    const named = question.is === 'what-if' ? question.question.suite : undefined;
    if (named !== undefined && !live.some(({ name }) => name === named)) {
      // It was there when the question was looked at, and a reload took it away.
      this.#settle({ is: 'outdated', suite: named });
      this.#next();
      return;
    }
    worker.postMessage({ type: 'ask', id, question, suites: live } satisfies ToWhatIf);
  }

  #receive(thread: Thread, message: FromWhatIf): void {
    if (this.#thread !== thread) return;
    if (message.type === 'ready') {
      thread.isReady = true;
      this.#ask(thread);
      return;
    }
    if (message.id !== this.#running?.id) return;
    if (message.type === 'answered') {
      const { status, mediaType: type, body } = message;
      this.#settle({ is: 'answered', status, type, body });
    } else if (message.type === 'failed') this.#settle({ is: 'failed', error: message.error });
    else {
      this.#settle({ is: 'outdated', suite: message.suite });
      // The file may be put back, and the thread would not notice.
      this.#end();
    }
    this.#next();
  }

  #settle(outcome: Outcome): void {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    clearTimeout(running.deadline);
    running.waiting.settle(outcome);
  }

  #spawn(): Thread {
    const from = import.meta.url;
    const module = new URL(`./what-if-thread.${from.endsWith('.ts') ? 'ts' : 'js'}`, from);
    const worker = new Worker(module, {
      workerData: this.#parts.start(),
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX },
    });
    const thread: Thread = { worker, suites: this.#parts.suites(), isReady: false };
    let failure: Error | undefined;
    worker.on('message', (message: FromWhatIf) => this.#receive(thread, message));
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
    this.#idle = setTimeout(() => this.#end(), this.#parts.idleMs ?? IDLE_MS);
    this.#idle.unref();
  }

  #end(): void {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    if (thread === undefined) return;
    this.#thread = undefined;
    const { worker } = thread;
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.postMessage({ type: 'stop' } satisfies ToWhatIf);
    const timer = setTimeout(() => void worker.terminate(), FAREWELL_MS);
    this.#untilGone(ended.finally(() => clearTimeout(timer)));
  }

  #untilGone(ended: Promise<unknown>): void {
    const kept = ended.catch(() => undefined).finally(() => this.#ending.delete(kept));
    this.#ending.add(kept);
  }
}

function answerOf(outcome: Done): Answer {
  switch (outcome.is) {
    case 'answered':
      return { status: outcome.status, type: outcome.type, body: outcome.body };
    case 'outdated':
      return jsonAnswer(409, {
        error: `the file of the suite ${JSON.stringify(outcome.suite)} has changed since it was loaded: reload it (POST /api/v1/reload), then ask again`,
      });
    case 'failed':
      return jsonAnswer(500, { error: `the suites could not answer: ${outcome.error}` });
  }
}

const REFUSED: { readonly [Because in Refusal]: { readonly status: 429 | 503; readonly error: string } } = {
  queue_full: {
    status: 429,
    error: 'one question about suites is answered at a time, and this address has one waiting already: ask again',
  },
  waited_too_long: { status: 503, error: `the question waited ${WAIT_MAX_MS / 1000} s for its turn` },
  took_too_long: {
    status: 503,
    error: `the question took longer than ${DEADLINE_MS / 1000} s and was given up: ask about fewer, with limit or since`,
  },
  thread_ended: {
    status: 503,
    error: 'the thread that has the suites has failed, another one starts when asked again',
  },
  client_gone: { status: 503, error: 'the client went away' },
  stopping: { status: 503, error: 'this instance is stopping' },
};

function refused(because: Refusal): Answer {
  const { status, error } = REFUSED[because];
  return jsonAnswer(status, { error }, { 'retry-after': String(RETRY_AFTER_SECONDS) });
}
