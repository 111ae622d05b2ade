/**
 * Kafka and PostgreSQL in containers, for machines with a Docker engine, over the command `docker`. The images are the
 * public ones; ASSAY_TEST_KAFKA_IMAGE and ASSAY_TEST_POSTGRES_IMAGE name others, for example those that
 * `images/build.sh` makes if none can be pulled.
 */
import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from '../free-ports.ts';

const KAFKA_IMAGE = imageNamed('ASSAY_TEST_KAFKA_IMAGE', 'apache/kafka:4.3.1');
const POSTGRES_IMAGE = imageNamed('ASSAY_TEST_POSTGRES_IMAGE', 'postgres:15');
const STARTS_WITHIN_MS = 180_000;
const LOOK_EVERY_MS = 250;

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
  const close = await startContainer({
    image: KAFKA_IMAGE,
    port,
    innerPort: 9092,
    isReady: (log) => log.includes('Kafka Server started'),
    environment: {
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
    },
  });
  return { brokers: [`localhost:${port}`], close };
}

export interface PostgresContainer {
  /** The URL of a user who may create databases. */
  readonly url: string;
  close(): Promise<void>;
}

export async function startPostgresContainer(): Promise<PostgresContainer> {
  const [port = 0] = await freePorts(1);
  const password = 'assay';
  const close = await startContainer({
    image: POSTGRES_IMAGE,
    port,
    innerPort: 5432,
    // At its first start the server runs once to create the database, then again for clients.
    isReady: (log) => log.split('database system is ready to accept connections').length > 2,
    environment: { POSTGRES_USER: 'assay', POSTGRES_DB: 'assay', POSTGRES_PASSWORD: password },
  });
  return { url: `postgres://assay:${password}@localhost:${port}/assay`, close };
}

interface ContainerOptions {
  readonly image: string;
  /** Port of this machine. */
  readonly port: number;
  readonly innerPort: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly isReady: (log: string) => boolean;
}

/** Resolves once it is ready and its port is open, with the function that removes it. */
async function startContainer({ image, port, innerPort, environment, isReady }: ContainerOptions) {
  const variables = Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  // Removes itself, with its volumes, as soon as it is stopped.
  const started = await docker('run', '--detach', '--rm', '--publish', `${port}:${innerPort}`, ...variables, image);
  const id = started.stdout.trim();
  const close = async () => {
    await docker('stop', '--time', '5', id);
  };
  const deadline = Date.now() + STARTS_WITHIN_MS;
  for (;;) {
    const { stdout, stderr } = await docker('logs', id);
    if (isReady(stdout + stderr) && (await isOpen(port))) return close;
    if (Date.now() > deadline) {
      await close();
      throw new Error(`${image} was not ready after ${STARTS_WITHIN_MS / 1000} s:\n${stdout}${stderr}`);
    }
    await sleep(LOOK_EVERY_MS);
  }
}

function docker(...args: readonly string[]) {
  return promisify(execFile)('docker', args, { timeout: STARTS_WITHIN_MS, maxBuffer: 1 << 26 });
}

async function isOpen(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ port, host: 'localhost' });
    const end = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}

function imageNamed(variable: string, usual: string): string {
  const named = process.env[variable];
  return named === undefined || named === '' ? usual : named;
}
