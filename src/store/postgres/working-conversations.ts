/**
 * The conversations of one transaction, in memory. A head that lanes have filed turns for is not there for the engine before a turn
 * joins it; it has its number from the start, in the order in which a store with one log would have made the rows.
 */
import type { ConversationId, TraceId } from '../../model/ids.ts';
import {
  absorbInto,
  type ConversationState,
  type Due,
  isDueBefore,
  joinTurns,
  newConversation,
  noteResult,
} from '../conversation-rules.ts';
import type { ConversationJoin, ConversationResult, ConversationStore, StoredConversation } from '../engine-store.ts';
import type { LoadedHead } from './loaded.ts';

export interface HeldConversation extends ConversationState {
  /** Undefined for one that nobody filed anything for: it has to be made and loaded first. */
  readonly head: LoadedHead | undefined;
  firstTrace: TraceId | undefined;
  isThere: boolean;
  isChanged: boolean;
  /** See `LoadedHead`; what moves in from one that was not loaded whole leaves it so. */
  isWhole: boolean;
}

interface Stray {
  readonly conversationId: ConversationId;
  /** The trace that led there. */
  readonly traceId: TraceId;
}

export class WorkingConversations implements ConversationStore {
  readonly #byRow = new Map<number, HeldConversation>();
  readonly #rowById = new Map<ConversationId, number>();
  readonly #rowByHead = new Map<number, number>();
  readonly #nextRow: () => number;
  readonly #missing = new Set<number>();
  #strays: Stray[] = [];
  #nothingDueBefore = Number.NEGATIVE_INFINITY;
  #idleMsMin = Number.POSITIVE_INFINITY;

  constructor(nextRow: () => number) {
    this.#nextRow = nextRow;
  }

  load(head: LoadedHead): void {
    const row = this.#nextRow();
    this.#hold({
      ...newConversation(row, { id: head.conversationId, labels: head.labels, at: head.firstClosedAt ?? 0 }),
      lastClosedAt: head.lastClosedAt,
      updatedAt: head.updatedAt,
      turns: head.turns,
      turnsEvaluated: head.turnsEvaluated,
      dueAt: head.dueAt,
      dueCause: head.dueCause,
      revision: head.revision,
      cause: head.cause,
      worstOutcome: head.worstOutcome,
      unscoredBecause: head.unscoredBecause,
      head,
      firstTrace: head.firstTrace,
      isThere: head.firstClosedAt !== undefined,
      isChanged: false,
      isWhole: head.isWhole,
    });
    this.#rowByHead.set(head.id, row);
  }

  clear(): void {
    this.#byRow.clear();
    this.#rowById.clear();
    this.#rowByHead.clear();
    this.#missing.clear();
    this.#strays = [];
    this.#nothingDueBefore = Number.NEGATIVE_INFINITY;
  }

  /** The shortest time after which a conversation was said to be idle; 0 while none was. */
  get idleMs(): number {
    return Number.isFinite(this.#idleMsMin) ? this.#idleMsMin : 0;
  }

  /** Conversations, as the database names them, that have to be loaded whole. */
  get missing(): readonly number[] {
    return [...this.#missing];
  }

  get strays(): readonly Stray[] {
    return this.#strays;
  }

  changed(): readonly HeldConversation[] {
    return [...this.#byRow.values()].filter(({ isChanged }) => isChanged);
  }

  /** What was asked for is there only where the conversation was loaded whole. */
  needWhole(row: number): void {
    if (!this.held(row).isWhole) this.miss(row);
  }

  /** Something of it was asked for that was not loaded. */
  miss(row: number): void {
    const { head } = this.held(row);
    if (head !== undefined) this.#missing.add(head.id);
  }

  /** A trace of it was stored. */
  noteTrace(row: number, traceId: TraceId): void {
    const conversation = this.held(row);
    conversation.firstTrace ??= traceId;
    if (conversation.head === undefined) this.#strays.push({ conversationId: conversation.id, traceId });
  }

  /** The row of what was loaded as this. */
  rowOf(head: number): number {
    const row = this.#rowByHead.get(head);
    if (row === undefined) throw new Error(`store: conversation ${head} is not in the working set`);
    return row;
  }

  held(row: number): HeldConversation {
    const conversation = this.#byRow.get(row);
    if (conversation === undefined) throw new Error(`store: no conversation of the working set has row ${row}`);
    return conversation;
  }

  /** As the database names it. */
  headOf(row: number): LoadedHead {
    const { head, id } = this.held(row);
    if (head === undefined) throw new Error(`store: conversation ${id} was made without being filed`);
    return head;
  }

  at(row: number): StoredConversation {
    return { ...this.held(row) };
  }

  join(join: ConversationJoin): StoredConversation {
    this.#idleMsMin = Math.min(this.#idleMsMin, join.idleMs);
    const conversation = this.#findOrMake(join);
    const due = joinTurns(conversation, join);
    this.schedule(conversation.row, due);
    return { ...conversation };
  }

  schedule(row: number, due: { readonly at: number; readonly cause: string }): void {
    const conversation = this.#change(row);
    conversation.dueAt = due.at;
    conversation.dueCause = due.cause;
    this.#nothingDueBefore = Math.min(this.#nothingDueBefore, due.at);
  }

  leave(row: number, turns: number): void {
    this.#change(row).turns -= turns;
  }

  absorb(from: number, to: number): void {
    const absorbed = this.#change(from);
    const into = this.#change(to);
    // The row itself stays: lanes may be filing turns for it.
    if (absorbInto(absorbed, into)) absorbed.isThere = false;
  }

  worsen(row: number, outcome: number): void {
    const conversation = this.#change(row);
    conversation.worstOutcome = Math.max(conversation.worstOutcome, outcome);
  }

  evaluated(row: number, result: ConversationResult): void {
    noteResult(this.#change(row), result);
  }

  nextDue(logTime: number): StoredConversation | undefined {
    if (logTime < this.#nothingDueBefore) return undefined;
    let next: Due | undefined;
    for (const { row, dueAt, isThere } of this.#byRow.values()) {
      if (!isThere || dueAt === undefined) continue;
      if (next === undefined || isDueBefore({ row, dueAt }, next)) next = { row, dueAt };
    }
    this.#nothingDueBefore = next?.dueAt ?? Number.POSITIVE_INFINITY;
    return next !== undefined && next.dueAt <= logTime ? this.at(next.row) : undefined;
  }

  #findOrMake(join: ConversationJoin): HeldConversation {
    const row = this.#rowById.get(join.id);
    if (row === undefined) {
      const nobodys = newConversation(this.#nextRow(), join);
      return this.#hold({
        ...nobodys,
        head: undefined,
        firstTrace: undefined,
        isThere: true,
        isChanged: true,
        isWhole: true,
      });
    }
    const known = this.#change(row);
    if (!known.isThere) Object.assign(known, newConversation(row, join), { isThere: true, firstTrace: undefined });
    return known;
  }

  #hold(conversation: HeldConversation): HeldConversation {
    this.#byRow.set(conversation.row, conversation);
    this.#rowById.set(conversation.id, conversation.row);
    return conversation;
  }

  #change(row: number): HeldConversation {
    const conversation = this.held(row);
    conversation.isChanged = true;
    return conversation;
  }
}
