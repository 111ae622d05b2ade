/**
 * The environment of the cluster simulation: three brokers, a database, and instances. Each instance reaches brokers
 * and database through a network of its own that can be cut.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Collector, startCollector } from '../outside/collector.ts';
import { KafkaCluster } from '../outside/kafka/broker.ts';
import { type PostgresServer, startPostgres } from '../outside/postgres/server.ts';
import { TcpProxy } from '../outside/tcp-proxy.ts';
import { ClusterInstance } from './cluster-instance.ts';
import type { Topics } from './cluster-transports.ts';

export interface RigOptions {
  /** The number of instances that can be disconnected from brokers and database. */
  readonly networks: number;
  readonly partitions: number;
  readonly suites: readonly string[];
  readonly brokers?: 1 | 3;
  readonly onSurprise: (what: string) => void;
}

/** Short times, so that a run takes minutes; their proportions are those of the defaults. */
export const TIMES = {
  settleMs: 1000,
  turnIdleMs: 4000,
  conversationIdleMs: 6000,
  sessionMs: 4000,
  /** Longer than the brokers need to replace a dead one, even on a busy machine. */
  clockMarginMs: 20_000,
} as const;

const COLLECTOR_CONFIG = path.resolve(import.meta.dirname, '../../collector-config/kafka.yaml');

const BROKER_PROPERTIES = {
  'min.insync.replicas': '2',
  'replica.lag.time.max.ms': '3000',
  'num.network.threads': '1',
  'num.replica.fetchers': '1',
};

export class Rig {
  readonly kafka: KafkaCluster;
  readonly postgres: PostgresServer;
  readonly directory: string;
  readonly topics: Topics = { spans: 'agent-spans', logs: 'agent-logs' };
  readonly #options: RigOptions;
  readonly #proxies: ReadonlyMap<string, readonly TcpProxy[]>;
  readonly #databaseProxies = new Set<TcpProxy>();
  readonly #collectors: Collector[] = [];
  readonly #instances = new Map<string, ClusterInstance>();

  private constructor(parts: {
    kafka: KafkaCluster;
    postgres: PostgresServer;
    directory: string;
    options: RigOptions;
    proxies: ReadonlyMap<string, readonly TcpProxy[]>;
  }) {
    this.kafka = parts.kafka;
    this.postgres = parts.postgres;
    this.directory = parts.directory;
    this.#options = parts.options;
    this.#proxies = parts.proxies;
  }

  static async start(options: RigOptions): Promise<Rig> {
    const directory = mkdtempSync(path.join(tmpdir(), 'assay-cluster-'));
    const proxies = new Map<string, TcpProxy[]>();
    const { brokers = 3 } = options;
    const kafka = await KafkaCluster.start({
      brokers,
      heap: '320m',
      properties: brokers === 3 ? BROKER_PROPERTIES : {},
      networks: Array.from({ length: options.networks }, (_, index) => networkName(index)),
      through: async ({ network, port }) => {
        const proxy = await TcpProxy.start({ host: '127.0.0.1', port });
        proxies.set(network, [...(proxies.get(network) ?? []), proxy]);
        return proxy.port;
      },
    });
    try {
      const postgres = await startPostgres();
      const rig = new Rig({ kafka, postgres, directory, options, proxies });
      writeFileSync(rig.configFile, `suites: [${options.suites.join(', ')}]\n`);
      for (const topic of [rig.topics.spans, rig.topics.logs]) {
        await rig.makeTopic(topic, options.partitions);
      }
      return rig;
    } catch (error) {
      await kafka.close();
      throw error;
    }
  }

  get configFile(): string {
    return path.join(this.directory, 'assay.yaml');
  }

  /** Not every broker knows the new topic at once. */
  async makeTopic(topic: string, partitions: number): Promise<void> {
    const { kafka } = this;
    const deadline = Date.now() + 30_000;
    await kafka.createTopic(topic, partitions, { 'message.timestamp.type': 'LogAppendTime' }).catch(() => {
      // Its existence is checked below.
    });
    for (;;) {
      try {
        const { topics } = await (await kafka.admin()).fetchTopicMetadata({ topics: [topic] });
        if (topics[0]?.partitions.every(({ leader }) => leader >= 0)) return;
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
      await sleep(200);
    }
  }

  /** An instance in its own network, or in the brokers' network if it has no number. */
  async instance(of: {
    readonly name: string;
    readonly network: number | undefined;
    readonly group: string;
    readonly database: string;
    readonly env?: { readonly [name: string]: string };
  }): Promise<ClusterInstance> {
    const { postgres, kafka } = this;
    const network = of.network === undefined ? undefined : networkName(of.network);
    let url = of.database;
    let database: TcpProxy | undefined;
    if (network !== undefined) {
      database = await TcpProxy.start({ host: postgres.host, port: postgres.port });
      this.#databaseProxies.add(database);
      const through = new URL(of.database);
      through.hostname = '127.0.0.1';
      through.port = String(database.port);
      url = through.href;
    }
    const instance = await ClusterInstance.make({
      name: of.name,
      directory: path.join(this.directory, `${of.group}-${of.name}`),
      configFile: this.configFile,
      brokers: network === undefined ? [] : (this.#proxies.get(network) ?? []),
      database,
      onSurprise: this.#options.onSurprise,
      env: {
        ASSAY_KAFKA_BROKERS: (network === undefined ? kafka.brokers : kafka.through(network)).join(','),
        ASSAY_KAFKA_GROUP: of.group,
        ASSAY_KAFKA_SPANS: this.topics.spans,
        ASSAY_KAFKA_LOGS: this.topics.logs,
        ASSAY_KAFKA_SESSION_TIMEOUT: `${TIMES.sessionMs}ms`,
        ASSAY_KAFKA_CLOCK_MARGIN: `${TIMES.clockMarginMs}ms`,
        ASSAY_STORE_URL: url,
        ASSAY_TURN_SETTLE: `${TIMES.settleMs}ms`,
        ASSAY_TURN_IDLE: `${TIMES.turnIdleMs}ms`,
        ASSAY_CONVERSATION_IDLE: `${TIMES.conversationIdleMs}ms`,
        ...of.env,
      },
    });
    this.#instances.set(`${of.group} ${of.name}`, instance);
    return instance;
  }

  /** The Collector with the shipped configuration. */
  async collector(): Promise<Collector> {
    const collector = await startCollector({
      configFile: COLLECTOR_CONFIG,
      changes: [
        `exporters::kafka::brokers: [${this.kafka.brokers.join(', ')}]`,
        `exporters::kafka::traces::topic: ${this.topics.spans}`,
        `exporters::kafka::logs::topic: ${this.topics.logs}`,
      ],
      env: { COLLECTOR_QUEUE_DIR: path.join(this.directory, 'collector') },
    });
    this.#collectors.push(collector);
    return collector;
  }

  async close(options: { readonly keep: boolean }): Promise<void> {
    await Promise.all([...this.#instances.values()].map((instance) => instance.kill()));
    await Promise.all(this.#collectors.map((collector) => collector.kill()));
    for (const proxy of [...[...this.#proxies.values()].flat(), ...this.#databaseProxies]) await proxy.close();
    await this.kafka.close();
    await this.postgres.close();
    if (!options.keep) rmSync(this.directory, { recursive: true, force: true });
  }
}

function networkName(index: number): string {
  return `net${index + 1}`;
}
