/** Reads the topic of evaluations as a subscriber. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';

export interface EvaluationRecords {
  readonly records: number;
  readonly ids: ReadonlySet<string>;
  /** Records that are not as one of the same id before, or not in its partition. */
  readonly contradictions: number;
  /** Records whose key is not their id. */
  readonly otherKeys: number;
}

const QUIET_MS = 10_000;

export async function readEvaluationRecords(brokers: readonly string[], topic: string): Promise<EvaluationRecords> {
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const seen = new Map<string, string>();
  let records = 0;
  let contradictions = 0;
  let otherKeys = 0;
  let lastAt = Date.now();
  const consumer = kafka.consumer({ groupId: `reader-of-${topic}` });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachBatch: async ({ batch }) => {
      for (const { key, value } of batch.messages) {
        records += 1;
        // The cast holds because the relay wrote it.
        const { id } = JSON.parse(String(value)) as { readonly id: string };
        const here = `${batch.partition} ${value}`;
        if ((seen.get(id) ?? here) !== here) contradictions += 1;
        if (key?.toString() !== id) otherKeys += 1;
        seen.set(id, here);
      }
      lastAt = Date.now();
    },
  });
  while (Date.now() - lastAt < QUIET_MS) await sleep(500);
  await consumer.disconnect();
  return { records, ids: new Set(seen.keys()), contradictions, otherKeys };
}
