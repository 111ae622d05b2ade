/** Publishes numbers until it is killed: node publisher-process.ts <brokers> <name> <topic>. */
import { KafkajsPublisher } from '../../../src/kafka/kafkajs/publisher.ts';

const [brokers = '', name = '', topic = ''] = process.argv.slice(2);
const publisher = new KafkajsPublisher({ connection: { brokers: brokers.split(',') }, name, topic });

let progress = (await publisher.open()) ?? 0;
console.log(`at ${progress}`);
for (;;) {
  const records = [0, 1, 2].map((step) => ({ key: undefined, value: Buffer.from(`${progress + step}`) }));
  await publisher.publish(records, progress + records.length);
  progress += records.length;
  console.log(`at ${progress}`);
}
