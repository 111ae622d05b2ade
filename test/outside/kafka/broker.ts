/**
 * A real Kafka for tests: one to three brokers in separate processes (KRaft, each broker and controller), with
 * listeners for every kind of client: plain, SASL, TLS, and both. They can be killed, stopped, restarted, frozen and
 * thawed.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { freePorts } from '../../free-ports.ts';
import { type Certificates, makeCertificates } from '../test-authority.ts';
import { kafkaClassPath } from './kafka-jars.ts';

export interface KafkaOptions {
  readonly brokers?: 1 | 2 | 3;
  /** Checks rights: clients of the plain listener may do everything, users what they are granted. */
  readonly authorize?: boolean;
  /** Properties of the brokers in addition to ours. */
  readonly properties?: Readonly<Record<string, string>>;
  readonly heap?: string;
  /**
   * Networks through which clients see the brokers. Each broker has a listener for each network, and advertises to its
   * clients the ports that `through` returns, for example those of a proxy.
   */
  readonly networks?: readonly string[];
  readonly through?: (listener: {
    readonly network: string;
    readonly broker: number;
    readonly port: number;
  }) => Promise<number>;
}

/** The users of the SASL listeners, the same for all mechanisms. */
export const KAFKA_USERS = { alice: 'alice-secret', bob: 'bob-secret' } as const;

export interface KafkaForTests {
  /** host:port of the plain listeners. */
  readonly brokers: readonly string[];
  createTopic(name: string, partitions?: number, config?: Readonly<Record<string, string>>): Promise<void>;
  admin(): Promise<Admin>;
  close(): Promise<void>;
}

const QUIET = '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn';

type Listener = 'PLAIN' | 'SASL' | 'SSL' | 'SASLSSL';
const LISTENERS = ['PLAIN', 'SASL', 'SSL', 'SASLSSL'] as const;
const PROTOCOLS = {
  PLAIN: 'PLAINTEXT',
  SASL: 'SASL_PLAINTEXT',
  SSL: 'SSL',
  SASLSSL: 'SASL_SSL',
  CONTROLLER: 'PLAINTEXT',
};

interface Node {
  readonly id: number;
  readonly directory: string;
  readonly ports: Readonly<Record<Listener | 'CONTROLLER', number>>;
  readonly networks: readonly { readonly network: string; readonly port: number; readonly advertised: number }[];
  process: ChildProcess | undefined;
}

export class KafkaCluster implements KafkaForTests {
  readonly certificates: Certificates;
  readonly #nodes: readonly Node[];
  readonly #directory: string;
  readonly #classPath: string;
  readonly #heap: string;
  #admin: Admin | undefined;

  private constructor(found: {
    nodes: readonly Node[];
    directory: string;
    classPath: string;
    certificates: Certificates;
    heap: string;
  }) {
    this.#nodes = found.nodes;
    this.#directory = found.directory;
    this.#classPath = found.classPath;
    this.certificates = found.certificates;
    this.#heap = found.heap;
  }

  static async start(options: KafkaOptions = {}): Promise<KafkaCluster> {
    const classPath = await kafkaClassPath();
    const directory = mkdtempSync(path.join(tmpdir(), 'assay-kafka-'));
    const certificates = makeCertificates(directory);
    const nodes: Node[] = [];
    for (let id = 1; id <= (options.brokers ?? 1); id++) {
      const [PLAIN = 0, SASL = 0, SSL = 0, SASLSSL = 0, CONTROLLER = 0] = await freePorts(5);
      const home = path.join(directory, `broker-${id}`);
      mkdirSync(home);
      const networks = await networksOf(id, options);
      const ports = { PLAIN, SASL, SSL, SASLSSL, CONTROLLER };
      nodes.push({ id, directory: home, ports, networks, process: undefined });
    }
    const cluster = new KafkaCluster({ nodes, directory, classPath, certificates, heap: options.heap ?? '256m' });
    try {
      await cluster.#format(options);
      for (const node of nodes) cluster.#launch(node);
      await cluster.ready();
    } catch (error) {
      const said = nodes.map((node) => cluster.#logOf(node)).join('\n');
      await cluster.close();
      throw new Error(`Kafka for tests did not start:\n${said}`, { cause: error });
    }
    return cluster;
  }

  get brokers(): readonly string[] {
    return this.listeners('PLAIN');
  }

  listeners(listener: Listener): readonly string[] {
    return this.#nodes.map((node) => `localhost:${node.ports[listener]}`);
  }

  /** The bootstrap addresses for a client in this network. */
  through(network: string): readonly string[] {
    return this.#nodes.flatMap((node) =>
      node.networks.filter((one) => one.network === network).map(({ advertised }) => `localhost:${advertised}`),
    );
  }

  /**
   * All running brokers see each other and answer. Each is asked itself: a broker is in the others' metadata a moment
   * before its port is open, and a dead one stays there until its session ends.
   */
  async ready(): Promise<void> {
    const running = this.#nodes.filter((node) => node.process !== undefined);
    await Promise.all(running.map((node) => this.#answers(node, running.length)));
  }

  async admin(): Promise<Admin> {
    if (this.#admin === undefined) {
      const brokers = this.#nodes
        .filter((node) => node.process !== undefined)
        .map((node) => `localhost:${node.ports.PLAIN}`);
      const admin = new Kafka({
        brokers,
        logLevel: logLevel.NOTHING,
        retry: { retries: 2, initialRetryTime: 100 },
      }).admin();
      await admin.connect();
      this.#admin = admin;
    }
    return this.#admin;
  }

  async createTopic(name: string, partitions = 1, config: Readonly<Record<string, string>> = {}): Promise<void> {
    const admin = await this.admin();
    await admin.createTopics({
      waitForLeaders: false,
      topics: [
        {
          topic: name,
          numPartitions: partitions,
          replicationFactor: this.#nodes.length,
          configEntries: Object.entries(config).map(([key, value]) => ({ name: key, value })),
        },
      ],
    });
    await untilLed(admin, { topic: name, partitions, replicas: this.#nodes.length });
  }

  /** Deletes records as retention would. */
  async deleteRecordsBefore(topic: string, partition: number, offset: number): Promise<void> {
    const file = path.join(this.#directory, `delete-${randomUUID()}.json`);
    writeFileSync(file, JSON.stringify({ version: 1, partitions: [{ topic, partition, offset }] }));
    const args = ['--bootstrap-server', this.brokers.join(','), '--offset-json-file', file];
    await this.tool('org.apache.kafka.tools.DeleteRecordsCommand', args);
  }

  /** Runs one of Kafka's own Java tools to its end and returns its output. */
  async tool(mainClass: string, args: readonly string[], input = ''): Promise<string> {
    const child = spawn('java', ['-Xmx256m', '-XX:+UseSerialGC', QUIET, '-cp', this.#classPath, mainClass, ...args]);
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    child.stdin.end(input);
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    if (code !== 0) throw new Error(`${mainClass} ended with ${code}: ${said}`);
    return said;
  }

  /** `kill -9`. */
  async kill(id: number): Promise<void> {
    await this.#end(id, 'SIGKILL');
  }

  async stop(id: number): Promise<void> {
    await this.#end(id, 'SIGTERM');
  }

  /** Returns when it answers again. */
  async start(id: number): Promise<void> {
    this.#launch(this.#node(id));
    await this.#dropAdmin();
    await this.ready();
  }

  async #answers(node: Node, running: number): Promise<void> {
    const deadline = Date.now() + 90_000;
    let last: unknown;
    while (Date.now() < deadline) {
      const { exitCode = 0, signalCode = null } = node.process ?? {};
      if (exitCode !== null || signalCode !== null) throw new Error(`broker ${node.id} ended: ${this.#logOf(node)}`);
      const kafka = new Kafka({
        brokers: [`localhost:${node.ports.PLAIN}`],
        logLevel: logLevel.NOTHING,
        retry: { retries: 0 },
      });
      const admin = kafka.admin();
      try {
        await admin.connect();
        const { brokers } = await admin.describeCluster();
        if (brokers.length === running && brokers.some((broker) => broker.nodeId === node.id)) return;
        last = new Error(`broker ${node.id} sees ${brokers.length} of ${running}`);
      } catch (error) {
        last = error;
      } finally {
        await admin.disconnect().catch(() => undefined);
      }
      await sleep(100);
    }
    throw new Error(`broker ${node.id} did not answer`, { cause: last });
  }

  freeze(id: number): void {
    this.#node(id).process?.kill('SIGSTOP');
  }

  thaw(id: number): void {
    this.#node(id).process?.kill('SIGCONT');
  }

  async close(): Promise<void> {
    await this.#dropAdmin();
    await Promise.all(this.#nodes.map((node) => this.#end(node.id, 'SIGKILL')));
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #end(id: number, signal: NodeJS.Signals): Promise<void> {
    const node = this.#node(id);
    const child = node.process;
    node.process = undefined;
    await this.#dropAdmin();
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGCONT');
    child.kill(signal);
    await ended;
  }

  async #dropAdmin(): Promise<void> {
    const admin = this.#admin;
    this.#admin = undefined;
    // A dead broker cannot be told; the connection ends either way.
    await admin?.disconnect().catch(() => undefined);
  }

  #node(id: number): Node {
    const node = this.#nodes.find((one) => one.id === id);
    if (node === undefined) throw new Error(`there is no broker ${id}`);
    return node;
  }

  #logOf(node: Node): string {
    try {
      return readFileSync(path.join(node.directory, 'log'), 'utf8').slice(-4_000);
    } catch {
      return 'it left no log';
    }
  }

  #launch(node: Node): void {
    const child = spawn(
      'java',
      [
        `-Xmx${this.#heap}`,
        '-XX:+UseSerialGC',
        QUIET,
        '-cp',
        this.#classPath,
        'kafka.Kafka',
        path.join(node.directory, 'server.properties'),
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const log = createWriteStream(path.join(node.directory, 'log'), { flags: 'a' });
    // The directory may be gone when the last output of a killed broker arrives.
    log.on('error', () => undefined);
    child.stdout?.pipe(log);
    child.stderr?.pipe(log);
    node.process = child;
  }

  async #format(options: KafkaOptions): Promise<void> {
    const cluster = randomBytes(16).toString('base64url');
    await Promise.all(
      this.#nodes.map(async (node) => {
        const file = path.join(node.directory, 'server.properties');
        writeFileSync(file, this.#properties(node, options));
        const scram = Object.entries(KAFKA_USERS).flatMap(([name, password]) =>
          ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((kind) => ['-S', `${kind}=[name=${name},password=${password}]`]),
        );
        await promisify(execFile)('java', [
          '-cp',
          this.#classPath,
          'kafka.tools.StorageTool',
          'format',
          // It would take an id that begins with a hyphen for an option.
          `--cluster-id=${cluster}`,
          '-c',
          file,
          ...scram,
        ]);
      }),
    );
  }

  #properties(node: Node, options: KafkaOptions): string {
    const copies = String(this.#nodes.length);
    const at = (listener: keyof typeof PROTOCOLS) => `${listener}://localhost:${node.ports[listener]}`;
    const name = (network: string) => network.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
    const listening = node.networks.map(({ network, port }) => `${name(network)}://localhost:${port}`);
    const advertised = node.networks.map((one) => `${name(one.network)}://localhost:${one.advertised}`);
    const protocols = {
      ...PROTOCOLS,
      ...Object.fromEntries(node.networks.map((one) => [name(one.network), 'PLAINTEXT'])),
    };
    const plainUsers = Object.entries(KAFKA_USERS)
      .map(([name, password]) => `user_${name}="${password}"`)
      .join(' ');
    const properties: Record<string, string> = {
      'process.roles': 'broker,controller',
      'node.id': String(node.id),
      'controller.quorum.voters': this.#nodes.map((one) => `${one.id}@localhost:${one.ports.CONTROLLER}`).join(','),
      'controller.listener.names': 'CONTROLLER',
      'inter.broker.listener.name': 'PLAIN',
      listeners: [...LISTENERS.map(at), ...listening, at('CONTROLLER')].join(','),
      'advertised.listeners': [...LISTENERS.map(at), ...advertised].join(','),
      'listener.security.protocol.map': Object.entries(protocols)
        .map(([name, protocol]) => `${name}:${protocol}`)
        .join(','),
      'log.dirs': path.join(node.directory, 'data'),
      'offsets.topic.replication.factor': copies,
      'offsets.topic.num.partitions': '3',
      'transaction.state.log.replication.factor': copies,
      'transaction.state.log.min.isr': '1',
      'transaction.state.log.num.partitions': '3',
      'group.initial.rebalance.delay.ms': '0',
      'group.min.session.timeout.ms': '500',
      'auto.create.topics.enable': 'false',
      'controller.quorum.election.timeout.ms': '300',
      'controller.quorum.fetch.timeout.ms': '600',
      'broker.session.timeout.ms': '3000',
      'broker.heartbeat.interval.ms': '500',
      'log.cleaner.dedupe.buffer.size': '2097152',
      'log.retention.check.interval.ms': '1000',
      'num.network.threads': '2',
      'num.io.threads': '2',
      'background.threads': '2',
      'group.coordinator.threads': '1',
      'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
      'ssl.keystore.type': 'PEM',
      'ssl.keystore.location': this.certificates.brokerKeystoreFile,
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.location': this.certificates.caFile,
      'ssl.client.auth': 'requested',
      ...options.properties,
    };
    for (const listener of ['sasl', 'saslssl']) {
      const of = (mechanism: string) => `listener.name.${listener}.${mechanism}.sasl.jaas.config`;
      properties[of('plain')] = `org.apache.kafka.common.security.plain.PlainLoginModule required ${plainUsers};`;
      for (const scram of ['scram-sha-256', 'scram-sha-512'])
        properties[of(scram)] = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
      // Accepts unsigned tokens: `sub` names the user.
      properties[of('oauthbearer')] =
        'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";';
    }
    if (options.authorize) {
      properties['authorizer.class.name'] = 'org.apache.kafka.metadata.authorizer.StandardAuthorizer';
      properties['super.users'] = 'User:ANONYMOUS';
    }
    return Object.entries(properties)
      .map(([key, value]) => `${key}=${value}\n`)
      .join('');
  }
}

/** kafkajs would wait for leaders by itself, but gives up at the first broker that does not know the topic yet. */
export async function untilLed(
  admin: Admin,
  { topic, partitions, replicas }: { readonly topic: string; readonly partitions: number; readonly replicas: number },
): Promise<void> {
  const isLed = async () => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const led = topics[0]?.partitions.filter(({ leader, isr }) => leader >= 0 && isr.length >= replicas);
    return led?.length === partitions;
  };
  for (let left = 600; left > 0; left--) {
    if (await isLed().catch(() => false)) return;
    await sleep(50);
  }
  throw new Error(`topic ${topic} got no leaders`);
}

/** A unique name, so that tests do not share it. */
export function freshName(what: string): string {
  return `${what}-${randomUUID().slice(0, 8)}`;
}

async function networksOf(broker: number, { networks = [], through }: KafkaOptions): Promise<Node['networks']> {
  const ports = await freePorts(networks.length);
  return await Promise.all(
    networks.map(async (network, index) => {
      const port = ports[index] ?? 0;
      return { network, port, advertised: (await through?.({ network, broker, port })) ?? port };
    }),
  );
}
