/** Which suites are for a conversation that is due. */
import type { Conversation } from '../model/conversation.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import type { StoredConversation, StoredTrace } from '../store/engine-store.ts';
import type { RecentTurns } from './recent-turns.ts';
import type { SuiteRunner } from './suite-runner.ts';
import type { Understanding } from './understanding.ts';

interface Matched {
  /** Undefined where no suite is for it as a whole, and so nothing need be understood again. */
  readonly conversation: Conversation | undefined;
  /** Suites of scope `conversation`. */
  readonly by: readonly CompiledSuite[];
  /** Suites in shadow are not among them. */
  readonly byAny: boolean;
}

interface SuiteMatchingParts {
  readonly suites: readonly CompiledSuite[];
  readonly runner: SuiteRunner;
  readonly recent: RecentTurns;
  readonly understanding: Understanding;
}

export class SuiteMatching {
  readonly #parts: SuiteMatchingParts;

  constructor(parts: SuiteMatchingParts) {
    this.#parts = parts;
  }

  /**
   * The suites that score the conversation as a whole, and whether any suite, its turns' among them, matches it. The
   * turns in memory usually show that no such suite matches, so that no spans have to be read again.
   */
  match(due: StoredConversation, traces: readonly StoredTrace[]): Matched | undefined {
    const { suites, runner, understanding } = this.#parts;
    const ofTurns = suites.filter(({ scope, shadow }) => scope === 'turn' && shadow === undefined);
    const ofConversations = suites.filter(({ scope }) => scope === 'conversation');
    const byTurn = this.#matchedByTurns(traces);
    const candidates = ofConversations.filter(
      (suite) => byTurn === undefined || suite.matchesTurn === undefined || byTurn.has(suite),
    );
    if (byTurn !== undefined && candidates.length === 0) {
      return { conversation: undefined, by: [], byAny: ofTurns.some((suite) => byTurn.has(suite)) };
    }
    const conversation = understanding.conversation(due, traces);
    const logTime = due.dueAt ?? traces.at(-1)?.closedAt ?? 0;
    if (conversation === undefined) return undefined;
    const by = candidates.filter((suite) =>
      runner.applies(suite, conversation, { subject: due.id, logTime }, suite.matches),
    );
    const isForTurn = (suite: CompiledSuite) =>
      byTurn?.has(suite) ??
      conversation.turns.some((turn) =>
        runner.applies(suite, understanding.alone(due, turn), { subject: turn.id, logTime }, suite.matches),
      );
    return { conversation, by, byAny: by.some(({ shadow }) => shadow === undefined) || ofTurns.some(isForTurn) };
  }

  /** Whether a conversation may have to be understood as a whole, by the suites that are for its turns or may be for it. */
  mayNeedWhole(matchedBy: readonly CompiledSuite[] | undefined): boolean {
    if (matchedBy === undefined) return true;
    return this.#parts.suites.some(
      (suite) => suite.scope === 'conversation' && (suite.matchesTurn === undefined || matchedBy.includes(suite)),
    );
  }

  /** Undefined where something of a trace is not remembered. */
  #matchedByTurns(traces: readonly StoredTrace[]): ReadonlySet<CompiledSuite> | undefined {
    const suites = new Set<CompiledSuite>();
    for (const { row, revision } of traces) {
      const matchedBy = this.#parts.recent.find(row, revision)?.matchedBy;
      if (matchedBy === undefined) return undefined;
      for (const suite of matchedBy) suites.add(suite);
    }
    return suites;
  }
}
