/**
 * The scoring thread's side of one machine: scores closed turns and stores them in SQLite. A batch of commands is one transaction, so batches grow with the load. If anything in it fails (a full disk, a broken store), all of it is undone and done again.
 */
import type { ClosedInLog } from '../../engine/arrival.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EngineEvent } from '../../model/events/scoring-events.ts';
import { KeptClock } from '../../store/sqlite/kept-clock.ts';
import { prune } from '../../store/sqlite/retention.ts';
import { type LogFloor, Store } from '../../store/sqlite/store.ts';
import type { Total } from '../../store/engine-store.ts';
import type { LaneAnswer, JournalStorage, OrderedCommand, LaneQuestion } from '../scoring/scoring-protocol.ts';
import type { ScoringParts, ScoringSide, Troubles } from '../scoring/scoring-side.ts';
import { LOG_END, POSITION, READ_FROM } from './journal-log.ts';
import { SqliteForgetting } from './sqlite-forgetting.ts';

/** A transaction holds the turns that it writes in memory until the commit. */
const BATCH_MAX = 256;
/** Pieces of content that are overwritten in one round, which other work waits for. */
const WIPED_AT_ONCE = 5000;

export class SqliteScoring implements ScoringSide {
  readonly store: Store;
  readonly forgetting: SqliteForgetting;
  readonly troubles: Troubles;
  readonly duties = [];
  readonly #storage: JournalStorage;
  /** Turns behind it were stored by nobody before this thread. */
  readonly #openedAt: number;
  readonly #parts: ScoringParts;
  readonly #clock: KeptClock;
  #jumpMs: number | undefined;
  #events: EngineEvent[] = [];
  /** Kinds of work that the store did not take. */
  readonly #failing = new Set<string>();
  #scoredTo = 0;
  /** Position from which the log would be read, as of the last time command. */
  #readFrom = 0;
  /** Position behind what was durable in the log, as time said last. */
  #logEnd = 0;
  #engine: Engine;

  constructor(
    storage: JournalStorage,
    parts: ScoringParts,
    clocks?: { readonly wall: () => number; readonly elapsed: () => number },
  ) {
    this.#storage = storage;
    this.#parts = parts;
    this.store = Store.open(storage.storeFile);
    this.forgetting = new SqliteForgetting(this.store, parts.idKeys);
    this.#clock = new KeptClock(this.store, clocks);
    this.#openedAt = this.store.floor.position;
    this.#logEnd = this.store.floor.logEnd;
    this.troubles = { said: (work, error) => this.#failed(work, error), over: (work) => this.#succeeded(work) };
    this.#engine = this.#makeEngine();
  }

  get floor(): LogFloor {
    return this.store.floor;
  }

  get scoredTo(): number {
    return this.#scoredTo;
  }

  totals(): readonly Total[] {
    return this.store.totals.all();
  }

  async take(waiting: OrderedCommand[]): Promise<void> {
    const startedAt = performance.now();
    const batch = waiting.slice(0, BATCH_MAX);
    this.#inTransaction(() => {
      for (const command of batch) this.#do(command);
    });
    waiting.splice(0, batch.length);
    const { post } = this.#parts;
    const turns = batch.filter(({ type }) => type === 'turn').length;
    if (turns > 0) {
      const tookMs = performance.now() - startedAt;
      post({ type: 'events', events: [{ type: 'scorer-committed', turns, tookMs }] });
    }
    const last = batch.at(-1);
    if (last !== undefined) post({ type: 'done', sequence: last.sequence, refused: [] });
    for (const command of batch) if (command.type === 'time') this.#scoredTo = Math.max(this.#scoredTo, command.time);
  }

  /** Everything is scored by commands. */
  async scoreDue(): Promise<boolean> {
    return false;
  }

  async tidy(): Promise<void> {
    let pruned = { conversations: 0, bytes: 0 };
    this.#inTransaction(() => {
      // First: traces deleted behind it cannot be redelivered and are not remembered.
      const readFrom = this.#readFrom;
      if (readFrom > this.store.readFrom) this.store.raiseFloor({ readFrom });
      const { now, jumpMs } = this.#clock.read();
      this.#noteJump(jumpMs);
      pruned = prune(this.store, this.#storage.retention, now);
    });
    this.store.traces.removeEmptyFiles();
    this.store.traces.wipeFreed(WIPED_AT_ONCE);
    this.store.forgotten.settle();
    if (this.store.forgotten.toWipe.length > 0) this.#parts.post({ type: 'journal-to-wipe' });
    if (this.store.diskBytes > this.#storage.retention.maxBytes) this.store.truncateWal();
    this.#parts.post({ type: 'events', events: [{ type: 'store-pruned', ...pruned }] });
  }

  async answer(question: LaneQuestion): Promise<LaneAnswer> {
    if (question.ask !== 'filed') throw new Error('one machine has a lane that nobody else can own');
    return {
      filed: question.traceIds.flatMap((traceId) => {
        const position = this.store.storedUpTo(traceId);
        return position === undefined ? [] : [[traceId, { [POSITION]: position }] as const];
      }),
    };
  }

  async close(): Promise<void> {
    this.store.close();
  }

  #do(command: OrderedCommand): void {
    if (command.type === 'time') {
      const { time: logTime, positions } = command;
      this.#readFrom = Math.max(this.#readFrom, positions[READ_FROM] ?? 0);
      const logEnd = positions[LOG_END] ?? 0;
      const isLonger = logEnd > this.#logEnd;
      this.#logEnd = Math.max(this.#logEnd, logEnd);
      // Written only if something changed: an idle service must not wake the disk.
      if (this.#engine.advance(logTime) || isLonger) this.store.raiseFloor({ logTime, logEnd });
      return;
    }
    const { turn } = command;
    const closed = 'arrival' in turn ? turn.arrival : turn.closed;
    const { cause, position, closedAt, rows } = closed;
    if (this.#isStored(closed)) this.#events.push({ type: 'turn-closed', cause, fate: 'stored-already', rows });
    else if ('arrival' in turn) this.#engine.arrive(turn.arrival);
    else this.#engine.passUnreadable(turn.closed, turn.unreadable);
    this.store.raiseFloor({ position, logTime: closedAt, readFrom: this.#readFrom, logEnd: this.#logEnd });
  }

  /** Whether the thread before this one stored the turn, and ended before it could answer. */
  #isStored({ position, traceId }: ClosedInLog): boolean {
    return position <= this.#openedAt && position <= (this.store.storedUpTo(traceId) ?? 0);
  }

  #inTransaction(work: () => void): void {
    try {
      this.store.begin();
      work();
      const totals = this.store.commit();
      this.#parts.post({ type: 'totals', totals });
      this.#parts.post({ type: 'events', events: this.#events });
    } catch (error) {
      this.store.rollback();
      // A new engine, because the label guard may remember labels that were rolled back.
      this.#engine = this.#makeEngine();
      throw error;
    } finally {
      this.#events = [];
    }
  }

  #failed(work: string, error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#parts.post({ type: 'events', events: [{ type: 'scorer-failed', error: text }] });
    if (this.#failing.size === 0) this.#writable(error instanceof Error ? error.message : String(error));
    this.#failing.add(work);
  }

  /** Work of another kind may go on meanwhile: it is over when what failed has been done. */
  #succeeded(work: string): void {
    if (this.#failing.delete(work) && this.#failing.size === 0) this.#writable(undefined);
  }

  #noteJump(byMs: number | undefined): void {
    if ((byMs === undefined) === (this.#jumpMs === undefined)) return;
    this.#jumpMs = byMs;
    this.#parts.post({ type: 'events', events: [{ type: 'clock-jumped', byMs }] });
  }

  #writable(problem: string | undefined): void {
    this.#parts.post({ type: 'events', events: [{ type: 'store-writable', problem }] });
  }

  #makeEngine(): Engine {
    return this.#parts.makeEngine(this.store, (event) => this.#events.push(event));
  }
}
