import { expect, test } from 'vitest';
import { transcodeLogs, transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { indexLogs } from '../../src/otlp/logs-reader.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import { planFaults } from './cluster-faults.ts';
import { clusterTraffic, type ScheduledConversation } from './cluster-traffic.ts';

const PLAN = { seed: 1, faults: 200, instances: 3, joiners: 2, brokers: 3 };
const TRAFFIC = { seed: 1, conversations: 300, rate: 30, settleMs: 1000, turnIdleMs: 4000, conversationIdleMs: 6000 };

test('a plan of faults is the same from the same seed, and another from another', () => {
  expect(planFaults(PLAN)).toEqual(planFaults(PLAN));
  expect(planFaults({ ...PLAN, seed: 2 })).not.toEqual(planFaults(PLAN));
});

test('the full run has every kind of fault, for every instance and broker', () => {
  const plan = planFaults(PLAN);

  expect(new Set(plan.map(({ kind }) => kind)).size).toBe(15);
  expect(new Set(plan.filter(({ kind }) => kind === 'kill instance').map(({ target }) => target)).size).toBe(3);
  expect(new Set(plan.filter(({ kind }) => kind === 'kill broker').map(({ target }) => target)).size).toBe(3);
});

test('traffic is the same from the same seed', () => {
  expect([...clusterTraffic(TRAFFIC)]).toEqual([...clusterTraffic(TRAFFIC)]);
});

test('the records of a conversation hold each span that it is said to have, of one trace each', () => {
  const conversations = [...clusterTraffic(TRAFFIC)];

  expect(new Set(conversations.map(({ kind }) => kind)).size).toBe(10);
  for (const conversation of conversations) expect(spansOf(conversation)).toEqual(conversation.spans);
});

test('log records of a trace have its key', () => {
  const logs = [...clusterTraffic(TRAFFIC)].flatMap(({ records }) => records.filter(({ signal }) => signal === 'logs'));

  expect(logs.length).toBeGreaterThan(10);
  for (const { value, traceId } of logs) {
    const bytes = value[0] === 0x7b ? transcodeLogs(value) : value;
    expect(indexLogs(bytes).recordCount).toBeGreaterThan(0);
    expect(Buffer.from(bytes).includes(Buffer.from(traceId, 'hex'))).toBe(true);
  }
});

function spansOf({ records }: ScheduledConversation): Map<string, number> {
  const spans = new Map<string, number>();
  for (const { signal, value, traceId } of records) {
    if (signal === 'logs') continue;
    const { spanCount } = indexTraces(value[0] === 0x7b ? transcodeTraces(value) : value);
    spans.set(traceId, (spans.get(traceId) ?? 0) + spanCount);
  }
  return spans;
}
