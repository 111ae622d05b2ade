/** A consumer in a separate process, to be killed and paused: node reader-process.ts <brokers> <group> <topic>. */
import { KafkajsConsumer } from '../../../src/kafka/kafkajs/consumer.ts';
import { SHORT_TIMES } from './reader.ts';

const [brokers = '', group = '', topic = ''] = process.argv.slice(2);
const consumer = new KafkajsConsumer({
  connection: { brokers: brokers.split(',') },
  group,
  topics: [topic],
  ...SHORT_TIMES,
});

consumer.start({
  onAssigned: ({ gained, kept }) => {
    console.log(`assigned ${gained.length} kept ${kept.length}`);
    return Promise.resolve();
  },
  onLost: (partitions) => console.log(`lost ${partitions.length}`),
  onRecords: (_, records) => {
    for (const { value } of records) console.log(`record ${value}`);
    return Promise.resolve();
  },
  onProblem: (problem) => console.log(`problem ${problem}`),
});
