/**
 * Two versions side by side for seven days, checked continuously: the shipped comparison, and a z-test evaluated every
 * minute.
 */
import { DEFAULT_DETECTION } from '../src/statistics/detect/settings.ts';
import { Versions } from '../src/statistics/detect/versions.ts';
import { BEGIN_MS, MINUTE_MS, poisson, randomFrom } from './detect-world.ts';
import type { BenchRow } from './row.ts';

interface Case {
  readonly share: number;
  readonly candidate: number;
  /** The candidate gets 45 % hard traffic, the baseline 20 %. */
  readonly isHarder: boolean;
}

export function benchVersions({ runs, rate }: { readonly runs: number; readonly rate: number }) {
  const rows: BenchRow[] = [];
  const notes: string[] = [];
  for (const share of [0.5, 0.1])
    for (const isHarder of [false, true]) {
      const same = compare({ share, candidate: 0.9, isHarder }, { runs, rate });
      const routing = isHarder ? 'harder routing' : 'same routing';
      rows.push({
        name: `version called worse though it is not: ${routing}, ${share * 100} % share, ${rate}/h`,
        ours: Number((same.worse / runs).toFixed(4)),
        reference: Number((same.peeked / runs).toFixed(4)),
        ratio: Number((same.worse / Math.max(1, same.peeked)).toFixed(4)),
      });
      notes.push(
        `versions, ${routing}, ${share * 100} %: called better though it is not ${((100 * same.better) / runs).toFixed(1)} %, ${runs} runs`,
      );
    }
  for (const share of [0.5, 0.1])
    for (const candidate of [0.85, 0.8, 0.7]) {
      const found = compare({ share, candidate, isHarder: false }, { runs: Math.max(4, Math.round(runs / 3)), rate });
      notes.push(
        `versions .90→${candidate.toFixed(2)}, ${share * 100} % share: worse after a median of ${found.median} conversations`,
      );
    }
  return { rows, notes };
}

export function compare(
  { share, candidate, isHarder }: Case,
  { runs, rate }: { readonly runs: number; readonly rate: number },
) {
  const result = { worse: 0, better: 0, peeked: 0, median: Number.NaN };
  const needed: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const random = randomFrom(200_003 + run);
    const versions = new Versions(DEFAULT_DETECTION.versions, DEFAULT_DETECTION.limits);
    for (let index = 0; index < 200; index += 1)
      versions.observe('1', { segment: 1, success: random() < 0.9, vote: 1, at: BEGIN_MS - 1_000_000 + index });
    const counts = [0, 0];
    const successes = [0, 0];
    let isPeeked = false;
    let count = 0;
    let verdict = 'inconclusive';
    for (let minute = 0; minute < 7 * 1440 && verdict !== 'worse' && verdict !== 'better'; minute += 1) {
      for (let left = poisson(rate / 60, random); left > 0; left -= 1) {
        const arm = random() < share ? 1 : 0;
        const isHard = isHarder && random() < (arm === 1 ? 0.45 : 0.2);
        const usual = isHarder ? (isHard ? 0.74 : 0.94) : 0.9;
        const isSuccess = random() < (arm === 1 ? usual * (candidate / 0.9) : usual);
        const at = BEGIN_MS + minute * MINUTE_MS;
        versions.observe(arm === 1 ? '2' : '1', { segment: isHard ? 2 : 1, success: isSuccess, vote: 1, at });
        counts[arm] = (counts[arm] as number) + 1;
        if (isSuccess) successes[arm] = (successes[arm] as number) + 1;
        count += 1;
      }
      verdict = versions.readings()[0]?.race.verdict ?? 'inconclusive';
      isPeeked ||= isSignificant(counts as [number, number], successes as [number, number]);
    }
    if (verdict === 'worse') result.worse += 1;
    if (verdict === 'better') result.better += 1;
    if (isPeeked) result.peeked += 1;
    needed.push(verdict === 'worse' ? count : Number.POSITIVE_INFINITY);
  }
  result.median = needed.sort((one, other) => one - other)[Math.floor(runs / 2)] ?? Number.NaN;
  return result;
}

/** One-sided, 5 %, from 30 of each on. */
function isSignificant(counts: readonly [number, number], successes: readonly [number, number]): boolean {
  const [countA, countB] = counts;
  if (countA < 30 || countB < 30) return false;
  const pooled = (successes[0] + successes[1]) / (countA + countB);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / countA + 1 / countB));
  return error > 0 && (successes[0] / countA - successes[1] / countB) / error > 1.645;
}
