/**
 * The area under the receiver operating characteristic: the chance that one that is positive scores higher than one that is not, ties
 * counting half. By ranks (Mann and Whitney), so that it takes n log n. Undefined where there are none of either.
 */
export function areaUnderCurve(
  scored: readonly { readonly score: number; readonly isPositive: boolean }[],
): number | undefined {
  const sorted = scored.toSorted((a, b) => a.score - b.score);
  let [positives, rankSum] = [0, 0];
  for (let from = 0; from < sorted.length; ) {
    let to = from;
    while (to < sorted.length && sorted[to]?.score === sorted[from]?.score) to += 1;
    const rank = (from + 1 + to) / 2;
    for (; from < to; from += 1) {
      if (sorted[from]?.isPositive !== true) continue;
      positives += 1;
      rankSum += rank;
    }
  }
  const negatives = sorted.length - positives;
  if (positives === 0 || negatives === 0) return undefined;
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}
