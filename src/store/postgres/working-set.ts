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
import { type Evaluation, OUTCOMES, type Verdict } from '../../model/evaluation.ts';
import { type ConversationId, syntheticConversationId, type TraceId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import type { JudgeOutcome } from '../../model/judging.ts';
import type {
  ConversationJoin,
  ConversationKeys,
  ConversationResult,
  EngineStore,
  EvaluationKey,
  EvaluationPlace,
  NewTrace,
  PreviousEvaluation,
  RunningTotals,
  StoredConversation,
  StoredTrace,
  TraceContent,
} from '../engine-store.ts';
import type { WaitingObservation } from '../detection-store.ts';
import type { HeldEvaluation, WaitingEvaluation } from '../revisit.ts';
import type { LoadedArrival, LoadedHead, LoadedSet } from './loaded.ts';
import { type HeldConversation, WorkingConversations } from './working-conversations.ts';
import { type NewEvaluation, WorkingEvaluations } from './working-evaluations.ts';
import { type HeldKeys, WorkingKeys } from './working-keys.ts';
import { type HeldTrace, WorkingTraces } from './working-traces.ts';
import { WorkingWaiting } from './working-waiting.ts';

/** Moves of what is in the database, in the order in which they happened; conversations as the database names them. */
export type Move =
  | { readonly what: 'evaluations'; readonly traceId: TraceId; readonly from: number; readonly to: number }
  | { readonly what: 'keys'; readonly from: number; readonly to: number };

export interface Stray {
  readonly conversationId: ConversationId;
  /** The trace that led there. */
  readonly traceId: TraceId;
}

export class WorkingSet implements EngineStore {
  readonly totals: RunningTotals;
  readonly #conversations = new WorkingConversations(() => this.#nextRow());
  readonly #traces = new WorkingTraces(
    () => this.#nextRow(),
    (trace) => this.#missed(trace.conversation),
  );
  readonly #evaluations = new WorkingEvaluations();
  readonly waiting = new WorkingWaiting();
  readonly #truths = new Map<ConversationId, Json>();
  #revisits: number[] = [];
  readonly #keys = new WorkingKeys();
  readonly #postponed = new Map<number, number>();
  readonly #missing = new Set<number>();
  #moves: Move[] = [];
  #strays: Stray[] = [];
  #observations: WaitingObservation[] = [];
  #results: string[] = [];
  #idleMsMin = Number.POSITIVE_INFINITY;
  #hasGroups = false;
  #lastRow = 0;

  constructor(totals: RunningTotals) {
    this.totals = totals;
  }

  /** The shortest time after which a conversation was said to be idle; 0 while none was. */
  get idleMs(): number {
    return Number.isFinite(this.#idleMsMin) ? this.#idleMsMin : 0;
  }

  load(set: LoadedSet): void {
    this.clear();
    this.#hasGroups = set.heads.some(({ isGrouped }) => isGrouped);
    const order = orderOf(set.arrivals);
    const heads = set.heads.map((head) => ({ head, place: placeOf(head, order) }));
    heads.sort((a, b) => a.place.at - b.place.at || (a.place.traceId < b.place.traceId ? -1 : 1));
    for (const { head } of heads) this.#conversations.load(head);
    const rowOf = (conversation: number) => this.#conversations.rowOf(conversation);
    const traces = set.traces.map((trace) => ({ ...trace, conversationRow: rowOf(trace.conversation) }));
    this.#traces.load(traces, set.arrivals);
    for (const { conversation, traceId, suite, turnId, verdicts, ...previous } of set.evaluations) {
      const trace = traceId === undefined ? 0 : (this.#traces.find(traceId)?.row ?? 0);
      this.#evaluations.load({ conversation: rowOf(conversation), trace, suite, turnId, previous, verdicts });
    }
    for (const { conversation, traceId, evaluation, labels, counted, ...loaded } of set.waiting) {
      const trace = traceId === undefined ? 0 : (this.#traces.find(traceId)?.row ?? 0);
      const place = { conversation: rowOf(conversation), trace, labels };
      this.waiting.load({ ...loaded, held: { evaluation, place, counted } });
    }
    for (const { id, conversationId, revisit, truth } of set.heads) {
      if (truth !== undefined) this.#truths.set(conversationId, truth);
      if (revisit !== undefined) this.#revisits.push(rowOf(id));
    }
    for (const { conversation, has, wants } of set.keys) {
      this.#keys.load({ conversation: rowOf(conversation), has, wants });
    }
  }

  clear(): void {
    this.#conversations.clear();
    this.#traces.clear();
    this.#evaluations.clear();
    this.waiting.clear();
    this.#truths.clear();
    this.#revisits = [];
    this.#keys.clear();
    this.#postponed.clear();
    this.#missing.clear();
    this.#moves = [];
    this.#strays = [];
    this.#observations = [];
    this.#results = [];
  }

  /** Conversations, as the database names them, that have to be loaded whole. */
  get missing(): readonly number[] {
    return [...this.#missing];
  }

  get strays(): readonly Stray[] {
    return this.#strays;
  }

  changedConversations(): readonly HeldConversation[] {
    return [...this.#conversations.all()].filter(({ isChanged }) => isChanged);
  }

  changedTraces(): readonly HeldTrace[] {
    return [...this.#traces.all()].filter(({ isChanged }) => isChanged);
  }

  newEvaluations(): readonly NewEvaluation[] {
    return this.#evaluations.added;
  }

  newObservations(): readonly WaitingObservation[] {
    return this.#observations;
  }

  newResults(): readonly string[] {
    return this.#results;
  }

  newKeys(): readonly HeldKeys[] {
    return this.#keys.added();
  }

  moves(): readonly Move[] {
    return this.#moves;
  }

  /** As the database names it. */
  headOf(row: number): LoadedHead {
    const { head, id } = this.#conversations.held(row);
    if (head === undefined) throw new Error(`store: conversation ${id} was made without being filed`);
    return head;
  }

  conversationOf(row: number): HeldConversation {
    return this.#conversations.held(row);
  }

  traceIdAt(row: number): TraceId | undefined {
    return row === 0 ? undefined : this.#traces.at(row)?.traceId;
  }

  findTrace(traceId: TraceId): StoredTrace | undefined {
    return this.#traces.find(traceId);
  }

  contentOf(trace: number): TraceContent {
    return this.#traces.contentOf(trace);
  }

  tracesOf(conversation: number): readonly StoredTrace[] {
    if (!this.#conversations.held(conversation).isWhole) this.#missed(conversation);
    return this.#traces.ofConversation(conversation).map((trace) => ({ ...trace }));
  }

  insertTrace(trace: NewTrace): number {
    const held = this.#traces.insert(trace);
    this.#noteFirst(held);
    return held.row;
  }

  reviseTrace(trace: NewTrace & { readonly row: number }): void {
    this.#noteFirst(this.#traces.revise(trace));
  }

  passTrace(row: number, position: number): void {
    this.#traces.pass(row, position);
  }

  joinConversation(join: ConversationJoin): StoredConversation {
    this.#idleMsMin = Math.min(this.#idleMsMin, join.idleMs);
    return this.#conversations.join(join);
  }

  scheduleConversation(row: number, due: { readonly at: number; readonly cause: string }): void {
    this.#conversations.schedule(row, due);
  }

  conversationAt(row: number): StoredConversation {
    return this.#conversations.at(row);
  }

  nextDue(logTime: number): StoredConversation | undefined {
    return this.#conversations.nextDue(logTime);
  }

  conversationEvaluated(row: number, result: ConversationResult): void {
    this.#conversations.evaluated(row, result);
  }

  /**
   * Whether any conversation is in a group: one that is in none refers to no other, whatever else happens to be in this set. So the answer
   * for each of them does not depend on which were loaded together.
   */
  get hasConversationKeys(): boolean {
    return this.#hasGroups;
  }

  findConversationsBy(keys: ConversationKeys): readonly StoredConversation[] {
    return this.#keys.find(keys).map((row) => this.#conversations.at(row));
  }

  addConversationKeys(conversation: number, keys: ConversationKeys): void {
    this.#keys.add(conversation, keys);
  }

  moveTrace(trace: number, turns: number, { from, to }: { readonly from: number; readonly to: number }): void {
    this.#moveEvaluations(trace, from, to);
    this.#conversations.leave(from, turns);
    this.#conversations.leave(to, -turns);
  }

  absorbConversation(from: number, to: number): void {
    if (!this.#conversations.held(from).isWhole) this.#missed(from);
    for (const { row } of this.#traces.ofConversation(from)) {
      this.#traces.move(row, to);
      this.#moveEvaluations(row, from, to);
    }
    this.waiting.dropWhole(from);
    this.#keys.move(from, to);
    const [origin, target] = [this.#conversations.held(from).head, this.#conversations.held(to).head];
    if (origin !== undefined && target !== undefined) {
      this.#moves.push({ what: 'keys', from: origin.id, to: target.id });
    }
    this.#conversations.absorb(from, to);
  }

  postponeTurn(trace: number, closedAt: number): void {
    this.#postponed.set(trace, closedAt);
  }

  takePostponed(logTime: number): readonly StoredTrace[] {
    if (this.#postponed.size === 0) return [];
    const taken = [...this.#postponed].filter(([, closedAt]) => closedAt <= logTime);
    taken.sort(([a, aClosed], [b, bClosed]) => aClosed - bClosed || a - b);
    for (const [trace] of taken) this.#postponed.delete(trace);
    return taken.flatMap(([trace]) => this.#traces.at(trace) ?? []);
  }

  previousEvaluation(key: EvaluationKey): PreviousEvaluation | undefined {
    if (!this.#conversations.held(key.conversation).isWhole) this.#missed(key.conversation);
    return this.#evaluations.previous(key);
  }

  verdictsOf(key: EvaluationKey): ReadonlyMap<string, Verdict> | undefined {
    return this.#evaluations.verdictsOf(key);
  }

  truthOf(conversation: ConversationId): Json | undefined {
    return this.#truths.get(conversation);
  }

  /** Those that are there for the engine by now; in the order of the rows, which is the same wherever they are looked at. */
  takeRevisits(): readonly number[] {
    const rows = this.#revisits.filter((row) => this.#conversations.held(row).isThere);
    this.#revisits = [];
    return rows.sort((a, b) => a - b);
  }

  putWaiting(waiting: WaitingEvaluation): void {
    this.waiting.add(waiting);
  }

  waitingEvaluation(key: EvaluationKey): HeldEvaluation | undefined {
    return this.waiting.find(key);
  }

  dropWaiting(key: EvaluationKey): void {
    this.waiting.drop(key);
  }

  dropAnswered(conversation: number): void {
    this.waiting.dropAnswered(conversation);
  }

  outcomeOf(requestKey: string, evaluation: EvaluationKey): JudgeOutcome | undefined {
    return this.waiting.outcomeOf(requestKey, evaluation);
  }

  queueObservation(observation: WaitingObservation): void {
    this.#observations.push(observation);
  }

  queueResult(payload: string): void {
    this.#results.push(payload);
  }

  insertEvaluation(evaluation: Evaluation, place: EvaluationPlace, onNew: (evaluation: Evaluation) => void): void {
    if (!this.#evaluations.insert(evaluation, place)) return;
    if (evaluation.outcome !== 'unscored' && !evaluation.shadow) {
      this.#conversations.worsen(place.conversation, OUTCOMES.indexOf(evaluation.outcome));
    }
    onNew(evaluation);
  }

  /** The positions of the log are the lanes'. */
  raiseFloor(): void {}

  #moveEvaluations(trace: number, from: number, to: number): void {
    this.#evaluations.moveTrace(trace, from, to);
    this.waiting.moveTrace(trace, from, to);
    const [origin, target] = [this.#conversations.held(from), this.#conversations.held(to)];
    // What is not here can't be seen from its new place either.
    if (!origin.isWhole) target.isWhole = false;
    const { traceId, loaded } = this.#traces.held(trace);
    if (loaded === undefined || origin.head === undefined || target.head === undefined) return;
    this.#moves.push({ what: 'evaluations', traceId, from: origin.head.id, to: target.head.id });
  }

  #noteFirst({ conversation: row, traceId }: HeldTrace): void {
    const conversation = this.#conversations.held(row);
    conversation.firstTrace ??= traceId;
    if (conversation.head === undefined) this.#strays.push({ conversationId: conversation.id, traceId });
  }

  #missed(row: number): void {
    const { head } = this.#conversations.held(row);
    if (head !== undefined) this.#missing.add(head.id);
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
  if (head.firstClosedAt !== undefined) return { at: head.firstClosedAt, traceId: head.firstTrace ?? '' };
  return order.byConversation.get(head.id) ?? order.byId.get(head.conversationId) ?? NOWHERE;
}
