/**
 * The topic of evaluations while relays are killed and paused: a reader finds each revision of each evaluation, under
 * its id, and nothing else; one that is there twice is the same twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { evaluationRecordSchema } from '../../../src/report/results/evaluation-record.ts';
import { readBooks } from '../../simulation/cluster-books.ts';
import { TrafficProducer } from '../../simulation/cluster-producer.ts';
import { untilAtRest } from '../../simulation/cluster-rest.ts';
import { Rig, TIMES } from '../../simulation/cluster-rig.ts';
import { clusterTraffic } from '../../simulation/cluster-traffic.ts';
import { straightTo } from '../../simulation/cluster-transports.ts';

const EVALUATIONS = 'assay.evaluations';
const ROUNDS = 4;

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start({
    networks: 0,
    brokers: 1,
    partitions: 4,
    suites: ['default'],
    onSurprise: (what) => process.stderr.write(`${what}\n`),
  });
});
afterAll(() => rig?.close({ keep: false }));

test('each revision of each evaluation is in the topic, whoever was killed while sending', async () => {
  const database = await rig.postgres.createDatabase();
  await rig.kafka.createTopic(EVALUATIONS, 3);
  const group = 'sending';
  const env = { ASSAY_KAFKA_EVALUATIONS: EVALUATIONS };
  const make = (name: string) => rig.instance({ name, network: undefined, group, database, env });
  const instances = [await make('one'), await make('two')];
  for (const instance of instances) instance.start();
  const producer = new TrafficProducer({
    transport: straightTo(rig.kafka.brokers, rig.topics),
    traffic: clusterTraffic({ ...TIMES, seed: 11, rate: 20, conversations: 400 }),
  });
  producer.start();
  for (let round = 0; round < ROUNDS; round += 1) {
    const instance = instances[round % instances.length];
    await sleep(4000);
    if (round < 2) await instance?.kill();
    else {
      instance?.freeze();
      await sleep(TIMES.sessionMs * 2);
      instance?.thaw();
    }
    await sleep(1000);
    instance?.start();
  }
  await producer.ended();
  const topics = Object.values(rig.topics);
  const rest = { brokers: rig.kafka.brokers, topics, group, database, patienceMs: 90_000, say: () => {} };
  expect(await untilAtRest(rest)).toBe(undefined);

  const { evaluations } = await readBooks(database);
  const sent = await sentUntil(evaluations.size);
  await Promise.all(instances.map((instance) => instance.stop()));
  expect(evaluations.size).toBeGreaterThan(400);
  // A turn may have moved to another conversation since: the record has the conversation at the time of evaluation.
  const stored = [...evaluations.keys()].map((key) => key.slice(key.indexOf(' ') + 1));
  expect(sent.toSorted()).toEqual(stored.toSorted());
}, 400_000);

/** Turn, suite and revision of each evaluation in the topic, named as in the books, once as many are there as expected. */
async function sentUntil(expected: number): Promise<string[]> {
  const kafka = new Kafka({ brokers: [...rig.kafka.brokers], logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: 'reader' });
  await consumer.connect();
  await consumer.subscribe({ topic: EVALUATIONS, fromBeginning: true });
  const found = new Map<string, string>();
  const contradictions: string[] = [];
  await consumer.run({
    eachMessage: async ({ message }) => {
      const value = String(message.value);
      const { id } = evaluationRecordSchema.parse(JSON.parse(value));
      if (String(message.key) !== id || (found.get(id) ?? value) !== value) contradictions.push(value);
      found.set(id, value);
    },
  });
  for (let waited = 0; waited < 60 && found.size < expected; waited += 1) await sleep(1000);
  await sleep(3000);
  await consumer.disconnect();
  expect(contradictions).toEqual([]);
  return [...found.values()].map((value) => {
    const { turn_id = '', suite, revision } = evaluationRecordSchema.parse(JSON.parse(value));
    return [turn_id, suite, revision].join(' ');
  });
}
