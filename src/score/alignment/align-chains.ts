/**
 * The cheapest alignment of one sequence with another. It takes the candidates step by step: what a pair can save together with pairs
 * before it is its own gain, and the most that steps and calls before it save. That most, by how many calls it is of, is a staircase;
 * a pair lifts it from its own call on, as far as it was lower. So the work goes by the candidates and by how far they lift, where a
 * table of all steps and all calls would be mostly cells that no pair is in.
 *
 * For orders that are no chains it takes both as they are numbered, which gives an alignment that is possible, and seldom a bad one.
 */
import type { Candidates } from './candidates.ts';

export function alignChains({ starts, calls, gains }: Candidates, callCount: number): readonly number[] {
  const steps = starts.length - 1;
  const callOf: number[] = Array(steps).fill(-1);
  if (calls.length === 0) return callOf;
  // most[j]: the most that the steps so far and the first j calls save; last[j]: the last pair of a way to it, or -1.
  const most = new Float64Array(callCount + 1);
  const last = new Int32Array(callCount + 1).fill(-1);
  // Saving of each pair together with the pairs before it, and the pair before it.
  const saved = new Float64Array(calls.length);
  const before = new Int32Array(calls.length);
  for (let step = 0; step < steps; step += 1) {
    // Runs from the last call to the first, so that no pair builds on another of the same step.
    for (let pair = (starts[step + 1] as number) - 1; pair >= (starts[step] as number); pair -= 1) {
      const call = calls[pair] as number;
      const total = (most[call] as number) + (gains[pair] as number);
      saved[pair] = total;
      before[pair] = last[call] as number;
      const known = most[call + 1] as number;
      // Among equals, keeps the path that ends with the earliest call, and among those the one with the latest step.
      if (total < known || (total === known && calls[last[call + 1] as number] !== call)) continue;
      for (let j = call + 1; j <= callCount && (most[j] as number) <= total; j += 1) {
        most[j] = total;
        last[j] = pair;
      }
    }
  }
  let [stepsTo, callsTo] = [steps, callCount];
  let rest = most[callCount] as number;
  let way = last[callCount] as number;
  while (stepsTo > 0) {
    const pair = lastOf(stepsTo - 1, callsTo, rest) ?? way;
    if (pair < 0) break;
    while ((starts[stepsTo - 1] as number) > pair) stepsTo -= 1;
    stepsTo -= 1;
    callsTo = calls[pair] as number;
    callOf[stepsTo] = callsTo;
    rest -= gains[pair] as number;
    way = before[pair] as number;
  }
  return callOf;

  /** A pair of this very step that saves all there is to save, rather than one before it: so that nothing which may be a pair is left out. */
  function lastOf(step: number, callsBelow: number, all: number): number | undefined {
    for (let pair = (starts[step + 1] as number) - 1; pair >= (starts[step] as number); pair -= 1) {
      if ((calls[pair] as number) < callsBelow && saved[pair] === all) return pair;
    }
    return undefined;
  }
}
