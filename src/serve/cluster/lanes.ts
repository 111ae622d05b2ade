/**
 * The lanes that this instance has: takes them as the consumer group gives them, hands records to them, asks the
 * brokers where topics end so that time moves on where nothing comes, and commits what is filed.
 *
 *   outside --start--> member of the group --stop, or the store is away for long--> outside
 *   member: lanes come and go with the assignment; a lane that another instance has filed under is dropped, and this member joins again
 *
 * Nothing is kept of a lane that goes. Its next owner reads from the committed offset.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClosedTurn, TurnLimits } from '../../assemble/open-turns.ts';
import { traceIdsIn } from '../../engine/intake.ts';
import type {
  AssignedPartition,
  ConsumerHandlers,
  KafkaConsumer,
  KafkaRecord,
  OffsetToCommit,
  TopicPartition,
} from '../../kafka/kafka-client.ts';
import { Wakeup } from '../../kafka/kafkajs/wakeup.ts';
import type { TurnSpool } from '../../kafka/turn-spool.ts';
import type { ClusterEvent } from '../../model/events/cluster-events.ts';
import type { TraceId } from '../../model/ids.ts';
import type { LanePositions, NamingTurn, OwnedLane } from '../../store/cluster-store.ts';
import type { PartitionLag } from '../../report/events/cluster.ts';
import type { Scorer } from '../scoring/scorer.ts';
import type { TurnPacker } from '../scoring/turn-packer.ts';
import { type FiledPositions, Lane, type LaneOwner, type LaneRecord } from './lane.ts';
import type { RecordReading } from './record-reading.ts';
import type { UnscoredBytes } from './unscored-bytes.ts';

/** Port of the scorer for lanes. */
type LaneScorer = Pick<
  Scorer,
  'turnsWaiting' | 'scoredTo' | 'problemSince' | 'own' | 'filedPositions' | 'close' | 'time' | 'forget'
>;

interface LanesOptions {
  readonly consumer: KafkaConsumer;
  readonly scorer: LaneScorer;
  readonly packer: Pick<TurnPacker, 'pack'>;
  readonly spool: TurnSpool;
  readonly unscored: Pick<UnscoredBytes, 'bytes' | 'add' | 'passed'>;
  readonly group: string;
  /** In the order that decides between records of one time. */
  readonly topics: readonly string[];
  readonly limits: TurnLimits;
  readonly clockMarginMs: number;
  readonly spoolBytesMax: number;
  readonly records: Pick<RecordReading, 'read'>;
  /** The owner of the first lane does what only one instance may do. */
  readonly duty: { set(isOurs: boolean): void };
  readonly onEvent: (event: ClusterEvent) => void;
}

const ENDS_EVERY_MS = 500;
const COMMIT_EVERY_MS = 1000;
/** Closed turns that wait to be filed: a few transactions' worth. Beyond it nothing more is read. */
const TURNS_WAITING_MAX = 2048;
const ROOM_EVERY_MS = 20;
/** From here on only the lane that is furthest behind is read: what is scored soon is still in memory then, and the queue stays short. */
const BYTES_AHEAD_MAX = 4 << 20;
/** Reading records shares a thread with the API and with heartbeats. */
const READ_AT_ONCE_MS = 10;
/** After this long without the store, an instance leaves its work to others. */
const STORE_AWAY_MS = 30_000;
const JOIN_AGAIN_AFTER_MS = 1000;

const NOTHING_FILED: FiledPositions = new Map();

export class Lanes implements ConsumerHandlers, LaneOwner {
  readonly #options: LanesOptions;
  readonly #lanes = new Map<number, Lane>();
  /** Assignment by which the group gave each lane; a lane may be lost again while the store is asked for it. */
  readonly #given = new Map<number, object>();
  readonly #committed = new Map<string, number>();
  readonly #ends = new Map<string, PartitionLag>();
  readonly #stopped = new AbortController();
  /** A lane has come further. */
  readonly #moved = new Wakeup();
  #loops: Promise<unknown> = Promise.resolve();
  #membership: Promise<void> = Promise.resolve();
  #isMember = false;
  #problem: string | undefined;
  #storeAwaySince: number | undefined;

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#join();
    this.#loops = Promise.all([
      this.#every(ENDS_EVERY_MS, () => this.#askEnds()),
      this.#every(COMMIT_EVERY_MS, () => this.#commit()),
    ]);
  }

  get openTurns(): number {
    return sum(this.#lanes.values(), (lane) => lane.openTurns);
  }

  get openRows(): number {
    return sum(this.#lanes.values(), (lane) => lane.openRows);
  }

  get all(): readonly Lane[] {
    return [...this.#lanes.values()];
  }

  get count(): number {
    return this.#lanes.size;
  }

  /** Readings of the partitions that this instance has. */
  get lags(): readonly PartitionLag[] {
    return [...this.#ends.values()].filter(({ partition }) => this.#lanes.has(partition));
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  closed(lane: Lane, turn: ClosedTurn, positions: LanePositions): void {
    this.#options.unscored.add(
      turn.closedAt,
      sum(turn.rows, ({ length }) => length),
    );
    this.#options.scorer.close(lane, turn, positions);
  }

  time(lane: Lane, time: number, positions: LanePositions, naming: readonly NamingTurn[]): void {
    this.#options.scorer.time(lane, time, positions, naming);
  }

  late(topic: string, byMs: number): void {
    this.#options.onEvent({ type: 'record-late', topic, byMs });
  }

  /**
   * Another instance files under this lane, or its bytes are lost here. If this instance still owns the lane, it finds that out by joining the group
   * again, and reads the lane again.
   */
  refused(lane: Lane): void {
    if (this.#lanes.get(lane.lane.lane) !== lane) return;
    this.#drop([lane.lane.lane], 'another instance has taken it over, or its bytes are lost here');
    this.#joinAgain();
  }

  /** Reads no more. Closed turns can still be filed; then `commit` and `leave`. */
  async stopReading(): Promise<void> {
    this.#stopped.abort();
    this.#options.consumer.pause(this.#partitions());
    await this.#loops;
  }

  async leave(): Promise<void> {
    await this.#membership;
    // Offsets that can't be committed, of a lane that has gone to another member for example, are read again by its
    // owner, which knows what was filed. An instance that did not leave for them would not end.
    await this.#commit().catch(() => undefined);
    await this.#leave('this instance stops');
  }

  async onAssigned(assignment: {
    readonly gained: readonly AssignedPartition[];
    readonly kept: readonly TopicPartition[];
    readonly lanes: number;
  }): Promise<void> {
    const byLane = Map.groupBy(assignment.gained, ({ partition }) => partition);
    const numbers = [...byLane.keys()];
    if (numbers.some((number) => this.#lanes.has(number))) {
      // A topic has come to a lane that is being read. Its order cannot be known in the middle: the lane starts from its offsets.
      this.#joinAgain();
      return;
    }
    this.#options.onEvent({
      type: 'lanes-gained',
      lanes: numbers,
      kept: new Set(assignment.kept.map((p) => p.partition)).size,
    });
    if (numbers.length === 0) return;
    for (const number of numbers) this.#given.set(number, assignment);
    const named = (lane: number) => ({ group: this.#options.group, lane });
    const all = Array.from({ length: assignment.lanes }, (_, lane) => named(lane));
    const owned = await this.#options.scorer.own(numbers.map(named), all);
    for (const lane of owned) {
      if (this.#given.get(lane.lane) === assignment) this.#begin(lane, byLane.get(lane.lane) ?? []);
    }
  }

  onLost(partitions: readonly TopicPartition[]): void {
    for (const { partition } of partitions) this.#given.delete(partition);
    const because = this.#isMember ? 'the group gave it to another member' : 'this instance leaves the group';
    this.#drop([...new Set(partitions.map(({ partition }) => partition))], because);
  }

  async onRecords(partition: TopicPartition, records: readonly KafkaRecord[]): Promise<void> {
    const lane = this.#lanes.get(partition.partition);
    if (lane === undefined) return;
    const { topic } = partition;
    const read: LaneRecord[] = [];
    let since = performance.now();
    for (const record of records) {
      // Records read before this member joined again may be redelivered.
      if (record.offset < lane.next(topic)) continue;
      read.push(this.#options.records.read(partition, record));
      if (performance.now() - since < READ_AT_ONCE_MS) continue;
      await sleep(0);
      since = performance.now();
    }
    const filed = await this.#filedAmong(lane, topic, read);
    await this.#room();
    await this.#inStep(lane);
    lane.push(topic, read, filed);
    await lane.advanceInSlices();
    this.#moved.wake();
  }

  onProblem(problem: string | undefined): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onEvent({ type: 'kafka-problem', problem });
  }

  #begin(owned: OwnedLane, partitions: readonly AssignedPartition[]): void {
    const { topics, limits, spool, packer } = this.#options;
    const inOrder = topics.flatMap((topic) => partitions.filter((partition) => partition.topic === topic));
    const lane = new Lane({
      owned,
      topics: inOrder.map(({ topic, offset, metadata }) => ({ topic, offset, time: timeOf(metadata) })),
      limits,
      parts: { spool, packer, owner: this },
    });
    for (const { topic, partition } of partitions) this.#committed.delete(`${topic} ${partition}`);
    this.#lanes.set(owned.lane, lane);
    if (owned.lane === 0) this.#options.duty.set(true);
  }

  /** Rows that were filed before this instance had the lane. Only asked about offsets for which that can be. */
  async #filedAmong(lane: Lane, topic: string, records: readonly LaneRecord[]): Promise<FiledPositions> {
    const traceIds = new Set<TraceId>();
    for (const { offset, batch } of records) {
      if (batch === undefined || !lane.isReplayed(topic, offset)) continue;
      for (const traceId of traceIdsIn(batch.table)) traceIds.add(traceId);
    }
    if (traceIds.size === 0) return NOTHING_FILED;
    return this.#options.scorer.filedPositions(lane.lane, [...traceIds]);
  }

  /** Waits while more is on its way than may be. The consumer's heartbeats go on, and other partitions wait here as well. */
  async #room(): Promise<void> {
    const { scorer, spool, spoolBytesMax } = this.#options;
    while (scorer.turnsWaiting > TURNS_WAITING_MAX || spool.bytes > spoolBytesMax) {
      if (this.#stopped.signal.aborted) return;
      await sleep(ROOM_EVERY_MS);
    }
  }

  /** Waits while this lane is ahead of others, and much waits for them already. */
  async #inStep(lane: Lane): Promise<void> {
    while (this.#bytesAhead() > BYTES_AHEAD_MAX && this.#lanes.get(lane.lane.lane) === lane) {
      if (this.#stopped.signal.aborted) return;
      let isLast = true;
      for (const other of this.#lanes.values()) isLast &&= lane.time <= other.time;
      if (isLast) return;
      await this.#moved.raisedOr(ROOM_EVERY_MS);
    }
  }

  #bytesAhead(): number {
    const { scorer, unscored } = this.#options;
    unscored.passed(scorer.scoredTo ?? 0);
    return unscored.bytes;
  }

  /** An instance that cannot reach the store for long leaves its lanes to others, and joins again when it can. */
  #noteStore(): void {
    const since = this.#options.scorer.problemSince('store');
    if (since === this.#storeAwaySince) return;
    this.#storeAwaySince = since;
    if (since === undefined) void this.#inTurn(() => this.#join());
  }

  async #askEnds(): Promise<void> {
    this.#noteStore();
    if (this.#storeAwaySince !== undefined && performance.now() - this.#storeAwaySince > STORE_AWAY_MS) {
      if (this.#isMember) await this.#inTurn(() => this.#leave('the store has been away for too long'));
      return;
    }
    const partitions = this.#partitions();
    if (partitions.length === 0) return;
    const askedAt = Date.now();
    const ends = await this.#options.consumer.ends(partitions);
    const quietUntil = askedAt - this.#options.clockMarginMs;
    for (const { topic, partition, end, isRead } of ends) {
      const lane = this.#lanes.get(partition);
      if (lane === undefined || !lane.topics.includes(topic)) continue;
      const records = isRead ? 0 : Math.max(0, end - lane.next(topic));
      if (records === 0) lane.quiet(topic, quietUntil);
      const seconds = records === 0 || lane.time === 0 ? 0 : Math.max(0, askedAt - lane.time) / 1000;
      this.#ends.set(`${topic} ${partition}`, { topic, partition, records, seconds });
    }
    // Lanes advance one after another, so that their slices do not add up to one long stop.
    for (const lane of this.#lanes.values()) await lane.advanceInSlices();
  }

  async #commit(): Promise<void> {
    const offsets: OffsetToCommit[] = [];
    for (const lane of this.#lanes.values()) {
      for (const topic of lane.topics) {
        const { offset, time } = lane.progress(topic);
        const key = `${topic} ${lane.lane.lane}`;
        if (this.#committed.get(key) === offset) continue;
        offsets.push({ topic, partition: lane.lane.lane, offset, metadata: metadataOf(time) });
      }
    }
    if (offsets.length === 0) return;
    await this.#options.consumer.commit(offsets);
    for (const { topic, partition, offset } of offsets) this.#committed.set(`${topic} ${partition}`, offset);
  }

  /** Joining and leaving take time, and one must not begin in the middle of the other. */
  #inTurn(change: () => Promise<void> | void): Promise<void> {
    this.#membership = this.#membership.then(change);
    return this.#membership;
  }

  #join(): void {
    if (this.#isMember || this.#stopped.signal.aborted || this.#storeAwaySince !== undefined) return;
    this.#isMember = true;
    this.#options.consumer.start(this);
  }

  #joinAgain(): void {
    void this.#inTurn(async () => {
      await this.#leave('this instance joins the group again');
      await sleep(JOIN_AGAIN_AFTER_MS);
      this.#join();
    });
  }

  async #leave(because: string): Promise<void> {
    if (!this.#isMember) return;
    this.#isMember = false;
    await this.#options.consumer.stop();
    this.#drop([...this.#lanes.keys()], because);
  }

  #drop(numbers: readonly number[], because: string): void {
    const lost = numbers.filter((number) => this.#lanes.has(number));
    for (const number of lost) {
      const lane = this.#lanes.get(number);
      this.#lanes.delete(number);
      if (lane !== undefined) this.#release(lane);
      if (number === 0) this.#options.duty.set(false);
    }
    if (lost.length > 0) this.#options.onEvent({ type: 'lanes-lost', lanes: lost, because });
  }

  #release(lane: Lane): void {
    lane.drop();
    // Turns that it has closed may be being filed; their bytes are read until that is over.
    void this.#options.scorer.forget(lane).then(() => lane.freeBytes());
  }

  #partitions(): TopicPartition[] {
    return [...this.#lanes.values()].flatMap((lane) =>
      lane.topics.map((topic) => ({ topic, partition: lane.lane.lane })),
    );
  }

  /** A round that fails is not the end: why brokers can't be asked is the consumer's to say, and offsets are committed later. */
  async #every(ms: number, round: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await round().catch(() => {});
      await sleep(ms, undefined, { signal }).catch(() => {});
    }
  }
}

/** With the offset goes the lane's log time there. */
function metadataOf(time: number): string {
  return JSON.stringify({ time });
}

function timeOf(metadata: string): number {
  const found = /^\{"time":(\d{1,15})\}$/.exec(metadata);
  return Number(found?.[1] ?? 0);
}

function sum<T>(values: Iterable<T>, of: (value: T) => number): number {
  let total = 0;
  for (const value of values) total += of(value);
  return total;
}
