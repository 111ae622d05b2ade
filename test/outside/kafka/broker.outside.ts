import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshName, KafkaCluster } from './broker.ts';

let kafka: KafkaCluster;

beforeAll(async () => {
  kafka = await KafkaCluster.start({ brokers: 2 });
});
afterAll(() => kafka?.close());

test('a broker that was killed keeps what it had', async () => {
  const topic = freshName('kept');
  await kafka.createTopic(topic, 1);
  const producer = 'org.apache.kafka.tools.ConsoleProducer';
  await kafka.tool(producer, ['--bootstrap-server', kafka.brokers.join(','), '--topic', topic], 'one\ntwo\n');

  await kafka.kill(2);
  await kafka.start(2);

  const admin = await kafka.admin();
  expect((await admin.fetchTopicOffsets(topic))[0]?.high).toBe('2');
});
