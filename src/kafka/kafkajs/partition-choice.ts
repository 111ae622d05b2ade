/**
 * Partition of a record. A record with a key goes where Java's clients would send it, so that gateways, Collectors and
 * others agree about where a trace is; one without goes to each in turn.
 */
import kafkajs from 'kafkajs';
import { KafkaError, type RecordToSend } from '../kafka-client.ts';

const choose = kafkajs.Partitioners.DefaultPartitioner();

interface KnownPartitions {
  partitionCounts(): ReadonlyMap<string, number>;
}

export function choosePartition(topic: string, record: RecordToSend, known: KnownPartitions): number {
  const count = known.partitionCounts().get(topic) ?? 0;
  if (count === 0) throw new KafkaError(`topic ${topic} has no partitions`, { retriable: true });
  if (record.partition !== undefined) {
    if (record.partition < count) return record.partition;
    throw new KafkaError(`topic ${topic} has no partition ${record.partition}, it has ${count}`, { retriable: false });
  }
  const partitionMetadata = Array.from({ length: count }, (_, partitionId) => ({
    partitionId,
    leader: 0,
    partitionErrorCode: 0,
    replicas: [],
    isr: [],
  }));
  return choose({ topic, partitionMetadata, message: { key: record.partitionKey ?? record.key ?? null, value: null } });
}
