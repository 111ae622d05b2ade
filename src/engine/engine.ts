/**
 * Processes closed turns: each is understood, scored and stored, and the conversations that are due by then are scored.
 * The online service, `assay score` and the tests run this same code.
 *
 * The engine takes arrivals and time, in the order of the log, and nothing else; so the same log gives the same
 * evaluations, whatever the log and the store. An arrival is a closed turn, or late spans of one: its bytes, its log
 * time, why it closed. Late spans are merged with what the store has and evaluated as the next revision.
 *
 * It writes inside a transaction that the caller begins and commits; a crash before the commit leaves the arrival in
 * its log, which delivers it again.
 */
import type { CloseCause, DueCause, UnscoredCause } from '../model/causes.ts';
import {
  buildConversation,
  conversationIdOf,
  isAgentWork,
  namedConversationOf,
} from '../assemble/build-conversation.ts';
import { type ConversationEvidence, evidenceOf, evidenceOfLinks } from '../assemble/conversation-evidence.ts';
import { isBare, isOpen, isWhole } from '../assemble/turns/fragments.ts';
import type { Conversation } from '../model/conversation.ts';
import { isSynthetic, syntheticConversationId, type TraceId } from '../model/ids.ts';
import { keyOfSuite } from '../model/suite-key.ts';
import type { Turn } from '../model/turn.ts';
import { QUALITY_METRICS } from '../report/metrics/quality-metrics.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import type { StoredConversation, StoredTrace } from '../store/engine-store.ts';
import { type Arrival, type ClosedInLog, openSinceIn } from './arrival.ts';
import type { EngineParts } from './engine-parts.ts';
import {
  absorbConversation,
  glanceOf,
  spokenWords,
  type ClosingLimits,
  closeBeside,
  closeConversation,
  dueConversations,
  dueNowBecause,
  factsOf,
  joinConversation,
  moveTurns,
  type ScoringResult,
  wrongClocksOf,
} from './conversation-closing.ts';
import type { TurnFate } from '../model/events/scoring-events.ts';
import { EvaluationRecorder } from './evaluation-recorder.ts';
import { RecentTurns } from './recent-turns.ts';
import { Revisiting } from './revisiting.ts';
import { SuiteMatching } from './suite-matching.ts';
import { SuiteRunner } from './suite-runner.ts';
import { SuiteScoring } from './suite-scoring.ts';
import { Truths } from './truths.ts';
import { TakenFeedback } from './taken-feedback.ts';
import { Understanding } from './understanding.ts';
import { columnsOf } from './conversation-labels.ts';

/** A turn that was closed for one of these takes no more spans. */
const SEALS = {
  settled: false,
  idle: false,
  max_age: false,
  size: true,
  pressure: false,
  unknown: false,
} satisfies Record<CloseCause, boolean>;

/** Whether a conversation that has no score for this is counted; one whose turns have moved is scored as another. */
const IS_COUNTED = {
  no_suite_matched: true,
  not_understood: true,
  moved: false,
  unknown: false,
} satisfies Record<UnscoredCause, boolean>;

/** Place where a closed turn was stored. */
interface ClosedPlace {
  readonly conversation: StoredConversation;
  readonly trace: number;
  readonly revision: number;
  readonly closedAt: number;
  readonly turns: readonly Turn[];
}
/** `closedAt` is when it is scored, by the log. */
type TurnPlace = Pick<ClosedPlace, 'conversation' | 'trace' | 'closedAt'>;

export class Engine {
  readonly #parts: EngineParts;
  readonly #runner: SuiteRunner;
  readonly #scoring: SuiteScoring;
  readonly #understanding: Understanding;
  readonly #revisiting: Revisiting;
  readonly #feedback: TakenFeedback;
  readonly #recorder: EvaluationRecorder;
  readonly #matching: SuiteMatching;
  readonly #recent = new RecentTurns();
  readonly #suitesByTurn: readonly CompiledSuite[];
  readonly #closingLimits: ClosingLimits;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    if (parts.foretell !== undefined) parts.store.conversations.foretell = parts.foretell;
    this.#closingLimits = { ...parts.settings.conversation, openMaxMs: parts.settings.turn.maxAgeMs };
    this.#suitesByTurn = parts.suites.filter((suite) => suite.matchesTurn !== undefined);
    const judge = parts.judge ?? (() => undefined);
    this.#runner = new SuiteRunner({
      watch: parts.watch,
      onEvent: parts.onEvent,
      judge,
      timed: (stage, work) => this.#timed(stage, work),
    });
    const recorder = new EvaluationRecorder({
      store: parts.store,
      ...parts.settings.metrics,
      shadowed: new Set(parts.suites.flatMap(({ name, shadow }) => (shadow === undefined ? [] : [name]))),
      judge,
      onFold: (fold) => parts.onEvent({ type: 'labels-folded', ...fold }),
      onJoined: (judge) => parts.onEvent({ type: 'answer-reused', judge }),
    });
    this.#recorder = recorder;
    this.#scoring = new SuiteScoring({
      store: parts.store,
      runner: this.#runner,
      recorder,
      onReused: (judge) => parts.onEvent({ type: 'answer-reused', judge }),
      timed: (stage, work) => this.#timed(stage, work),
    });
    const { store, suites, onEvent } = parts;
    this.#feedback = new TakenFeedback({ store, idKeys: parts.settings.conversation.idKeys, onEvent });
    this.#understanding = new Understanding({
      store,
      idKeys: parts.settings.conversation.idKeys,
      recent: this.#recent,
      truths: new Truths(store.truths, parts.truth),
      feedback: this.#feedback,
      prices: parts.settings.prices,
      onEvent,
      timed: (stage, work) => this.#timed(stage, work),
    });
    const understanding = this.#understanding;
    this.#matching = new SuiteMatching({ suites, runner: this.#runner, recent: this.#recent, understanding });
    this.#revisiting = new Revisiting({
      store,
      suites,
      scoring: this.#scoring,
      understanding,
      fold: (conversation) => this.#fold(conversation),
    });
  }

  /** Time has moved on, and every turn that closed by then is here: scores the conversations that are due. False if none was. */
  advance(logTime: number): boolean {
    const wereDue = this.#sweep(logTime);
    this.#revisiting.lookAgain(logTime);
    return wereDue;
  }

  #sweep(logTime: number): boolean {
    const { store } = this.#parts;
    let wereDue = false;
    const parts = Map.groupBy(store.postponed.take(logTime), ({ conversation }) => conversation);
    for (const [conversation, traces] of parts) this.#evaluateJoinedTurns(conversation, traces);
    for (const due of dueConversations(store.conversations, logTime)) {
      this.#evaluateConversation(due, due.dueCause ?? 'idle');
      wereDue = true;
    }
    return wereDue;
  }

  arrive(arrival: Arrival): TurnFate {
    this.#recorder.cameFrom(arrival);
    this.#sweepBefore(arrival);
    const known = this.#parts.store.traces.find(arrival.traceId);
    const fate = this.#feedback.isForgotten(arrival) ? this.#forget(arrival, known) : this.#take(arrival, known);
    const told = this.#feedback.takeRest(fate, known);
    if (told !== undefined) this.#revisiting.hear(told, arrival.closedAt);
    return this.#counted(arrival, fate);
  }

  /** The log gave a turn whose bytes it has lost: it is left out, and reported. */
  passUnreadable(closed: ClosedInLog, error: unknown): TurnFate {
    this.#sweepBefore(closed);
    const known = this.#parts.store.traces.find(closed.traceId);
    if (this.#isForgottenTrace(closed)) return this.#counted(closed, this.#forget(closed, known));
    this.#understanding.report(`trace ${closed.traceId}`, error);
    return this.#counted(closed, known === undefined ? 'not-understood' : this.#pass(known, closed, 'not-understood'));
  }

  /** Not what is due at this very time: another turn of the conversation may close at it as well. */
  #sweepBefore({ closedAt }: ClosedInLog): void {
    if (this.#parts.conversations !== 'at the end') this.#sweep(closedAt - 1);
  }

  #counted({ cause, rows }: ClosedInLog, fate: TurnFate): TurnFate {
    this.#parts.onEvent({ type: 'turn-closed', cause, fate, rows });
    return fate;
  }

  #take(closed: Arrival, known: StoredTrace | undefined): TurnFate {
    const { store, settings } = this.#parts;
    // First: its bytes may be overwritten by now.
    if (this.#isForgottenTrace(closed)) return this.#forget(closed, known);
    if (known !== undefined) {
      if (known.sealed) return this.#pass(known, closed, 'over-limit');
      if (closed.closedAt - known.closedAt > settings.turn.reopenMs) return this.#pass(known, closed, 'too-late');
    }
    const understood = this.#understanding.arrival(closed, known);
    if (understood === undefined)
      return known === undefined ? 'not-understood' : this.#pass(known, closed, 'not-understood');
    const { merged, turns } = understood;
    if (this.#isForgotten(turns)) return this.#forget(closed, known);
    if (merged.added === 0 && known !== undefined) return this.#pass(known, closed, 'duplicate');
    if (known === undefined && this.#parts.store.traces.wasPruned(closed.traceId)) {
      this.#closeNamed(turns, closed);
      return 'pruned';
    }
    if (merged.spans === 0) return 'logs-without-spans';
    const tooLarge = merged.spans > settings.turn.maxSpans || merged.content.traces.length > settings.turn.maxBytes;
    if (tooLarge && known !== undefined) return this.#pass(known, closed, 'over-limit');

    if (known === undefined) {
      for (const doubt of turns.flatMap(({ doubts }) => doubts)) this.#parts.onEvent({ type: 'turn-doubted', doubt });
    }
    if (!turns.some(isAgentWork)) {
      this.#closeNamed(turns, closed);
      this.#noteLeftovers(turns);
      return 'no-agent-steps';
    }

    const conversation = this.#join(closed, known, turns);
    if (known === undefined)
      for (const reason of wrongClocksOf(turns, closed.closedAt)) this.#parts.onEvent({ type: 'clock-wrong', reason });
    if (known !== undefined) this.#move(closed.traceId, turns.length, conversation);
    this.#feedback.take(conversation);
    const trace = {
      traceId: closed.traceId,
      conversation: conversation.row,
      revision: (known?.revision ?? 0) + 1,
      position: closed.position,
      closedAt: closed.closedAt,
      spans: merged.spans,
      sealed: tooLarge || SEALS[closed.cause],
      cause: closed.cause,
      content: merged.content,
    };
    const row = this.#timed('storing spans', () => {
      if (known === undefined) return store.traces.insert(trace);
      store.traces.revise({ ...trace, row: known.row });
      return known.row;
    });
    const matchedBy = this.#evaluateTurns({
      conversation,
      trace: row,
      revision: trace.revision,
      closedAt: closed.closedAt,
      turns,
    });
    const isDue = conversation.dueAt !== undefined && conversation.dueAt <= closed.closedAt;
    this.#recent.keep(row, {
      revision: trace.revision,
      matchedBy,
      turns: isDue && this.#matching.mayNeedWhole(matchedBy) ? turns : undefined,
      bytes: merged.content.traces.length,
    });
    return known === undefined ? 'stored' : 'revised';
  }

  #isForgottenTrace({ traceId }: ClosedInLog): boolean {
    const { forgotten } = this.#parts.store;
    return forgotten.hasAny && forgotten.hasTrace(traceId);
  }

  #isForgotten(turns: readonly Turn[]): boolean {
    const { forgotten } = this.#parts.store;
    if (!forgotten.hasAny) return false;
    const users = turns.flatMap(({ steps }) => steps.flatMap(({ userId }) => userId ?? []));
    return forgotten.has({ conversation: namedConversationOf(turns), users: [...new Set(users)] });
  }

  #forget(closed: ClosedInLog, known: StoredTrace | undefined): TurnFate {
    this.#parts.store.forgotten.drop(closed, known);
    return 'forgotten';
  }

  #pass(known: StoredTrace, closed: ClosedInLog, fate: TurnFate): TurnFate {
    const { traces, conversations } = this.#parts.store;
    traces.pass(known.row, closed.position);
    this.#closeBeside(conversations.at(known.conversation), closed);
    return fate;
  }

  /** A process that was killed may leave no more of a turn than spans below its root that had ended by then. */
  #noteLeftovers(turns: readonly Turn[]): void {
    const conversation = namedConversationOf(turns);
    if (conversation === undefined || !turns.some(({ flags }) => flags.includes('root-missing'))) return;
    this.#parts.onEvent({ type: 'turn-without-end', conversation, revision: 1, sign: 'no-root' });
  }

  #closeNamed(turns: readonly Turn[], closed: ClosedInLog): void {
    const named = namedConversationOf(turns);
    if (named !== undefined) this.#closeBeside(this.#parts.store.conversations.find(named), closed);
  }

  /** A close without anything new may still be what the end of the conversation waits for. */
  #closeBeside(conversation: StoredConversation | undefined, closed: ClosedInLog): void {
    if (conversation === undefined) return;
    const openSince = openSinceIn(closed, conversation.id);
    closeBeside(this.#parts.store.conversations, conversation, {
      at: closed.closedAt,
      openSince,
      limits: this.#closingLimits,
    });
  }

  /** Finds or makes the conversation of a turn, and decides when it is due. */
  #join(closed: Arrival, known: StoredTrace | undefined, turns: readonly Turn[]): StoredConversation {
    const { store, settings } = this.#parts;
    const isNamed = turns.some(({ conversationId }) => conversationId !== undefined && conversationId !== '');
    const evidence = isNamed && !store.keys.hasAny ? evidenceOfLinks(turns) : evidenceOf(turns);
    const related = evidence === undefined ? [] : this.#relatedBy(evidence, known);
    const found = isNamed ? undefined : (related.find(({ id }) => !isSynthetic(id)) ?? related[0]);
    const id = found?.id ?? conversationIdOf(turns, closed.traceId);
    const labels = columnsOf(buildConversation(id, turns), settings.metrics.segment);
    const conversation = joinConversation(store.conversations, {
      id,
      labels,
      glance: glanceOf(turns, closed.closedAt),
      facts: factsOf(turns, labels.segment),
      at: closed.closedAt,
      turnsAdded: known === undefined ? turns.length : 0,
      dueNowBecause: dueNowBecause(turns, found === undefined || found.id === syntheticConversationId(closed.traceId)),
      openSince: openSinceIn(closed, id),
      limits: this.#closingLimits,
    });
    if (settings.words) store.words.add(id, spokenWords(id, turns));
    if (evidence !== undefined && !isNamed) store.keys.add(conversation.row, evidence);
    // Turns without an id, which were taken for conversations of their own, turn out to belong to this one.
    const others = related.filter((other) => other.row !== conversation.row && isSynthetic(other.id));
    for (const other of others) absorbConversation(store, other.row, conversation.row);
    return others.length === 0 ? conversation : store.conversations.at(conversation.row);
  }

  /** The conversations that evidence leads to, oldest first: where the turns are already, and where what they refer to is. */
  #relatedBy(evidence: ConversationEvidence, known: StoredTrace | undefined): readonly StoredConversation[] {
    const { store } = this.#parts;
    const rows = new Map<number, StoredConversation>();
    const traces = [known, ...evidence.linked.map((traceId) => store.traces.find(traceId))];
    for (const trace of traces) {
      if (trace !== undefined) rows.set(trace.conversation, store.conversations.at(trace.conversation));
    }
    for (const conversation of store.keys.find(evidence)) rows.set(conversation.row, conversation);
    return [...rows.values()].sort((a, b) => a.row - b.row);
  }

  /** A late span said to which conversation the turn belongs; those that were joined to it by evidence go with it. */
  #move(traceId: TraceId, turns: number, to: StoredConversation): void {
    const { store } = this.#parts;
    const trace = store.traces.find(traceId);
    if (trace === undefined || trace.conversation === to.row) return;
    const from = store.conversations.at(trace.conversation);
    if (isSynthetic(from.id)) absorbConversation(store, from.row, to.row);
    else moveTurns(store, trace.row, { turns, from: from.row, to: to.row });
  }

  /**
   * A part of a turn waits for the rest of it: the call that ends the turn has it scored, or else the conversation's end.
   * Gives the suites that are for one of the turns, or may be for a conversation with one of them; undefined where turns
   * may be parts, and so the others have to be looked at.
   */
  #evaluateTurns(place: ClosedPlace): readonly CompiledSuite[] | undefined {
    const matchedBy = new Set<CompiledSuite>();
    let hasParts = false;
    for (const turn of place.turns) {
      if (!isWhole(turn)) {
        hasParts = true;
        continue;
      }
      const conversation = this.#understanding.alone(place.conversation, turn);
      for (const suite of this.#suitesByTurn) {
        const asked = { subject: turn.id, logTime: place.closedAt };
        if (!this.#runner.applies(suite, conversation, asked, suite.matchesTurn)) continue;
        matchedBy.add(suite);
        if (suite.scope === 'turn') this.#scoreTurn(suite, conversation, turn, place);
      }
    }
    if (hasParts && this.#suitesByTurn.some(({ scope }) => scope === 'turn')) {
      this.#parts.store.postponed.add(place.trace, place.closedAt);
    }
    return place.turns.some(isBare) ? undefined : [...matchedBy];
  }

  /** The turns that these traces are parts of, if they are complete by now. */
  #evaluateJoinedTurns(row: number, parts: readonly StoredTrace[]): void {
    const { store, suites } = this.#parts;
    const conversation = store.conversations.at(row);
    const traces = new Map(parts.map((part) => [part.traceId, part]));
    for (const turn of this.#understanding.conversation(conversation, store.traces.ofConversation(row))?.turns ?? []) {
      const part = turn.steps.find(({ traceId }) => traces.has(traceId));
      if (part === undefined || !isWhole(turn)) continue;
      const { row: trace = 0, closedAt = 0 } = traces.get(part.traceId) ?? {};
      const place = { conversation, trace, closedAt };
      for (const suite of suites) if (suite.scope === 'turn') this.#evaluateJoined(suite, turn, place);
    }
  }

  #evaluateJoined(suite: CompiledSuite, turn: Turn, place: TurnPlace): void {
    const key = { conversation: place.conversation.row, suite: keyOfSuite(suite), turnId: turn.id };
    const before = this.#parts.store.evaluations.previous(key);
    this.#evaluateTurn(suite, turn, { ...place, revision: (before?.revision ?? 0) + 1 });
  }

  /** False if the suite is not for the turn. */
  #evaluateTurn(suite: CompiledSuite, turn: Turn, place: TurnPlace & { readonly revision: number }): boolean {
    const conversation = this.#understanding.alone(place.conversation, turn);
    const asked = { subject: turn.id, logTime: place.closedAt };
    if (!this.#runner.applies(suite, conversation, asked, suite.matches)) return false;
    this.#scoreTurn(suite, conversation, turn, place);
    return true;
  }

  #scoreTurn(
    suite: CompiledSuite,
    conversation: Conversation,
    turn: Turn,
    { conversation: { row }, trace, revision, closedAt }: TurnPlace & { readonly revision: number },
  ): void {
    const logTime = closedAt;
    this.#scoring.score(suite, conversation, turn.id, { conversation: row, trace, revision, logTime });
  }

  #timed<T>(stage: string, work: () => T): T {
    const { timed } = this.#parts;
    return timed === undefined ? work() : timed(stage, work);
  }

  #fold(conversation: StoredConversation): void {
    this.#feedback.fold(conversation, (labels, polarity) => this.#recorder.countFeedback(labels, polarity));
  }

  #evaluateConversation(due: StoredConversation, cause: DueCause): void {
    const { store } = this.#parts;
    const close = (result: Omit<ScoringResult, 'cause'>) => {
      const { unscoredBecause: reason } = result;
      if (reason !== undefined && IS_COUNTED[reason] && due.revision === 0)
        store.totals.series(QUALITY_METRICS.unmatched.name, { reason }).add(1);
      closeConversation(store.conversations, due.row, { cause, ...result });
      store.words.close(due.id);
    };
    const revision = due.revision + 1;
    const traces = store.traces.ofConversation(due.row);
    const last = traces.at(-1);
    if (last === undefined) {
      close({ revision: due.revision, turns: 0, unscoredBecause: 'moved' });
      return;
    }
    this.#fold(due);
    const matched = this.#matching.match(due, traces);
    if (matched === undefined) {
      close({ revision, turns: due.turns, unscoredBecause: 'not_understood' });
      return;
    }
    const { conversation } = matched;
    const scoredAt = due.dueAt ?? last.closedAt;
    const isScoredWhole = matched.by.some(({ shadow }) => shadow === undefined);
    // In a conversation without an id, the rest of a call may be in another trace that no evidence leads to.
    const isNamed = !isSynthetic(due.id);
    for (const turn of conversation?.turns ?? []) {
      if (!isBare(turn)) continue;
      const isScored = this.#evaluateLeftOver(turn, { conversation: due, trace: last.row, closedAt: scoredAt });
      if (!isScored && !isScoredWhole && isNamed && isOpen(turn))
        this.#parts.onEvent({ type: 'turn-without-end', conversation: due.id, revision, sign: 'open-call' });
    }
    for (const suite of matched.by) {
      if (conversation === undefined) break;
      const place = { conversation: due.row, trace: 0, revision, logTime: scoredAt };
      this.#scoring.score(suite, conversation, undefined, place);
    }
    const unscoredBecause = matched.byAny ? undefined : 'no_suite_matched';
    // The turns were scored one by one, so they need not be remembered.
    for (const { row } of traces) this.#recent.drop(row);
    const whole = matched.by.length > 0 ? conversation : undefined;
    close({ revision, turns: due.turns, unscoredBecause, whole });
    const live = matched.by.filter(({ shadow }) => shadow === undefined);
    this.#parts.onEvent({ type: 'conversation-evaluated', conversation: due.id, cause, suites: live.length, revision });
  }

  /** Scores a turn that never came to its end, or was not to be scored before the end of the recording. True if a suite has scored it. */
  #evaluateLeftOver(turn: Turn, place: TurnPlace): boolean {
    let isScored = false;
    for (const suite of this.#parts.suites) {
      if (suite.scope !== 'turn') continue;
      const key = { conversation: place.conversation.row, suite: keyOfSuite(suite), turnId: turn.id };
      const scoredHere =
        this.#parts.store.evaluations.previous(key) !== undefined ||
        this.#evaluateTurn(suite, turn, { ...place, revision: 1 });
      if (scoredHere && suite.shadow === undefined) isScored = true;
    }
    return isScored;
  }
}
