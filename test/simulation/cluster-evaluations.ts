/** Reads the topic of evaluations as a subscriber: only committed records. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';

export interface EvaluationRecords {
  readonly records: number;
  /** The number of records, unless some were sent twice. */
  readonly ids: ReadonlySet<string>;
}

const QUIET_MS = 10_000;

export async function readEvaluationRecords(brokers: readonly string[], topic: string): Promise<EvaluationRecords> {
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const ids = new Set<string>();
  let records = 0;
  let lastAt = Date.now();
  const consumer = kafka.consumer({ groupId: `reader-of-${topic}`, readUncommitted: false });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachBatch: async ({ batch }) => {
      for (const { value } of batch.messages) {
        records += 1;
        // The cast holds because the relay wrote it.
        ids.add((JSON.parse(String(value)) as { readonly id: string }).id);
      }
      lastAt = Date.now();
    },
  });
  // Transaction markers count as offsets but are not delivered, so they do not show the end.
  while (Date.now() - lastAt < QUIET_MS) await sleep(500);
  await consumer.disconnect();
  return { records, ids };
}
