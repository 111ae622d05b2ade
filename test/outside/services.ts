/**
 * The services that tests need: taken from the environment if it names one, from a container if a Docker engine
 * answers, otherwise started here from package registries. Nothing is skipped: an unavailable service fails the test.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Kafka, logLevel } from 'kafkajs';
import { startKafkaContainer, startPostgresContainer } from './containers.ts';
import { KafkaCluster, type KafkaForTests, untilLed } from './kafka/broker.ts';
import { startPostgres } from './postgres/server.ts';

/** A Kafka that tests share: topics and groups have unique names. Tests that kill brokers start a `KafkaCluster`. */
export async function startKafka(): Promise<KafkaForTests> {
  const named = process.env.ASSAY_TEST_KAFKA;
  if (named !== undefined && named !== '') return kafkaAt(named.split(','));
  if (await dockerAnswers()) {
    const container = await startKafkaContainer();
    const kafka = await kafkaAt(container.brokers);
    return { ...kafka, close: () => kafka.close().then(container.close) };
  }
  return await KafkaCluster.start();
}

export interface DatabasesForTests {
  /** The URL of a user who may create databases. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * A PostgreSQL that tests share: each creates its own database. Tests that stop the server start one with
 * `startPostgres`.
 */
export async function startDatabases(): Promise<DatabasesForTests> {
  const named = process.env.ASSAY_TEST_POSTGRES;
  if (named !== undefined && named !== '') return { url: named, close: () => Promise.resolve() };
  return (await dockerAnswers()) ? await startPostgresContainer() : await startPostgres();
}

export async function dockerAnswers(): Promise<boolean> {
  try {
    await promisify(execFile)('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: 5_000 });
    return true;
  } catch {
    return false;
  }
}

async function kafkaAt(brokers: readonly string[]): Promise<KafkaForTests> {
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  return {
    brokers,
    async createTopic(name, partitions = 1, config = {}) {
      const configEntries = Object.entries(config).map(([key, value]) => ({ name: key, value }));
      await admin.createTopics({
        waitForLeaders: false,
        topics: [{ topic: name, numPartitions: partitions, configEntries }],
      });
      await untilLed(admin, { topic: name, partitions, replicas: 1 });
    },
    admin: () => Promise.resolve(admin),
    close: () => admin.disconnect(),
  };
}
