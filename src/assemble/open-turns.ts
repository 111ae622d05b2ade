/**
 * The turns that are still open, and the rules by which they close.
 *
 * A deterministic machine over log time: it is told of rows (one span or log record each, in the order of the log) and
 * of time, and answers with the turns that have closed. It has no clock, no timer and no I/O, and it knows of a span
 * only where its bytes lie; so an open turn of one span costs about 600 bytes (measured).
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
 */
import type { CloseCause } from '../model/causes.ts';
import type { TraceId } from '../model/ids.ts';
import { DeadlineHeap } from './deadline-heap.ts';
import { KnownSpans } from './known-spans.ts';
import { type NamedConversation, NamedConversations, NONE } from './named-conversations.ts';

export interface TurnLimits {
  readonly settleMs: number;
  readonly idleMs: number;
  readonly maxAgeMs: number;
  readonly maxSpans: number;
  readonly maxBytes: number;
  readonly maxOpenTurns: number;
  readonly maxOpenSpans: number;
}

/** Where the resource and the scope of some spans lie in the journal; shared by all spans of the group. */
export interface RowGroup {
  readonly entryPosition: number;
  readonly signal: 'traces' | 'logs';
  readonly resourcePosition: number;
  readonly resourceLength: number;
  readonly scopePosition: number;
  readonly scopeLength: number;
}

export interface Row {
  readonly traceId: TraceId;
  /** Ids as two signed 32-bit words; both are 0 where there is none. */
  readonly spanIdHigh: number;
  readonly spanIdLow: number;
  readonly parentIdHigh: number;
  readonly parentIdLow: number;
  /** The parent lives in another process, which may never report to us. */
  readonly parentIsRemote: boolean;
  readonly position: number;
  readonly length: number;
  readonly group: RowGroup;
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

export interface ClosedRow {
  readonly position: number;
  readonly length: number;
  readonly group: RowGroup;
}

interface OpenTurn {
  readonly traceId: TraceId;
  readonly firstAt: number;
  lastAt: number;
  bytes: number;
  rootEnded: boolean;
  /** The time of this turn's entry in the heap; never after its deadline. Any other entry of it is stale. */
  checkAt: number;
  readonly positions: number[];
  readonly lengths: number[];
  readonly groups: RowGroup[];
  readonly spans: KnownSpans;
  named: readonly NamedConversation[];
}

interface TurnDeadline {
  readonly at: number;
  readonly cause: CloseCause;
}

/** More are not followed: only hostile or broken traces name so many. */
const NAMED_MAX = 8;

export class OpenTurns {
  readonly #limits: TurnLimits;
  readonly #turns = new Map<TraceId, OpenTurn>();
  readonly #deadlines = new DeadlineHeap();
  readonly #oversized = new Set<TraceId>();
  readonly #conversations = new NamedConversations<OpenTurn>((turn) => this.#turns.get(turn.traceId) === turn);
  #rows = 0;
  #bytes = 0;
  #time = 0;
  #position = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  get turnCount(): number {
    return this.#turns.size;
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
   * One row at log time `at`. `nextPosition` is the position behind the entry that holds it. Time must have been
   * advanced to `at` before. Returns whether it is the first of its turn to name its conversation.
   */
  add(row: Row, input: { readonly at: number; readonly nextPosition: number }): boolean {
    if (input.at !== this.#time) throw new Error(`open turns: row at ${input.at}, but time is ${this.#time}`);
    this.#position = input.nextPosition;
    const known = this.#turns.get(row.traceId);
    const turn = known ?? this.#open(row, input.at);
    // A duplicate span is no sign of life: data that is sent twice must change nothing.
    const isSpan = row.group.signal === 'traces' && !isNone(row.spanIdHigh, row.spanIdLow);
    const isRepeated = isSpan && turn.spans.hasArrived(row.spanIdHigh, row.spanIdLow);
    if (!isRepeated) turn.lastAt = input.at;
    if (known !== undefined) {
      turn.positions.push(row.position);
      turn.lengths.push(row.length);
      turn.groups.push(row.group);
    }
    turn.bytes += row.length;
    this.#rows += 1;
    this.#bytes += row.length;
    if (isSpan) connect(turn, row);
    // An earlier deadline needs a new entry; a later one is found when the old entry comes up.
    const deadline = this.#deadlineOf(turn).at;
    if (deadline < turn.checkAt) this.#checkAt(turn, deadline);
    if (turn.positions.length > this.#limits.maxSpans || turn.bytes > this.#limits.maxBytes) {
      this.#oversized.add(turn.traceId);
    }
    return row.conversation !== 0 && this.#name(turn, row.conversation);
  }

  /** Moves log time forward and gives the turns that closed by then, in the order in which they closed. */
  advance(to: number): readonly ClosedTurn[] {
    return [...this.advancing(to)].filter((turn) => turn !== undefined);
  }

  /** The same in short steps, most of which close a turn. Until the last of them nothing else may be done here. */
  *advancing(to: number): Generator<ClosedTurn | undefined> {
    if (to < this.#time) throw new Error(`open turns: time went back from ${this.#time} to ${to}`);
    if (to === this.#time) return;
    for (const traceId of [...this.#oversized].sort()) yield this.#closeAs(traceId, 'size', this.#time);
    for (let top = this.#deadlines.peek(); top !== undefined; top = this.#deadlines.peek()) {
      const isOverfull = this.#isOverfull();
      if (!isOverfull && top.at > to) break;
      const next = this.#deadlineAt(top);
      if (next === undefined) yield;
      else if (isOverfull) yield this.#closeAs(top.traceId, 'pressure', this.#time);
      else yield this.#closeAs(top.traceId, next.cause, next.at);
    }
    this.#time = to;
  }

  /** With arrays that have room for the first row only: an array that grows from nothing takes room for seventeen. */
  #open({ traceId, position, length, group }: Row, at: number): OpenTurn {
    const turn: OpenTurn = {
      traceId,
      firstAt: at,
      lastAt: at,
      bytes: 0,
      rootEnded: false,
      checkAt: Number.POSITIVE_INFINITY,
      positions: [position],
      lengths: [length],
      groups: [group],
      spans: new KnownSpans(),
      named: NONE,
    };
    this.#turns.set(traceId, turn);
    return turn;
  }

  #name(turn: OpenTurn, conversation: number): boolean {
    const { named } = turn;
    if (named.length >= NAMED_MAX || named.some((known) => known.conversation === conversation)) return false;
    const naming = { conversation, at: this.#time };
    turn.named = [...named, naming];
    this.#conversations.add(turn, naming);
    return true;
  }

  #checkAt(turn: OpenTurn, at: number): void {
    turn.checkAt = at;
    this.#deadlines.push(at, turn.traceId);
  }

  #deadlineOf(turn: OpenTurn): TurnDeadline {
    const limits = this.#limits;
    const complete = isComplete(turn);
    const quiet = turn.lastAt + (complete ? Math.min(limits.settleMs, limits.idleMs) : limits.idleMs);
    const oldest = turn.firstAt + limits.maxAgeMs;
    if (oldest < quiet) return { at: oldest, cause: 'max_age' };
    return { at: quiet, cause: complete ? 'settled' : 'idle' };
  }

  /**
   * The deadline of the turn that the heap has on top. Entries of the heap are hints: a stale one goes, one whose turn
   * lived on moves on, and the result is undefined then.
   */
  #deadlineAt(top: { readonly at: number; readonly traceId: TraceId }): TurnDeadline | undefined {
    const turn = this.#turns.get(top.traceId);
    if (turn === undefined || turn.checkAt !== top.at) {
      this.#deadlines.pop();
      return undefined;
    }
    const deadline = this.#deadlineOf(turn);
    if (deadline.at === top.at) return deadline;
    this.#deadlines.pop();
    this.#checkAt(turn, deadline.at);
    return undefined;
  }

  #isOverfull(): boolean {
    return this.#turns.size > this.#limits.maxOpenTurns || this.#rows > this.#limits.maxOpenSpans;
  }

  #closeAs(traceId: TraceId, cause: CloseCause, closedAt: number): ClosedTurn | undefined {
    const turn = this.#turns.get(traceId);
    this.#oversized.delete(traceId);
    if (turn === undefined) return undefined;
    this.#turns.delete(traceId);
    this.#rows -= turn.positions.length;
    this.#bytes -= turn.bytes;
    const rows = rowsOf(turn);
    const spans = rows.reduce((count, row) => count + (row.group.signal === 'traces' ? 1 : 0), 0);
    const spansAreDistinct = spans === turn.spans.arrived;
    const { named } = turn;
    const openBeside = this.#conversations.leave(named);
    return { traceId, cause, closedAt, position: this.#position, rows, spansAreDistinct, named, openBeside };
  }
}

function connect(turn: OpenTurn, row: Row): void {
  turn.spans.arrive(row.spanIdHigh, row.spanIdLow);
  if (isNone(row.parentIdHigh, row.parentIdLow) || row.parentIsRemote) turn.rootEnded = true;
  else turn.spans.nameParent(row.parentIdHigh, row.parentIdLow);
}

function isNone(high: number, low: number): boolean {
  return high === 0 && low === 0;
}

function isComplete(turn: OpenTurn): boolean {
  return turn.rootEnded && turn.spans.missing === 0;
}

function rowsOf(turn: OpenTurn): ClosedRow[] {
  const rows: ClosedRow[] = [];
  for (const [index, group] of turn.groups.entries()) {
    rows.push({ position: turn.positions[index] ?? 0, length: turn.lengths[index] ?? 0, group });
  }
  return rows;
}
