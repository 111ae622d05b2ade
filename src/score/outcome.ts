/**
 * From a score to an outcome: an ordered list of rules, the first that holds wins, and then the caps of critical
 * criteria that failed. The default list is DESIGN's:
 *
 *     completed and score >= 0.75   successful_completion
 *     failed and score = 0          hard_failure
 *     score >= 0.50                 graceful_failure
 *     else                          partial_failure
 */
import { decisionOf } from '../model/decision.ts';
import type { VerdictKind } from '../model/evaluation.ts';
import { bySeverity, type ScoredOutcome } from '../model/severity.ts';
import { hasAnswer, isAnswerUnknown } from './needs.ts';
import { describeThrown } from './sentences.ts';
import type { Extracts, OutcomeView, Subject, SubjectWith } from './subject.ts';
import type { CompiledOutcomeRule, CompiledSuite } from './suite.ts';

export interface OutcomeDecision {
  readonly outcome: ScoredOutcome;
  /** The condition that held, in words. */
  readonly because: string;
  /** The critical criterion that lowered the outcome. */
  readonly cappedBy: string | undefined;
  /** Conditions that could not be worked out, and so did not hold. */
  readonly undecided: readonly string[];
}

export const DEFAULT_RULES: readonly CompiledOutcomeRule[] = [
  {
    outcome: 'successful_completion',
    when: ({ completed, score }) => completed && score >= 0.75,
    because: 'completed and score >= 0.75',
  },
  { outcome: 'hard_failure', when: ({ failed, score }) => failed && score === 0, because: 'failed and score == 0' },
  { outcome: 'graceful_failure', when: ({ score }) => score >= 0.5, because: 'score >= 0.50' },
];

/**
 * The last turn has an answer and no error. Where the answer was not recorded, a root that arrived and a model that did
 * not stop to wait for a tool stand for it.
 */
export function completedByDefault({ turn }: Subject): boolean {
  if (turn.error !== undefined) return false;
  if (hasAnswer(turn)) return true;
  return isAnswerUnknown(turn) && !turn.flags.includes('root-missing') && !turn.finishReasons.includes('tool_call');
}

/** The last turn has an error, or is known to have no answer. */
export function failedByDefault({ turn }: Subject): boolean {
  return turn.error !== undefined || !(hasAnswer(turn) || isAnswerUnknown(turn));
}

/** What the suite says of the end of the conversation, whatever its score. */
export interface Conditions {
  readonly completed: boolean;
  readonly failed: boolean;
  /** What could not be worked out, and so does not hold. */
  readonly undecided: readonly string[];
}

export function conditionsOf(
  suite: Pick<CompiledSuite, 'completed' | 'failed'>,
  subject: SubjectWith<Extracts>,
): Conditions {
  const undecided: string[] = [];
  return {
    completed: holds('completed', () => suite.completed(subject), undecided),
    failed: holds('failed', () => suite.failed(subject), undecided),
    undecided,
  };
}

export function decideOutcome(
  suite: Pick<CompiledSuite, 'outcomes' | 'criteria'>,
  {
    conditions,
    ...scored
  }: {
    readonly subject: SubjectWith<Extracts>;
    readonly score: number;
    readonly verdicts: ReadonlyMap<string, VerdictKind>;
    readonly conditions: Conditions;
  },
): OutcomeDecision {
  const undecided = [...conditions.undecided];
  const { completed, failed } = conditions;
  const view: OutcomeView = { ...scored, completed, failed };
  const rule = suite.outcomes.find(({ when, because }) => holds(`"${because}"`, () => when(view), undecided));
  const outcome = rule?.outcome ?? 'partial_failure';
  const because = rule?.because ?? 'no other outcome applies';
  const cap = suite.criteria
    .filter(({ name, capsAt }) => capsAt !== undefined && decisionOf(scored.verdicts.get(name) ?? 'skipped') === 'fail')
    .reduce<{ outcome: ScoredOutcome; by: string | undefined }>(
      (lowest, { name, capsAt }) =>
        capsAt !== undefined && bySeverity(capsAt, lowest.outcome) > 0 ? { outcome: capsAt, by: name } : lowest,
      { outcome, by: undefined },
    );
  return { outcome: cap.outcome, because, cappedBy: cap.by, undecided };
}

function holds(what: string, condition: () => unknown, undecided: string[]): boolean {
  try {
    return condition() === true;
  } catch (thrown) {
    undecided.push(`${what} could not be worked out (${describeThrown(thrown)})`);
    return false;
  }
}
