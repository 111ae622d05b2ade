/**
 * What happens to a turn once it has closed: its bytes are put together, understood, scored and stored, and the
 * conversations that are due by then are scored. The online service, `assay score` and the tests run this same code.
 *
 * The engine is told of closed turns and of time in the order of the log, and does everything in that order, so the
 * same log gives the same evaluations. It writes inside a transaction that the caller begins and commits; a crash
 * before the commit leaves the turn in the journal, and it comes again.
 *
 * A turn that comes again (a restart, a late span) is recognised by the position up to which the store has its trace:
 *
 *   rows at or behind that position   new: merged with what is stored, evaluated again as the next revision
 *   rows before it                    stored already: dropped
 */
import { buildConversation } from '../assemble/build-conversation.ts';
import { buildTurns } from '../assemble/build-turns.ts';
import type { ClosedTurn } from '../assemble/open-turns.ts';
import { GroupCache, mergeContent } from '../assemble/trace-content.ts';
import type { Conversation } from '../model/conversation.ts';
import type { Evaluation } from '../model/evaluation.ts';
import { type ConversationId, isSynthetic, type TurnId } from '../model/ids.ts';
import { encodeTable } from '../model/otlp/batch-table.ts';
import { indexLogs } from '../model/otlp/logs-reader.ts';
import { indexTraces } from '../model/otlp/traces-reader.ts';
import type { Turn } from '../model/turn.ts';
import { normalize } from '../normalize/normalize.ts';
import { FOLDED, LabelGuard } from '../report/label-guard.ts';
import {
  type BaseLabels,
  firstMoves,
  type Move,
  QUALITY_METRICS,
  revisedMoves,
  unmatchedMove,
  zeroMoves,
} from '../report/quality-metrics.ts';
import { evaluate } from '../score/evaluate.ts';
import type { CompiledSuite } from '../score/suite.ts';
import type { Store, StoredConversation, StoredTrace } from '../store/store.ts';
import type { CheckWatch } from './check-watch.ts';
import type { EngineEvent, TurnFate } from '../model/events/scoring-events.ts';
import { RecentTurns } from './recent-turns.ts';
import { conversationIdOf, effortOf, exemplarOf, isAgentWork, labelsOf, toColumns } from './facts.ts';

export interface EngineSettings {
  readonly turn: { readonly reopenMs: number; readonly maxSpans: number; readonly maxBytes: number };
  readonly conversation: { readonly idleMs: number; readonly maxAgeMs: number; readonly maxTurns: number };
  readonly metrics: { readonly maxLabelSets: number };
}

export interface EngineParts {
  readonly settings: EngineSettings;
  readonly suites: readonly CompiledSuite[];
  readonly store: Store;
  /** Bytes of the log by position. */
  readonly read: (position: number, length: number) => Uint8Array;
  readonly watch: CheckWatch;
  readonly onEvent: (event: EngineEvent) => void;
  /** How long a stage took, for the benchmark. */
  readonly onStage?: (stage: string, ms: number) => void;
}

export class Engine {
  readonly #parts: EngineParts;
  readonly #guard: LabelGuard;
  readonly #groups = new GroupCache();
  readonly #recent = new RecentTurns();

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#guard = new LabelGuard({
      maxLabelSets: parts.settings.metrics.maxLabelSets,
      onFold: (labels) => parts.onEvent({ type: 'labels-folded', agent: labels.agent }),
    });
    for (const total of parts.store.totals.all()) {
      if (total.metric !== QUALITY_METRICS.evaluations.name) continue;
      const { agent, agent_version, environment } = total.labels;
      if (agent === undefined || agent_version === undefined || environment === undefined) continue;
      if (agent !== FOLDED.agent) this.#guard.remember({ agent, agent_version, environment });
    }
  }

  /** Time has moved on: scores the conversations that are due. */
  advance(logTime: number): void {
    const { store } = this.#parts;
    for (let due = store.nextDue(logTime); due !== undefined; due = store.nextDue(logTime)) {
      this.#evaluateConversation(due, due.dueCause ?? 'idle');
      store.raiseFloor({ position: 0, logTime });
    }
  }

  closeTurn(closed: ClosedTurn): TurnFate {
    this.advance(closed.closedAt);
    const fate = this.#closeTurn(closed);
    if (fate === 'no-agent-steps' || fate === 'logs-without-spans' || fate === 'too-late' || fate === 'over-limit') {
      this.#parts.store.totals.add(...asTotal(unmatchedMove(fate.replaceAll('-', '_'))));
    }
    this.#parts.store.raiseFloor({ position: closed.position, logTime: closed.closedAt });
    this.#parts.onEvent({ type: 'turn-closed', cause: closed.cause, fate, rows: closed.rows.length });
    this.advance(closed.closedAt);
    return fate;
  }

  #closeTurn(closed: ClosedTurn): TurnFate {
    const { store, settings, read } = this.#parts;
    const known = store.findTrace(closed.traceId);
    const rows = known === undefined ? closed.rows : closed.rows.filter((row) => row.position >= known.position);
    if (rows.length === 0) return 'stored-already';
    if (known !== undefined) {
      if (known.sealed) return this.#pass(known, closed, 'over-limit');
      if (closed.closedAt - known.closedAt > settings.turn.reopenMs) return this.#pass(known, closed, 'too-late');
    }
    const merged = this.#timed('putting bytes together', () =>
      mergeContent({
        rows,
        read,
        groups: this.#groups,
        stored: known === undefined ? undefined : this.#storedMessages(known),
        spansAreDistinct: closed.spansAreDistinct,
      }),
    );
    if (merged.added === 0 && known !== undefined) return this.#pass(known, closed, 'duplicate');
    if (merged.spans === 0) return 'logs-without-spans';
    const tooLarge = merged.spans > settings.turn.maxSpans || merged.content.traces.length > settings.turn.maxBytes;
    if (tooLarge && known !== undefined) return this.#pass(known, closed, 'over-limit');

    const turns = this.#timed('normalizing', () => buildTurns(normalize(merged.content)));
    if (!turns.some(isAgentWork)) return 'no-agent-steps';

    const conversation = this.#join(closed, known, turns);
    const trace = {
      traceId: closed.traceId,
      conversation,
      revision: (known?.revision ?? 0) + 1,
      position: closed.position,
      closedAt: closed.closedAt,
      spans: merged.spans,
      sealed: tooLarge || closed.cause === 'size',
      cause: closed.cause,
      content: merged.content,
    };
    const row = this.#timed('storing spans', () => {
      if (known === undefined) return store.insertTrace(trace);
      store.reviseTrace({ ...trace, row: known.row });
      return known.row;
    });
    this.#recent.keep(row, { revision: trace.revision, turns, bytes: merged.content.traces.length });
    this.#evaluateTurns({ conversation, trace: row, revision: trace.revision, turns });
    return known === undefined ? 'stored' : 'revised';
  }

  #pass(known: StoredTrace, closed: ClosedTurn, fate: TurnFate): TurnFate {
    this.#parts.store.passTrace(known.row, closed.position);
    return fate;
  }

  #storedMessages(known: StoredTrace) {
    const { traces, logs } = this.#parts.store.contentOf(known.row);
    return {
      traces: { bytes: traces, table: encodeTable(indexTraces(traces)) },
      logs: logs === undefined ? undefined : { bytes: logs, table: encodeTable(indexLogs(logs)) },
    };
  }

  /** Finds or makes the conversation of a turn, and decides when it is due. Gives its row. */
  #join(closed: ClosedTurn, known: StoredTrace | undefined, turns: readonly Turn[]): number {
    const { store, settings } = this.#parts;
    const id = conversationIdOf(turns, closed.traceId);
    const labels = toColumns(labelsOf(buildConversation(id, turns)));
    const at = closed.closedAt;
    const found = store.findConversation(id);
    const row = found?.row ?? store.insertConversation({ id, labels, at });
    const isNewHere = known === undefined || known.conversation !== row;
    store.touchConversation(row, { labels, at, turnsAdded: isNewHere ? turns.length : 0 });
    const { firstClosedAt, turns: turnCount, turnsEvaluated } = store.conversation(row);
    store.scheduleConversation(
      row,
      this.#dueOf({ id, at, firstClosedAt, turns, unevaluated: turnCount - turnsEvaluated }, settings),
    );
    return row;
  }

  #dueOf(
    conversation: {
      readonly id: ConversationId;
      readonly at: number;
      readonly firstClosedAt: number;
      readonly turns: readonly Turn[];
      readonly unevaluated: number;
    },
    settings: EngineSettings,
  ): { readonly at: number; readonly cause: string } {
    const { id, at, firstClosedAt, turns, unevaluated } = conversation;
    if (isSynthetic(id)) return { at, cause: 'single_trace' };
    if (turns.some((turn) => turn.ended)) return { at, cause: 'end_marker' };
    if (unevaluated >= settings.conversation.maxTurns) return { at, cause: 'max_turns' };
    const idle = at + settings.conversation.idleMs;
    const oldest = firstClosedAt + settings.conversation.maxAgeMs;
    // A conversation that came back after its maximum age is idle or not like any other.
    return oldest > at && oldest < idle ? { at: oldest, cause: 'max_age' } : { at: idle, cause: 'idle' };
  }

  #evaluateTurns(place: {
    readonly conversation: number;
    readonly trace: number;
    readonly revision: number;
    readonly turns: readonly Turn[];
  }): void {
    const { store, suites } = this.#parts;
    const suitesForTurns = suites.filter((suite) => suite.scope === 'turn');
    if (suitesForTurns.length === 0) return;
    const { id } = store.conversation(place.conversation);
    for (const turn of place.turns) {
      const conversation = buildConversation(id, [turn]);
      const matching = this.#matching(suitesForTurns, conversation);
      for (const suite of matching) {
        const subject = { conversation, turnId: turn.id, revision: place.revision };
        const evaluation = this.#evaluate(suite, subject);
        this.#timed('recording', () => this.#record(evaluation, suite, { ...place, subject: conversation }));
      }
    }
  }

  #timed<T>(stage: string, work: () => T): T {
    const { onStage } = this.#parts;
    if (onStage === undefined) return work();
    const startedAt = performance.now();
    const result = work();
    onStage(stage, performance.now() - startedAt);
    return result;
  }

  #evaluateConversation(due: StoredConversation, cause: string): void {
    const { store, suites } = this.#parts;
    const traces = store.tracesOf(due.row);
    const turns = this.#timed('normalizing again for the conversation', () =>
      traces.flatMap(
        ({ row, revision }) => this.#recent.find(row, revision) ?? buildTurns(normalize(store.contentOf(row))),
      ),
    );
    const conversation = buildConversation(due.id, turns);
    const revision = due.revision + 1;
    const matching = this.#matching(
      suites.filter((suite) => suite.scope === 'conversation'),
      conversation,
    );
    for (const suite of matching) {
      const evaluation = this.#evaluate(suite, { conversation, turnId: undefined, revision });
      this.#record(evaluation, suite, { conversation: due.row, trace: 0, subject: conversation });
    }
    const unscoredBecause = suites.some((suite) => suite.matches(conversation)) ? undefined : 'no_suite_matched';
    if (unscoredBecause !== undefined && due.revision === 0)
      store.totals.add(...asTotal(unmatchedMove(unscoredBecause)));
    store.conversationEvaluated(due.row, { revision, cause, turns: turns.length, unscoredBecause });
    this.#parts.onEvent({ type: 'conversation-evaluated', cause, suites: matching.length, revision });
  }

  #matching(suites: readonly CompiledSuite[], conversation: Conversation): CompiledSuite[] {
    return suites.filter((suite) => suite.matches(conversation));
  }

  #evaluate(
    suite: CompiledSuite,
    subject: { readonly conversation: Conversation; readonly turnId: TurnId | undefined; readonly revision: number },
  ): Evaluation {
    const { watch } = this.#parts;
    const target = { suite: suite.name, subject: subject.turnId ?? subject.conversation.id };
    const evaluation = this.#timed(`scoring by ${suite.name}`, () =>
      evaluate(suite, subject, {
        onCriterion: (index) => watch.started(target, index),
        stopped: watch.stoppedFor(target),
      }),
    );
    watch.finished();
    for (const [criterion, verdict] of evaluation.verdicts) {
      if (verdict.verdict === 'error') {
        this.#parts.onEvent({ type: 'check-failed', suite: suite.name, criterion, reason: verdict.reason });
      }
    }
    return evaluation;
  }

  /** Stores an evaluation and counts it, once. */
  #record(
    evaluation: Evaluation,
    suite: CompiledSuite,
    place: { readonly conversation: number; readonly trace: number; readonly subject: Conversation },
  ): void {
    const { store } = this.#parts;
    const before = store.previousEvaluation({
      conversation: place.conversation,
      suite: evaluation.suite,
      turnId: evaluation.turnId,
    });
    if (before !== undefined && before.revision >= evaluation.revision) return;
    const labels: BaseLabels =
      before === undefined
        ? { suite: suite.name, ...this.#guard.admit(labelsOf(place.subject)) }
        : toBaseLabels(before.labels);
    if (!store.insertEvaluation(evaluation, { ...place, labels: { ...labels } })) return;
    if (!store.totals.has(QUALITY_METRICS.evaluations.name, { ...labels, outcome: 'unscored' })) {
      this.#apply(
        zeroMoves(
          labels,
          suite.criteria.map(({ name }) => name),
        ),
        place.subject,
      );
    }
    const moves =
      before === undefined
        ? firstMoves(evaluation, labels, effortOf(place.subject))
        : revisedMoves(evaluation, labels, before);
    this.#apply(moves, place.subject);
  }

  #apply(moves: readonly Move[], subject: Conversation): void {
    const { totals } = this.#parts.store;
    for (const move of moves) {
      const exemplar = move.exemplarValue === undefined ? undefined : exemplarOf(subject, move.exemplarValue);
      totals.add(move.metric, move.labels, move.amount, exemplar);
    }
  }
}

function asTotal(move: Move): [metric: string, labels: Move['labels'], amount: number] {
  return [move.metric, move.labels, move.amount];
}

function toBaseLabels(labels: { readonly [label: string]: string }): BaseLabels {
  const { suite = '', agent = '', agent_version = '', environment = '' } = labels;
  return { suite, agent, agent_version, environment };
}
