/**
 * The budget under all conditions: random prices, answers, failures and crashes, with the actual cost added up
 * independently.
 */
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { JudgeScheduler, type AllQuestions } from '../../src/ask/judge-scheduler.ts';
import type { ModelClient, ModelReply } from '../../src/ask/model-client.ts';
import { mostNanos } from '../../src/ask/price.ts';
import { nanosOf } from '../../src/model/price.ts';
import { answerSchema } from '../../src/model/judge-answer.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { randomFrom } from '../random.ts';
import { tempDirectory } from '../temp-directory.ts';
import { judgeAt, SHORT, startAsking, until } from './asked.ts';
import { YES } from './provider.ts';
import { judgeRequest } from './requests.ts';

const HOUR = 3_600_000;
const PRICES = { inputPerMillion: 3, outputPerMillion: 12 };

interface Spending {
  readonly at: number;
  readonly nanos: number;
}

/** The maximum cost within any window that ends with a call. */
function mostWithin(spending: readonly Spending[], windowMs: number): number {
  return Math.max(
    0,
    ...spending.map(({ at: end }) =>
      spending.filter(({ at }) => at > end - windowMs && at <= end).reduce((sum, { nanos }) => sum + nanos, 0),
    ),
  );
}

/** A store that stops answering at the crash. */
function mortal(store: Store): { readonly questions: AllQuestions; crash(): void } {
  let isDead = false;
  const alive = <A extends readonly unknown[], R>(work: (...parameters: A) => R) => {
    return (...parameters: A): R => {
      if (isDead) throw new Error('this process is gone');
      return work(...parameters);
    };
  };
  return {
    crash: () => {
      isDead = true;
    },
    questions: {
      waiting: alive((judge: string, limit: number) => store.questions.waiting(judge, limit)),
      overdue: alive((overdue) => store.questions.overdue(overdue)),
      countWaiting: alive(() => store.questions.countWaiting()),
      reserve: alive((call) => store.questions.reserve(call)),
      record: alive((call) => store.questions.record(call)),
      end: alive((ends, at) => store.questions.end(ends, at)),
      spent: alive((at: number) => store.questions.spent(at)),
      forget: alive((before) => store.questions.forget(before)),
    },
  };
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])('no hour and no day has more than its budget, seed %i', async (seed) => {
  const random = randomFrom(seed);
  const store = Store.open(path.join(tempDirectory(), 'assay.db'), { durable: false });
  let now = 1_790_000_000_000;
  const judge = judgeAt('http://unused.example', {
    prices: PRICES,
    votes: random() < 0.5 ? 1 : 3,
    concurrency: 1 + Math.floor(random() * 6),
    retries: 2,
  });
  const most = mostNanos(judge, judgeRequest('0'), answerSchema(judgeRequest('0')));
  const budget = { hourNanos: most * (2 + random() * 6), dayNanos: most * (8 + random() * 20) };
  const spending: Spending[] = [];
  let calls = 0;
  const client: ModelClient = {
    ask: async (_call, signal): Promise<ModelReply> => {
      calls += 1;
      const usage = {
        inputTokens: Math.floor(random() * 1600),
        outputTokens: Math.floor(random() * judge.maxOutputTokens),
      };
      const fate = random();
      // An error is not charged; everything else is, whether or not the answer arrived.
      if (fate < 0.1) {
        const trouble = {
          failure: 'server-error',
          reason: 'x',
          remedy: 'retry',
          retryAfterMs: 0,
          mayCost: false,
        } as const;
        return { is: 'failed', trouble };
      }
      spending.push({ at: now, nanos: nanosOf(usage, PRICES) });
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, random() * 4);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      });
      if (fate < 0.2) {
        const trouble = { failure: 'timeout', reason: 'x', remedy: 'retry', retryAfterMs: 0, mayCost: true } as const;
        return { is: 'failed', trouble };
      }
      const known = random() < 0.8 ? usage : undefined;
      return { is: 'said', text: fate < 0.3 ? 'Well…' : YES, model: 'm', usage: known };
    },
  };
  const begin = () => {
    const { questions, crash } = mortal(store);
    const asking = new JudgeScheduler({
      judges: [judge],
      rules: { budget, limitMs: 30 * 24 * HOUR, keepAnswersMs: HOUR },
      questions,
      onEvent: () => {},
      clientOf: () => client,
      now: () => now,
      times: { ...SHORT, idleMs: 1, retryMs: 1, circuit: { firstMs: 1, mostMs: 2 }, drainMs: 0 },
    });
    asking.start();
    return { crash, asking };
  };
  let running = begin();
  onTestFinished(async () => {
    await running.asking.stop();
    store.close();
  });

  for (let round = 0; round < 40; round += 1) {
    store.begin();
    const requests = Array.from({ length: 3 }, (_, index) =>
      judgeRequest(`${round}/${index}`, { priority: Math.floor(random() * 100) }),
    );
    store.questions.waitFor(round + 1, requests, now);
    store.commit();
    await new Promise((resolve) => setTimeout(resolve, random() * 12));
    if (random() < 0.3) {
      running.crash();
      await running.asking.stop();
      running = begin();
    }
    now += Math.floor((random() * random() * HOUR) / 2);
  }

  expect(calls).toBeGreaterThan(5);
  expect(mostWithin(spending, HOUR)).toBeLessThanOrEqual(budget.hourNanos);
  expect(mostWithin(spending, 24 * HOUR)).toBeLessThanOrEqual(budget.dayNanos);
});

test('where money is short, the lower priorities wait, and end when they have waited for too long', async () => {
  let now = 1_790_000_000_000;
  const judge = judgeAt('http://unused.example', { prices: PRICES, concurrency: 1 });
  const most = mostNanos(judge, judgeRequest('a0'), answerSchema(judgeRequest('a0')));
  const asked: string[] = [];
  const { ask, ends, outcomeOf, events } = startAsking({
    judges: [judge],
    rules: { budget: { hourNanos: 4 * most, dayNanos: 1000 * most }, limitMs: HOUR / 2 },
    now: () => now,
    clientOf: () => ({
      ask: ({ material }) => {
        asked.push(material);
        // The maximum that it can have cost.
        return Promise.resolve({ is: 'said', text: YES, model: 'm', usage: undefined } satisfies ModelReply);
      },
    }),
  });
  const low = [0, 1, 2].map((index) => judgeRequest(`b${index}`, { priority: 10 }));
  const usual = [0, 1, 2].map((index) => judgeRequest(`a${index}`, { priority: 50 }));
  const high = [0, 1].map((index) => judgeRequest(`c${index}`, { priority: 60 }));

  ask(...low, ...usual, ...high);
  await ends(...high, ...usual.slice(0, 2));
  await until(() => events.some(({ type }) => type === 'budget-exhausted'));

  expect(asked).toEqual([...high, ...usual.slice(0, 2)].map(({ material }) => material));
  expect([...usual.slice(2), ...low].map(outcomeOf)).toEqual(['waiting', 'waiting', 'waiting', 'waiting']);
  now += HOUR / 2 + 1000;
  const outcomes = await ends(...usual.slice(2), ...low);
  expect(outcomes).toMatchObject(outcomes.map(() => ({ is: 'left-out', because: 'over-budget' })));
});

test('a question of low priority leaves a fifth of the budget for others', async () => {
  const judge = judgeAt('http://unused.example', { prices: PRICES, concurrency: 1 });
  const most = mostNanos(judge, judgeRequest('a0'), answerSchema(judgeRequest('a0')));
  const { ask, ends, outcomeOf, events } = startAsking({
    judges: [judge],
    rules: { budget: { hourNanos: 5 * most, dayNanos: 1000 * most } },
    clientOf: () => ({ ask: () => Promise.resolve({ is: 'said', text: YES, model: 'm', usage: undefined }) }),
  });
  const low = [0, 1, 2, 3, 4].map((index) => judgeRequest(`a${index}`, { priority: 10 }));

  ask(...low);
  await ends(...low.slice(0, 4));
  await until(() => events.some(({ type }) => type === 'budget-exhausted'));
  expect(low.slice(4).map(outcomeOf)).toEqual(['waiting']);

  const usual = judgeRequest('b0');
  ask(usual);
  expect(await ends(usual)).toMatchObject([{ is: 'answered' }]);
});

test('a judge without a price goes on when the money is spent; a call that the budget could never pay is left out', async () => {
  const priced = judgeAt('http://unused.example', { name: 'priced', prices: PRICES });
  const free = judgeAt('http://unused.example', { name: 'free' });
  const { ask, ends } = startAsking({
    judges: [priced, free],
    rules: { budget: { hourNanos: 10, dayNanos: 10 } },
    clientOf: () => ({ ask: () => Promise.resolve({ is: 'said', text: YES, model: 'm', usage: undefined }) }),
  });
  const [a, b] = [judgeRequest('a', { judge: 'priced' }), judgeRequest('b', { judge: 'free' })];

  ask(a, b);

  expect(await ends(a, b)).toMatchObject([{ is: 'left-out', because: 'over-budget' }, { is: 'answered' }]);
});
