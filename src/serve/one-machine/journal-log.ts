/**
 * The log of one machine on the main thread: the journal, and the turns that are open in it. An accepted batch is durable in the journal; a turn that
 * closes goes to the scorer with its bytes; once the turn is stored, its rows in the journal are released.
 *
 * A crash loses the open turns and the commands on their way: the journal is read again and leads to the same closings. Rows that are stored are left
 * out before they reach the open turns, so that exactly those turns are open that were. So are rows that were stored and have been deleted since:
 * with time the scorer learns from where the log would have to be read, the store keeps that, and remembers what it deletes behind it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClosedTurn, TurnLimits } from '../../assemble/open-turns.ts';
import type { ConversationNotes } from '../../engine/conversation-notes.ts';
import { Intake, type IntakeOwner, traceIdsIn } from '../../engine/intake.ts';
import type { Journal } from '../../journal/journal.ts';
import type { EditRecord } from '../../journal/rewrite-segment.ts';
import type { JournalEntry } from '../../journal/journal-entry.ts';
import type { Admission, BatchSink, ReceivedBatch } from '../../receive/sink.ts';
import type { TraceId } from '../../model/ids.ts';
import type { LanePositions, OwnedLane } from '../../store/cluster-store.ts';
import type { LogPlace } from '../../store/sqlite/forgotten-rows.ts';
import type { ServedLog } from '../deployment/deployment.ts';
import type { ForgettingLog } from '../forgetting/forget.ts';
import type { Scorer, TurnSource } from '../scoring/scorer.ts';
import type { PackedTurn, TurnPacker } from '../scoring/turn-packer.ts';
import { inSlices } from '../../model/in-slices.ts';
import { RETRY_AFTER_SECONDS } from '../../model/retry-after.ts';

const TICK_MS = 50;
/** Conversations become due by the second; asking more often would only wake the disk. */
const SWEEP_EVERY_TICKS = 1_000 / TICK_MS;
/** A disk that is full is not filled by asking. */
const RETRY_EVERY_TICKS = 2_000 / TICK_MS;
/** Every hour: looks for a segment that is kept for its age. */
const RETIRE_EVERY_TICKS = 3_600_000 / TICK_MS;
/** Scored data stay in the journal for about as long, where little follows. */
const SEGMENT_AGE_MAX_MS = 86_400_000;
/** The name under which the store's position of a trace is given. */
export const POSITION = 'journal';
/** The name under which time says how far the log is done with. */
export const READ_FROM = 'read from';
/** The name under which time says how much of the log is durable. */
export const LOG_END = 'log end';
/** Entries whose traces are looked up in the store with one question, and about how many rows they have at the most. */
const ASKED_TOGETHER = 200;
const ROWS_ASKED_TOGETHER = 8_000;
/**
 * Memory of turns that are open, or wait to be scored, and of their spans (measured). The journal bounds their bytes on
 * disk, but a hundred million tiny spans fit into it. Large requests share half, so that they cannot shut out small ones.
 */
const OPEN_TURN_BYTES = 160;
const OPEN_ROW_BYTES = 36;
const TURN_BYTES = 400;
const ROW_BYTES = 64;
/** Or as much as the open turns take that the settings allow. */
const MEMORY_BYTES_MIN = 512 << 20;
const LARGE_ROWS_FROM = 1_000;
/** A closed turn takes more memory than an open one. While so much waits to be scored, other turns stay open. */
const WAITING_SHARE_MAX = 0.75;
const ROOM_EVERY_MS = 20;
/** A journal has no partitions: the whole log is one lane, which nobody else can own. */
const ONLY_LANE: OwnedLane = { group: 'journal', lane: 0, epoch: 0, time: 0, positions: {} };

/** Port of the scorer for the journal. */
export type JournalScorer = Pick<Scorer, 'floor' | 'close' | 'time' | 'filedPositions' | 'oldestWaiting' | 'stop'>;

export class JournalLog implements ServedLog, BatchSink, TurnSource, IntakeOwner, ForgettingLog {
  readonly lane = ONLY_LANE;
  readonly problems = [];
  readonly sink: BatchSink = this;
  readonly rewritten: ForgettingLog = this;
  readonly #journal: Journal;
  readonly #intake: Intake;
  readonly #scorer: JournalScorer;
  readonly #packer: TurnPacker;
  readonly #notes: ConversationNotes;
  readonly #limits: TurnLimits;
  readonly #memoryBytesMax: number;
  /** Turns that are closed and not stored. */
  readonly #waiting = { turns: 0, spans: 0 };
  /** Rows on their way to the open turns: not in the journal yet, or not taken from it. */
  #comingRows = 0;
  /** Resolves once the open turns are not being changed. */
  #before = Promise.resolve();
  #isStopping = false;
  /** The open turns were left in the middle of a change, at a stop. */
  #isLeft = false;
  /** Whether a tick's work is under way or waits. */
  #isAdvancing = false;
  #isToSweep = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: {
    readonly journal: Journal;
    readonly packer: TurnPacker;
    readonly limits: TurnLimits;
    readonly notes: ConversationNotes;
    readonly scorer: JournalScorer;
  }) {
    this.#journal = parts.journal;
    this.#scorer = parts.scorer;
    this.#packer = parts.packer;
    this.#notes = parts.notes;
    this.#limits = parts.limits;
    const { maxOpenTurns, maxOpenSpans } = parts.limits;
    this.#memoryBytesMax = Math.max(MEMORY_BYTES_MIN, maxOpenTurns * OPEN_TURN_BYTES + maxOpenSpans * OPEN_ROW_BYTES);
    this.#intake = new Intake(parts.limits, this);
  }

  /** Takes the entries that a start recovered, out of the list, so that their memory is free; then those to come. */
  async read(recovered: JournalEntry[]): Promise<void> {
    const { readFrom } = this.#scorer.floor;
    while (recovered.length > 0) {
      const all = recovered.splice(0, askedTogether(recovered));
      for (const { position, rows } of all) if (position < readFrom) this.#journal.release(position, rows);
      const entries = all.filter(({ position }) => position >= readFrom);
      const traceIds = new Set(entries.flatMap(({ table }) => [...traceIdsIn(table)]));
      const stored = await this.#scorer.filedPositions(ONLY_LANE, [...traceIds]);
      await inSlices(this.#takingAgain(entries, stored));
    }
    this.#journal.deliverTo({ take: (entry) => this.#later(() => this.#taking(entry)) });
    // Turns that were left open longer ago than any turn may last wait for nothing.
    if (this.openTurns === 0 || this.#journal.behindMs > this.#limits.maxAgeMs) this.#journal.catchUp();
  }

  /** Without the rows that the store has. */
  *#takingAgain(entries: readonly JournalEntry[], stored: ReadonlyMap<TraceId, LanePositions>): Generator<undefined> {
    for (const entry of entries) {
      const isStored = (traceId: TraceId) => entry.position < (stored.get(traceId)?.[POSITION] ?? 0);
      yield* this.#intake.taking(entry, stored.size === 0 ? undefined : isStored);
      yield;
    }
  }

  get openTurns(): number {
    return this.#intake.turns.turnCount;
  }

  get openSpans(): number {
    return this.#intake.turns.rowCount;
  }

  get bytes(): number {
    return this.#journal.diskBytes;
  }

  get lagSeconds(): number {
    const { time } = this.#journal;
    return Math.max(0, time - (this.#scorer.oldestWaiting ?? time)) / 1000;
  }

  get place(): LogPlace {
    return { position: this.#journal.endPosition, logTime: this.#journal.time };
  }

  async rewrite(edit: EditRecord): Promise<void> {
    try {
      await this.#journal.rewrite(edit);
    } finally {
      this.#packer.reopen();
    }
  }

  /** A batch is admitted once the journal has it on disk. */
  async accept(batch: ReceivedBatch): Promise<Admission> {
    const problem = this.#problemWith(batch);
    if (problem !== undefined) return { admitted: false, reason: problem, retryAfterSeconds: RETRY_AFTER_SECONDS };
    this.#comingRows += batch.rows;
    let isTaken = false;
    try {
      await inSlices(this.#notes.noting(batch));
      const result = await this.#journal.append(batch);
      isTaken = result.appended;
      return result.appended ? { admitted: true } : refused(result);
    } finally {
      if (!isTaken) this.#comingRows -= batch.rows;
    }
  }

  *#taking(entry: JournalEntry): Generator<undefined> {
    yield* this.#intake.taking(entry);
    this.#comingRows -= entry.rows;
  }

  /** Why there is no room in memory for its rows; undefined if there is. */
  #problemWith({ rows }: ReceivedBatch): string | undefined {
    // A turn each, at the worst.
    const turnCount = this.#intake.turns.turnCount + this.#comingRows;
    const rowCount = this.#intake.turns.rowCount + this.#comingRows;
    const { turns, spans } = this.#waiting;
    const bytes = turnCount * OPEN_TURN_BYTES + rowCount * OPEN_ROW_BYTES + this.#waitingBytes;
    const { maxOpenTurns, maxOpenSpans } = this.#limits;
    const bytesMax = this.#memoryBytesMax;
    const isHalf = bytes > bytesMax / 2 || turnCount > maxOpenTurns / 2 || rowCount > maxOpenSpans / 2;
    if (bytes <= bytesMax && !(isHalf && rows > LARGE_ROWS_FROM)) return undefined;
    return `${turnCount} turns are open and ${turns} wait to be scored, with ${rowCount + spans} spans`;
  }

  get #reach(): LanePositions {
    return { [READ_FROM]: this.#journal.readFrom, [LOG_END]: this.#journal.syncedEnd };
  }

  get #waitingBytes(): number {
    return this.#waiting.turns * TURN_BYTES + this.#waiting.spans * ROW_BYTES;
  }

  get #mayClose(): boolean {
    return (
      this.#waitingBytes < WAITING_SHARE_MAX * this.#memoryBytesMax && this.#waiting.turns < this.#limits.maxOpenTurns
    );
  }

  closed(turn: ClosedTurn): void {
    this.#waiting.turns += 1;
    this.#waiting.spans += turn.rows.length;
    this.#scorer.close(this, turn, {});
  }

  released(position: number, rows: number): void {
    this.#journal.release(position, rows);
  }

  pack(turn: ClosedTurn): PackedTurn {
    return this.#packer.pack(turn, turn.position);
  }

  stored(turn: ClosedTurn): void {
    this.#waiting.turns -= 1;
    this.#waiting.spans -= turn.rows.length;
    this.#intake.release(turn);
  }

  /** Cannot happen: nobody else can own the lane. */
  refused(): void {
    throw new Error('journal: the scoring thread refused the only lane there is');
  }

  start(): void {
    let ticks = 0;
    this.#timer = setInterval(() => {
      ticks += 1;
      if (ticks % RETRY_EVERY_TICKS === 0) this.#journal.retry();
      if (ticks % RETIRE_EVERY_TICKS === 0) this.#retire(this.#journal.time - SEGMENT_AGE_MAX_MS);
      if (this.openTurns === 0 && this.#comingRows === 0) this.#journal.catchUp();
      this.#advance(ticks % SWEEP_EVERY_TICKS === 0);
    }, TICK_MS);
  }

  /** Once at a time: while turns wait for room, which may take hours, each tick would wait behind the one before. */
  #advance(isToSweep: boolean): void {
    this.#isToSweep ||= isToSweep;
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    // Entries that come later have this time or a later one; those that wait have an earlier one.
    const now = this.#journal.time;
    this.#later(() => this.#advancing(now));
  }

  *#advancing(now: number): Generator<undefined> {
    yield* this.#intake.advancing(now);
    if (this.#isToSweep) this.#scorer.time(this, now, this.#reach);
    this.#isToSweep = false;
    this.#isAdvancing = false;
  }

  /**
   * Changes the open turns in slices, in order. Clients do not wait for it: their spans are durable. A failure is a mistake
   * of ours, and ends the process.
   */
  #later(work: () => Iterator<undefined>): void {
    this.#before = this.#before.then(() => this.#inRoom(work()));
  }

  /** Pauses while too many turns wait to be scored. A stop does not wait for them: the journal has the rest. */
  async #inRoom(steps: Iterator<undefined>): Promise<void> {
    let isDone = false;
    const untilFull = function* (hasRoom: () => boolean): Generator<undefined> {
      while (!isDone && hasRoom()) {
        isDone = steps.next().done === true;
        yield;
      }
    };
    while (!this.#isLeft) {
      await inSlices(untilFull(() => this.#mayClose));
      if (isDone) return;
      if (this.#isStopping) this.#isLeft = true;
      else await sleep(ROOM_EVERY_MS);
    }
  }

  #retire(time: number): void {
    // A failure shows at the next batch, and it is tried again in an hour.
    this.#journal.retire(time).catch(() => undefined);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isStopping = true;
    await this.#journal.stop();
    await this.#before;
    // Until the scorer has stopped it reads turns from the journal's files.
    await this.#scorer.stop();
    this.#packer.close();
  }
}

/** How many of the first entries. */
function askedTogether(entries: readonly JournalEntry[]): number {
  let rows = 0;
  const end = entries.findIndex((entry, index) => {
    if (index >= ASKED_TOGETHER || rows >= ROWS_ASKED_TOGETHER) return true;
    rows += entry.rows;
    return false;
  });
  return end < 0 ? entries.length : end;
}

function refused({ because, detail }: { readonly because: string; readonly detail: string }): Admission {
  return { admitted: false, reason: `${because}: ${detail}`, retryAfterSeconds: RETRY_AFTER_SECONDS };
}
