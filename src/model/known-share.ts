/** How much is known by a set of evaluations: what a number that is made of them can say, and how much of the weight it rests on. */
import { type About, ABOUTS, type Evaluation } from './evaluation.ts';

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
