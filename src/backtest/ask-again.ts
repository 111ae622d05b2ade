/** Asks criteria of a changed suite of a conversation that has been understood again, and weighs their answers with those that hold. */
import type { Conversation } from '../model/conversation.ts';
import type { VerdictKind } from '../model/evaluation.ts';
import type { JudgeOutcome, JudgeRequest } from '../model/judging.ts';
import { evaluate } from '../score/evaluate.ts';
import type { Judges } from '../score/judge/judges.ts';
import { conditionsOf } from '../score/outcome.ts';
import { subjectOf } from '../score/subject.ts';
import type { CompiledSuite } from '../score/suite.ts';
import { weighAgain } from '../score/weigh-again.ts';
import type { EvaluationScanner } from '../store/evaluation-scan.ts';
import type { ComparedSide } from './comparison.ts';
import type { UnderstoodConversation } from './conversation-source.ts';

interface ToAsk {
  readonly turnId: string | undefined;
  readonly criteria: ReadonlySet<string>;
  /** Verdicts that hold. */
  readonly held: ReadonlyMap<string, VerdictKind>;
  readonly matchHolds: boolean;
}

export type Asked =
  | {
      readonly side: ComparedSide;
      /** The turn as one of its own, where the suite is for turns. */
      readonly conversation: Conversation;
      /** Judges would have to be asked; until then their criteria are skipped. */
      readonly waits: boolean;
    }
  | 'not-matched'
  | 'not-understood';

export class AskAgain {
  readonly #reader: Pick<EvaluationScanner, 'answerOf'>;
  readonly #judge: Judges['settings'];
  readonly #onRequest: (request: JudgeRequest) => void;
  readonly #reduced = new Map<string, CompiledSuite>();

  /** `onRequest` hears of each question that no stored answer answers. */
  constructor(parts: {
    readonly reader: Pick<EvaluationScanner, 'answerOf'>;
    readonly judge: Judges['settings'];
    readonly onRequest: (request: JudgeRequest) => void;
  }) {
    this.#reader = parts.reader;
    this.#judge = parts.judge;
    this.#onRequest = parts.onRequest;
  }

  async ask(suite: CompiledSuite, source: UnderstoodConversation, toAsk: ToAsk): Promise<Asked> {
    const turn = source.whole.turns.find(({ id }) => id === toAsk.turnId);
    if (toAsk.turnId !== undefined && turn === undefined) return 'not-understood';
    const conversation = turn === undefined ? source.whole : source.alone(turn);
    try {
      if (!toAsk.matchHolds && !suite.matches(conversation)) return 'not-matched';
      const target = { conversation, turnId: turn?.id, revision: 1 };
      const { evaluation, waiting } = await this.#evaluate(this.#reducedTo(suite, toAsk.criteria), target);
      for (const request of waiting) this.#onRequest(request);
      const verdicts = new Map(
        suite.criteria.map(({ name }) => [
          name,
          evaluation.verdicts.get(name)?.verdict ?? toAsk.held.get(name) ?? 'skipped',
        ]),
      );
      const subject = subjectOf(conversation, turn?.id, suite);
      const weighed = weighAgain(
        suite,
        { verdicts, conditions: conditionsOf(suite, subject), ending: subject.ending },
        subject,
      );
      if (weighed === 'needs-conversation') throw new Error('backtest: the conversation is there and was not found');
      return { side: { ...weighed, verdicts }, conversation, waits: waiting.length > 0 };
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('backtest:')) throw error;
      // A suite that throws where it may not is left out there as well.
      return 'not-understood';
    }
  }

  async #evaluate(suite: CompiledSuite, target: Parameters<typeof evaluate>[1]) {
    const answers = new Map<string, JudgeOutcome>();
    const judges: Judges = {
      settings: this.#judge,
      outcomeOf: ({ key }) => answers.get(key) ?? 'waiting',
    };
    const first = evaluate(suite, target, { judges });
    for (const { key } of first.waiting) {
      const answer = await this.#reader.answerOf(key);
      if (answer !== undefined) answers.set(key, answer);
    }
    const evaluation = answers.size === 0 ? first : evaluate(suite, target, { judges });
    return { evaluation, waiting: evaluation.waiting };
  }

  /** The suite with these criteria only. */
  #reducedTo(suite: CompiledSuite, criteria: ReadonlySet<string>): CompiledSuite {
    const key = [...criteria].join(' ');
    let reduced = this.#reduced.get(key);
    if (reduced === undefined) {
      reduced = { ...suite, criteria: suite.criteria.filter(({ name }) => criteria.has(name)) };
      this.#reduced.set(key, reduced);
    }
    return reduced;
  }
}
