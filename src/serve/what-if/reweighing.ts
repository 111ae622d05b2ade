/**
 * Questions that need the suites themselves (other weights, golden traces, a conversation as a test): a thread that has
 * the suites as the service runs them (`../threads/asked-thread.ts`), and the answers to what becomes of a question. It is not
 * the reading thread, because a question here takes a second of processor where a read takes milliseconds.
 */
import type { HistoryWanted } from '../../model/history-learning.ts';
import type { HistoryRead } from '../detection/history-learning.ts';
import { answerClient, type Refusals } from '../threads/answer-client.ts';
import { isLive, type SuiteOutline } from '../../engine/suite-outline.ts';
import type { ReadingEvent } from '../../model/events/reading-events.ts';
import { type Answer, jsonAnswer } from '../../report/http/answer.ts';
import { type AskedOutcome, AskedThread } from '../threads/asked-thread.ts';
import { DEADLINE_MS, IDLE_MS, LEARNING_IDLE_MS, WAIT_MAX_MS, WHAT_IF_LIMITS } from './what-if-limits.ts';
import type { ClientQuestion, SentQuestion, SuiteQuestion, WhatIfReply, WhatIfStart } from './what-if-protocol.ts';

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
  readonly question: ClientQuestion;
  /** Address of the client. */
  readonly from: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

type Done = Exclude<AskedOutcome<WhatIfReply>, { readonly is: 'refused' }>;

export const SUITE_PATHS = {
  'what-if': '/api/v1/what-if',
  golden: '/api/v1/golden-comparison/{conversation...}',
  test: '/api/v1/test/{conversation...}',
  criteria: '/api/v1/criteria/learned',
} as const satisfies Record<ClientQuestion['is'], string>;

export class Reweighing {
  readonly #onEvent: ReweighingParts['onEvent'];
  readonly #thread: AskedThread<SuiteQuestion, SentQuestion, readonly SuiteOutline[], WhatIfReply>;

  #clientAskedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: ReweighingParts) {
    this.#onEvent = parts.onEvent;
    const idleMs = () => Math.max(LEARNING_IDLE_MS, IDLE_MS - (performance.now() - this.#clientAskedAt));
    this.#thread = new AskedThread({
      runs: { module: 'what-if-thread', from: import.meta.url },
      startData: parts.start,
      current: parts.suites,
      sent: (question, suites) => {
        const live = suites.filter(isLive);
        const named = suiteIn(question);
        return named === undefined || live.some(({ name }) => name === named) ? { question, suites: live } : undefined;
      },
      limits: {
        ...WHAT_IF_LIMITS,
        get deadlineMs() {
          return parts.deadlineMs ?? DEADLINE_MS;
        },
        get idleMs() {
          return parts.idleMs ?? idleMs();
        },
      },
    });
  }

  /** Whether there is a thread. */
  get isWarm(): boolean {
    return this.#thread.isWarm;
  }

  answer(asked: Asked): Promise<Answer> {
    this.#clientAskedAt = performance.now();
    const answered = this.#thread.ask(asked).then((outcome): AskedOutcome<Answer> => {
      return outcome.is === 'refused' ? outcome : { is: 'replied', reply: answerOf(outcome, asked.question) };
    });
    return answerClient(answered, {
      route: SUITE_PATHS[asked.question.is],
      refusals: REFUSED,
      onEvent: this.#onEvent,
    });
  }

  /** The next part of the past, for detection: it waits for its turn as a client does. */
  async learn(wanted: HistoryWanted, signal: AbortSignal): Promise<HistoryRead> {
    const outcome = await this.#thread.ask({ question: { is: 'history', wanted }, from: 'detection', signal });
    if (outcome.is === 'failed') return { is: 'failed', problem: outcome.error };
    if (outcome.is === 'replied' && outcome.reply.is === 'learned') return { is: 'part', part: outcome.reply.part };
    if (outcome.is !== 'refused') return { is: 'later' };
    const { because } = outcome;
    const isOver = because === 'took_too_long' || because === 'thread_ended';
    return isOver ? { is: 'failed', problem: because.replaceAll('_', ' ') } : { is: 'later' };
  }

  /** Refuses those that wait and the one that runs. May be called twice. */
  stop(): Promise<void> {
    return this.#thread.stop();
  }
}

/** The suite that has to run, for a question about one. */
function suiteIn(question: SuiteQuestion): string | undefined {
  if (question.is === 'history') return question.wanted.suite;
  return question.is === 'what-if' ? question.question.suite : undefined;
}

function answerOf(outcome: Done, question: ClientQuestion): Answer {
  if (outcome.is === 'failed') return jsonAnswer(500, { error: `the suites could not answer: ${outcome.error}` });
  if (outcome.is === 'replied' && outcome.reply.is === 'answered') {
    const { status, type, body } = outcome.reply;
    return { status, type, body };
  }
  const suite = outcome.is === 'replied' && outcome.reply.is === 'outdated' ? outcome.reply.suite : suiteIn(question);
  return jsonAnswer(409, {
    error: `the file of the suite ${JSON.stringify(suite ?? '')} has changed since it was loaded: reload it (POST /api/v1/reload), then ask again`,
  });
}

const REFUSED: Refusals = {
  queue_full: 'one question about suites is answered at a time, and this address has one waiting already: ask again',
  displaced: 'other addresses ask about suites as well, and this one has the most questions waiting: ask again',
  waited_too_long: `the question waited ${WAIT_MAX_MS / 1000} s for its turn`,
  took_too_long: `the question took longer than ${DEADLINE_MS / 1000} s and was given up: ask about fewer, with limit or since`,
  thread_ended: 'the thread that has the suites has failed, another one starts when asked again',
};
