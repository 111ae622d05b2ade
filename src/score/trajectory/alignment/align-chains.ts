/**
 * The cheapest alignment of one sequence with another: the dynamic program of edit distance, steps × calls. For orders that are
 * no chains it takes both as they are numbered, which gives an alignment that is possible, and seldom a bad one.
 */
import type { AlignmentProblem } from './alignment-problem.ts';
import type { Candidates } from './candidates.ts';

export function alignChains(problem: AlignmentProblem, candidates: Candidates): readonly number[] {
  const steps = problem.expected.size;
  const calls = problem.actual.size;
  const width = calls + 1;
  const extra = Float64Array.from({ length: calls }, (_, call) => problem.extraCost(call));
  // best[i * width + j]: the least cost of the first i steps and the first j calls.
  const best = new Float64Array((steps + 1) * width);
  for (let j = 1; j <= calls; j += 1) best[j] = at(best, j - 1) + at(extra, j - 1);
  for (let i = 1; i <= steps; i += 1) {
    const [before, here] = [(i - 1) * width, i * width];
    const missing = problem.missingCost(i - 1);
    for (let j = 0; j <= calls; j += 1) best[here + j] = at(best, before + j) + missing;
    const costs = candidates.costs[i - 1] ?? [];
    for (const [index, call] of (candidates.calls[i - 1] ?? []).entries()) {
      const paired = at(best, before + call) + (costs[index] ?? 0);
      if (paired < at(best, here + call + 1)) best[here + call + 1] = paired;
    }
    for (let j = 1; j <= calls; j += 1) {
      const left = at(best, here + j - 1) + at(extra, j - 1);
      if (left < at(best, here + j)) best[here + j] = left;
    }
  }
  return walkBack(candidates, best, extra, { steps, calls });
}

function walkBack(
  candidates: Candidates,
  best: Float64Array,
  extra: Float64Array,
  { steps, calls }: { readonly steps: number; readonly calls: number },
): readonly number[] {
  const width = calls + 1;
  const callOf = Array.from({ length: steps }, () => -1);
  let j = calls;
  for (let i = steps; i > 0 && j > 0; ) {
    const here = at(best, i * width + j);
    const index = candidates.calls[i - 1]?.indexOf(j - 1) ?? -1;
    // Pairs go first, so that of equals the alignment with more pairs is given.
    if (index >= 0 && here === at(best, (i - 1) * width + j - 1) + (candidates.costs[i - 1]?.[index] ?? 0)) {
      i -= 1;
      j -= 1;
      callOf[i] = j;
    } else if (here === at(best, i * width + j - 1) + at(extra, j - 1)) j -= 1;
    else i -= 1;
  }
  return callOf;
}

function at(numbers: Float64Array, index: number): number {
  return numbers[index] as number;
}
