/**
 * The evaluator of another suite: gives the verdicts that a changed suite would have given for an evaluation that is
 * stored. Backtests, other weights and learning from stored conversations ask it. Each criterion is answered in one of
 * two ways:
 *
 *   weighed again   its stored verdict holds, because its definition is the same: nothing of the conversation is read
 *   asked again     it is new or another one now: the conversation is understood from its spans, once
 *
 * Judges are not asked: their stored answers are used where the question and the judge are the same. Callers get the
 * questions that are left.
 */
import type { Conversation } from '../model/conversation.ts';
import type { Verdict, VerdictKind } from '../model/evaluation.ts';
import type { JudgeOutcome, JudgeRequest } from '../model/judging.ts';
import type { WhyNotWeighed } from '../model/what-if.ts';
import { partsOf } from '../model/verdict-parts.ts';
import type { IdKeys } from '../normalize/id-keys.ts';
import { evaluate } from '../score/suite/evaluate.ts';
import { judgeVersion } from '../score/suite/judge-version.ts';
import type { Judges } from '../score/suite/judges.ts';
import { conditionsOf } from '../score/suite/outcome.ts';
import { subjectOf } from '../score/subject/subject.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import { weighAgain } from '../score/suite/weigh-again.ts';
import type { ConversationReader } from '../store/conversation-reader.ts';
import type { ConversationRow } from '../store/conversation-row.ts';
import type { EvaluationScanner, ScannedEvaluation } from '../store/evaluation-scan.ts';
import type { WrittenTruth } from '../engine/truths.ts';
import type { ComparedSide } from './comparison.ts';
import { ConversationSource } from './conversation-source.ts';
import { type Reweighed, StoredWeighing } from './stored-weighing.ts';

export type BacktestReader = ConversationReader & EvaluationScanner;

export interface Asked {
  readonly side: ComparedSide;
  /** The turn as one of its own, where the suite is for turns. */
  readonly conversation: Conversation;
  /** Criteria that were evaluated. */
  readonly criteria: ReadonlySet<string>;
  /** Questions that no stored answer answers; until then their criteria are skipped. */
  readonly waiting: readonly JudgeRequest[];
}

export type NotAsked = 'spans-not-kept' | 'not-matched' | 'not-understood';

interface ToAsk {
  readonly turnId: string | undefined;
  /** Stored evaluation of the same conversation or turn, whose verdicts are reused where they hold. */
  readonly stored: ScannedEvaluation | undefined;
}

export class AnotherSuite {
  readonly suite: CompiledSuite;
  readonly #reader: BacktestReader;
  readonly #judge: Judges['settings'];
  readonly #weighing: StoredWeighing;
  readonly #source: ConversationSource;
  readonly #reduced = new Map<string, CompiledSuite>();

  /** `live`: the suite whose evaluations are stored, as it is configured. */
  constructor(parts: {
    readonly changed: CompiledSuite;
    readonly live: CompiledSuite | undefined;
    readonly reader: BacktestReader;
    readonly judge: Judges['settings'];
    readonly idKeys: IdKeys | undefined;
    readonly truth: WrittenTruth | undefined;
  }) {
    const { changed, live, reader, judge } = parts;
    this.suite = changed;
    this.#reader = reader;
    this.#judge = judge;
    this.#weighing = new StoredWeighing({ changed, live, judge });
    this.#source = new ConversationSource(parts);
  }

  /** From its stored verdicts alone. The same object for evaluations that are alike. */
  weigh(stored: ScannedEvaluation): Reweighed | WhyNotWeighed {
    return this.#weighing.weigh(stored);
  }

  /** Whether it is for the same conversations as the suite of this evaluation. */
  isForTheSame({ basis }: ScannedEvaluation): boolean {
    return this.#weighing.planOf(basis).matchHolds;
  }

  /** Stored verdicts by criterion; undefined if it is not known to which criteria they belong. */
  verdictsKept({ basis }: ScannedEvaluation): ReadonlyMap<string, VerdictKind> | undefined {
    return this.#weighing.planOf(basis).verdicts;
  }

  /** Turns of a conversation as they are understood now. */
  async turnsOf(row: ConversationRow): Promise<readonly string[] | NotAsked> {
    const source = await this.#source.of(row);
    return typeof source === 'string' ? source : source.whole.turns.map(({ id }) => id);
  }

  /** Understands the conversation again, and asks what does not hold. */
  async ask(row: ConversationRow, { turnId, stored }: ToAsk): Promise<Asked | NotAsked> {
    const source = await this.#source.of(row);
    if (typeof source === 'string') return source;
    const turn = source.whole.turns.find(({ id }) => id === turnId);
    if (turnId !== undefined && turn === undefined) return 'not-understood';
    const conversation = turn === undefined ? source.whole : source.alone(turn);
    const plan = stored === undefined ? undefined : this.#weighing.planOf(stored.basis);
    try {
      if (plan?.matchHolds !== true && !this.suite.matches(conversation)) return 'not-matched';
      const criteria = plan?.criteria ?? new Set(this.suite.criteria.map(({ name }) => name));
      return await this.#evaluate(conversation, turn?.id, { criteria, held: plan?.verdicts, stored });
    } catch (error) {
      if (error instanceof LostConversation) throw error;
      // A suite that throws where it may not is left out there as well.
      return 'not-understood';
    }
  }

  async #evaluate(
    conversation: Conversation,
    turnId: ConversationTurn,
    {
      criteria,
      held,
      stored,
    }: {
      readonly criteria: ReadonlySet<string>;
      readonly held: ReadonlyMap<string, VerdictKind> | undefined;
      readonly stored: ScannedEvaluation | undefined;
    },
  ): Promise<Asked> {
    const { suite } = this;
    const target = { conversation, turnId, revision: 1 };
    const evaluation = await this.#withAnswers(this.#reducedTo(criteria), target);
    const given = await this.#given(evaluation.waiting, stored);
    const waiting = evaluation.waiting.filter((request) => !request.criteria.every(({ name }) => given.has(name)));
    const waits = new Set(waiting.flatMap((request) => request.criteria.map(({ name }) => name)));
    const verdicts = new Map(
      suite.criteria.map(({ name }) => {
        const said = waits.has(name) ? undefined : given.get(name);
        return [name, said ?? evaluation.verdicts.get(name)?.verdict ?? held?.get(name) ?? 'skipped'];
      }),
    );
    const subject = subjectOf(conversation, turnId, suite);
    const known = { verdicts, conditions: conditionsOf(suite, subject), ending: subject.ending };
    const weighed = weighAgain(suite, known, subject);
    if (weighed === 'needs-conversation') throw new LostConversation();
    return { side: { ...weighed, verdicts }, conversation, criteria, waiting };
  }

  /** Verdicts of the same judges on the same questions, by a suite whose definition is not known any more. */
  async #given(
    waiting: readonly JudgeRequest[],
    stored: ScannedEvaluation | undefined,
  ): Promise<ReadonlyMap<string, VerdictKind>> {
    if (waiting.length === 0 || stored === undefined) return new Map();
    const verdicts = await this.#reader.verdictsOf(stored);
    return new Map(
      [...verdicts].flatMap(([name, verdict]) => (this.#isOfSameJudge(name, verdict) ? [[name, verdict.verdict]] : [])),
    );
  }

  #isOfSameJudge(name: string, verdict: Verdict): boolean {
    const judged = this.suite.criteria.find((one) => one.name === name)?.judged;
    const asker = judged && this.#judge(judged.judge);
    if (judged === undefined || asker === undefined || asker === 'not asked') return false;
    return judgeVersion(this.suite.criteria, { name, judged }, asker) === partsOf(verdict).judgedBy?.version;
  }

  async #withAnswers(suite: CompiledSuite, target: Parameters<typeof evaluate>[1]) {
    const answers = new Map<string, JudgeOutcome>();
    const judges: Judges = { settings: this.#judge, outcomeOf: ({ key }) => answers.get(key) ?? 'waiting' };
    const first = evaluate(suite, target, { judges });
    for (const { key } of first.waiting) {
      const answer = await this.#reader.answerOf(key);
      if (answer !== undefined) answers.set(key, answer);
    }
    return answers.size === 0 ? first : evaluate(suite, target, { judges });
  }

  /** The suite with these criteria only. */
  #reducedTo(criteria: ReadonlySet<string>): CompiledSuite {
    const key = [...criteria].join(' ');
    let reduced = this.#reduced.get(key);
    if (reduced === undefined) {
      reduced = { ...this.suite, criteria: this.suite.criteria.filter(({ name }) => criteria.has(name)) };
      this.#reduced.set(key, reduced);
    }
    return reduced;
  }
}

type ConversationTurn = Parameters<typeof evaluate>[1]['turnId'];

class LostConversation extends Error {
  constructor() {
    super('backtest: the conversation is there and was not found');
  }
}
