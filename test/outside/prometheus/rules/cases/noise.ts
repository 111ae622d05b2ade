/**
 * Random traffic that does not change, for two days after the baseline: every half hour of the second day is checked.
 */
import type { Check, RuleCase } from '../rule-case.ts';
import { type Phase, traffic, type TrafficOptions } from '../traffic.ts';

const DAYS = 6;
const LAST_DAY: readonly Check[] = Array.from({ length: 12 }, (_, look) => ({
  at: (DAYS - 1) * 24 + 2 * look,
  firing: {},
}));
const NAIVE = `(
  sum(increase(assay_evaluation_score_sum[1h])) / sum(increase(assay_evaluation_score_count[1h]))
) < bool 0.95 * (
  sum(increase(assay_evaluation_score_sum[1d])) / sum(increase(assay_evaluation_score_count[1d]))
)`;
const CRITERIA = { a: 0.95, b: 0.9, c: 0.8, d: 0.99 };

function flat(perHour: number): readonly Phase[] {
  return [{ hours: DAYS * 24, perHour, score: 0.9, hardFailures: 0.01, criteria: CRITERIA, cost: 0.05, steps: 8 }];
}

/** More traffic by day, and another mix: the hard kind is 10 % at noon and 40 % at midnight. */
function diurnal(perHour: number, options: TrafficOptions & { readonly segment: 'easy' | 'hard' }) {
  const phases = Array.from({ length: DAYS * 24 }, (_, hour): Phase => {
    const day = Math.cos((2 * Math.PI * (hour - 12)) / 24);
    const hard = 0.25 - 0.15 * day;
    const share = options.segment === 'hard' ? hard : 1 - hard;
    return { hours: 1, perHour: perHour * (1 + 0.7 * day) * share, score: options.segment === 'hard' ? 0.74 : 0.94 };
  });
  return traffic(phases, options);
}

export const NOISE_CASES: readonly RuleCase[] = [
  ...[1, 2].flatMap((seed) =>
    [20, 200].map((perHour) => ({
      name: `${perHour} conversations an hour by chance (seed ${seed}): nothing`,
      series: traffic(flat(perHour), { seed }),
      checks: LAST_DAY,
    })),
  ),
  {
    // The first conversations are all that a range of seven days until three days ago has in the fourth day. They have
    // no variance, which must not make a fall of an hour or two certain.
    name: 'a new agent whose first conversations all succeed, and then a bad hour by chance: nothing',
    series: traffic([
      { hours: 1, perHour: 20, score: 1 },
      { hours: 70, perHour: 20, score: 0.9 },
      { hours: 2, perHour: 20, score: 0.75 },
      { hours: 3, perHour: 20, score: 0.9 },
    ]),
    checks: [72.5, 73, 74].map((at) => ({ at, firing: {} })),
  },
  {
    name: 'day and night with another mix each, by chance: nothing, while the naive rule fires',
    series: [...diurnal(200, { segment: 'easy', seed: 3 }), ...diurnal(200, { segment: 'hard', seed: 4 })],
    checks: [
      ...LAST_DAY,
      {
        at: DAYS * 24,
        values: { [`sum_over_time((${NAIVE})[1d:30m]) > bool 3`]: { '{}': 1 } },
      },
    ],
  },
];
