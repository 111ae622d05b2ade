/** Judges that ask a fake provider, with a real store, in the test's own process. Stops with the test. */
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { JudgeScheduler, type JudgeSchedulerParts } from '../../src/ask/judge-scheduler.ts';
import type { Judge, JudgingRules } from '../../src/ask/judge.ts';
import type { QueueTimes } from '../../src/ask/judge-queue.ts';
import type { JudgeEvent } from '../../src/model/events/judge-events.ts';
import type { JudgeOutcome, JudgeRequest } from '../../src/model/judging.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { tempDirectory } from '../temp-directory.ts';

export const NO_LIMIT = { hourNanos: Number.POSITIVE_INFINITY, dayNanos: Number.POSITIVE_INFINITY };
const WAITER = 1;
const RULES: JudgingRules = { budget: NO_LIMIT, limitMs: 3_600_000, keepAnswersMs: 86_400_000 };
/** Short times, so that tests do not wait. */
export const SHORT: QueueTimes = { idleMs: 10, retryMs: 10, circuit: { firstMs: 50, mostMs: 400 }, drainMs: 2000 };

export function judgeAt(url: string, fields: Partial<Judge> = {}): Judge {
  return {
    name: 'default',
    provider: 'openai',
    model: 'played',
    baseUrl: url,
    apiKey: 'sk-test',
    temperature: 0,
    votes: 1,
    timeoutMs: 30_000,
    retries: 3,
    deadlineMs: 60_000,
    concurrency: 4,
    requestsPerMinute: 100_000,
    tokensPerMinute: 1e9,
    maxOutputTokens: 300,
    probe: 0,
    prices: { inputPerMillion: 0, outputPerMillion: 0 },
    strict: false,
    ...fields,
  };
}

export interface Asked {
  readonly store: Store;
  readonly events: readonly JudgeEvent[];
  readonly asking: JudgeScheduler;
  /** Stores these questions, each with a waiting evaluation. */
  ask(...requests: readonly JudgeRequest[]): void;
  outcomeOf(request: JudgeRequest): JudgeOutcome | 'waiting';
  /** Resolves when each of these has ended. */
  ends(...requests: readonly JudgeRequest[]): Promise<readonly (JudgeOutcome | 'waiting')[]>;
}

export function startAsking(options: {
  readonly judges: readonly Judge[];
  readonly rules?: Partial<JudgingRules>;
  readonly times?: Partial<QueueTimes>;
  readonly now?: () => number;
  readonly clientOf?: JudgeSchedulerParts['clientOf'];
  readonly file?: string;
}): Asked {
  const store = Store.open(options.file ?? path.join(tempDirectory(), 'assay.db'), { durable: false });
  const events: JudgeEvent[] = [];
  const wanted = new Map<string, JudgeRequest>();
  const asking = new JudgeScheduler({
    judges: options.judges,
    rules: { ...RULES, ...options.rules },
    questions: store.questions,
    onEvent: (event) => events.push(event),
    times: { ...SHORT, ...options.times },
    ...(options.now === undefined ? {} : { now: options.now }),
    ...(options.clientOf === undefined ? {} : { clientOf: options.clientOf }),
  });
  onTestFinished(async () => {
    await asking.stop();
    store.close();
  });
  asking.start();
  const outcomeOf = (request: JudgeRequest) => store.questions.outcomeOf(request.key, WAITER);
  return {
    store,
    events,
    asking,
    outcomeOf,
    ask(...requests) {
      for (const request of requests) wanted.set(request.key, request);
      store.begin();
      store.questions.waitFor(WAITER, [...wanted.values()], (options.now ?? Date.now)());
      store.commit();
    },
    async ends(...requests) {
      await until(() => requests.every((request) => outcomeOf(request) !== 'waiting'));
      return requests.map(outcomeOf);
    },
  };
}

export async function until(claim: () => boolean): Promise<void> {
  while (!claim()) await new Promise((resolve) => setTimeout(resolve, 5));
}
