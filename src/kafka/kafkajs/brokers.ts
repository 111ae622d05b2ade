/**
 * The brokers of one cluster: who they are, connections to them, and which of them leads a partition or coordinates a
 * group.
 *
 * A connection that failed or did not answer is thrown away, sockets and all, so that the next request starts from
 * scratch. Nothing is tried twice here: who asks knows whether and when to ask again.
 */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { KafkaError } from '../kafka-client.ts';
import type { KafkaConnection } from '../kafka-connection.ts';
import {
  type BrokerLink,
  type Logger,
  makeRequest,
  openLink,
  type ProtocolRequest,
  protocolError,
  type SocketOptions,
} from './internals.ts';
import { tokenProvider } from './oauth-token.ts';
import { problemWords } from './problem-words.ts';

export type LogLine = (line: { readonly level: 'info' | 'warn' | 'error'; readonly message: string }) => void;

/** Requests that may wait at the broker have a connection of their own, so that others don't stand in line behind them. */
type Purpose = 'data' | 'group';

interface PartitionPlace {
  readonly partition: number;
  /** Undefined while no broker leads it. */
  readonly leader: number | undefined;
}

interface TopicPlaces {
  readonly topic: string;
  /** Error by its name in Kafka's protocol; undefined if the topic exists. */
  readonly error: ReturnType<typeof protocolError> | undefined;
  readonly partitions: readonly PartitionPlace[];
}

/** Type of coordinator in the request: groups, not transactions. */
const OF_GROUPS = 0;

interface Address {
  readonly host: string;
  readonly port: number;
}

interface Link {
  readonly broker: BrokerLink;
  readonly sockets: Set<Socket>;
  /** A request that was under way may still try to connect; nobody would ever close what it opens. */
  isDropped: boolean;
}

interface MetadataAnswer {
  readonly brokers: readonly { readonly nodeId: number; readonly host: string; readonly port: number }[];
  readonly topicMetadata: readonly {
    readonly topicErrorCode: number;
    readonly topic: string;
    readonly partitionMetadata: readonly { readonly partitionId: number; readonly leader: number }[];
  }[];
}

interface CoordinatorAnswer {
  readonly errorCode: number;
  readonly coordinator: { readonly nodeId: number; readonly host: string; readonly port: number };
}

const CONNECT_TIMEOUT_MS = 5_000;
const DOUBTFUL_MS = 10_000;
const REAUTHENTICATE_BEFORE_MS = 10_000;
const KEEP_ALIVE_MS = 30_000;
/** Error that kafkajs receives for a connection that Assay ended. */
const GIVEN_UP = 'given up';

export class Brokers {
  readonly #connection: KafkaConnection;
  readonly #seeds: readonly Address[];
  readonly #requestTimeoutMs: number;
  readonly #logger: Logger;
  readonly #ssl: object | null;
  readonly #sasl: object | null;
  /** Addresses by node id, as brokers reported them. */
  readonly #addresses = new Map<number, Address>();
  readonly #links = new Map<string, Link>();
  /** Brokers that failed lately, and when: they are asked last. */
  readonly #failedAt = new Map<string, number>();
  #nextSeed = 0;
  #closed = false;

  constructor(
    connection: KafkaConnection,
    options: { readonly requestTimeoutMs: number; readonly onLog?: LogLine | undefined },
  ) {
    this.#connection = connection;
    this.#seeds = connection.brokers.map(parseAddress);
    this.#requestTimeoutMs = options.requestTimeoutMs;
    this.#logger = loggerTo(options.onLog);
    this.#ssl = tlsOptions(connection);
    this.#sasl = saslOptions(connection);
  }

  /** The answer as the broker gave it, error codes and all. */
  async request(node: number, name: string, parameters: object, purpose: Purpose = 'data'): Promise<unknown> {
    const address = this.#addresses.get(node);
    if (address === undefined) throw new KafkaError(`broker ${node} is not known`, { retriable: true });
    return this.#ask(address, purpose, (broker) => makeRequest(broker, name, parameters));
  }

  /** Like `request`, with an encoding of ours. */
  async send(node: number, request: ProtocolRequest): Promise<unknown> {
    const address = this.#addresses.get(node);
    if (address === undefined) throw new KafkaError(`broker ${node} is not known`, { retriable: true });
    return this.#ask(address, 'data', () => request);
  }

  /** Asks any broker, and learns on the way which brokers there are. */
  async places(topics: readonly string[]): Promise<readonly TopicPlaces[]> {
    const answer = (await this.#askAny('Metadata', { topics, allowAutoTopicCreation: false })) as MetadataAnswer;
    if (answer.brokers.length > 0) this.#addresses.clear();
    for (const { nodeId, host, port } of answer.brokers) this.#addresses.set(nodeId, { host, port });
    return answer.topicMetadata.map(({ topic, topicErrorCode, partitionMetadata }) => ({
      topic,
      error: topicErrorCode === 0 ? undefined : protocolError(topicErrorCode),
      partitions: partitionMetadata.map(({ partitionId, leader }) => ({
        partition: partitionId,
        leader: leader < 0 ? undefined : leader,
      })),
    }));
  }

  /** A known node; there is one once topics were asked for. */
  anyNode(): number {
    const all = [...this.#addresses];
    const good = all.filter(([, address]) => !this.#isDoubtful(address));
    const nodes = (good.length > 0 ? good : all).map(([node]) => node);
    const node = nodes[Math.floor(Math.random() * nodes.length)];
    if (node === undefined) throw new KafkaError('no broker is known yet', { retriable: true });
    return node;
  }

  async coordinator(groupId: string): Promise<number> {
    const answer = (await this.#askAny('GroupCoordinator', {
      groupId,
      coordinatorType: OF_GROUPS,
    })) as CoordinatorAnswer;
    throwIfRefused(answer.errorCode);
    const { nodeId, host, port } = answer.coordinator;
    this.#addresses.set(nodeId, { host, port });
    return nodeId;
  }

  /** Ends all connections at once; requests that wait for an answer are rejected. */
  close(): void {
    this.#closed = true;
    for (const key of [...this.#links.keys()]) this.#drop(key);
  }

  async #askAny(name: string, parameters: object): Promise<unknown> {
    const known = shuffled([...this.#addresses.values()]);
    const seeds = this.#seeds.map((_, index) => this.#seeds[(this.#nextSeed + index) % this.#seeds.length] as Address);
    this.#nextSeed++;
    const tried = new Set<string>();
    const failures: string[] = [];
    const isDoubtful = (address: Address) => this.#isDoubtful(address);
    const candidates = [...known, ...seeds];
    for (const address of [...candidates.filter((one) => !isDoubtful(one)), ...candidates.filter(isDoubtful)]) {
      const place = placeOf(address);
      if (tried.has(place)) continue;
      tried.add(place);
      try {
        return await this.#ask(address, 'data', (broker) => makeRequest(broker, name, parameters));
      } catch (error) {
        failures.push(problemWords(error, { doing: `reach ${place}` }));
        // A wrong password is wrong at all of them, and accounts are locked after some.
        if (error instanceof Error && error.name === 'KafkaJSSASLAuthenticationError') break;
      }
    }
    throw new KafkaError(failures.join('; ') || 'no brokers are configured', { retriable: true });
  }

  async #ask(address: Address, purpose: Purpose, make: (broker: BrokerLink) => ProtocolRequest): Promise<unknown> {
    if (this.#closed) throw new KafkaError('the Kafka client is closed', { retriable: false });
    const key = `${placeOf(address)} ${purpose}`;
    let link = this.#links.get(key);
    if (link === undefined) {
      link = this.#open(address);
      this.#links.set(key, link);
    }
    try {
      if (!link.broker.isConnected()) await link.broker.connect();
      const { request, response, requestTimeout } = make(link.broker);
      const answer = await link.broker.connectionPool.send({
        request,
        response: { decode: (payload) => response.decode(payload), parse: (decoded) => decoded },
        ...(requestTimeout !== undefined && { requestTimeout }),
      });
      this.#failedAt.delete(placeOf(address));
      return answer;
    } catch (error) {
      this.#failedAt.set(placeOf(address), performance.now());
      if (this.#links.get(key) === link) this.#drop(key);
      throw error;
    }
  }

  #isDoubtful(address: Address): boolean {
    return performance.now() - (this.#failedAt.get(placeOf(address)) ?? Number.NEGATIVE_INFINITY) < DOUBTFUL_MS;
  }

  #open(address: Address): Link {
    const sockets = new Set<Socket>();
    const isDropped = () => link.isDropped;
    const broker = openLink({
      ...address,
      ssl: this.#ssl,
      sasl: this.#sasl,
      clientId: this.#connection.clientId ?? 'assay',
      logger: this.#logger,
      connectionTimeout: Math.min(CONNECT_TIMEOUT_MS, this.#requestTimeoutMs),
      requestTimeout: this.#requestTimeoutMs,
      reauthenticationThreshold: REAUTHENTICATE_BEFORE_MS,
      socketFactory: (options) => {
        const socket = openSocket(options);
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
        if (isDropped()) socket.destroy(new Error(GIVEN_UP));
        return socket;
      },
    });
    const link: Link = { broker, sockets, isDropped: false };
    return link;
  }

  #drop(key: string): void {
    const link = this.#links.get(key);
    this.#links.delete(key);
    if (link === undefined) return;
    link.isDropped = true;
    for (const socket of link.sockets) socket.destroy(new Error(GIVEN_UP));
  }
}

export function throwIfRefused(code: number): void {
  if (code !== 0) throw protocolError(code);
}

function openSocket({ host, port, ssl, onConnect }: SocketOptions): Socket {
  const socket =
    ssl === null
      ? connectPlain({ host, port }, onConnect)
      : connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }), ...ssl }, onConnect);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  return socket;
}

function placeOf({ host, port }: Address): string {
  return `${host}:${port}`;
}

function parseAddress(broker: string): Address {
  const colon = broker.lastIndexOf(':');
  const port = Number(broker.slice(colon + 1));
  if (colon <= 0 || !Number.isInteger(port) || port <= 0 || port > 65_535)
    throw new KafkaError(`Kafka broker "${broker}" is not host:port`, { retriable: false });
  return { host: broker.slice(0, colon).replace(/^\[(.*)\]$/, '$1'), port };
}

function tlsOptions({ tls }: KafkaConnection): object | null {
  if (tls === undefined) return null;
  const { serverName, ...rest } = tls;
  return { ...rest, ...(serverName !== undefined && { servername: serverName }) };
}

function saslOptions({ sasl }: KafkaConnection): object | null {
  if (sasl === undefined) return null;
  if (sasl.mechanism !== 'OAUTHBEARER') return { ...sasl };
  return { mechanism: sasl.mechanism, oauthBearerProvider: tokenProvider(sasl.token) };
}

/** kafkajs would write to stdout. Its messages name brokers and requests, and no secrets. */
function loggerTo(onLog: LogLine | undefined): Logger {
  const at = (level: 'info' | 'warn' | 'error') => (message: string) => {
    if (!message.endsWith(GIVEN_UP)) onLog?.({ level, message });
  };
  const logger: Logger = {
    namespace: () => logger,
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    debug: () => undefined,
  };
  return logger;
}

function shuffled<T>(items: T[]): T[] {
  for (let last = items.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [items[last], items[other]] = [items[other] as T, items[last] as T];
  }
  return items;
}
