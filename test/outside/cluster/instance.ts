/** Instances of a cluster in processes of their own, with short times, and what they need. They stop with the test. */
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type AssayProcess, freeListenPorts, startAssay } from '../../simulation/process.ts';
import { parseMetrics } from '../../simulation/scraped-totals.ts';
import { tempDirectory } from '../../temp-directory.ts';
import type { KafkaForTests } from '../kafka/broker.ts';
import { type PostgresServer, startPostgres } from '../postgres/server.ts';
import { startKafka } from '../services.ts';

/** One Kafka and one PostgreSQL for the tests of a file. */
export function clusterServices(): () => { readonly kafka: KafkaForTests; readonly postgres: PostgresServer } {
  let kafka: KafkaForTests | undefined;
  let postgres: PostgresServer | undefined;
  beforeAll(async () => {
    [kafka, postgres] = await Promise.all([startKafka(), startPostgres()]);
  });
  afterAll(async () => {
    await Promise.all([kafka?.close(), postgres?.close()]);
  });
  return () => {
    if (kafka === undefined || postgres === undefined) throw new Error('Kafka and PostgreSQL are not started yet');
    return { kafka, postgres };
  };
}

export async function startInstance(options: {
  readonly name: string;
  readonly kafka: KafkaForTests;
  readonly topic: string;
  /** The URL of the database. */
  readonly store: string;
  readonly env?: { readonly [name: string]: string };
}): Promise<AssayProcess> {
  const { name, kafka, topic, store, env } = options;
  const assay = await startAssay({
    dataDir: tempDirectory(),
    ports: await freeListenPorts(),
    env: {
      ASSAY_KAFKA_BROKERS: kafka.brokers.join(','),
      ASSAY_KAFKA_SPANS: topic,
      ASSAY_KAFKA_CLOCK_MARGIN: '1s',
      ASSAY_STORE_URL: store,
      ASSAY_INSTANCE: name,
      ASSAY_TURN_SETTLE: '500ms',
      ASSAY_CONVERSATION_IDLE: '1s',
      ...env,
    },
  });
  onTestFinished(async () => {
    await assay.stop();
  });
  return assay;
}

/** Returns the status of the answer. */
export async function sendSpans(assay: AssayProcess, body: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${assay.otlpHttp}/v1/traces`, { method: 'POST', headers, body })).status;
}

/** The sum of all series that contain these parts, over all instances. */
export async function sumOf(instances: readonly AssayProcess[], ...parts: readonly string[]): Promise<number> {
  let sum = 0;
  for (const { http } of instances) {
    for (const [series, value] of parseMetrics(await (await fetch(`${http}/metrics`)).text())) {
      if (parts.every((part) => series.includes(part))) sum += value;
    }
  }
  return sum;
}
