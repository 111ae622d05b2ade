/**
 * Two instances over one Kafka and one PostgreSQL, and a backend: each evaluation arrives, whichever instance judged
 * it, and one instance sends.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startLogsBackend } from '../../otlp-logs-backend.ts';
import { exportRequest, traffic } from '../../simulation/traffic.ts';
import { clusterServices, sendSpans, startInstance, sumOf } from './instance.ts';

const services = clusterServices();

test('each evaluation of a cluster comes to the backend', async () => {
  const { kafka, postgres } = services();
  await kafka.createTopic('results-spans', 4);
  const { url, taken } = await startLogsBackend((_, number) => (number === 0 ? 503 : 200));
  const store = await postgres.createDatabase();
  const env = { ASSAY_RESULTS_ENDPOINT: url };
  const instance = (name: string) => startInstance({ name, kafka, topic: 'results-spans', store, env });
  const first = await instance('one');
  const instances = [first, await instance('two')];
  const conversations = [...traffic({ seed: 8, conversations: 20, endMarks: 'all' })];
  for (const { turns, agentVersion } of conversations) {
    for (const turn of turns) expect(await sendSpans(first, exportRequest(turn, agentVersion))).toBe(200);
  }

  const turns = conversations.reduce((sum, conversation) => sum + conversation.turns.length, 0);
  while ((await sumOf(instances, 'assay_evaluations_total{', 'suite="default"')) < turns) await sleep(200);
  const evaluations = await sumOf(instances, 'assay_evaluations_total{');
  const ids = () =>
    new Set(taken.flatMap(({ events }) => events.map(({ attributes }) => attributes['assay.evaluation.id'])));
  while (ids().size < evaluations) await sleep(200);
  while ((await sumOf(instances, 'assay_results_total{', 'fate="sent"')) < evaluations) await sleep(200);

  const sent = await Promise.all(instances.map((one) => sumOf([one], 'assay_results_total{', 'fate="sent"')));
  expect(sent.toSorted((a, b) => a - b)).toEqual([0, evaluations]);
  expect(ids().size).toBe(evaluations);
  expect(await sumOf(instances, 'assay_failures_total', 'part="results"')).toBe(1);
}, 120_000);
