/**
 * All judges of an installation: a queue for each, and the housekeeping that they share. One of many instances has it at a time; where two think so for a moment a
 * question may be asked twice, and the budget holds all the same, since the store keeps it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JudgeEvent } from '../model/events/judge-events.ts';
import { Stoppable } from '../model/stoppable.ts';
import type { Spent } from '../model/questions.ts';
import { AnthropicClient } from './anthropic-client.ts';
import { QUEUE_TIMES, type QueueTimes, JudgeQueue, type Questions } from './judge-queue.ts';
import type { Judge, JudgingRules } from './judge.ts';
import type { ModelClient } from './model-client.ts';
import { OpenAiClient } from './openai-client.ts';

export interface AllQuestions extends Questions {
  countWaiting(): Awaitable<ReadonlyMap<string, { readonly questions: number; readonly oldestAt: number }>>;
  spent(at: number): Awaitable<Spent>;
  forget(before: { readonly answeredAt: number; readonly spentAt: number }): Awaitable<number>;
}
type Awaitable<T> = Promise<T> | T;

export interface JudgeSchedulerParts {
  readonly judges: readonly Judge[];
  readonly rules: JudgingRules;
  readonly questions: AllQuestions;
  readonly onEvent: (event: JudgeEvent) => void;
  /** Outcomes are in the store; who waits for them can go on. */
  readonly onEnded?: (keys: readonly string[]) => void;
  readonly clientOf?: (judge: Judge) => ModelClient;
  readonly now?: () => number;
  readonly times?: QueueTimes;
}

const LOOK_EVERY_MS = 1000;
const FORGET_EVERY_MS = 600_000;
const NOT_CONFIGURED_TOGETHER = 500;
/** More than the longest window of the budget. */
const SPENDING_KEPT_MS = 2 * 24 * 3_600_000;

export class JudgeScheduler {
  readonly #parts: JudgeSchedulerParts;
  readonly #queues: readonly JudgeQueue[];
  readonly #now: () => number;
  readonly #housekeeping = new Stoppable((signal) => this.#keepHouse(signal));
  #forgotAt = Number.NEGATIVE_INFINITY;

  constructor(parts: JudgeSchedulerParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
    const { rules, questions, onEvent, onEnded, clientOf = clientFor, times = QUEUE_TIMES } = parts;
    this.#queues = parts.judges.map(
      (judge) =>
        new JudgeQueue({
          judge,
          rules,
          questions,
          onEvent,
          client: clientOf(judge),
          now: this.#now,
          times,
          ...(onEnded === undefined ? {} : { onEnded }),
        }),
    );
  }

  start(): void {
    for (const queue of this.#queues) queue.start();
    this.#housekeeping.start();
  }

  /** Questions were put into the store. */
  wake(): void {
    for (const queue of this.#queues) queue.wake();
  }

  /** Afterwards nothing is asked and nothing is written. */
  async stop(): Promise<void> {
    const wasRunning = this.#housekeeping.isRunning;
    await Promise.all([this.#housekeeping.stop(), ...this.#queues.map((queue) => queue.stop())]);
    // The instance that asks next reports its own.
    const judges = this.#queues.map(({ name: judge }) => ({ judge, questions: 0, oldestMs: 0, isStopped: false }));
    if (wasRunning) this.#parts.onEvent({ type: 'judging-observed', judges, spent: { hourNanos: 0, dayNanos: 0 } });
  }

  async #keepHouse(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#look();
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        this.#parts.onEvent({ type: 'judging-failed', problem });
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {
        // Stopped: the loop ends.
      });
    }
  }

  async #look(): Promise<void> {
    const { questions, rules, judges, onEvent } = this.#parts;
    const now = this.#now();
    const counts = await questions.countWaiting();
    for (const judge of counts.keys())
      if (!judges.some(({ name }) => name === judge)) await endUnknown(judge, { ...this.#parts, now });
    const observed = this.#queues.map(({ name: judge, isStopped }) => {
      const { questions: count, oldestAt } = counts.get(judge) ?? { questions: 0, oldestAt: now };
      return { judge, questions: count, oldestMs: Math.max(0, now - oldestAt), isStopped };
    });
    onEvent({ type: 'judging-observed', judges: observed, spent: await questions.spent(now) });
    if (now - this.#forgotAt < FORGET_EVERY_MS) return;
    this.#forgotAt = now;
    await questions.forget({ answeredAt: now - rules.keepAnswersMs, spentAt: now - SPENDING_KEPT_MS });
  }
}

/** Ends the questions that wait for a judge if none is configured any more; no scheduler would. */
export async function endAllWaiting(parts: Pick<JudgeSchedulerParts, 'questions' | 'onEvent'>): Promise<void> {
  for (;;) {
    const judges = [...(await parts.questions.countWaiting()).keys()];
    if (judges.length === 0) return;
    for (const judge of judges) await endUnknown(judge, { ...parts, now: Date.now() });
  }
}

/** Ends questions for a judge that is no longer in the configuration. */
async function endUnknown(
  judge: string,
  {
    questions,
    onEvent,
    onEnded,
    now,
  }: Pick<JudgeSchedulerParts, 'questions' | 'onEvent' | 'onEnded'> & { readonly now: number },
): Promise<void> {
  const waiting = await questions.waiting(judge, NOT_CONFIGURED_TOGETHER);
  const outcome = { is: 'left-out', because: 'not-configured', reason: 'The judge is not configured.' } as const;
  const keys = waiting.map(({ request }) => request.key);
  await questions.end(
    keys.map((key) => ({ key, outcome })),
    now,
  );
  // The judge's name is not in the configuration, so it must not become a label.
  for (const _ of keys) onEvent({ type: 'question-ended', judge: 'other', end: outcome.because, disagreed: false });
  onEnded?.(keys);
}

/** The libraries are loaded by the first call. */
export function clientFor(judge: Judge): ModelClient {
  return judge.provider === 'anthropic' ? new AnthropicClient(judge) : new OpenAiClient(judge);
}
