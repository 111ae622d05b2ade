/** How much is known by a set of evaluations: what a number that is made of them can say, and how much of the weight it rests on. */
import { type About, ABOUTS, type Evaluation } from './evaluation.ts';

export const FORM_ONLY = 'form only: says nothing about whether the task was done';
export const RULES_ONLY = 'rules only: says nothing about whether the task was done';

/** Mean share of the suite's weight that could be decided; null where it is not known. */
export function meanDecided(evaluations: readonly Evaluation[]): number | null {
  const shares = evaluations.flatMap(({ decidedShare }) => decidedShare ?? []);
  const sum = shares.reduce((all, one) => all + one, 0);
  return shares.length === 0 ? null : Math.round(sum / shares.length) / 1_000_000;
}

/** The most that the decided criteria are about; undefined where it is not known. */
export function aboutOf(evaluations: readonly Evaluation[]): About | undefined {
  return ABOUTS.findLast((one) => evaluations.some((evaluation) => evaluation.about === one));
}

/** Names of the share of good outcomes: only evidence of the task can show success. */
export const GOOD_WORDS = { task: 'successful', rules: 'without a broken rule', form: 'without a fault' } as const;

/** The same as a column of a table calls it. */
export function goodRateName(about: About | null | undefined): string {
  return about === 'form' || about === 'rules' ? GOOD_WORDS[about] : 'success rate';
}

/** The limit of what is not about the task, as a sentence. */
export function limitOf(about: About | null | undefined): string | undefined {
  if (about === 'form') return FORM_ONLY;
  return about === 'rules' ? RULES_ONLY : undefined;
}
