/**
 * A lane: records in, closed turns out. It puts the records of its topics in order, keeps their bytes in the spool,
 * knows which are still needed, and moves its log time on.
 *
 *   pushed --> in order (waits for the other topics) --> in an open turn --> closed --> filed: may be committed
 *
 * A crash, or the loss of the lane, forgets all of it: the records lie behind the committed offset and are read again
 * by the next owner. Rows that were filed already are left out before they reach the open turns, so that what is open
 * is again what was open.
 */
import type { ClosedTurn, TurnLimits } from '../../assemble/open-turns.ts';
import { LaneOrder } from '../../kafka/lane-order.ts';
import { OffsetTracker, type Progress, type TrackedRecord } from '../../kafka/offset-tracker.ts';
import type { TurnSpool } from '../../kafka/turn-spool.ts';
import type { TraceId } from '../../model/ids.ts';
import { inSlices } from '../../model/in-slices.ts';
import type { LanePositions, NamingTurn, OwnedLane } from '../../store/cluster-store.ts';
import { Intake, type IntakeOwner } from '../../engine/intake.ts';
import type { TurnSource } from '../scoring/scorer.ts';
import type { PackedTurn, TurnPacker } from '../scoring/turn-packer.ts';

/** A record as it was read: what is in it, or nothing that anybody needs. */
export interface LaneRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly batch: LaneBatch | undefined;
  /** Until this has resolved the record is needed, whatever is in it. */
  readonly heldBy?: Promise<unknown> | undefined;
}

export interface LaneBatch {
  readonly signal: 'traces' | 'logs';
  readonly bytes: Uint8Array;
  readonly table: Uint8Array;
  readonly rows: number;
}

/** All lanes of an instance, of which this is one. */
export interface LaneOwner {
  closed(lane: Lane, turn: ClosedTurn, positions: LanePositions): void;
  /** Everything up to this time has closed; since the last time these turns have named a conversation, and are open. */
  time(lane: Lane, time: number, positions: LanePositions, naming: readonly NamingTurn[]): void;
  /** A record came with a timestamp before a time that had been thought to be over. */
  late(topic: string, byMs: number): void;
  /** See `TurnSource`. */
  refused(lane: Lane): void;
}

export interface LaneParts {
  readonly spool: TurnSpool;
  readonly packer: Pick<TurnPacker, 'pack'>;
  readonly owner: LaneOwner;
}

/** Up to where rows of a trace have been filed. */
export type FiledPositions = ReadonlyMap<TraceId, LanePositions>;

interface Waiting {
  readonly offset: number;
  readonly batch: LaneBatch | undefined;
  readonly position: number;
  readonly filed: FiledPositions;
}

interface Held {
  readonly tracker: OffsetTracker;
  readonly record: TrackedRecord;
}

export class Lane implements TurnSource, IntakeOwner {
  readonly lane: OwnedLane;
  readonly #parts: LaneParts;
  readonly #order: LaneOrder<Waiting>;
  readonly #trackers: ReadonlyMap<string, OffsetTracker>;
  readonly #intake: Intake;
  /** Held records by position in the spool. */
  readonly #held = new Map<number, Held>();
  /** Open turns that have named a conversation since the last report of time. */
  readonly #naming = new Map<TraceId, NamingTurn[]>();
  readonly #taken: Record<string, number>;
  /** Resolves once the open turns are not being changed; never rejects. */
  #before: Promise<void> = Promise.resolve();
  #isDropped = false;
  #saidTime = 0;

  constructor(options: {
    readonly owned: OwnedLane;
    /** First positions of reading, in the order in which the topics were configured. */
    readonly topics: readonly ({ readonly topic: string } & Progress)[];
    readonly limits: TurnLimits;
    readonly parts: LaneParts;
  }) {
    this.lane = options.owned;
    this.#parts = options.parts;
    this.#order = new LaneOrder(options.topics);
    this.#trackers = new Map(
      options.topics.map(({ topic, offset, time }) => [topic, new OffsetTracker({ offset, time })]),
    );
    this.#taken = Object.fromEntries(options.topics.map(({ topic, offset }) => [topic, offset]));
    this.#intake = new Intake(options.limits, this);
  }

  get topics(): readonly string[] {
    return [...this.#trackers.keys()];
  }

  get openTurns(): number {
    return this.#intake.turns.turnCount;
  }

  get openRows(): number {
    return this.#intake.turns.rowCount;
  }

  /** Log time that the lane has come to. */
  get time(): number {
    return this.#intake.turns.time;
  }

  /** The offset behind the last record that came. */
  next(topic: string): number {
    return this.#tracker(topic).next;
  }

  progress(topic: string): Progress {
    const tracker = this.#tracker(topic);
    const { progress } = tracker;
    tracker.compact();
    return progress;
  }

  /** Records before this offset may hold rows that have been filed already. */
  isReplayed(topic: string, offset: number): boolean {
    return offset < (this.lane.positions[topic] ?? 0);
  }

  /** Throws if the disk is full. None of the records counts as arrived then: they can be pushed again. */
  push(topic: string, records: readonly LaneRecord[], filed: FiledPositions): void {
    if (this.#isDropped) return;
    const bytes = records.flatMap(({ batch }) => (hasRows(batch) ? [batch.bytes] : []));
    const positions = this.#parts.spool.append(bytes).values();
    for (const record of records) {
      this.#push(topic, record, { position: hasRows(record.batch) ? (positions.next().value ?? -1) : -1, filed });
    }
  }

  #push(
    topic: string,
    { batch, heldBy, offset, timestamp }: LaneRecord,
    { position, filed }: { readonly position: number; readonly filed: FiledPositions },
  ): void {
    const tracker = this.#tracker(topic);
    const tracked = tracker.add(offset, (batch?.rows ?? 0) + (heldBy === undefined ? 0 : 1));
    void heldBy?.then(() => tracker.release(tracked, 1));
    if (position >= 0) this.#held.set(position, { tracker, record: tracked });
    const { logTime, isLate } = this.#order.push(topic, { offset, batch, position, filed }, timestamp);
    tracker.reached(logTime);
    if (isLate) this.#parts.owner.late(topic, logTime - timestamp);
  }

  /** Notes that no further record of this topic is expected before that time. */
  quiet(topic: string, until: number): void {
    this.#order.quiet(topic, until);
    this.#tracker(topic).reached(until);
  }

  /** Takes what is in order by now, and moves time on. */
  advance(): void {
    for (const _ of this.#advancing());
  }

  /**
   * Advances in slices, one call after another. More may be pushed between two slices, and the lane may be dropped,
   * which ends it: where the slices end makes no difference to what closes, or in which order.
   */
  advanceInSlices(): Promise<void> {
    const advanced = this.#before.then(() => inSlices(this.#advancing()));
    // The caller gets the failure; the next call tries again.
    this.#before = advanced.catch(() => undefined);
    return advanced;
  }

  *#advancing(): Generator<undefined> {
    for (const _ of this.#steps()) {
      yield;
      if (this.#isDropped) return;
    }
  }

  *#steps(): Generator<undefined> {
    if (this.#isDropped) return;
    for (let next = this.#order.next(); next !== undefined; next = this.#order.next()) {
      const { topic, item, logTime } = next;
      yield* this.#taking(topic, item, logTime);
      this.#taken[topic] = item.offset + 1;
    }
    const { time } = this.#order;
    yield* this.#intake.advancing(time);
    // A record of this very moment may still come, and make a turn too large at it: what is over is the moment before.
    const over = time - 1;
    if (over <= this.#saidTime) return;
    this.#saidTime = over;
    this.#parts.owner.time(this, over, { ...this.#taken }, [...this.#naming.values()].flat());
    this.#naming.clear();
  }

  named(turn: NamingTurn): void {
    const known = this.#naming.get(turn.traceId);
    if (known === undefined) this.#naming.set(turn.traceId, [turn]);
    else known.push(turn);
  }

  closed(turn: ClosedTurn): void {
    this.#naming.delete(turn.traceId);
    this.#parts.owner.closed(this, turn, { ...this.#taken });
  }

  pack(turn: ClosedTurn): PackedTurn {
    const { packer, spool } = this.#parts;
    return packer.pack({ ...turn, position: 0 }, spool.end);
  }

  stored(turn: ClosedTurn): void {
    if (!this.#isDropped) this.#intake.release(turn);
  }

  refused(): void {
    if (!this.#isDropped) this.#parts.owner.refused(this);
  }

  /** Another instance owns the lane, or will own it: nothing that is here is needed. */
  drop(): void {
    this.#isDropped = true;
  }

  /** The scoring thread needs none of its bytes any more: frees them. */
  freeBytes(): void {
    for (const position of this.#held.keys()) this.#parts.spool.release(position);
    this.#held.clear();
  }

  *#taking(topic: string, { batch, position, offset, filed }: Waiting, logTime: number): Generator<undefined> {
    if (!hasRows(batch)) return;
    const { signal, table } = batch;
    const isFiled = (traceId: TraceId) => offset < (filed.get(traceId)?.[topic] ?? 0);
    yield* this.#intake.taking(
      { signal, table, logTime, position, nextPosition: position, payloadPosition: position },
      filed.size === 0 ? undefined : isFiled,
    );
  }

  released(position: number, rows: number): void {
    const held = this.#held.get(position);
    if (held === undefined) return;
    held.tracker.release(held.record, rows);
    if (held.record.open > 0) return;
    this.#held.delete(position);
    this.#parts.spool.release(position);
  }

  #tracker(topic: string): OffsetTracker {
    const tracker = this.#trackers.get(topic);
    if (tracker === undefined) throw new Error(`lane ${this.lane.lane}: it has no topic ${topic}`);
    return tracker;
  }
}

function hasRows(batch: LaneBatch | undefined): batch is LaneBatch {
  return batch !== undefined && batch.rows > 0;
}
