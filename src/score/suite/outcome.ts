/**
 * From a score to an outcome: an ordered list of rules, the first that holds wins, and then the caps of critical
 * criteria that failed. The default list:
 *
 *     completed and score >= 0.75       successful_completion, if no criterion of more than form failed
 *     a person was asked to take over   handed_over
 *     failed and score = 0              hard_failure
 *     score >= 0.50                     graceful_failure
 *     else                              partial_failure
 *
 * Two things stand above the rules. A conversation that broke off is a hard failure, unless the suite decides that by its criteria. And success
 * takes evidence of the task: where no decided criterion has any, the rules for a success do not hold. A score of 1 is then `no_fault_found`, or
 * `handed_over`, and anything less is what the other rules say, because a fault was found. Nor do they hold where a criterion failed that is about
 * more than form, unless the suite says `critical: false` of it or gives it no weight.
 *
 * Evidence comes before the ending: a conversation that was handed over is a success where decided criteria show that the task was done. Where one
 * of them shows that it was not, it stays `handed_over`.
 *
 * Without a score a conversation is unscored, unless a person was asked to take over: that it left the agent is known however little else was decided.
 */
import { decisionOf } from '../../model/decision.ts';
import type { Ending } from '../../model/ending.ts';
import { type About, ABOUTS, type EndConditions, type VerdictKind } from '../../model/evaluation.ts';
import { bySeverity, claimsTask, isFailure, isInSuccessRate, type ScoredOutcome } from '../../model/severity.ts';
import { heaviestFailed, kindOf, kindOfBroken } from '../subject/failure-kind.ts';
import { hasAnswer, isAnswerUnknown } from '../subject/turn-answer.ts';
import { CheckError } from '../subject/answer.ts';
import { toolsGap } from '../subject/needs.ts';
import { describeThrown } from '../subject/sentences.ts';
import type { EvaluatedSubject, Extracts, OutcomeView, Subject, SubjectWith } from '../subject/subject.ts';
import type { CompiledCriterion, CompiledOutcomeRule, CompiledSuite } from './suite.ts';
import type { Weighed } from '../subject/weigh.ts';

export interface OutcomeDecision {
  readonly outcome: ScoredOutcome;
  /** The condition that held, in words. */
  readonly because: string;
  /** The critical criterion that lowered the outcome. */
  readonly cappedBy: string | undefined;
  /** The criterion whose failure alone kept it from being a success. */
  readonly barredBy: string | undefined;
  /** Kind of the failure; undefined where it is none, or no criterion failed. */
  readonly kind: string | undefined;
  /** Conditions that could not be worked out, and so did not hold. */
  readonly undecided: readonly string[];
}

const HANDED_OVER = 'a person was asked to take over';

export const DEFAULT_RULES: readonly CompiledOutcomeRule[] = [
  {
    outcome: 'successful_completion',
    when: ({ completed, score }) => completed && score >= 0.75,
    because: 'completed and score >= 0.75',
  },
  { outcome: 'handed_over', when: ({ ending }) => ending === 'handed_over', because: HANDED_OVER },
  { outcome: 'hard_failure', when: ({ failed, score }) => failed && score === 0, because: 'failed and score == 0' },
  { outcome: 'graceful_failure', when: ({ score }) => score >= 0.5, because: 'score >= 0.50' },
];

/**
 * The last turn has an answer, or a person who takes over, and no error. Where the answer was not recorded, a root that
 * arrived and a model that did not stop to wait for a tool stand for it.
 */
export function completedByDefault({ turn, ending }: Subject): boolean {
  if (turn.error !== undefined) return false;
  if (ending === 'handed_over' || hasAnswer(turn)) return true;
  return isAnswerUnknown(turn) && !turn.flags.includes('root-missing') && !turn.finishReasons.includes('tool_call');
}

/** The last turn has an error, or is known to have no answer, and nobody was asked to take over. */
export function failedByDefault({ turn, ending }: Subject): boolean {
  if (ending === 'handed_over') return false;
  return turn.error !== undefined || !(hasAnswer(turn) || isAnswerUnknown(turn));
}

/** The outcome where too little was decided for a score; undefined where there is none. Rules that compare the score do not hold. */
export function decideWithoutScore(
  { outcomes }: Pick<CompiledSuite, 'outcomes'>,
  {
    conditions,
    ending,
    ...known
  }: {
    readonly subject: SubjectWith<Extracts>;
    readonly verdicts: ReadonlyMap<string, VerdictKind>;
    readonly conditions: EndConditions | undefined;
    readonly ending: Ending | undefined;
  },
): Pick<OutcomeDecision, 'outcome' | 'because'> | undefined {
  if (ending !== 'handed_over' || conditions === undefined) return undefined;
  const { completed, failed } = conditions;
  const view: OutcomeView = { ...known, completed, failed, ending, score: Number.NaN };
  // A neutral outcome has no score, because it does not say how well it went.
  return outcomes
    .filter(({ outcome }) => !isInSuccessRate(outcome))
    .find(({ when, because }) => holds(`"${because}"`, () => when(view), []));
}

/** The suite's rule for the end of the conversation, whatever its score. */
export interface Conditions extends EndConditions {
  /** Conditions that could not be computed, and so do not hold. */
  readonly undecided: readonly string[];
}

export function conditionsOf(
  suite: Pick<CompiledSuite, 'completed' | 'failed'>,
  subject: EvaluatedSubject,
): Conditions {
  const undecided: string[] = [];
  return {
    completed: holds('completed', () => seeing(suite.completed, subject), undecided),
    failed: holds('failed', () => seeing(suite.failed, subject), undecided),
    undecided,
  };
}

/** The defaults ask for tools that hand over, and none is as good as none that is seen. */
const BLIND: ReadonlySet<unknown> = new Set([completedByDefault, failedByDefault]);

function seeing(condition: CompiledSuite['completed'], subject: EvaluatedSubject): unknown {
  if (BLIND.has(condition)) return condition(subject);
  subject.takeLookedForTools();
  const is = condition(subject);
  const unseen = subject.takeLookedForTools() ? toolsGap(subject) : undefined;
  if (unseen !== undefined) throw new CheckError(unseen);
  return is;
}

const BROKE_OFF = {
  no_answer: 'the conversation ended without an answer',
  error: 'the conversation ended with an error, and too little could be decided',
} as const;

export function decideOutcome(
  suite: Pick<CompiledSuite, 'outcomes' | 'criteria'>,
  {
    conditions,
    ending,
    zeroedBy,
    ...scored
  }: {
    readonly subject: SubjectWith<Extracts>;
    readonly score: number;
    readonly verdicts: ReadonlyMap<string, VerdictKind>;
    readonly conditions: Conditions;
    readonly ending: Ending | undefined;
    readonly zeroedBy: Weighed['zeroedBy'];
  },
): OutcomeDecision {
  const undecided = [...conditions.undecided];
  if (zeroedBy !== undefined && zeroedBy !== 'critical') {
    return {
      outcome: 'hard_failure',
      because: BROKE_OFF[zeroedBy],
      cappedBy: undefined,
      barredBy: undefined,
      kind: kindOfBroken(zeroedBy),
      undecided,
    };
  }
  const { completed, failed: gaveUp } = conditions;
  const view: OutcomeView = { ...scored, completed, failed: gaveUp, ending: ending ?? 'unknown' };
  const isAboutTask = aboutOfDecided(suite.criteria, scored.verdicts) === 'task';
  const bar = heaviestFailed(suite.criteria.filter(barsSuccess), scored.verdicts);
  const ruleFor = (mayClaim: boolean) =>
    suite.outcomes.find(
      ({ outcome, when, because }) =>
        (mayClaim || !claimsTask(outcome)) && holds(`"${because}"`, () => when(view), undecided),
    );
  const best = ruleFor(isAboutTask || scored.score === 1);
  const barredBy = best !== undefined && claimsTask(best.outcome) ? bar : undefined;
  const rule = barredBy === undefined ? best : ruleFor(false);
  const ruled = rule?.outcome ?? 'partial_failure';
  const isUnproven = !isAboutTask && claimsTask(ruled);
  const isHandOver = isUnproven && ending === 'handed_over';
  const outcome = isHandOver ? 'handed_over' : isUnproven ? 'no_fault_found' : ruled;
  const because = isHandOver ? HANDED_OVER : (rule?.because ?? 'no other outcome applies');
  const failed = suite.criteria.filter(({ name }) => decisionOf(scored.verdicts.get(name) ?? 'skipped') === 'fail');
  const lowest = failed.reduce((worst, { capsAt }) => worseOf(worst, capsAt), outcome);
  // Several failed criteria may have the same cap: the heaviest one is the reason.
  const cappedBy =
    lowest === outcome
      ? undefined
      : failed.filter(({ capsAt }) => capsAt === lowest).toSorted((a, b) => b.weight - a.weight)[0];
  const decider = cappedBy ?? barredBy ?? heaviestFailed(failed, scored.verdicts);
  const isKind = isFailure(lowest) && decider !== undefined;
  return {
    outcome: lowest,
    because,
    cappedBy: cappedBy?.name,
    barredBy: barredBy?.name,
    kind: isKind ? kindOf(decider, scored.verdicts) : undefined,
    undecided,
  };
}

function worseOf(outcome: ScoredOutcome, cap: ScoredOutcome | undefined): ScoredOutcome {
  return cap !== undefined && bySeverity(cap, outcome) > 0 ? cap : outcome;
}

/** A success cannot fail it. */
export function barsSuccess({ about, weight, mayFailInSuccess }: CompiledCriterion): boolean {
  return about !== 'form' && weight > 0 && !mayFailInSuccess;
}

/** The most that a decided criterion is about; undefined where none was decided. */
export function aboutOfDecided(
  criteria: CompiledSuite['criteria'],
  verdicts: ReadonlyMap<string, VerdictKind>,
): About | undefined {
  let most: About | undefined;
  for (const { name, about } of criteria) {
    if (decisionOf(verdicts.get(name) ?? 'skipped') === undefined) continue;
    if (most === undefined || ABOUTS.indexOf(about) > ABOUTS.indexOf(most)) most = about;
  }
  return most;
}

function holds(what: string, condition: () => unknown, undecided: string[]): boolean {
  try {
    return condition() === true;
  } catch (thrown) {
    const why = thrown instanceof CheckError ? thrown.message : describeThrown(thrown);
    undecided.push(`${what} could not be worked out (${why})`);
    return false;
  }
}
