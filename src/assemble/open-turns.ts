/**
 * The turns that are still open, and the rules by which they close.
 *
 * A deterministic machine over log time: it is told of rows (one span or log record each, in the order of the log) and
 * of time, and answers with the turns that have closed. It has no clock, no timer and no I/O, and it knows of a span
 * only where its bytes lie. All of it is in flat records (`open/records.ts`): millions of objects would take several
 * times the memory, and the garbage collector would stop to traverse them.
 *
 *   (none)     -- row ------------------------------------------------> collecting
 *   collecting -- row: root has ended, no referenced parent missing --> complete
 *   complete   -- row: refers to a parent that is missing ------------> collecting
 *   complete   -- `settleMs` after its last row ----------------------> closed 'settled'
 *   collecting -- `idleMs` after its last row ------------------------> closed 'idle'
 *   either     -- `maxAgeMs` after its first row ---------------------> closed 'max_age'
 *   either     -- over spans or bytes, at the end of that instant ----> closed 'size'
 *   either     -- more is open than may be: earliest deadline first --> closed 'pressure'
 *
 * A crash at any point loses nothing: the rows are in the journal, and replaying them leads to the same closings,
 * because a deadline at or before a row's time fires before the row is applied. A row that arrives after the close
 * opens the turn again; the store then merges it with what it has, and the turn is evaluated again.
 *
 * A turn says with its close which conversations had other turns open then, as far as spans named them by that time:
 * the end of a conversation waits for these.
 *
 * Limits are checked when time moves on, not at each row, so that the order of rows within one instant changes nothing.
 * Time moves on in steps of at most one turn each. Others may run between two steps; nothing here may be asked for
 * anything else until the last of them, so that where the pauses are changes nothing either.
 */
import type { CloseCause } from '../model/causes.ts';
import type { TraceId } from '../model/ids.ts';
import { DeadlineHeap } from './open/deadline-heap.ts';
import { type NamedConversation, NamedConversations } from './open/named-conversations.ts';
import { type ClosedRow, OpenSpans, type SpanRow } from './open/open-spans.ts';
import * as field from './open/open-turn-record.ts';
import { hashOfWords, RecordHash } from './open/record-hash.ts';
import { Records } from './open/records.ts';

export interface TurnLimits {
  readonly settleMs: number;
  readonly idleMs: number;
  readonly maxAgeMs: number;
  readonly maxSpans: number;
  readonly maxBytes: number;
  readonly maxOpenTurns: number;
  readonly maxOpenSpans: number;
}

/** The bytes of a trace id as signed 32-bit words, the first byte highest. */
export type TraceIdWords = readonly [number, number, number, number];

export interface Row extends SpanRow {
  readonly traceId: TraceIdWords;
  readonly parentIdHigh: number;
  readonly parentIdLow: number;
  /** The parent lives in another process, which may never report to us. */
  readonly parentIsRemote: boolean;
  /** Hash of the conversation that the span names; 0 where it names none. */
  readonly conversation: number;
}

export interface ClosedTurn {
  readonly traceId: TraceId;
  readonly cause: CloseCause;
  /** Log time at which the rule closed it, however late that was noticed. */
  readonly closedAt: number;
  /** Every row of this trace before this position is part of the turn. */
  readonly position: number;
  readonly rows: readonly ClosedRow[];
  /** No span id came twice, so nobody need look for duplicates. */
  readonly spansAreDistinct: boolean;
  /** The conversations that its spans name. */
  readonly named: readonly NamedConversation[];
  /** Conversations that other turns, still open at its close, name, with the time of the first of these. */
  readonly openBeside: readonly NamedConversation[];
}

interface TurnDeadline {
  readonly at: number;
  readonly cause: CloseCause;
}

/** The time of a turn that is over its limit of spans or bytes: before any other. */
const AT_ONCE = Number.NEGATIVE_INFINITY;

export class OpenTurns {
  readonly #limits: TurnLimits;
  readonly #turns = new Records(field.TURN_WORDS);
  readonly #byTraceId = new RecordHash(this.#turns, { link: field.LINK, hashOf: (turn) => this.#hashOf(turn) });
  readonly #spans = new OpenSpans(this.#turns);
  readonly #conversations = new NamedConversations();
  /** The time of a turn here is never after its deadline: a deadline that moved on is found when the time has come. */
  readonly #deadlines = new DeadlineHeap(this.#turns, {
    place: field.PLACE,
    isBefore: (turn, other) => this.#isBefore(turn, other),
  });
  #rows = 0;
  #bytes = 0;
  #time = 0;
  #position = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  get turnCount(): number {
    return this.#deadlines.size;
  }

  get rowCount(): number {
    return this.#rows;
  }

  get byteCount(): number {
    return this.#bytes;
  }

  /** The time of the last input. */
  get time(): number {
    return this.#time;
  }

  /**
   * Takes a row at log time `at`. `nextPosition` is the position behind the entry that holds it. Time must have been
   * advanced to `at` before. Returns whether it is the first of its turn to name its conversation.
   */
  add(row: Row, input: { readonly at: number; readonly nextPosition: number }): boolean {
    if (input.at !== this.#time) throw new Error(`open turns: row at ${input.at}, but time is ${this.#time}`);
    this.#position = input.nextPosition;
    const turns = this.#turns;
    const turn = this.#find(row.traceId) || this.#open(row.traceId, input.at);
    const isRepeated = this.#spans.add(turn, row);
    // A duplicate span must not extend the idle timeout: data that is sent twice changes nothing.
    if (!isRepeated) turns.setDouble(turn, field.LAST_AT, input.at);
    const bytes = turns.double(turn, field.BYTES) + row.length;
    turns.setDouble(turn, field.BYTES, bytes);
    this.#rows += 1;
    this.#bytes += row.length;
    if (isSpan(row)) this.#connect(turn, row);
    // An earlier deadline needs an earlier place; a later one is found when the time of the old one has come.
    const isOversized = turns.word(turn, field.ROWS) > this.#limits.maxSpans || bytes > this.#limits.maxBytes;
    const deadline = isOversized ? AT_ONCE : this.#deadlineOf(turn).at;
    if (deadline < this.#deadlines.timeOf(turn)) this.#deadlines.move(turn, deadline);
    return row.conversation !== 0 && this.#name(turn, row.conversation);
  }

  /** Moves log time forward and gives the turns that closed by then, in the order in which they closed. */
  advance(to: number): readonly ClosedTurn[] {
    return [...this.advancing(to)].filter((turn) => turn !== undefined);
  }

  /** Advances time in short steps, most of which close a turn. Until the last of them no other method may be called. */
  *advancing(to: number): Generator<ClosedTurn | undefined> {
    if (to < this.#time) throw new Error(`open turns: time went back from ${this.#time} to ${to}`);
    if (to === this.#time) return;
    for (let turn = this.#deadlines.top; turn !== 0; turn = this.#deadlines.top) {
      const at = this.#deadlines.timeOf(turn);
      if (at === AT_ONCE) {
        yield this.#close(turn, { cause: 'size', at: this.#time });
        continue;
      }
      const isOverfull = this.#isOverfull();
      if (!isOverfull && at > to) break;
      const deadline = this.#deadlineOf(turn);
      if (deadline.at !== at) {
        this.#deadlines.move(turn, deadline.at);
        yield;
      } else if (isOverfull) yield this.#close(turn, { cause: 'pressure', at: this.#time });
      else yield this.#close(turn, deadline);
    }
    this.#time = to;
  }

  #find([a, b, c, d]: TraceIdWords): number {
    const turns = this.#turns;
    let found = this.#byTraceId.first(hashOfWords(a, b, c, d));
    while (
      found !== 0 &&
      (turns.word(found, field.TRACE_ID) !== a ||
        turns.word(found, field.TRACE_ID + 1) !== b ||
        turns.word(found, field.TRACE_ID + 2) !== c ||
        turns.word(found, field.TRACE_ID + 3) !== d)
    ) {
      found = this.#byTraceId.after(found);
    }
    return found;
  }

  #open([a, b, c, d]: TraceIdWords, at: number): number {
    const turns = this.#turns;
    const turn = turns.add();
    turns.setDouble(turn, field.FIRST_AT, at);
    turns.setDouble(turn, field.LAST_AT, at);
    turns.setWord(turn, field.TRACE_ID, a);
    turns.setWord(turn, field.TRACE_ID + 1, b);
    turns.setWord(turn, field.TRACE_ID + 2, c);
    turns.setWord(turn, field.TRACE_ID + 3, d);
    this.#byTraceId.add(turn);
    this.#deadlines.push(turn, Number.POSITIVE_INFINITY);
    return turn;
  }

  #connect(turn: number, { parentIdHigh: high, parentIdLow: low, parentIsRemote }: Row): void {
    if (parentIsRemote || (high === 0 && low === 0)) this.#turns.setWord(turn, field.ROOT_ENDED, 1);
    else this.#spans.nameParent(turn, { high, low });
  }

  #name(turn: number, conversation: number): boolean {
    const first = this.#conversations.add(this.#turns.word(turn, field.FIRST_NAMING), { conversation, at: this.#time });
    if (first !== 0) this.#turns.setWord(turn, field.FIRST_NAMING, first);
    return first !== 0;
  }

  #deadlineOf(turn: number): TurnDeadline {
    const { settleMs, idleMs, maxAgeMs } = this.#limits;
    const turns = this.#turns;
    const isComplete = turns.word(turn, field.ROOT_ENDED) !== 0 && turns.word(turn, field.MISSING) === 0;
    const quiet = turns.double(turn, field.LAST_AT) + (isComplete ? Math.min(settleMs, idleMs) : idleMs);
    const oldest = turns.double(turn, field.FIRST_AT) + maxAgeMs;
    if (oldest < quiet) return { at: oldest, cause: 'max_age' };
    return { at: quiet, cause: isComplete ? 'settled' : 'idle' };
  }

  #isOverfull(): boolean {
    return this.turnCount > this.#limits.maxOpenTurns || this.#rows > this.#limits.maxOpenSpans;
  }

  #close(turn: number, { cause, at }: TurnDeadline): ClosedTurn {
    const turns = this.#turns;
    const rows = this.#spans.close(turn);
    const spans = rows.reduce((count, row) => count + (row.group.signal === 'traces' ? 1 : 0), 0);
    const closed = {
      traceId: this.#traceIdOf(turn),
      cause,
      closedAt: at,
      position: this.#position,
      rows,
      spansAreDistinct: spans === turns.word(turn, field.SPANS),
      ...this.#conversations.leave(turns.word(turn, field.FIRST_NAMING)),
    };
    this.#rows -= rows.length;
    this.#bytes -= turns.double(turn, field.BYTES);
    this.#deadlines.remove(turn);
    this.#byTraceId.remove(turn);
    turns.remove(turn);
    return closed;
  }

  #traceIdOf(turn: number): TraceId {
    for (let word = 0; word < 4; word += 1) ID.writeInt32BE(this.#turns.word(turn, field.TRACE_ID + word), word * 4);
    // The cast is the brand: only valid ids come with a row.
    return ID.toString('hex') as TraceId;
  }

  #hashOf(turn: number): number {
    const word = (number: number) => this.#turns.word(turn, field.TRACE_ID + number);
    return hashOfWords(word(0), word(1), word(2), word(3));
  }

  /** Compares by trace id, as bytes, so that the order does not depend on arrival. */
  #isBefore(turn: number, other: number): boolean {
    for (let word = field.TRACE_ID; word < field.TRACE_ID + 4; word += 1) {
      const [mine, others] = [this.#turns.word(turn, word), this.#turns.word(other, word)];
      if (mine !== others) return mine >>> 0 < others >>> 0;
    }
    return false;
  }
}

/** Bytes of an id that becomes a text. */
const ID = Buffer.alloc(16);

function isSpan({ group, spanIdHigh, spanIdLow }: Row): boolean {
  return group.signal === 'traces' && !(spanIdHigh === 0 && spanIdLow === 0);
}
