/**
 * Reads of the store, for clients and for the service's own rounds (evidence for notices, likeness of criteria,
 * calibration): a thread that is kept (`../threads/asked-thread.ts`).
 */
import type { DamageEvent } from '../../model/events/damage-events.ts';
import type { ReadingEvent } from '../../model/events/reading-events.ts';
import type { Answer } from '../../report/http/answer.ts';
import { AskedThread } from '../threads/asked-thread.ts';
import { READ_DEADLINE_MS, type StorePlace } from '../store-place/open-reader.ts';
import { answerClient, type Refusals } from '../threads/answer-client.ts';
import { READ_LIMITS, WAIT_MAX_MS, WAITING_MAX } from './read-limits.ts';
import type {
  OwnJob,
  OwnResults,
  ReadingStart,
  ReadingState,
  ReadReply,
  RouteJob,
  SaidByReading,
  SentRead,
} from './reading-protocol.ts';

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

type Job = RouteJob | OwnJob;

const SHOW_DETECTION: ReadonlySet<string> = new Set(['/api/detection', '/api/v1/detections', '/api/v1/fleet']);

type ReadThread = AskedThread<Job, SentRead, StorePlace, ReadReply, never, never, SaidByReading>;

export class StoreReading {
  /** From the start on. */
  #reads: { readonly thread: ReadThread; readonly onEvent: ReadingParts['onEvent'] } | undefined;

  /** Clients that wait for their turn. */
  get waiting(): number {
    return this.#reads?.thread.waiting ?? 0;
  }

  /** Resolves once the thread has opened the store; rejects if it cannot. */
  async start(store: StorePlace, { state, onEvent, deadlineMs = READ_DEADLINE_MS }: ReadingParts): Promise<void> {
    /** State that the thread has. */
    let known: Partial<ReadingState> = {};
    const thread: ReadThread = new AskedThread({
      runs: { module: 'reading-thread', from: import.meta.url },
      startData: () => {
        known = {};
        return { store } satisfies ReadingStart;
      },
      current: () => store,
      sent: (job) => {
        const changed = changedFor(job, state(), known);
        known = { ...known, ...changed };
        return { job, changed };
      },
      onSaid: onEvent,
      onRestart: (restart) => {
        const error = restart.because === 'ended' ? restart.error : `${nameOf(restart.question)} ran past its deadline`;
        onEvent({ type: 'reading-restarted', because: restart.because, error });
      },
      limits: { ...READ_LIMITS, deadlineMs },
    });
    this.#reads = { thread, onEvent };
    await thread.start();
  }

  answer({ job, from, signal }: ClientRead): Promise<Answer> {
    const { thread, onEvent } = this.#started();
    const asking = thread.ask({ question: job, from, signal }).then((outcome) => {
      if (outcome.is !== 'replied') return outcome;
      if (outcome.reply.to !== 'client') throw new Error('a read of the service was answered to a client');
      return { is: outcome.is, reply: outcome.reply.answer };
    });
    return answerClient(asking, { route: job.path, refusals: REFUSED, onEvent });
  }

  /** Rejects if it fails or the thread is stopped. */
  async own<What extends OwnJob['what']>(job: Extract<OwnJob, { readonly what: What }>): Promise<OwnResults[What]> {
    const outcome = await this.#started().thread.askFirst(job);
    if (outcome.is === 'failed') throw new Error(outcome.error);
    if (outcome.is !== 'replied' || outcome.reply.to !== 'service')
      throw new Error(`the store was not read: ${outcome.is === 'refused' ? outcome.because : outcome.is}`);
    // The cast holds because the thread gives the result of the job that it was sent.
    return outcome.reply.result as OwnResults[What];
  }

  /** Refuses those that wait and the one that runs. May be called twice. */
  async stop(): Promise<void> {
    await this.#reads?.thread.stop();
  }

  #started() {
    if (this.#reads === undefined) throw new Error('the store is not read before the start');
    return this.#reads;
  }
}

/** Detection's report can be large, so it is sent only to who shows it. */
function changedFor(job: Job, { suites, detection, prices }: ReadingState, known: Partial<ReadingState>) {
  const showsDetection = job.what === 'route' && SHOW_DETECTION.has(job.path);
  return {
    ...(suites === known.suites ? {} : { suites }),
    ...(prices === undefined || prices === known.prices ? {} : { prices }),
    ...(!showsDetection || detection === known.detection ? {} : { detection }),
  };
}

function nameOf(job: Job): string {
  return job.what === 'route' ? job.path : job.what;
}

const REFUSED: Refusals = {
  queue_full: `${WAITING_MAX} requests wait to read the store already: ask again, less often or for smaller pages`,
  displaced: 'other addresses want to read the store as well, and this one has the most requests waiting: ask again',
  waited_too_long: `the request waited ${WAIT_MAX_MS / 1000} s for its turn to read the store`,
  took_too_long: `reading took longer than ${READ_DEADLINE_MS / 1000} s and was given up: ask for less, with limit= or since=`,
  thread_ended: 'the thread that reads the store has failed, another one is starting',
};
