import { expect, test } from 'vitest';
import type { Opened, ServedLog } from '../../src/serve/deployment.ts';
import { problemsOf, Readiness } from '../../src/serve/readiness.ts';

const NO_PROBLEM = { problem: () => undefined };
const STARTING: Opened = { isRunning: false, log: undefined, reader: undefined };

function running(problems: readonly string[]): Opened {
  // The cast holds because nothing else is asked for here.
  return { isRunning: true, log: { problems } as unknown as ServedLog, reader: undefined };
}

test('a service is not ready before all of it has started, and says so', () => {
  expect(problemsOf(STARTING, NO_PROBLEM)).toEqual([
    'starting or stopping: the store is opened or closed, the log is read or drained',
  ]);
  expect(problemsOf(running([]), NO_PROBLEM)).toEqual([]);
});

test('each problem of the log, the store and the topic of evaluations is a reason of its own', () => {
  const away = { problem: (of: 'store' | 'sending') => (of === 'store' ? 'no connection' : 'no leader') };

  expect(problemsOf(running(['Kafka: no brokers']), away)).toEqual([
    'Kafka: no brokers',
    'the shared store: no connection',
    'the topic of evaluations: no leader',
  ]);
});

test('a journal that refuses data makes it not ready until the journal takes data again', () => {
  const readiness = new Readiness();
  readiness.note({ type: 'journal-refused', because: 'journal-full', detail: '8 GiB', records: 1 });
  expect(readiness.check({ stalledMs: 0 }).ready).toBe(false);

  readiness.note({ type: 'journal-synced', records: 1, bytes: 1, tookMs: 1 });

  expect(readiness.check({ stalledMs: 0 })).toEqual({ ready: true, reasons: [] });
});
