/** The consumers under comparison: ours and kafkajs's own. Both fetch and drop, with the same limits. */
import kafkajs from 'kafkajs';
import { decompress } from '../src/kafka/kafkajs/codecs.ts';
import { KafkajsConsumer } from '../src/kafka/kafkajs/consumer.ts';

export interface ReadSource {
  readonly brokers: readonly string[];
  readonly group: string;
  readonly topic: string;
  readonly onRecords: (partition: number, count: number, bytes: number) => void;
}

/** Resolves once it reads; returns a function that stops it. */
export type StartReader = (source: ReadSource) => Promise<() => Promise<void>>;

const MIB = 1024 * 1024;
const LIMITS = { fetch: 16 * MIB, partition: MIB, decompressed: 256 * MIB };

export const READERS: Readonly<Record<string, StartReader>> = {
  ours: async ({ brokers, group, topic, onRecords }) => {
    const consumer = new KafkajsConsumer({ connection: { brokers }, group, topics: [topic], heartbeatMs: 300 });
    const assigned = Promise.withResolvers<void>();
    consumer.start({
      onAssigned: () => {
        assigned.resolve();
        return Promise.resolve();
      },
      onLost: () => undefined,
      onRecords: ({ partition }, records) => {
        let bytes = 0;
        for (const { value } of records) bytes += value?.length ?? 0;
        onRecords(partition, records.length, bytes);
        return Promise.resolve();
      },
      onProblem: (problem) => problem !== undefined && process.stderr.write(`${problem}\n`),
    });
    await assigned.promise;
    return () => consumer.stop();
  },
  kafkajs: async ({ brokers, group, topic, onRecords }) => {
    const { CompressionCodecs, CompressionTypes, Kafka, logLevel } = kafkajs;
    for (const [type, name] of [
      [CompressionTypes.ZSTD, 'zstd'],
      [CompressionTypes.LZ4, 'lz4'],
    ] as const)
      CompressionCodecs[type] = () => ({
        compress: () => Promise.reject(new Error('this one reads')),
        decompress: (buffer: Buffer) => decompress(name, buffer, LIMITS.decompressed),
      });
    const consumer = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).consumer({
      groupId: group,
      heartbeatInterval: 300,
      maxBytes: LIMITS.fetch,
      maxBytesPerPartition: LIMITS.partition,
      maxWaitTimeInMs: 500,
    });
    const assigned = Promise.withResolvers<void>();
    consumer.on(consumer.events.GROUP_JOIN, () => assigned.resolve());
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      partitionsConsumedConcurrently: 12,
      eachBatch: ({ batch }) => {
        let bytes = 0;
        for (const { value } of batch.messages) bytes += value?.length ?? 0;
        onRecords(batch.partition, batch.messages.length, bytes);
        return Promise.resolve();
      },
    });
    await assigned.promise;
    return () => consumer.disconnect();
  },
};
