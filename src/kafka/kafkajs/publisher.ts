/**
 * Sends records in Kafka transactions that also carry how far it has come, as an offset of a consumer group of the publisher's name. Both are
 * there or neither is.
 *
 *   closed ──open──▶ ready ──publish──▶ over ──an epoch of its own──▶ ready
 *                      └──something failed──▶ unclear ──ended──▶ over
 *                                                └── or fenced: another publisher has the name
 *
 * Each transaction has an epoch of its own, as Kafka's newest clients have it (KIP-890). A coordinator that was slow may tell a partition
 * twice that a transaction has ended, and the second time may come during the next transaction. In one epoch it would
 * end that one, in this partition alone: its records are there whatever becomes of the others.
 *
 * Unclear is what a lost answer leaves: the transaction may have been committed. The coordinator says which when it is
 * asked to abort it; no other transaction has that epoch.
 *
 * The epoch is asked for as soon as the transaction before is over, because a coordinator that is asked for one ends
 * the transaction that is open, and by the next call that may be another publisher's. The new identity may not be the
 * one after ours: ids were used up or forgotten, or the answer was lost and the coordinator that took over no longer
 * knows that the newest identity is ours. Then progress says whether another publisher had the name. Should another
 * one have come just then and have written nothing yet, we take the name from it; it finds out and opens again, and
 * each record is still there once.
 *
 * Brokers forget offsets of groups without members after `offsets.retention.minutes` (seven days), so a publisher that has nothing to say
 * says again how far it is.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { KafkaError, type KafkaPublisher, type RecordToSend } from '../kafka-client.ts';
import type { KafkaConnection } from '../kafka-connection.ts';
import { BatchSender, type PartitionRecords } from './batch-sender.ts';
import { Brokers, type LogLine, throwIfRefused } from './brokers.ts';
import type { ProducerCodec } from './codecs.ts';
import { Offsets } from './offsets.ts';
import { choosePartitions } from './partition-choice.ts';
import { kafkaError, refusalType } from './problem-words.ts';
import { ClientProblems } from './problems.ts';
import { type ProducerIdentity, transactionalIdentity } from './producer-identity.ts';
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
      /** No transaction has used it. */
      readonly identity: ProducerIdentity;
      readonly progress: number | undefined;
    }
  /** The progress is that before the last transaction. */
  | { readonly is: 'unclear'; readonly identity: ProducerIdentity; readonly progress: number | undefined }
  /** Our last transaction has ended, and it is known how. */
  | { readonly is: 'over'; readonly identity: ProducerIdentity; readonly progress: number | undefined }
  | { readonly is: 'fenced' };

const RETRY_MS = 50;
/** Longer than a partition takes to learn that a transaction has ended. The next call tries again. */
const NEXT_EPOCH_LIMIT_MS = 1_000;
const STOP_LIMIT_MS = 5_000;
const SIX_HOURS_MS = 6 * 3_600_000;

export class KafkajsPublisher implements KafkaPublisher {
  readonly #options: PublisherOptions;
  readonly #brokers: Brokers;
  readonly #topics: TopicMap;
  readonly #deliveryTimeoutMs: number;
  readonly #coordinators = new Map<'group' | 'transaction', number>();
  #state: State = { is: 'closed' };
  /** Progress with the last commit that was asked for, until its caller is told. */
  #wanted: number | undefined;
  /** Asking for an identity after the last one failed, though it may have been given. */
  #mayHaveNext = false;
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
      await this.#clear(deadline);
      // The call before this one could not find out that it had succeeded.
      const wasDone = this.#wanted === progress && this.#hasCome(progress);
      if (!wasDone) await this.#transact(records, progress, deadline);
      this.#wanted = undefined;
    });
    void this.#inTurn(() => this.#askForNextEpoch()).catch(() => undefined);
  }

  async stop(): Promise<void> {
    // A transaction that is cut short here is aborted by whoever opens the name next.
    await Promise.race([this.#queue, sleep(STOP_LIMIT_MS, undefined, { ref: false })]);
    this.#brokers.close();
    await this.#queue;
    clearInterval(this.#repeating);
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
    const identity = await this.#trying(deadline, () => this.#newIdentity());
    const progress = await this.#readProgress(deadline);
    this.#wanted = undefined;
    this.#makeReady(identity, progress);
    return progress;
  }

  async #newIdentity(replaces?: ProducerIdentity): Promise<ProducerIdentity> {
    const { name, transactionTimeoutMs = 60_000 } = this.#options;
    const producer = { transactionalId: name, transactionTimeoutMs, ...(replaces !== undefined && { replaces }) };
    return await transactionalIdentity(this.#brokers, await this.#coordinator('transaction'), producer);
  }

  async #nextIdentity(last: ProducerIdentity): Promise<ProducerIdentity> {
    try {
      return await this.#newIdentity(last);
    } catch (error) {
      const type = refusalType(error);
      if (this.#mayHaveNext && FENCED.includes(type)) return await this.#newIdentity();
      if (type !== 'CONCURRENT_TRANSACTIONS') this.#mayHaveNext = true;
      throw error;
    }
  }

  #makeReady(identity: ProducerIdentity, progress: number | undefined): void {
    const sender = new BatchSender({
      brokers: this.#brokers,
      leaders: this.#topics,
      identity,
      transactionalId: this.#options.name,
      codec: this.#options.compression ?? 'none',
    });
    this.#state = { is: 'ready', sender, identity, progress };
    this.#mayHaveNext = false;
  }

  async #readProgress(deadline: number): Promise<number | undefined> {
    const { name, topic } = this.#options;
    // It looks for the coordinator: one that was known long ago may have slept, and would say what was then.
    const offsets = new Offsets(this.#brokers, this.#topics, name);
    const [committed] = await this.#trying(deadline, () => offsets.committed([{ topic, partition: 0 }]));
    return committed?.offset;
  }

  async #transact(records: readonly RecordToSend[], progress: number, deadline: number): Promise<void> {
    const state = this.#state;
    if (state.is !== 'ready') throw this.#notReady(state);
    // Otherwise progress would not tell whether records are there.
    if (records.length > 0 && progress === state.progress)
      throw new KafkaError(`records were published up to ${progress} already`, { retriable: false });
    const divided = choosePartitions(this.#options.topic, records, this.#topics);
    const { identity } = state;
    this.#state = { is: 'unclear', identity, progress: state.progress };
    this.#wanted = undefined;
    try {
      await this.#fill(state, divided, progress, deadline);
      this.#wanted = progress;
      await this.#end(identity, 'commit', deadline);
      this.#state = { is: 'over', identity, progress };
      this.#lastPublished = performance.now();
    } catch (error) {
      // Problems with the records or with this client are reported as they are; problems of the brokers may be over
      // already.
      await this.#clear(deadline).catch(() => undefined);
      if (this.#hasCome(progress)) return;
      if (this.#isFenced()) throw this.#fenced();
      const known = kafkaError(error, this.#attempt());
      throw MAY_PASS.includes(refusalType(error))
        ? new KafkaError(known.message, { retriable: true, cause: error })
        : known;
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

  async #askForNextEpoch(): Promise<void> {
    await this.#clear(performance.now() + NEXT_EPOCH_LIMIT_MS);
  }

  /** From unclear, or over, to ready or fenced. */
  async #clear(deadline: number): Promise<void> {
    if (this.#state.is === 'unclear') {
      const { identity, progress } = this.#state;
      const isCommitted = !(await this.#isAborted(identity, deadline)) && this.#wanted !== undefined;
      this.#state = { is: 'over', identity, progress: isCommitted ? this.#wanted : progress };
    }
    const state = this.#state;
    if (state.is === 'ready') return;
    if (state.is !== 'over') throw this.#notReady(state);
    const identity = await this.#unlessFenced(() => this.#trying(deadline, () => this.#nextIdentity(state.identity)));
    const isNext =
      identity.producerId === state.identity.producerId && identity.producerEpoch === state.identity.producerEpoch + 1;
    if (!isNext && (await this.#readProgress(deadline)) !== state.progress) {
      this.#state = { is: 'fenced' };
      throw this.#fenced();
    }
    this.#makeReady(identity, state.progress);
  }

  /** False where there was nothing to abort: it was not begun, or it is committed. */
  async #isAborted(identity: ProducerIdentity, deadline: number): Promise<boolean> {
    try {
      await this.#unlessFenced(() => this.#end(identity, 'abort', deadline));
      return true;
    } catch (error) {
      if (refusalType(error) === 'INVALID_TXN_STATE') return false;
      throw error;
    }
  }

  async #unlessFenced<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!FENCED.includes(refusalType(error))) throw error;
      this.#state = { is: 'fenced' };
      throw this.#fenced();
    }
  }

  #repeatProgress(): void {
    clearInterval(this.#repeating);
    const everyMs = this.#options.repeatProgressMs ?? SIX_HOURS_MS;
    const repeat = async (deadline: number) => {
      // Calls before this one may have changed it.
      const progress = 'progress' in this.#state ? this.#state.progress : undefined;
      const isRecent = performance.now() - this.#lastPublished < everyMs / 2;
      if (progress === undefined || isRecent || this.#wanted !== undefined) return;
      await this.#clear(deadline);
      await this.#transact([], progress, deadline).finally(() => {
        this.#wanted = undefined;
      });
      await this.#askForNextEpoch();
    };
    // If it fails, the next time or the next call to publish finds out why.
    this.#repeating = setInterval(() => void this.#inTurn(repeat).catch(() => undefined), everyMs);
    this.#repeating.unref();
  }

  async #askCoordinator(kind: 'group' | 'transaction', name: string, request: object): Promise<unknown> {
    return await this.#brokers.request(await this.#coordinator(kind), name, request);
  }

  async #coordinator(kind: 'group' | 'transaction'): Promise<number> {
    const node = this.#coordinators.get(kind) ?? (await this.#brokers.coordinator({ kind, id: this.#options.name }));
    this.#coordinators.set(kind, node);
    return node;
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
    if (error instanceof KafkaError) return error;
    return FENCED.includes(refusalType(error)) ? this.#fenced() : kafkaError(error, this.#attempt());
  }

  #attempt() {
    const { topic, name } = this.#options;
    return { doing: `publish to topic ${topic}`, topic, group: name };
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
    return (this.#state.is === 'ready' || this.#state.is === 'over') && this.#state.progress === progress;
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
/**
 * Answers of a partition that had a marker of an older transaction meanwhile, or asked a coordinator that is none any
 * longer. Whether we are fenced, only the coordinator says.
 */
const MAY_PASS = ['INVALID_TXN_STATE', ...FENCED];

function throwFirst(errors: readonly ErrorCode[]): void {
  for (const { errorCode } of errors) throwIfRefused(errorCode);
}
