/**
 * Looks again at conversations of which something is known now that was not when they were scored: their truth,
 * feedback of their users, a judge's answer, or that a criterion which was suspended may be asked again.
 *
 *   asked for   a row in the store, in the transaction in which it became known
 *   looked at   in the engine's transaction                                       a crash: asked for still
 *
 * A suite that said nothing of a conversation says it now where only its truth makes the suite be for it; one that was
 * configured since does not. One that can't be understood any more (its bytes are lost) waits for nothing: its request
 * is dropped, and reported.
 */
import { withoutTruth } from '../assemble/build-conversation.ts';
import type { Conversation } from '../model/conversation.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import type { EngineStore, StoredConversation } from '../store/engine-store.ts';
import type { SuiteScoring } from './suite-scoring.ts';
import type { Understanding } from './understanding.ts';

interface RevisitingParts {
  readonly store: EngineStore;
  readonly suites: readonly CompiledSuite[];
  readonly scoring: SuiteScoring;
  readonly understanding: Understanding;
  /** Takes in feedback that is new. */
  readonly fold: (conversation: StoredConversation) => void;
}

export class Revisiting {
  readonly #parts: RevisitingParts;

  constructor(parts: RevisitingParts) {
    this.#parts = parts;
  }

  /** All that is asked for. */
  lookAgain(logTime: number): void {
    for (const row of this.#parts.store.revisits.take(logTime)) this.#lookAgain(row, logTime);
  }

  /** New feedback came with an arrival of the conversation. */
  hear({ row, isScored }: { readonly row: number; readonly isScored: boolean }, logTime: number): void {
    if (isScored) this.#lookAgain(row, logTime);
    else this.#parts.fold(this.#parts.store.conversations.at(row));
  }

  #lookAgain(row: number, logTime: number): void {
    const { store, suites, scoring } = this.#parts;
    const stored = store.conversations.at(row);
    this.#parts.fold(stored);
    const traces = store.traces.ofConversation(row);
    const conversation = traces.length === 0 ? undefined : this.#parts.understanding.conversation(stored, traces);
    const rows = new Map(traces.map((trace) => [trace.traceId, trace.row]));
    for (const suite of conversation === undefined ? [] : suites) {
      for (const turn of suite.scope === 'turn' ? (conversation?.turns ?? []) : [undefined]) {
        const subject = turn === undefined ? conversation : this.#parts.understanding.alone(stored, turn);
        // The first trace stands for a turn of several traces.
        const trace = turn === undefined ? 0 : (rows.get(turn.traceId) ?? 0);
        if (subject === undefined) continue;
        const isFirst = stored.revision > 0 && matchesByTruth(suite, subject);
        scoring.scoreAgain(suite, subject, turn?.id, { conversation: row, trace, logTime, isFirst });
      }
    }
    // Evaluations of suites that no longer exist, and of turns that have become others.
    store.waiting.dropAnswered(row);
  }
}

/** True if only the truth makes the suite match: then it has no earlier evaluation, and gets one now. */
function matchesByTruth(suite: CompiledSuite, conversation: Conversation): boolean {
  if (conversation.truth === undefined || suite.whyNot(conversation) !== undefined) return false;
  return suite.whyNot(withoutTruth(conversation)) !== undefined;
}
