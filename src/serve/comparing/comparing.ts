/**
 * Comparisons of experiments and of versions for clients: routes that a thread of their own answers
 * (`../threads/asked-thread.ts`). A comparison takes seconds of processor, so neither the main thread nor the one that reads for
 * dashboards works it out.
 */
import { answerClient, type Refusals } from '../threads/answer-client.ts';
import type { ReadingEvent } from '../../model/events/reading-events.ts';
import type { Answer } from '../../report/http/answer.ts';
import { AskedThread, type AskedThreadLimits } from '../threads/asked-thread.ts';
import type { ReadAnswer, RouteJob } from '../reading/reading-protocol.ts';
import { COMPARING_LIMITS, DEADLINE_MS, WAIT_MAX_MS, WAITING_MAX } from './comparing-limits.ts';
import type { ComparingParts, ComparingStart, SentComparison } from './comparing-protocol.ts';

interface ComparingNeeds extends ComparingStart {
  readonly parts: () => ComparingParts;
  readonly onEvent: (event: ReadingEvent) => void;
  /** Other limits than those of comparing-limits.ts. */
  readonly limits?: Partial<AskedThreadLimits>;
}

interface Asked {
  readonly job: RouteJob;
  /** Address of the client. */
  readonly from: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

export class Comparing {
  readonly #onEvent: ComparingNeeds['onEvent'];
  readonly #thread: AskedThread<RouteJob, SentComparison, ComparingStart['store'], ReadAnswer>;

  constructor({ store, parts, onEvent, limits }: ComparingNeeds) {
    this.#onEvent = onEvent;
    this.#thread = new AskedThread({
      runs: { module: 'comparing-thread', from: import.meta.url },
      startData: () => ({ store }) satisfies ComparingStart,
      // A thread serves whatever settings: they come with each question.
      current: () => store,
      sent: (job) => ({ ...job, ...parts() }),
      limits: { ...COMPARING_LIMITS, ...limits },
    });
  }

  answer({ job, from, signal }: Asked): Promise<Answer> {
    return answerClient(this.#thread.ask({ question: job, from, signal }), {
      route: job.path,
      refusals: REFUSED,
      onEvent: this.#onEvent,
    });
  }

  /** Refuses those that wait and the one that runs. May be called twice. */
  stop(): Promise<void> {
    return this.#thread.stop();
  }
}

const REFUSED: Refusals = {
  queue_full: `one comparison is worked out at a time, and ${WAITING_MAX} wait already: ask again`,
  displaced: 'other addresses compare as well, and this one has the most comparisons waiting: ask again',
  waited_too_long: `the comparison waited ${WAIT_MAX_MS / 1000} s for its turn`,
  took_too_long: `the comparison took longer than ${DEADLINE_MS / 1000} s and was given up: use assay compare, which has no limit`,
  thread_ended:
    'the thread that compares has failed, another one starts when asked again: the experiments may be too large',
};
