import { expect, test } from 'vitest';
import { Readiness } from '../../src/serve/running/readiness.ts';

const WELL = { problem: () => undefined, stalledMs: 0 };

function running(problems: readonly string[], scorer: ConstructorParameters<typeof Readiness>[0] = WELL): Readiness {
  const readiness = new Readiness(scorer);
  readiness.started({ problems });
  return readiness;
}

test('a service is not ready before all of it has started nor once it stops, and says which', () => {
  const readiness = new Readiness(WELL);
  expect(readiness.check().reasons).toEqual(['starting: the store is being opened, or the log is being read']);

  readiness.started({ problems: [] });
  expect(readiness.check()).toEqual({ ready: true, reasons: [] });

  readiness.stopping();
  expect(readiness.check()).toEqual({ ready: false, reasons: ['stopping: what was accepted is being finished'] });
});

test('each problem of the log, the store and the topic of evaluations is a reason of its own', () => {
  const away = { problem: (of: 'store' | 'sending') => (of === 'store' ? 'no connection' : 'no leader'), stalledMs: 0 };

  expect(running(['Kafka: no brokers'], away).check().reasons).toEqual([
    'Kafka: no brokers',
    'the shared store: no connection',
    'the topic of evaluations: no leader',
  ]);
  expect(new Readiness(away).check().reasons).toContain('the shared store: no connection');
});

test('work without progress for half a minute is a reason', () => {
  const reasons = (stalledMs: number) => running([], { ...WELL, stalledMs }).check().reasons;

  expect(reasons(30_000)).toEqual([]);
  expect(reasons(31_000)).toEqual(['nothing has been scored for 31 s although turns are waiting']);
});

test('a journal that refuses data makes it not ready until the journal takes data again', () => {
  const readiness = running([]);
  readiness.note({ type: 'journal-refused', because: 'journal-full', detail: '8 GiB', records: 1 });
  expect(readiness.check().reasons).toEqual(['new data are refused: journal-full (8 GiB)']);

  readiness.note({ type: 'journal-synced', records: 1, bytes: 1, tookMs: 1 });

  expect(readiness.check()).toEqual({ ready: true, reasons: [] });
});

test('a journal or a store that cannot be written is a reason until it can be, however long that takes', () => {
  const readiness = running([]);
  readiness.note({ type: 'journal-refused', because: 'disk-error', detail: 'EIO', records: 1 });
  readiness.note({ type: 'store-writable', problem: 'disk I/O error' });
  const reasons = ['new data are refused: disk-error (EIO)', 'the store cannot be written: disk I/O error'];
  expect(readiness.check().reasons).toEqual(reasons);

  readiness.note({ type: 'journal-writable' });
  readiness.note({ type: 'store-writable', problem: undefined });

  expect(readiness.check()).toEqual({ ready: true, reasons: [] });
});
