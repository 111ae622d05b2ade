/**
 * Sends records in Kafka transactions that also carry how far it has come, as an offset of a consumer group of the publisher's name. Both are
 * there or neither is.
 *
 *   closed ──open──▶ ready ──publish──▶ ready
 *                      └──something failed──▶ unclear ──ended──▶ over ──begun again──▶ ready
 *                                                └── or fenced for good ──┘
 *
 * Unclear is what a lost answer leaves: the transaction may have been committed. The next call ends it; where that is refused, another
 * publisher of the name has taken over. Then it takes the name once more and reads the progress: it is what it was, or what it was to become. If it
 * is anything else, somebody else wrote it.
 *
 * Over is a separate state because the answer to taking the name can be lost as well, or reading the progress can fail.
 * The brokers then reject our old identity in favour of our own new one, and ending the transaction once more would
 * look like a takeover by another publisher. Should one come just then and have written nothing yet, we take the name
 * from it; it finds out and opens again, and each record is still there once.
 *
 * Brokers forget offsets of groups without members after `offsets.retention.minutes` (seven days), so a publisher that has nothing to say
 * says again how far it is.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { KafkaError, type KafkaPublisher, type RecordToSend } from '../kafka-client.ts';
import type { KafkaConnection } from '../kafka-connection.ts';
import { BatchSender, newIdentity, type PartitionRecords, type ProducerIdentity } from './batch-sender.ts';
import { Brokers, type LogLine, throwIfRefused } from './brokers.ts';
import type { ProducerCodec } from './codecs.ts';
import { Offsets } from './offsets.ts';
import { choosePartitions } from './partition-choice.ts';
import { kafkaError, refusalType } from './problem-words.ts';
import { ClientProblems } from './problems.ts';
import { TopicMap } from './topic-map.ts';

interface PublisherOptions {
  readonly connection: KafkaConnection;
  /** One name, one living publisher. It is the transactional id and the group that has the progress. */
  readonly name: string;
  readonly topic: string;
  readonly compression?: ProducerCodec;
  readonly requestTimeoutMs?: number;
  /** How long `open` and `publish` try before they reject. */
  readonly deliveryTimeoutMs?: number;
  readonly transactionTimeoutMs?: number;
  readonly repeatProgressMs?: number;
  readonly onLog?: LogLine;
}

type State =
  | { readonly is: 'closed' }
  | {
      readonly is: 'ready';
      readonly sender: BatchSender;
      readonly identity: ProducerIdentity;
      readonly progress: number | undefined;
    }
  | {
      readonly is: 'unclear';
      readonly identity: ProducerIdentity;
      readonly progress: number | undefined;
      readonly wanted: number | undefined;
    }
  /** Our last transaction has ended, one way or the other. */
  | { readonly is: 'over'; readonly progress: number | undefined; readonly wanted: number | undefined }
  | { readonly is: 'fenced' };

const RETRY_MS = 50;
const STOP_LIMIT_MS = 5_000;
const SIX_HOURS_MS = 6 * 3_600_000;

export class KafkajsPublisher implements KafkaPublisher {
  readonly #options: PublisherOptions;
  readonly #brokers: Brokers;
  readonly #topics: TopicMap;
  readonly #offsets: Offsets;
  readonly #deliveryTimeoutMs: number;
  readonly #coordinators = new Map<'group' | 'transaction', number>();
  #state: State = { is: 'closed' };
  #lastPublished = 0;
  /** Calls are done one after the other. */
  #queue: Promise<unknown> = Promise.resolve();
  #repeating: NodeJS.Timeout | undefined;

  constructor(options: PublisherOptions) {
    this.#options = options;
    const { requestTimeoutMs = 15_000, deliveryTimeoutMs = 30_000 } = options;
    this.#deliveryTimeoutMs = deliveryTimeoutMs;
    this.#brokers = new Brokers(options.connection, { requestTimeoutMs, onLog: options.onLog });
    this.#topics = new TopicMap(this.#brokers, [options.topic], new ClientProblems(() => undefined));
    this.#offsets = new Offsets(this.#brokers, this.#topics, options.name);
  }

  async open(): Promise<number | undefined> {
    return await this.#inTurn(async (deadline) => {
      await this.#trying(deadline, () => this.#topics.refresh());
      const refusal = this.#topics.errorOf(this.#options.topic);
      if (refusal !== undefined) throw this.#failure(refusal);
      const progress = await this.#begin(deadline);
      this.#repeatProgress();
      return progress;
    });
  }

  async publish(records: readonly RecordToSend[], progress: number): Promise<void> {
    await this.#inTurn(async (deadline) => {
      const wasReady = this.#state.is === 'ready';
      await this.#clear(deadline);
      // The call before this one could not find out that it had succeeded.
      if (!wasReady && this.#hasCome(progress)) return;
      await this.#transact(records, progress, deadline);
    });
  }

  async stop(): Promise<void> {
    clearInterval(this.#repeating);
    // A transaction that is cut short here is aborted by whoever opens the name next.
    await Promise.race([this.#queue, sleep(STOP_LIMIT_MS, undefined, { ref: false })]);
    this.#brokers.close();
    await this.#queue;
    this.#state = { is: 'closed' };
  }

  #inTurn<T>(work: (deadline: number) => Promise<T>): Promise<T> {
    const turn = this.#queue
      .then(() => work(performance.now() + this.#deliveryTimeoutMs))
      .catch((error: unknown) => {
        throw this.#failure(error);
      });
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  /** Takes the name over, and reads how far whoever had it came. */
  async #begin(deadline: number): Promise<number | undefined> {
    const { name, transactionTimeoutMs = 60_000 } = this.#options;
    const identity = await this.#trying(deadline, async () => {
      const node = await this.#brokers.coordinator({ kind: 'transaction', id: name });
      return await newIdentity(this.#brokers, {
        node,
        transactionalId: name,
        transactionTimeout: transactionTimeoutMs,
      });
    });
    const progress = await this.#readProgress(deadline);
    const codec = this.#options.compression ?? 'none';
    const sender = new BatchSender({
      brokers: this.#brokers,
      leaders: this.#topics,
      identity,
      transactionalId: name,
      codec,
    });
    this.#state = { is: 'ready', sender, identity, progress };
    return progress;
  }

  async #readProgress(deadline: number): Promise<number | undefined> {
    const [committed] = await this.#trying(deadline, () =>
      this.#offsets.committed([{ topic: this.#options.topic, partition: 0 }]),
    );
    return committed?.offset;
  }

  async #transact(records: readonly RecordToSend[], progress: number, deadline: number): Promise<void> {
    const state = this.#state;
    if (state.is !== 'ready') throw this.#notReady(state);
    // Otherwise progress would not tell whether records are there.
    if (records.length > 0 && progress === state.progress)
      throw new KafkaError(`records were published up to ${progress} already`, { retriable: false });
    const divided = choosePartitions(this.#options.topic, records, this.#topics);
    this.#state = { is: 'unclear', identity: state.identity, progress: state.progress, wanted: undefined };
    try {
      await this.#fill(state, divided, progress, deadline);
      this.#state = { ...this.#state, wanted: progress };
      await this.#end(state.identity, 'commit', deadline);
      this.#state = { ...state, progress };
      this.#lastPublished = performance.now();
    } catch (error) {
      // Problems with the records or with this client are reported as they are; problems of the brokers may be over
      // already.
      await this.#clear(deadline).catch(() => undefined);
      if (this.#hasCome(progress)) return;
      throw this.#isFenced() ? this.#fenced() : this.#failure(error);
    }
  }

  async #fill(
    { sender, identity }: { readonly sender: BatchSender; readonly identity: ProducerIdentity },
    divided: readonly PartitionRecords[],
    progress: number,
    deadline: number,
  ): Promise<void> {
    const { name, topic } = this.#options;
    const us = { transactionalId: name, ...identity };
    if (divided.length > 0) {
      const topics = [{ topic, partitions: divided.map(({ partition }) => partition) }];
      await this.#trying(deadline, async () => {
        const answer = (await this.#askCoordinator('transaction', 'AddPartitionsToTxn', {
          ...us,
          topics,
        })) as TopicErrors<'errors', 'partitionErrors'>;
        for (const { partitionErrors } of answer.errors) throwFirst(partitionErrors);
      });
      const failures = await sender.send(divided, deadline);
      const failure = failures.find((one) => one !== undefined);
      if (failure !== undefined) throw failure;
    }
    await this.#trying(deadline, async () => {
      const answer = (await this.#askCoordinator('transaction', 'AddOffsetsToTxn', {
        ...us,
        groupId: name,
      })) as ErrorCode;
      throwIfRefused(answer.errorCode);
    });
    const topics = [{ topic, partitions: [{ partition: 0, offset: String(progress), metadata: '' }] }];
    await this.#trying(deadline, async () => {
      const answer = (await this.#askCoordinator('group', 'TxnOffsetCommit', {
        ...us,
        groupId: name,
        topics,
      })) as TopicErrors<'topics', 'partitions'>;
      for (const { partitions } of answer.topics) throwFirst(partitions);
    });
  }

  async #end(identity: ProducerIdentity, how: 'commit' | 'abort', deadline: number): Promise<void> {
    const request = { transactionalId: this.#options.name, ...identity, transactionResult: how === 'commit' };
    await this.#trying(deadline, async () => {
      const answer = (await this.#askCoordinator('transaction', 'EndTxn', request)) as ErrorCode;
      throwIfRefused(answer.errorCode);
    });
  }

  /** From unclear, or over, to ready or fenced. */
  async #clear(deadline: number): Promise<void> {
    if (this.#state.is === 'unclear') {
      const { identity, progress, wanted } = this.#state;
      await this.#endForSure(identity, deadline);
      this.#state = { is: 'over', progress, wanted };
    }
    const state = this.#state;
    if (state.is === 'ready') return;
    if (state.is !== 'over') throw this.#notReady(state);
    const progress = await this.#begin(deadline);
    if (progress === state.progress || progress === state.wanted) return;
    this.#state = { is: 'fenced' };
    throw this.#fenced();
  }

  async #endForSure(identity: ProducerIdentity, deadline: number): Promise<void> {
    try {
      await this.#end(identity, 'abort', deadline);
    } catch (error) {
      const type = refusalType(error);
      if (FENCED.includes(type)) {
        this.#state = { is: 'fenced' };
        throw this.#fenced();
      }
      // There is nothing to abort: it was not begun, or it is committed.
      if (type !== 'INVALID_TXN_STATE') throw error;
    }
  }

  #repeatProgress(): void {
    clearInterval(this.#repeating);
    const everyMs = this.#options.repeatProgressMs ?? SIX_HOURS_MS;
    this.#repeating = setInterval(() => {
      const state = this.#state;
      if (state.is !== 'ready' || state.progress === undefined || performance.now() - this.#lastPublished < everyMs / 2)
        return;
      // If it fails, the next call to publish finds out why.
      this.publish([], state.progress).catch(() => undefined);
    }, everyMs);
    this.#repeating.unref();
  }

  async #askCoordinator(kind: 'group' | 'transaction', name: string, request: object): Promise<unknown> {
    const node = this.#coordinators.get(kind) ?? (await this.#brokers.coordinator({ kind, id: this.#options.name }));
    this.#coordinators.set(kind, node);
    return await this.#brokers.request(node, name, request);
  }

  /** Until the deadline, where trying again may help. */
  async #trying<T>(deadline: number, attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        this.#coordinators.clear();
        const transient = TRANSIENT.includes(refusalType(error)) || this.#failure(error).retriable;
        if (!transient || performance.now() > deadline) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  #failure(error: unknown): KafkaError {
    if (FENCED.includes(refusalType(error))) return this.#fenced();
    const { topic, name } = this.#options;
    return kafkaError(error, { doing: `publish to topic ${topic}`, topic, group: name });
  }

  #fenced(): KafkaError {
    return new KafkaError(
      `another publisher has taken over the name ${this.#options.name}, or a transaction took longer than brokers allow. This one ends`,
      { retriable: false },
    );
  }

  #isFenced(): boolean {
    return this.#state.is === 'fenced';
  }

  #hasCome(progress: number): boolean {
    return this.#state.is === 'ready' && this.#state.progress === progress;
  }

  #notReady(state: State): KafkaError {
    if (state.is === 'fenced') return this.#fenced();
    return new KafkaError('the publisher is not open', { retriable: false });
  }
}

interface ErrorCode {
  readonly errorCode: number;
}

type TopicErrors<Outer extends string, Inner extends string> = {
  readonly [outer in Outer]: readonly { readonly [inner in Inner]: readonly ErrorCode[] }[];
};

/** An older transaction of ours is still being ended, or a coordinator has moved. */
const TRANSIENT = [
  'CONCURRENT_TRANSACTIONS',
  'NOT_COORDINATOR_FOR_GROUP',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'GROUP_LOAD_IN_PROGRESS',
];
const FENCED = ['INVALID_PRODUCER_EPOCH', 'INVALID_PRODUCER_ID_MAPPING', 'PRODUCER_FENCED'];

function throwFirst(errors: readonly ErrorCode[]): void {
  for (const { errorCode } of errors) throwIfRefused(errorCode);
}
