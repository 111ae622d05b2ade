/**
 * Turns of a conversation that reach the log at once, in several partitions, with default settings: each conversation is evaluated
 * once, whole, whichever of its turns closes first.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TrafficProducer } from '../../simulation/cluster-producer.ts';
import { untilAtRest } from '../../simulation/cluster-rest.ts';
import { Rig } from '../../simulation/cluster-rig.ts';
import { severalTo } from '../../simulation/cluster-transports.ts';
import { firstEvaluations, TOGETHER_SUITE } from '../../simulation/first-evaluations.ts';
import { togetherTraffic } from '../../simulation/together-traffic.ts';

/** The default settings. */
const DEFAULTS = { settleMs: 10_000, turnIdleMs: 60_000 };
/** The time within which duplicates arrive. */
const AGAIN_MS = 30_000;
const ENV = {
  ASSAY_TURN_SETTLE: '10s',
  ASSAY_TURN_IDLE: '60s',
  ASSAY_CONVERSATION_IDLE: '5m',
  ASSAY_KAFKA_CLOCK_MARGIN: '15s',
};
const CONVERSATIONS = 600;

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start({
    networks: 0,
    brokers: 1,
    partitions: 12,
    suites: ['default', TOGETHER_SUITE],
    onSurprise: (what) => process.stderr.write(`${what}\n`),
  });
});
afterAll(() => rig?.close({ keep: false }));

test('conversations whose turns come at once are evaluated once, whole', { timeout: 600_000 }, async () => {
  const database = await rig.postgres.createDatabase();
  const group = 'together';
  const names = ['one', 'two'];
  const instances = await Promise.all(
    names.map((name) => rig.instance({ name, network: undefined, group, database, env: ENV })),
  );
  for (const instance of instances) instance.start();
  await Promise.all(instances.map((instance) => instance.untilReady()));
  const producer = new TrafficProducer({
    transport: severalTo(rig.kafka.brokers, rig.topics),
    traffic: togetherTraffic({
      ...DEFAULTS,
      conversationIdleMs: AGAIN_MS,
      seed: 31,
      rate: 60,
      conversations: CONVERSATIONS,
      turns: 3,
    }),
  });
  producer.start();
  const { ending } = await producer.ended();
  const { brokers } = rig.kafka;
  const rest = { brokers, topics: Object.values(rig.topics), group, database, patienceMs: 330_000 };
  const say = (line: string) => process.stderr.write(`${line}\n`);
  expect(await untilAtRest({ ...rest, say })).toBe(undefined);
  await Promise.all(instances.map((instance) => instance.stop()));

  const found = await firstEvaluations({
    sent: ending,
    brokers,
    topic: rig.topics.spans,
    database,
    settleMs: DEFAULTS.settleMs,
    idleMs: 300_000,
    say,
  });
  process.stderr.write(`${JSON.stringify(found)}\n`);
  expect(found).toEqual({ first_evaluations: CONVERSATIONS, judged_incomplete: 0, apart: 0, apart_incomplete: 0 });
});
