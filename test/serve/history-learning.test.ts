/** The main thread's end of learning from stored conversations: one part at a time, and what becomes of failures. */
import { afterEach, expect, test, vi } from 'vitest';
import type { HistoryPart, HistoryWanted } from '../../src/model/history-learning.ts';
import { HistoryLearning, type HistoryRead } from '../../src/serve/detection/history-learning.ts';

const wantedOf = (suite: string, after = 0): HistoryWanted => ({
  suite,
  version: '1',
  judgedBy: '',
  key: `key of ${suite}`,
  since: 0,
  until: 1,
  after,
  done: 0,
  of: 0,
  stage: 'learning',
  isSampled: false,
});

function partOf({ suite, key, after }: HistoryWanted): HistoryPart {
  const nothing = { observed: [], bridges: [], done: 0, of: 0, isSampled: false } as const;
  return { suite, key, after, cursor: after + 1, stage: 'learning', ...nothing };
}

/** `parts` of the past to learn, then nothing is wanted any more. */
function learning(read: (wanted: HistoryWanted) => HistoryRead, suites: readonly string[]) {
  vi.useFakeTimers();
  const told: HistoryPart[] = [];
  const asked: string[] = [];
  const history = new HistoryLearning(
    (wanted) => {
      asked.push(wanted.suite);
      return Promise.resolve(read(wanted));
    },
    ({ part }) => {
      told.push(part);
      return true;
    },
    (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) resolve();
        setTimeout(resolve, ms);
        signal.addEventListener('abort', () => resolve());
      }),
  );
  history.take(suites.map((suite) => wantedOf(suite)));
  return { told, asked, history };
}

afterEach(() => {
  vi.useRealTimers();
});

test('the next part is asked for after the report that has the last one', async () => {
  const { told, history } = learning((wanted) => ({ is: 'part', part: partOf(wanted) }), ['care']);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(told).toHaveLength(1);

  history.take([wantedOf('care', 1)]);
  await vi.advanceTimersByTimeAsync(1000);
  history.take([]);
  await vi.advanceTimersByTimeAsync(100_000);
  await history.stop();

  expect(told.map(({ after }) => after)).toEqual([0, 1]);
});

test('a report that got lost makes the same part be asked for again', async () => {
  const { told, history } = learning((wanted) => ({ is: 'part', part: partOf(wanted) }), ['care']);

  await vi.advanceTimersByTimeAsync(31_000);
  await history.stop();

  expect(told.map(({ after }) => after)).toEqual([0, 0]);
});

test('a suite that cannot be asked is given up after five failures, once others are learned', async () => {
  const { told, asked, history } = learning(
    (wanted) =>
      wanted.suite === 'slow' ? { is: 'failed', problem: 'took too long' } : { is: 'part', part: partOf(wanted) },
    ['slow', 'care'],
  );

  for (let report = 1; report <= 3; report += 1) {
    await vi.advanceTimersByTimeAsync(6000);
    history.take([wantedOf('slow'), wantedOf('care', report)]);
  }
  history.take([wantedOf('slow')]);
  await vi.advanceTimersByTimeAsync(29_000);
  history.take([]);
  await history.stop();

  const given = told.filter(({ end }) => end !== undefined);
  expect(given.map(({ suite, end }) => [suite, end])).toEqual([['slow', { problem: 'took too long' }]]);
  expect(asked.filter((suite) => suite === 'slow')).toHaveLength(5);
  expect(told.filter(({ suite }) => suite === 'care').map(({ after }) => after)).toEqual([0, 1, 2]);
});

test('while the file of a suite differs from what was loaded it is asked for again, for as long as that takes', async () => {
  const { told, asked, history } = learning(() => ({ is: 'later' }), ['care']);

  await vi.advanceTimersByTimeAsync(100_000);
  await history.stop();

  expect(told).toEqual([]);
  expect(asked.length).toBeGreaterThan(10);
});
