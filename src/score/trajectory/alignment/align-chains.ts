/**
 * The cheapest alignment of one sequence with another: the dynamic program of edit distance, steps × calls. For orders that are
 * no chains it takes both as they are numbered, which gives an alignment that is possible, and seldom a bad one.
 */
import { type Alignment, type AlignmentProblem, costOf } from './alignment-problem.ts';

export function alignChains(problem: AlignmentProblem): Pick<Alignment, 'callOf' | 'cost'> {
  const steps = problem.expected.size;
  const calls = problem.actual.size;
  const width = calls + 1;
  // best[i * width + j]: the least cost of the first i steps and the first j calls.
  const best = new Float64Array((steps + 1) * width);
  const pairs = new Float64Array(steps * calls);
  for (let j = 1; j <= calls; j += 1) best[j] = at(best, j - 1) + problem.extraCost(j - 1);
  for (let i = 1; i <= steps; i += 1) {
    const missing = problem.missingCost(i - 1);
    best[i * width] = at(best, (i - 1) * width) + missing;
    for (let j = 1; j <= calls; j += 1) {
      const pair = problem.pairCost(i - 1, j - 1);
      pairs[(i - 1) * calls + j - 1] = pair;
      best[i * width + j] = Math.min(
        at(best, (i - 1) * width + j) + missing,
        at(best, i * width + j - 1) + problem.extraCost(j - 1),
        at(best, (i - 1) * width + j - 1) + pair,
      );
    }
  }
  const callOf = Array.from({ length: steps }, () => -1);
  let j = calls;
  for (let i = steps; i > 0 && j > 0; ) {
    const here = at(best, i * width + j);
    // Pairs go first, so that of equals the alignment with more pairs is given.
    if (here === at(best, (i - 1) * width + j - 1) + at(pairs, (i - 1) * calls + j - 1)) {
      i -= 1;
      j -= 1;
      callOf[i] = j;
    } else if (here === at(best, i * width + j - 1) + problem.extraCost(j - 1)) j -= 1;
    else i -= 1;
  }
  return { callOf, cost: costOf(problem, callOf) };
}

function at(numbers: Float64Array, index: number): number {
  return numbers[index] ?? 0;
}
