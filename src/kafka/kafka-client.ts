/**
 * Port of a Kafka client, as Assay needs it. One library is behind it (`kafkajs/`); another can be, without anything
 * else changing.
 *
 * A consumer is given the partitions of one number of all its topics together (a lane), so that spans and log records
 * of one trace meet. It says what it has, delivers records in order, and commits what it is told to commit; it commits
 * nothing by itself.
 */

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export interface KafkaRecord {
  readonly offset: number;
  /** Milliseconds; by the broker's clock or the producer's, as the topic is configured. */
  readonly timestamp: number;
  readonly key: Buffer | undefined;
  readonly value: Buffer | undefined;
  readonly headers: readonly KafkaHeader[];
  /** Stands for a batch of records that could not be read, and says why; `value` is the batch as it was sent. */
  readonly unreadable?: string;
}

export interface KafkaHeader {
  readonly key: string;
  readonly value: Buffer | undefined;
}

export interface AssignedPartition extends TopicPartition {
  /** Offset at which reading begins: what the group committed, else the start or the end as configured. */
  readonly offset: number;
  /** Metadata committed with the offset; empty if there was none. */
  readonly metadata: string;
  /** The broker's limits at the time. Where `logEnd` is before what was read earlier, the topic was created again. */
  readonly logStart: number;
  readonly logEnd: number;
}

export interface ConsumerHandlers {
  /**
   * The partitions that this member has from now on, all of them. Lanes of the previous generation that it still has
   * are `kept`: reading goes on where it is, because no other member had them in between. Awaited before any record of
   * a new one is delivered.
   */
  onAssigned(assignment: {
    readonly gained: readonly AssignedPartition[];
    readonly kept: readonly TopicPartition[];
    /** How many lanes there are in all, whoever has them: as many as the largest of the topics has partitions. */
    readonly lanes: number;
  }): Promise<void>;
  /** Others may have these from now on. */
  onLost(partitions: readonly TopicPartition[]): void;
  /**
   * Takes records in order within a partition; the next ones of the partition come when this has resolved. Heartbeats
   * go on meanwhile.
   */
  onRecords(partition: TopicPartition, records: readonly KafkaRecord[]): Promise<void>;
  /** Problem that stops reading, for logs and readiness, with what to do; undefined once reading resumes. */
  onProblem(problem: string | undefined): void;
}

export interface OffsetToCommit extends TopicPartition {
  readonly offset: number;
  readonly metadata: string;
}

export interface PartitionEnd extends TopicPartition {
  /** The offset behind the last record that can be read. */
  readonly end: number;
  /**
   * True if all records before the end have been handed on. Offsets do not show it, because marks of transactions count
   * and are no records.
   */
  readonly isRead: boolean;
}

export interface KafkaConsumer {
  /** Returns at once; brokers that are down, topics that are missing and rights that are missing are problems, not failures. */
  start(handlers: ConsumerHandlers): void;
  /** Rejects where the group has given a partition away; nothing is lost by that. */
  commit(offsets: readonly OffsetToCommit[]): Promise<void>;
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
  /** Asks the brokers. Records acknowledged before the call lie before these ends. */
  ends(partitions: readonly TopicPartition[]): Promise<readonly PartitionEnd[]>;
  /** Leaves the group at once, so that others take over without waiting for a timeout; `start` joins it again. */
  stop(): Promise<void>;
}

export interface RecordToSend {
  readonly key: Buffer | string | undefined;
  readonly value: Buffer;
  readonly headers?: readonly KafkaHeader[];
  readonly partition?: number;
  /** Chooses the partition in place of the key. */
  readonly partitionKey?: string;
}

export interface KafkaProducer {
  /** Resolves when all in-sync replicas have it (acks=all, idempotent); rejects with a `KafkaError` otherwise. */
  send(topic: string, records: readonly RecordToSend[]): Promise<void>;
  stop(): Promise<void>;
}

/** Says what was wrong, with what, and what to do. */
export class KafkaError extends Error {
  readonly retriable: boolean;
  /** A record is larger than its topic takes: sending less may help where sending again does not. */
  readonly isTooLarge: boolean;

  constructor(
    message: string,
    options: { readonly retriable: boolean; readonly isTooLarge?: boolean; readonly cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.retriable = options.retriable;
    this.isTooLarge = options.isTooLarge ?? false;
  }
}
