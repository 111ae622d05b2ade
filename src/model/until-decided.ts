/** An experiment that ends as soon as a release gate is decided: which question it asks, and how far it is. */
import { type GateDecision, type GateLook, isLastLook, type PlannedLook } from './gate.ts';

export interface UntilDecided {
  /** Id of the experiment that the gate compares with; undefined if the rules need none. */
  readonly baseline: string | undefined;
  /** File of rules as it was at the beginning; undefined if the rules decide that hold without a file. */
  readonly rules: { readonly file: string; readonly text: string } | undefined;
  /** All cases of the dataset, in the order in which they are run. */
  readonly order: readonly OrderedCase[];
  /** The last one has all cases. */
  readonly looks: readonly PlannedLook[];
  /** Answers of the looks that were held, from the first on. */
  readonly answers: readonly GateDecision[];
}

interface OrderedCase {
  readonly case: string;
  readonly fingerprint: string;
}

interface OfExperiment {
  readonly untilDecided?: UntilDecided;
}

/** The look of an index from 0; undefined if there is none. */
export function lookAt({ looks, order, answers }: UntilDecided, index: number): GateLook | undefined {
  const look = looks[index];
  if (look === undefined) return undefined;
  const answer = answers[index];
  const isEnd = answer !== undefined && (answer !== 'not_enough_evidence' || index === looks.length - 1);
  return { ...look, number: index + 1, of: looks.length, ofCases: order.length, isEnd };
}

/** The last look that was held; undefined before the first. */
export function heldLook(plan: UntilDecided): GateLook | undefined {
  return lookAt(plan, plan.answers.length - 1);
}

/** The look that ended the experiment before all cases were run, and its answer; undefined if none did. */
export function earlyEndOf({ untilDecided }: OfExperiment) {
  const [look, answer] = [untilDecided && heldLook(untilDecided), untilDecided?.answers.at(-1)];
  if (look === undefined || answer === undefined || isLastLook(look) || !look.isEnd) return undefined;
  return { look, answer };
}

/** A clause; undefined if it did not end early. */
export function earlyEndText(experiment: OfExperiment): string | undefined {
  const early = earlyEndOf(experiment);
  if (early === undefined) return undefined;
  const { look, answer } = early;
  const baseline = experiment.untilDecided?.baseline;
  const against = baseline === undefined ? '' : ` against ${baseline}`;
  const decided = answer === 'pass' ? 'a pass' : 'a regression';
  return `ended early, after ${look.cases} of ${look.ofCases} cases, because the gate${against} was decided: ${decided}`;
}
