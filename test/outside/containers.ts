/**
 * Kafka and PostgreSQL in containers, for machines with a Docker engine. The images are the public ones;
 * ASSAY_TEST_KAFKA_IMAGE and ASSAY_TEST_POSTGRES_IMAGE name others, for example those that `images/build.sh` makes if
 * none can be pulled.
 */
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { freePorts } from '../free-ports.ts';

const KAFKA_IMAGE = imageNamed('ASSAY_TEST_KAFKA_IMAGE', 'apache/kafka:4.3.1');
const POSTGRES_IMAGE = imageNamed('ASSAY_TEST_POSTGRES_IMAGE', 'postgres:15');
const STARTS_WITHIN_MS = 180_000;

export interface KafkaContainer {
  readonly brokers: readonly string[];
  close(): Promise<void>;
}

/**
 * One broker with settings for the tests: topics are not created automatically, groups are ready at once, sessions may
 * be short.
 */
export async function startKafkaContainer(): Promise<KafkaContainer> {
  // A broker advertises its own address, so its port on this machine must be known before it starts.
  const [port = 0] = await freePorts(1);
  const container = await new GenericContainer(KAFKA_IMAGE)
    .withExposedPorts({ container: 9092, host: port })
    .withEnvironment({
      KAFKA_NODE_ID: '1',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_LISTENERS: 'PLAINTEXT://:9092,CONTROLLER://:9093',
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://localhost:${port}`,
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '3',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_TRANSACTION_STATE_LOG_NUM_PARTITIONS: '3',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
      KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS: '500',
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
      KAFKA_HEAP_OPTS: '-Xmx384m',
    })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .withStartupTimeout(STARTS_WITHIN_MS)
    .start();
  return { brokers: [`localhost:${port}`], close: () => remove(container) };
}

export interface PostgresContainer {
  /** The URL of a user who may create databases. */
  readonly url: string;
  close(): Promise<void>;
}

export async function startPostgresContainer(): Promise<PostgresContainer> {
  const password = 'assay';
  const container = await new GenericContainer(POSTGRES_IMAGE)
    .withExposedPorts(5432)
    .withEnvironment({ POSTGRES_USER: 'assay', POSTGRES_DB: 'assay', POSTGRES_PASSWORD: password })
    // At its first start the server runs once to create the database, then again for clients.
    .withWaitStrategy(
      Wait.forAll([Wait.forListeningPorts(), Wait.forLogMessage(/database system is ready to accept connections/, 2)]),
    )
    .withStartupTimeout(STARTS_WITHIN_MS)
    .start();
  const address = `${container.getHost()}:${container.getMappedPort(5432)}`;
  return { url: `postgres://assay:${password}@${address}/assay`, close: () => remove(container) };
}

async function remove(container: StartedTestContainer): Promise<void> {
  await container.stop({ remove: true, removeVolumes: true });
}

function imageNamed(variable: string, usual: string): string {
  const named = process.env[variable];
  return named === undefined || named === '' ? usual : named;
}
