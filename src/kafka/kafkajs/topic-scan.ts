/**
 * Reads one topic from known offsets to its present end, once, outside any group's division; and keeps with a group how far somebody
 * has come. For commands; whoever follows a topic is a consumer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { KafkaError, type KafkaRecord, type OffsetToCommit } from '../kafka-client.ts';
import type { KafkaConnection } from '../kafka-connection.ts';
import { Brokers } from './brokers.ts';
import { type FetchAnswer, fetchRequest } from './fetch-request.ts';
import { protocolError } from './internals.ts';
import { Offsets } from './offsets.ts';
import { kafkaError } from './problem-words.ts';
import { ClientProblems } from './problems.ts';
import { offsetBehind, readBatches } from './record-batches.ts';
import { TopicMap } from './topic-map.ts';

export interface ScannedPartition {
  readonly partition: number;
  readonly logStart: number;
  readonly logEnd: number;
  /** Metadata that the group stored; undefined if there is none. */
  readonly kept: { readonly offset: number; readonly metadata: string } | undefined;
}

interface ScannedRecord {
  readonly partition: number;
  readonly record: KafkaRecord;
}

const REQUEST_TIMEOUT_MS = 15_000;
const PATIENCE_MS = 20_000;
const RETRY_MS = 200;
const FETCH_BYTES = 8 * 1024 * 1024;
const DECOMPRESSED_BYTES_MAX = 256 * 1024 * 1024;

export class TopicScan {
  readonly #topic: string;
  readonly #brokers: Brokers;
  readonly #map: TopicMap;
  readonly #offsets: Offsets;

  constructor(options: { readonly connection: KafkaConnection; readonly topic: string; readonly group: string }) {
    this.#topic = options.topic;
    this.#brokers = new Brokers(options.connection, { requestTimeoutMs: REQUEST_TIMEOUT_MS });
    this.#map = new TopicMap(this.#brokers, [options.topic], new ClientProblems(() => undefined));
    this.#offsets = new Offsets(this.#brokers, this.#map, options.group);
  }

  async open(): Promise<readonly ScannedPartition[]> {
    return await this.#trying(async () => {
      await this.#map.refresh();
      const refusal = this.#map.errorOf(this.#topic);
      if (refusal !== undefined) throw refusal;
      const count = this.#map.partitionCounts().get(this.#topic) ?? 0;
      const partitions = Array.from({ length: count }, (_, partition) => ({ topic: this.#topic, partition }));
      const [starts, ends, kept] = await Promise.all([
        this.#offsets.list(partitions, 'start'),
        this.#offsets.list(partitions, 'end'),
        this.#offsets.committed(partitions),
      ]);
      return partitions.map(({ partition }, index) => ({
        partition,
        logStart: starts[index]?.offset ?? 0,
        logEnd: ends[index]?.offset ?? 0,
        kept: kept[index],
      }));
    });
  }

  /** Reads from `offset` of each partition up to its `logEnd` as `open` found it, one partition after the other. */
  async *read(
    from: readonly { readonly partition: number; readonly offset: number; readonly logEnd: number }[],
  ): AsyncGenerator<ScannedRecord> {
    for (const { partition, offset, logEnd } of from) {
      for (let next = offset; next < logEnd; ) {
        const fetched = await this.#trying(() => this.#fetch(partition, next));
        const behind = offsetBehind(fetched.batches);
        if (behind === undefined || behind <= next)
          throw new KafkaError(`${this.#topic}/${partition} has nothing at offset ${next}`, { retriable: true });
        const batches = { bytes: fetched.batches, aborted: fetched.aborted, fromOffset: next };
        for (const record of await readBatches(batches, DECOMPRESSED_BYTES_MAX))
          if (record.offset < logEnd) yield { partition, record };
        next = behind;
      }
    }
  }

  async keep(offsets: readonly Omit<OffsetToCommit, 'topic'>[]): Promise<void> {
    const ours = offsets.map((offset) => ({ topic: this.#topic, ...offset }));
    await this.#trying(() => this.#offsets.commit(ours, NO_MEMBER));
  }

  close(): void {
    this.#brokers.close();
  }

  async #fetch(partition: number, offset: number) {
    const leader = this.#map.leaderOf({ topic: this.#topic, partition });
    if (leader === undefined)
      throw new KafkaError(`partition ${this.#topic}/${partition} has no leader`, { retriable: true });
    const limits = { waitMs: 1_000, bytesMax: FETCH_BYTES, partitionBytesMax: FETCH_BYTES };
    const answer = (await this.#brokers.send(
      leader,
      fetchRequest([{ topic: this.#topic, partition, offset }], limits),
    )) as FetchAnswer;
    const [fetched] = answer.partitions;
    if (fetched === undefined) throw new KafkaError(`no answer for ${this.#topic}/${partition}`, { retriable: true });
    if (fetched.errorCode !== 0) throw protocolError(fetched.errorCode);
    return fetched;
  }

  /** A coordinator that is only being made, a leader that moves: what may pass is given time to. */
  async #trying<T>(work: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const failure = kafkaError(error, { doing: `read topic ${this.#topic}`, topic: this.#topic });
        const isMissing = this.#map.errorOf(this.#topic) !== undefined;
        if (!failure.retriable || isMissing || performance.now() > deadline) throw failure;
        await sleep(RETRY_MS);
        await this.#map.refresh().catch(() => undefined);
      }
    }
  }
}

/** Brokers take the offsets of a group without members from anybody who may write them. */
const NO_MEMBER = { memberId: '', generation: -1 };
