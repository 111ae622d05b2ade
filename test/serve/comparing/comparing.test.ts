/** The queue of the thread that compares: one at a time, a bounded number waiting, with a deadline. */
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ReadingEvent } from '../../../src/model/events/reading-events.ts';
import { Comparing } from '../../../src/serve/comparing/comparing.ts';
import { type COMPARING_LIMITS, WAITING_MAX } from '../../../src/serve/comparing/comparing-limits.ts';
import { Store } from '../../../src/store/sqlite/store.ts';
import { tempDirectory } from '../../temp-directory.ts';

function started(limits: Partial<typeof COMPARING_LIMITS> = {}) {
  const folder = tempDirectory();
  const file = path.join(folder, 'assay.db');
  Store.open(file).close();
  const events: ReadingEvent[] = [];
  const comparing = new Comparing({
    store: { kind: 'sqlite', file },
    parts: () => ({ suites: [], experiments: path.join(folder, 'experiments'), idKeys: [], races: [] }),
    onEvent: (event) => events.push(event),
    limits,
  });
  onTestFinished(() => comparing.stop());
  const ask = async (from: string, route = '/api/v1/experiments') => {
    const job = { what: 'route', path: route, query: '', parameters: [] } as const;
    const { status, headers } = await comparing.answer({ job, from, signal: new AbortController().signal });
    return { status, headers };
  };
  return { comparing, ask, events };
}

test('one is worked out at a time, so many wait, and more are refused with a time to come back', async () => {
  const { ask, events } = started();

  const answers = await Promise.all(Array.from({ length: WAITING_MAX + 3 }, () => ask('a')));

  expect(answers.map(({ status }) => status)).toEqual([
    ...Array.from({ length: WAITING_MAX + 1 }, () => 200),
    429,
    429,
  ]);
  expect(answers.at(-1)?.headers).toEqual({ 'retry-after': '1' });
  expect(events.filter(({ type }) => type === 'read-refused')).toHaveLength(2);
}, 60_000);

test('another address gets a place among those that wait', async () => {
  const { ask } = started();

  const first = Array.from({ length: WAITING_MAX + 1 }, () => ask('a'));
  const other = ask('b');

  expect((await other).status).toBe(200);
  expect((await Promise.all(first)).filter(({ status }) => status === 429)).toHaveLength(1);
}, 60_000);

test('past its deadline a comparison is given up, and one that fails is an error of its own', async () => {
  const late = started({ deadlineMs: 1 });
  const { ask } = started();

  expect(await late.ask('a')).toEqual({ status: 503, headers: { 'retry-after': '1' } });
  await expect(ask('a', '/nowhere')).rejects.toThrow('no comparison is at /nowhere');
  expect((await ask('a')).status).toBe(200);
}, 60_000);

test('a stop refuses what waits, and may come twice', async () => {
  const { comparing, ask } = started();

  const asked = [ask('a'), ask('a')];
  await Promise.all([comparing.stop(), comparing.stop()]);

  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([503, 503]);
}, 60_000);
