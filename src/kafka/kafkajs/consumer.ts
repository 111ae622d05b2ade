/**
 * Reads topics as a member of a consumer group. The group says which lanes we have (`GroupMember`), a loop for each
 * broker fetches what its partitions have room for (`PartitionFeed`), and nothing is committed but what we are told to.
 *
 * Reading goes on during a rebalance: a member that keeps a lane does not notice. A leader that moves, a broker that
 * dies or a topic that is made later changes where we fetch and not who has what.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AssignedPartition,
  type ConsumerHandlers,
  type KafkaConsumer,
  KafkaError,
  type KafkaRecord,
  type OffsetToCommit,
  type PartitionEnd,
  type TopicPartition,
} from '../kafka-client.ts';
import type { KafkaConnection } from '../kafka-connection.ts';
import { Brokers, type LogLine } from './brokers.ts';
import { type FetchAnswer, type FetchedPartition, fetchRequest } from './fetch-request.ts';
import { GroupMember } from './group-member.ts';
import { protocolError } from './internals.ts';
import { Offsets } from './offsets.ts';
import { PartitionFeed } from './partition-feed.ts';
import { kafkaError, problemWords, refusalType } from './problem-words.ts';
import { ClientProblems } from './problems.ts';
import { offsetBehind } from './record-batches.ts';
import { Wakeup } from './wakeup.ts';
import { TopicMap } from './topic-map.ts';

export interface ConsumerOptions {
  readonly connection: KafkaConnection;
  readonly group: string;
  readonly topics: readonly string[];
  /** Offset if nothing was committed. */
  readonly startFrom?: 'earliest' | 'latest';
  readonly sessionTimeoutMs?: number;
  readonly heartbeatMs?: number;
  readonly rebalanceTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly retryMs?: number;
  /** How old our knowledge of topics and leaders may be. */
  readonly metadataMaxAgeMs?: number;
  /**
   * Size limits of one fetch from one broker, and of one partition in it. A record that is larger comes all the same.
   */
  readonly fetchBytesMax?: number;
  readonly partitionBytesMax?: number;
  /** Largest size of an uncompressed batch. */
  readonly decompressedBytesMax?: number;
  readonly onLog?: LogLine;
}

const DEFAULTS = {
  startFrom: 'earliest',
  sessionTimeoutMs: 30_000,
  heartbeatMs: 3_000,
  rebalanceTimeoutMs: 60_000,
  requestTimeoutMs: 15_000,
  retryMs: 1_000,
  metadataMaxAgeMs: 30_000,
  fetchBytesMax: 16 * 1024 * 1024,
  partitionBytesMax: 1024 * 1024,
  decompressedBytesMax: 256 * 1024 * 1024,
} as const;

/** A fetch waits this long at the broker for records; a partition that gets room meanwhile waits with it, so not long. */
const FETCH_WAIT_MS = 500;
const FETCH_WAIT_WHILE_BUSY_MS = 20;
const COMMIT_LIMIT_MS = 30_000;
const LEAVE_LIMIT_MS = 2_000;

type Options = Required<Omit<ConsumerOptions, 'onLog'>> & Pick<ConsumerOptions, 'onLog'>;

export class KafkajsConsumer implements KafkaConsumer {
  readonly #options: Options;
  #session: ConsumerSession | undefined;

  constructor(options: ConsumerOptions) {
    this.#options = { ...DEFAULTS, ...options };
  }

  start(handlers: ConsumerHandlers): void {
    if (this.#session !== undefined) throw new Error('the consumer runs already');
    this.#session = new ConsumerSession(this.#options, handlers);
    this.#session.start();
  }

  async commit(offsets: readonly OffsetToCommit[]): Promise<void> {
    await this.#running().commit(offsets);
  }

  pause(partitions: readonly TopicPartition[]): void {
    for (const feed of this.#session?.feedsOf(partitions) ?? []) feed.pause();
  }

  resume(partitions: readonly TopicPartition[]): void {
    for (const feed of this.#session?.feedsOf(partitions) ?? []) feed.resume();
  }

  async ends(partitions: readonly TopicPartition[]): Promise<readonly PartitionEnd[]> {
    return await this.#running().ends(partitions);
  }

  async stop(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.stop();
  }

  #running(): ConsumerSession {
    if (this.#session === undefined) throw new KafkaError('the consumer is stopped', { retriable: false });
    return this.#session;
  }
}

/** Reading from a `start` to its `stop`. */
class ConsumerSession {
  readonly #options: Options;
  readonly #handlers: ConsumerHandlers;
  readonly #brokers: Brokers;
  readonly #topics: TopicMap;
  readonly #offsets: Offsets;
  readonly #member: GroupMember;
  readonly #problems: ClientProblems;
  readonly #changed = new Wakeup();
  readonly #stopping = new AbortController();
  readonly #feeds = new Map<string, PartitionFeed>();
  readonly #fetching = new Map<number, Promise<void>>();
  /** Callbacks of assignments, run one after the other. */
  #telling: Promise<void> = Promise.resolve();
  #watching: Promise<void> | undefined;

  constructor(options: Options, handlers: ConsumerHandlers) {
    this.#options = options;
    this.#handlers = handlers;
    this.#problems = new ClientProblems((problem) => {
      if (!this.#stopping.signal.aborted) handlers.onProblem(problem);
    });
    this.#brokers = new Brokers(options.connection, options);
    this.#topics = new TopicMap(this.#brokers, options.topics, this.#problems);
    this.#offsets = new Offsets(this.#brokers, this.#topics, options.group);
    this.#member = new GroupMember({
      brokers: this.#brokers,
      group: options.group,
      topics: options.topics,
      times: options,
      events: {
        onGeneration: ({ partitions, follows }) => this.#assigned(partitions, follows),
        onExpelled: () => this.#lose([...this.#feeds.values()]),
        onTrouble: (error) => this.#groupTrouble(error),
        partitionCounts: async () => {
          await this.#topics.refresh();
          return this.#topics.partitionCounts();
        },
      },
    });
  }

  start(): void {
    this.#watching = this.#watchTopics();
    this.#member.start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#changed.wake();
    // A broker that does not answer is not waited for: it misses us when our session ends.
    await Promise.race([this.#member.leave(), sleep(LEAVE_LIMIT_MS, undefined, { ref: false })]);
    this.#brokers.close();
    this.#lose([...this.#feeds.values()]);
    await Promise.all([this.#member.ended(), this.#watching, ...this.#fetching.values()]);
  }

  feedsOf(partitions: readonly TopicPartition[]): PartitionFeed[] {
    return partitions.flatMap((partition) => this.#feeds.get(keyOf(partition)) ?? []);
  }

  async ends(partitions: readonly TopicPartition[]): Promise<readonly PartitionEnd[]> {
    const ends = await this.#offsets.list(partitions, 'end').catch((error: unknown) => {
      this.#topics.suspect();
      this.#changed.wake();
      throw kafkaError(error, { doing: 'ask where partitions end' });
    });
    return ends.map(({ topic, partition, offset }) => {
      const isRead = this.#feeds.get(keyOf({ topic, partition }))?.hasReadTo(offset) ?? false;
      return { topic, partition, end: offset, isRead };
    });
  }

  async commit(offsets: readonly OffsetToCommit[]): Promise<void> {
    if (offsets.length === 0) return;
    const owned = offsets.map((offset) => this.#feeds.get(keyOf(offset)));
    const deadline = performance.now() + COMMIT_LIMIT_MS;
    for (;;) {
      // A generation that is over refuses commits, though we may have the partitions in the next one, too.
      const gone = offsets.find((_, index) => owned[index] === undefined || owned[index].lost);
      const identity = this.#member.identity;
      if (gone !== undefined || identity === undefined)
        throw new KafkaError(`not committed: ${keyOf(gone ?? (offsets[0] as OffsetToCommit))} is no longer ours`, {
          retriable: false,
        });
      try {
        await this.#offsets.commit(offsets, identity);
        return;
      } catch (error) {
        const type = refusalType(error);
        if (performance.now() > deadline || this.#stopping.signal.aborted)
          throw kafkaError(error, {
            doing: `commit offsets of group ${this.#options.group}`,
            group: this.#options.group,
          });
        if (type === 'REBALANCE_IN_PROGRESS' || type === 'ILLEGAL_GENERATION' || type === 'UNKNOWN_MEMBER_ID')
          await Promise.race([this.#member.past(identity), this.#pause(COMMIT_LIMIT_MS)]);
        else if (type !== '' && !kafkaError(error, { doing: 'commit' }).retriable)
          throw kafkaError(error, {
            doing: `commit offsets of group ${this.#options.group}`,
            group: this.#options.group,
          });
        else await this.#pause(Math.min(200, this.#options.retryMs));
      }
    }
  }

  #assigned(partitions: readonly TopicPartition[], follows: boolean): void {
    const wanted = new Set(partitions.map(keyOf));
    this.#lose([...this.#feeds.values()].filter((feed) => !follows || !wanted.has(keyOf(feed))));
    const kept = [...this.#feeds.values()].map(({ topic, partition }) => ({ topic, partition }));
    const gained = partitions
      .filter((partition) => !this.#feeds.has(keyOf(partition)))
      .map((one) => this.#newFeed(one));
    for (const feed of gained) this.#feeds.set(keyOf(feed), feed);
    this.#telling = this.#telling.then(() => this.#tell(gained, kept));
    this.#changed.wake();
  }

  /** Never rejects. Tries until it is done or others have the partitions. */
  async #tell(gained: readonly PartitionFeed[], kept: readonly TopicPartition[]): Promise<void> {
    for (let attempt = 1; !this.#stopping.signal.aborted; attempt++) {
      const ours = gained.filter((feed) => !feed.lost);
      if (ours.length === 0 && gained.length > 0) return;
      try {
        const begins = await this.#beginnings(ours);
        if (ours.some((feed) => feed.lost)) continue;
        const stillKept = kept.filter((partition) => this.#feeds.has(keyOf(partition)));
        const lanes = Math.max(0, ...this.#topics.partitionCounts().values());
        await this.#handlers.onAssigned({ gained: begins, kept: stillKept, lanes });
        for (const [index, feed] of ours.entries()) {
          if (feed.lost) continue;
          feed.position = begins[index]?.offset;
          feed.begin();
        }
        this.#problems.clear('assignment');
        this.#changed.wake();
        return;
      } catch (error) {
        // Leaders move for a moment, most of all of a topic that was just made: that is worth a word only where it lasts.
        const mayPass = attempt < 4 && LEADER_MOVES.includes(refusalType(error));
        if (!mayPass)
          this.#problems.set(
            'assignment',
            problemWords(error, { doing: 'begin reading the partitions that the group gave us' }),
          );
        await this.#topics.refresh().catch(() => undefined);
        await this.#pause(mayPass ? 100 : this.#options.retryMs);
      }
    }
  }

  /** First positions of partitions, in the same order. */
  async #beginnings(feeds: readonly PartitionFeed[]): Promise<AssignedPartition[]> {
    if (feeds.length === 0) return [];
    const [committed, starts, ends] = await Promise.all([
      this.#offsets.committed(feeds),
      this.#offsets.list(feeds, 'start'),
      this.#offsets.list(feeds, 'end'),
    ]);
    return feeds.map(({ topic, partition }, index) => {
      const logStart = starts[index]?.offset ?? 0;
      const logEnd = ends[index]?.offset ?? 0;
      const place = { topic, partition, logStart, logEnd };
      const was = committed[index];
      if (was === undefined)
        return { ...place, offset: this.#options.startFrom === 'earliest' ? logStart : logEnd, metadata: '' };
      if (was.offset >= logStart && was.offset <= logEnd) return { ...place, ...was };
      this.#reportGap(place, was.offset, logStart, logEnd);
      return { ...place, offset: logStart, metadata: was.offset > logEnd ? '' : was.metadata };
    });
  }

  #reportGap(partition: TopicPartition, wanted: number, logStart: number, logEnd: number): void {
    const key = keyOf(partition);
    const problem =
      wanted < logStart
        ? `${logStart - wanted} records of ${key} were deleted before they were read (offsets ${wanted} to ${logStart - 1}): ` +
          "raise the topic's retention, or read faster"
        : `${key} ends at offset ${logEnd}, though ${wanted} had been read: the topic was recreated, or brokers lost records. Reading from its start`;
    this.#problems.set(`gap ${key}`, problem);
  }

  #newFeed(partition: TopicPartition): PartitionFeed {
    return new PartitionFeed({
      ...partition,
      decompressedBytesMax: this.#options.decompressedBytesMax,
      deliver: async ({ topic, partition }, records: readonly KafkaRecord[]) => {
        await this.#handlers.onRecords({ topic, partition }, records);
        this.#problems.clear(`work ${topic}/${partition}`);
      },
      onFailure: async (error) => {
        const key = keyOf(partition);
        this.#problems.set(
          `work ${key}`,
          `records of ${key} could not be handed on: ${error instanceof Error ? error.message : error}`,
        );
        await this.#pause(this.#options.retryMs);
      },
      onRoom: () => this.#changed.wake(),
    });
  }

  #lose(feeds: readonly PartitionFeed[]): void {
    if (feeds.length === 0) return;
    for (const feed of feeds) {
      feed.lose();
      this.#feeds.delete(keyOf(feed));
      for (const about of ['gap', 'fetch', 'work']) this.#problems.clear(`${about} ${keyOf(feed)}`);
    }
    this.#handlers.onLost(feeds.map(({ topic, partition }) => ({ topic, partition })));
  }

  /** Keeps what we know of topics fresh, and a fetch loop for each broker that leads some of our partitions. */
  async #watchTopics(): Promise<void> {
    let freshUntil = 0;
    while (!this.#stopping.signal.aborted) {
      const now = performance.now();
      const stale = now >= freshUntil || this.#topics.isSuspect;
      if (stale) {
        const { retryMs, metadataMaxAgeMs } = this.#options;
        try {
          const partitionsChanged = await this.#topics.refresh();
          this.#problems.clear('brokers');
          if (partitionsChanged && this.#member.leads) this.#member.rejoin();
          freshUntil = now + (this.#topics.isWhole ? metadataMaxAgeMs : Math.min(retryMs * 5, metadataMaxAgeMs));
        } catch (error) {
          if (this.#stopping.signal.aborted) return;
          this.#problems.set('brokers', problemWords(error, { doing: 'ask the brokers for topics' }));
          freshUntil = now + retryMs;
        }
      }
      for (const feed of this.#feeds.values()) {
        feed.leader = this.#topics.leaderOf(feed);
        if (feed.leader !== undefined && !this.#fetching.has(feed.leader)) this.#fetchFrom(feed.leader);
      }
      const waitMs = this.#topics.isSuspect
        ? Math.min(100, this.#options.retryMs)
        : Math.max(10, freshUntil - performance.now());
      await this.#changed.raisedOr(waitMs);
    }
  }

  #fetchFrom(node: number): void {
    const loop = this.#fetchLoop(node).finally(() => {
      this.#fetching.delete(node);
      // The broker leads none of our partitions any longer, so its absence is no problem.
      this.#problems.clear(`broker ${node}`);
      this.#changed.wake();
    });
    this.#fetching.set(node, loop);
  }

  /** Ends when the broker leads none of our partitions. Never rejects. */
  async #fetchLoop(node: number): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const led = [...this.#feeds.values()].filter((feed) => feed.leader === node);
      if (led.length === 0) return;
      const active = led.filter((feed) => feed.isActive);
      const now = performance.now();
      const ready = active.filter((feed) => feed.hasRoom && feed.notBefore <= now);
      if (ready.length === 0) {
        await this.#changed.raisedOr(active.length === 0 ? FETCH_WAIT_MS : 100);
        continue;
      }
      try {
        await this.#fetch(node, ready, ready.length < active.length ? FETCH_WAIT_WHILE_BUSY_MS : FETCH_WAIT_MS);
        this.#problems.clear(`broker ${node}`);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#problems.set(`broker ${node}`, problemWords(error, { doing: `read from broker ${node}` }));
        this.#topics.suspect();
        this.#changed.wake();
        await this.#pause(this.#options.retryMs);
      }
    }
  }

  async #fetch(node: number, feeds: readonly PartitionFeed[], waitMs: number): Promise<void> {
    const request = fetchRequest(
      feeds.map((feed) => ({ topic: feed.topic, partition: feed.partition, offset: feed.position ?? 0 })),
      { waitMs, bytesMax: this.#options.fetchBytesMax, partitionBytesMax: this.#options.partitionBytesMax },
    );
    const from = new Map(feeds.map((feed) => [keyOf(feed), { feed, offset: feed.position ?? 0 }]));
    const answer = (await this.#brokers.send(node, request)) as FetchAnswer;
    for (const fetched of answer.partitions) {
      const asked = from.get(keyOf(fetched));
      if (asked === undefined || asked.feed.lost) continue;
      // A broker that slept may answer when another has led the partition for a while and we have read on there.
      if (asked.feed.position !== asked.offset || !asked.feed.hasRoom) continue;
      if (fetched.errorCode !== 0) await this.#fetchRefused(asked.feed, fetched);
      else {
        const next = offsetBehind(fetched.batches);
        if (next === undefined && fetched.batches.length > 0) {
          asked.feed.notBefore = performance.now() + this.#options.retryMs;
          this.#problems.set(
            `fetch ${keyOf(fetched)}`,
            `broker ${node} gives no batch of records at offset ${asked.offset} of ${keyOf(fetched)}`,
          );
          continue;
        }
        this.#problems.clear(`fetch ${keyOf(fetched)}`);
        if (next === undefined) continue;
        const { batches: bytes, aborted } = fetched;
        asked.feed.take({ bytes, aborted, fromOffset: asked.offset }, Math.max(next, asked.offset));
        this.#problems.clear(`gap ${keyOf(fetched)}`);
      }
    }
  }

  async #fetchRefused(feed: PartitionFeed, { topic, errorCode }: FetchedPartition): Promise<void> {
    const error = protocolError(errorCode);
    if (error.type === 'OFFSET_OUT_OF_RANGE') {
      await this.#skipGap(feed);
      return;
    }
    feed.notBefore = performance.now() + Math.min(250, this.#options.retryMs);
    this.#topics.suspect();
    this.#changed.wake();
    if (!LEADER_MOVES.includes(error.type)) {
      feed.notBefore = performance.now() + this.#options.retryMs;
      this.#problems.set(`fetch ${keyOf(feed)}`, problemWords(error, { doing: `read topic ${topic}`, topic }));
    }
  }

  /** The next offset does not exist: it was deleted for its age, or the log ends before it. */
  async #skipGap(feed: PartitionFeed): Promise<void> {
    const wanted = feed.position ?? 0;
    const [start] = await this.#offsets.list([feed], 'start');
    const [end] = await this.#offsets.list([feed], 'end');
    if (start === undefined || end === undefined || feed.lost || feed.position !== wanted) return;
    if (wanted < start.offset) {
      this.#reportGap(feed, wanted, start.offset, end.offset);
      feed.position = start.offset;
    } else if (wanted > end.offset) {
      // Everything known of the partition is out of date, so it is reported as lost and assigned again.
      const { topic, partition } = feed;
      this.#lose([feed]);
      this.#reportGap(feed, wanted, start.offset, end.offset);
      const anew = this.#newFeed({ topic, partition });
      this.#feeds.set(keyOf(anew), anew);
      const kept = [...this.#feeds.values()]
        .filter((one) => one !== anew)
        .map((one) => ({ topic: one.topic, partition: one.partition }));
      this.#telling = this.#telling.then(() => this.#tell([anew], kept));
    }
  }

  #groupTrouble(error: unknown): void {
    const { group } = this.#options;
    if (error === undefined) this.#problems.clear('group');
    else this.#problems.set('group', problemWords(error, { doing: `join group ${group}`, group }));
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}

const LEADER_MOVES = [
  'UNKNOWN_TOPIC_OR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'REPLICA_NOT_AVAILABLE',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'OFFSET_NOT_AVAILABLE',
];

function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
