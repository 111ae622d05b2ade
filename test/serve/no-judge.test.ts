import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { AllQuestions } from '../../src/ask/judge-scheduler.ts';
import { NoJudge } from '../../src/serve/scoring/no-judge.ts';

/** Questions to removed judges, in a store that comes and goes. */
function storeWith(waiting: Set<string>): { questions: AllQuestions; isAway: boolean; asked: number } {
  const store = { isAway: false, asked: 0 };
  const questions = {
    countWaiting: async () => {
      store.asked += 1;
      if (store.isAway) throw new Error('the store is away');
      return new Map(waiting.size === 0 ? [] : [['old', { questions: waiting.size, oldestAt: 0 }]]);
    },
    waiting: async () => [...waiting].slice(0, 2).map((key) => ({ request: { key } })),
    end: async (ended: readonly { readonly key: string }[]) => {
      for (const { key } of ended) waiting.delete(key);
    },
  };
  // The cast holds because nothing else is called: no judge is asked.
  return Object.assign(store, { questions: questions as unknown as AllQuestions });
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 2000 && !holds(); tries += 1) await sleep(1);
}

test('a store that is away at the start does not keep them waiting for ever, and the problem is over when it is back', async () => {
  const waiting = new Set(['a', 'b', 'c']);
  const store = storeWith(waiting);
  const problems: unknown[] = [];
  const ended: string[] = [];
  const noJudge = new NoJudge({
    questions: store.questions,
    onEvent: (event) => ended.push(event.type),
    troubles: {
      said: (_, problem) => problems.push(problem instanceof Error ? problem.message : problem),
      over: () => problems.push(undefined),
    },
    retryMs: 1,
  });
  store.isAway = true;
  noJudge.start();
  await until(() => store.asked > 2);
  expect(waiting.size).toBe(3);
  store.isAway = false;
  await until(() => problems.at(-1) === undefined);
  await noJudge.stop();

  expect(waiting).toEqual(new Set());
  expect(ended).toEqual(['question-ended', 'question-ended', 'question-ended']);
  expect(problems[0]).toBe('the store is away');
  expect(problems.at(-1)).toBeUndefined();
});

test('who is stopped has no problem any more, and looks again when it is started anew', async () => {
  const waiting = new Set(['a']);
  const store = storeWith(waiting);
  const problems: unknown[] = [];
  const noJudge = new NoJudge({
    questions: store.questions,
    onEvent: () => {},
    troubles: { said: (_, problem) => problems.push(problem), over: () => problems.push(undefined) },
    retryMs: 60_000,
  });
  store.isAway = true;
  noJudge.start();
  await until(() => problems.length > 0);
  await noJudge.stop();
  expect(problems).toEqual([expect.any(Error), undefined]);

  store.isAway = false;
  noJudge.start();
  await until(() => waiting.size === 0);
  await noJudge.stop();
  expect(waiting).toEqual(new Set());
});
