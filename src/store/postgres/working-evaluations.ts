/** The last evaluations of one transaction's conversations, and those that are made in it. */
import type { Evaluation } from '../../model/evaluation.ts';
import { suiteKey } from '../../model/suite-key.ts';
import type { EvaluationKey, EvaluationPlace, EvaluationStore, Labels, PreviousEvaluation } from '../engine-store.ts';
import { seenFrom, type SeenConversation } from '../evaluation-columns.ts';
import type { HeldConversations } from '../held-conversations.ts';
import type { WorkingHeads } from './working-heads.ts';

interface NewEvaluation {
  readonly evaluation: Evaluation;
  conversation: number;
  readonly trace: number;
  readonly labels: Labels;
  readonly seen: SeenConversation | undefined;
  readonly subAgents: string | undefined;
}

interface Last {
  conversation: number;
  /** 0 where it is of the conversation as a whole. */
  readonly trace: number;
  readonly suite: string;
  readonly turnId: string;
  readonly previous: PreviousEvaluation;
}

const NOT_SEEN = seenFrom([]);

export class WorkingEvaluations implements EvaluationStore {
  readonly #heads: WorkingHeads;
  readonly #conversations: HeldConversations;
  readonly #last = new Map<string, Last>();
  #added: NewEvaluation[] = [];

  constructor(heads: WorkingHeads, conversations: HeldConversations) {
    this.#heads = heads;
    this.#conversations = conversations;
  }

  load(last: Last): void {
    this.#last.set(keyOf(last.conversation, last.suite, last.turnId), last);
  }

  clear(): void {
    this.#last.clear();
    this.#added = [];
  }

  get added(): readonly NewEvaluation[] {
    return this.#added;
  }

  previous({ conversation, suite, turnId }: EvaluationKey): PreviousEvaluation | undefined {
    this.#heads.needWhole(conversation);
    return this.#last.get(keyOf(conversation, suite, turnId ?? ''))?.previous;
  }

  insert(evaluation: Evaluation, place: EvaluationPlace, onNew: (evaluation: Evaluation) => void): void {
    const { conversation, trace, labels, seen, subAgents } = place;
    const { suiteVersion, revision, score, outcome, decidedShare, ending } = evaluation;
    const suite = suiteKey(evaluation);
    const turnId = evaluation.turnId ?? '';
    const key = keyOf(conversation, suite, turnId);
    const before = this.#last.get(key);
    if (before !== undefined && before.previous.revision >= revision) return;
    const said = { suiteVersion, revision, score, outcome, decidedShare, ending };
    const previous = { ...said, labels, seen: seen ?? NOT_SEEN, said: () => evaluation };
    this.#last.set(key, { conversation, trace, suite, turnId, previous });
    this.#added.push({ evaluation, conversation, trace, labels, seen, subAgents });
    if (!evaluation.shadow) this.#conversations.noteEvaluation(conversation, evaluation);
    onNew(evaluation);
  }

  /** The turns of a trace turned out to belong to another conversation; what was said of them goes with them. */
  moveTrace(trace: number, from: number, to: number): void {
    for (const [key, last] of [...this.#last]) {
      if (last.conversation !== from || last.trace !== trace) continue;
      this.#last.delete(key);
      this.load({ ...last, conversation: to });
    }
    for (const added of this.#added) if (added.conversation === from && added.trace === trace) added.conversation = to;
  }
}

function keyOf(conversation: number, suite: string, turnId: string): string {
  return `${conversation}\n${turnId}\n${suite}`;
}
