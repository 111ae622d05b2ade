/**
 * An `EngineStore` in memory: filled with the conversations of one transaction, changed by the engine, and asked at the end what has
 * changed. It does what the SQLite store does (`test/store/contract.ts` holds both to it); only that nothing is written here.
 *
 * Rows are numbers that grow for the life of the process and are never used twice, since the engine remembers things by row. Within
 * one set they are in the order in which one store with one log would have made them: by the log time of the first turn, then by its trace's id.
 *
 * Most conversations are loaded without the bytes of their earlier turns. Where the engine asks for them after all, what it
 * made of it is of no use: `missing` names the conversations, and the transaction is to be given up and done again with them loaded whole.
 * The same goes for a conversation that turns join although nobody filed anything for it (`strays`).
 */
import { type ConversationId, syntheticConversationId, type TraceId } from '../../model/ids.ts';
import type { WaitingObservation } from '../detection-store.ts';
import type { EngineStore, ForgottenStore, RunningTotals } from '../engine-store.ts';
import { HistoryChanges } from '../history.ts';
import { HeldConversations } from '../held-conversations.ts';
import { AddedRows } from './added-rows.ts';
import type { LoadedArrival, LoadedHead, LoadedSet } from './loaded.ts';
import { WorkingEvaluations } from './working-evaluations.ts';
import { WorkingFeedback } from './feedback.ts';
import { WorkingHeads } from './working-heads.ts';
import { WorkingKeys } from './working-keys.ts';
import { WorkingPostponed } from './working-postponed.ts';
import { WorkingRevisits, WorkingTruths } from './working-revisits.ts';
import { WorkingTraces } from './working-traces.ts';
import { WorkingWaiting } from './working-waiting.ts';
import { WorkingWords } from './working-words.ts';

/** Moves of what is in the database, in the order in which they happened; conversations as the database names them. */
export type Move =
  | { readonly what: 'evaluations'; readonly traceId: TraceId; readonly from: number; readonly to: number }
  | { readonly what: 'keys'; readonly from: number; readonly to: number };

export class WorkingSet implements EngineStore {
  readonly totals: RunningTotals;
  /** Filing leaves out what was forgotten, so that none of it is loaded. */
  readonly forgotten: ForgottenStore = { hasAny: false, hasTrace: () => false, has: () => false, drop: () => {} };
  readonly history = new HistoryChanges();
  readonly words = new WorkingWords();
  readonly heads = new WorkingHeads(() => this.#nextRow());
  readonly conversations = new HeldConversations(this.heads);
  readonly traces = new WorkingTraces(this.heads, () => this.#nextRow());
  readonly keys = new WorkingKeys(this.conversations);
  readonly postponed = new WorkingPostponed(this.traces);
  readonly evaluations = new WorkingEvaluations(this.heads, this.conversations);
  readonly waiting = new WorkingWaiting();
  readonly truths = new WorkingTruths();
  readonly feedback = new WorkingFeedback();
  readonly revisits = new WorkingRevisits(this.heads);
  readonly detection = new AddedRows<WaitingObservation>();
  readonly results = new AddedRows<string>();
  readonly archive = new AddedRows<ConversationId>();
  #moves: Move[] = [];
  #lastRow = 0;

  constructor(totals: RunningTotals) {
    this.totals = totals;
  }

  load(set: LoadedSet): void {
    this.clear();
    this.keys.loadGroups(set.heads);
    const order = orderOf(set.arrivals);
    const heads = set.heads.map((head) => ({ head, place: placeOf(head, order) }));
    heads.sort((a, b) => a.place.at - b.place.at || (a.place.traceId < b.place.traceId ? -1 : 1));
    for (const { head } of heads) this.heads.load(head);
    const rowOf = (conversation: number) => this.heads.rowOf(conversation);
    const traces = set.traces.map((trace) => ({ ...trace, conversationRow: rowOf(trace.conversation) }));
    this.traces.load(traces, set.arrivals);
    for (const { conversation, traceId, suite, turnId, ...previous } of set.evaluations) {
      const trace = traceId === undefined ? 0 : (this.traces.find(traceId)?.row ?? 0);
      this.evaluations.load({ conversation: rowOf(conversation), trace, suite, turnId, previous });
    }
    for (const { conversation, traceId, evaluation, labels, counted, ...loaded } of set.waiting) {
      const trace = traceId === undefined ? 0 : (this.traces.find(traceId)?.row ?? 0);
      const place = { conversation: rowOf(conversation), trace, labels };
      this.waiting.load({ ...loaded, held: { evaluation, place, counted } });
    }
    for (const { id, conversation, revisit, truth, feedback } of set.heads) {
      if (feedback.length > 0) this.feedback.load(conversation.id, feedback);
      if (truth !== undefined) this.truths.load(conversation.id, truth);
      if (revisit !== undefined) this.revisits.load(rowOf(id));
    }
    for (const { conversation, has, wants } of set.keys) {
      this.keys.load({ conversation: rowOf(conversation), has, wants });
    }
  }

  clear(): void {
    this.heads.clear();
    this.conversations.discard();
    this.traces.clear();
    this.keys.clear();
    this.postponed.clear();
    this.evaluations.clear();
    this.waiting.clear();
    this.truths.clear();
    this.feedback.clear();
    this.revisits.clear();
    this.detection.clear();
    this.results.clear();
    this.archive.clear();
    this.history.clear();
    this.words.clear();
    this.#moves = [];
  }

  moves(): readonly Move[] {
    return this.#moves;
  }

  moveTrace(trace: number, { from, to }: { readonly from: number; readonly to: number }): void {
    this.#moveEvaluations(trace, from, to);
  }

  moveConversation(from: number, to: number): void {
    for (const { row } of this.traces.ofConversation(from)) {
      this.traces.move(row, to);
      this.#moveEvaluations(row, from, to);
    }
    this.waiting.dropWhole(from);
    this.keys.move(from, to);
    const [origin, target] = [this.heads.head(from).loaded, this.heads.head(to).loaded];
    if (origin !== undefined && target !== undefined) {
      this.#moves.push({ what: 'keys', from: origin.id, to: target.id });
    }
  }

  #moveEvaluations(trace: number, from: number, to: number): void {
    this.evaluations.moveTrace(trace, from, to);
    this.waiting.moveTrace(trace, from, to);
    const [origin, target] = [this.heads.head(from), this.heads.head(to)];
    // Rows that are absent here cannot be seen from their new place either.
    if (!origin.isWhole) target.isWhole = false;
    const { traceId, loaded } = this.traces.held(trace);
    if (loaded === undefined || origin.loaded === undefined || target.loaded === undefined) return;
    this.#moves.push({ what: 'evaluations', traceId, from: origin.loaded.id, to: target.loaded.id });
  }

  #nextRow(): number {
    this.#lastRow += 1;
    return this.#lastRow;
  }
}

interface Place {
  readonly at: number;
  readonly traceId: string;
}

/** Behind everything. */
const NOWHERE: Place = { at: Number.POSITIVE_INFINITY, traceId: '' };

/** The first arrival that may make each conversation: one that was filed for it, or one that goes by its trace. */
function orderOf(arrivals: readonly LoadedArrival[]): {
  readonly byConversation: ReadonlyMap<number, Place>;
  readonly byId: ReadonlyMap<string, Place>;
} {
  const byConversation = new Map<number, Place>();
  const byId = new Map<string, Place>();
  for (const { conversation, traceId, closedAt } of arrivals) {
    const place = { at: closedAt, traceId };
    const synthetic = syntheticConversationId(traceId);
    if (!byConversation.has(conversation)) byConversation.set(conversation, place);
    if (!byId.has(synthetic)) byId.set(synthetic, place);
  }
  return { byConversation, byId };
}

function placeOf(head: LoadedHead, order: ReturnType<typeof orderOf>): Place {
  const { id, firstClosedAt } = head.conversation;
  if (firstClosedAt !== undefined) return { at: firstClosedAt, traceId: head.firstTrace ?? '' };
  return order.byConversation.get(head.id) ?? order.byId.get(id) ?? NOWHERE;
}
