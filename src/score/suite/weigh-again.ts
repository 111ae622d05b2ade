/**
 * Verdicts that are known, weighed by another version of their suite: a score and an outcome without the conversation. Where an outcome rule looks
 * at the conversation after all, it has to be there: the answer is `needs-conversation`.
 */
import { countedAs } from '../../model/decision.ts';
import type { Ending } from '../../model/ending.ts';
import type { EndConditions, Millionths, Outcome, VerdictKind } from '../../model/evaluation.ts';
import { HARD_FAILURES, takenByHardFailure } from '../../model/tcr-split.ts';
import { brokeBy } from '../subject/ending.ts';
import { decideOutcome, decideWithoutScore } from './outcome.ts';
import type { Extracts, Subject, SubjectWith } from '../subject/subject.ts';
import { CheckError } from '../subject/answer.ts';
import type { CompiledSuite } from './suite.ts';
import { ONE, type Weight, weigh } from '../subject/weigh.ts';

interface KnownAnswers {
  readonly verdicts: ReadonlyMap<string, VerdictKind>;
  /** Undefined where it is not known. */
  readonly conditions: EndConditions | undefined;
  /** Likewise. */
  readonly ending: Ending | undefined;
}

interface WeighedAgain {
  readonly score: Millionths | undefined;
  readonly outcome: Outcome;
}

export function weighAgain(
  suite: CompiledSuite,
  { verdicts, conditions, ending }: KnownAnswers,
  conversation?: SubjectWith<Extracts>,
): WeighedAgain | 'needs-conversation' {
  const broke = brokeBy(ending, suite.scope);
  const { score, zeroedBy } = weigh(suite, (name) => verdicts.get(name) ?? 'skipped', broke);
  if (score === undefined && ending !== 'handed_over') return { score, outcome: 'unscored' };
  if (conditions === undefined) return 'needs-conversation';
  const absent = conversation === undefined ? new AbsentConversation() : undefined;
  // The cast holds because whatever is read of it is noticed, and the outcome not used then.
  const subject = conversation ?? (absent as unknown as SubjectWith<Extracts>);
  const known = { subject, verdicts, conditions: { ...conditions, undecided: [] }, ending };
  const outcome =
    score === undefined
      ? (decideWithoutScore(suite, known)?.outcome ?? 'unscored')
      : decideOutcome(suite, { ...known, score: score / ONE, zeroedBy }).outcome;
  return absent?.wasRead === true ? 'needs-conversation' : { score, outcome };
}

/**
 * Parts of the score by criterion, in millionths of it, and the part that a hard failure took away; they sum to the
 * score.
 */
export function pointsOf(
  { criteria }: { readonly criteria: readonly Weight[] },
  { verdicts, score }: { readonly verdicts: ReadonlyMap<string, VerdictKind>; readonly score: Millionths | undefined },
): ReadonlyMap<string, number> {
  const counted = criteria.map(({ name, weight, whenNotApplicable }) => ({
    name,
    weight,
    as: countedAs(verdicts.get(name) ?? 'skipped', whenNotApplicable),
  }));
  const decided = counted.reduce((sum, { weight, as }) => (as === 'exclude' ? sum : sum + weight), 0);
  const points = counted.map(
    ({ name, weight, as }) => [name, as === 'pass' && decided > 0 ? (weight / decided) * ONE : 0] as const,
  );
  const taken = takenByHardFailure(
    score ?? ONE,
    points.reduce((sum, [, brought]) => sum + brought, 0),
  );
  return new Map<string, number>(taken === 0 ? points : [...points, [HARD_FAILURES, taken]]);
}

/** Stands where a conversation would be, and notices that somebody looks. Callers may keep their own data with it. */
class AbsentConversation implements Pick<Subject, 'once'> {
  wasRead = false;
  readonly #kept = new Map<object, unknown>();

  constructor() {
    for (const name of READ_OF_SUBJECT)
      Object.defineProperty(this, name, {
        get: (): never => {
          this.wasRead = true;
          throw new CheckError('the conversation is not at hand');
        },
      });
  }

  once<T>(key: object, compute: () => T): T {
    if (!this.#kept.has(key)) this.#kept.set(key, compute());
    // The cast holds because a key belongs to one caller, whose `compute` made the value.
    return this.#kept.get(key) as T;
  }
}

const READ_OF_SUBJECT = Object.keys({
  conversation: true,
  turnId: true,
  turns: true,
  turn: true,
  steps: true,
  toolCalls: true,
  userInput: true,
  finalAnswer: true,
  state: true,
  truth: true,
  ending: true,
  tools: true,
  stepsOf: true,
  effectOf: true,
  handsOver: true,
  sends: true,
  hasFailed: true,
  readsTruth: true,
  extracts: true,
} satisfies Record<Exclude<keyof SubjectWith<Extracts>, 'once'>, true>);
