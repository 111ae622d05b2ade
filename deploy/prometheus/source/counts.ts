/**
 * The counts of each window and of the baseline, by agent and segment. Everything of the form "how many of the attempts
 * succeeded?" is recorded under one pair of names and distinguished by the label `measure`, so that one set of rules
 * computes the evidence:
 *
 *     measure            scored                          credit
 *     tcr                evaluations with a score        sum of scores
 *     success            succeeded or failed             successful_completion; no_fault_found if the best outcome
 *     not_hard_failure   the same                        all except hard_failure (so that worse is always less)
 *     criterion          passed or failed                passed
 *     version            evaluations of that version     sum of its scores
 *
 * The scored of `not_hard_failure` are those of `tcr`, and `tcr` is the sum of all versions where these are counted. The
 * two sides of a rate are counted at the same time: traffic that comes in between would look like failures.
 *
 * Everything that revisions withdrew is subtracted.
 *
 * An absent label is empty, so `segment` in `by (...)` does no harm if no segments are configured.
 */
import { netIncrease, orZeroOf } from '../../../src/report/metrics/net-increase.ts';
import { AGENT, duration, frozen, remembered } from './promql.ts';
import { type Group, record, type Rule } from './rule.ts';
import type { Pace, RuleSettings } from './settings.ts';
import { GOOD, UNRATED, WORST } from '../../outcomes.ts';

export const SCORED = 'agent_segment:assay_scored:increase';
export const CREDIT = 'agent_segment:assay_credit:increase';
const HARD = 'agent_segment:assay_hard_failures:increase';
export const BASELINE_SCORED = 'agent_segment:assay_baseline_scored:increase';
export const BASELINE_CREDIT = 'agent_segment:assay_baseline_credit:increase';
/** Counts of the version that had most traffic in the baseline. */
export const BASELINE_VERSION = 'agent_version:assay_baseline_version:increase';

const SEGMENT = `${AGENT}, segment`;
/** A baseline with less than one of so many of the conversations of another is none: a day, where four days are known. */
const LITTLE = 3;
const SUCCESSES = `assay_evaluations_total{outcome=~"${GOOD}"}`;
/** Hand-overs to a person neither succeeded nor failed. */
const RATED = `assay_evaluations_total{outcome!~"${UNRATED}"}`;
export const HARD_FAILURES = `assay_evaluations_total{outcome="${WORST}"}`;

interface Counted {
  readonly measure: string;
  readonly scored: (sum: SumOf) => string;
  readonly credit: (sum: SumOf) => string;
}
/** The increase of a counter over the window or the baseline, summed by the measure's labels. */
export type SumOf = (selector: string) => string;

export const TCR: Counted = {
  measure: 'tcr',
  scored: (sum) => sum('assay_evaluation_score_count'),
  credit: (sum) => sum('assay_evaluation_score_sum'),
};

const SUCCESS: Counted = {
  measure: 'success',
  scored: (sum) => sum(RATED),
  credit: (sum) => orZeroOf(sum(SUCCESSES), sum(RATED)),
};

const NOT_HARD_FAILURE: Counted = {
  measure: 'not_hard_failure',
  scored: TCR.scored,
  credit: (sum) => exceptHardFailures(TCR.scored(sum), sum(HARD_FAILURES)),
};

const CRITERION: Counted = {
  measure: 'criterion',
  scored: (sum) => sum('assay_verdicts_total{verdict=~"pass|fail"}'),
  credit: (sum) => sum('assay_verdicts_total{verdict="pass"}'),
};

const VERSION: Counted = { ...TCR, measure: 'version' };

export function windowCounts(settings: RuleSettings, pace: Pace): Group {
  const namesOf = (windows: RuleSettings['windows']) =>
    windows.filter((window) => window.pace === pace).map(({ seconds }) => duration(seconds));
  const [windows, coarse] = [namesOf(settings.windows), namesOf(settings.coarseWindows)];
  const rules = [
    ...coarse.flatMap((window) => [
      ...inWindow(CRITERION, window, `${SEGMENT}, criterion`),
      ...inWindow(VERSION, window, `${SEGMENT}, agent_version`),
    ]),
    ...windows.filter((window) => !coarse.includes(window)).flatMap((window) => inWindow(TCR, window, SEGMENT)),
    ...windows.flatMap((window) => inWindow(SUCCESS, window, SEGMENT)),
    ...windows.map((window) => record(HARD, netIncrease(SEGMENT, HARD_FAILURES, `[${window}]`), { window })),
  ];
  return { name: `assay_windows_${pace}`, intervalSeconds: settings.interval[pace], rules };
}

/** Counts of the windows that follow from others. */
export function sumsOfWindows({ interval }: RuleSettings): Group {
  const sumOf = (counted: string, from: Counted, to: Counted) =>
    record(counted, `sum by (${SEGMENT}, window) (${counted}{measure="${from.measure}"})`, { measure: to.measure });
  return {
    name: 'assay_windows_sums',
    intervalSeconds: interval.fast,
    rules: [
      sumOf(SCORED, VERSION, TCR),
      sumOf(CREDIT, VERSION, TCR),
      sumOf(SCORED, TCR, NOT_HARD_FAILURE),
      // Not from the counters again: these have grown since the windows were counted.
      record(CREDIT, exceptHardFailures(`sum by (${SEGMENT}, window) (${SCORED}{measure="tcr"})`, HARD), {
        measure: NOT_HARD_FAILURE.measure,
      }),
    ],
  };
}

function exceptHardFailures(all: string, hard: string): string {
  return `clamp_min(${all}\n  - ${orZeroOf(hard, all)}, 0)`;
}

/** The scored, then the credit. */
function inWindow({ measure, scored, credit }: Counted, window: string, by: string): readonly Rule[] {
  const sum: SumOf = (selector) => netIncrease(by, selector, `[${window}]`);
  return [record(SCORED, scored(sum), { measure, window }), record(CREDIT, credit(sum), { measure, window })];
}

/**
 * The earlier behaviour of an agent: days that ended some days ago, so that a slow decline does not become its own
 * baseline within a day. An agent or a segment that is younger than that is compared with everything until a day ago.
 * While a fall is open, the baseline stays as it was before.
 */
export function baselineCounts(settings: RuleSettings): Group {
  const { seconds, offset, youngOffset } = settings.baseline;
  const sumOf =
    (by: string, ended: number): SumOf =>
    (selector) =>
      netIncrease(by, selector, `[${duration(seconds)}] offset ${duration(ended)}`);
  const inBaseline = ({ measure, scored, credit }: Counted, by: string): readonly Rule[] => {
    const old = sumOf(by, offset);
    const young = sumOf(by, youngOffset);
    // A few hours of history are no baseline while there are days of it that ended later. Nor is nothing, which is more
    // than a count below 0: late corrections may withdraw more than Prometheus has seen added.
    const isLong = `(${scored(old)} > 0) > ${scored(young)} / ${LITTLE}`;
    const freshScored = `${isLong}\nor ${scored(young)} > 0\nor ${scored(old)} > 0`;
    const freshCredit = `(${credit(old)}) and ${isLong}\nor (${credit(young)})\nor (${credit(old)})`;
    // Nor is what was little when a fall of a new agent opened.
    const before = remembered(`${BASELINE_SCORED}{measure="${measure}"}`, settings);
    const outgrown = `${before} * ${LITTLE} <= on (${by}) (${freshScored})`;
    const kept = (recorded: string, fresh: string) => {
      const selected = `${recorded}{measure="${measure}"}`;
      return record(recorded, frozen(selected, { by, fresh, outgrown }, settings), { measure });
    };
    // In this order: the credit is kept or fresh by the scored of the evaluation before, as the scored are.
    return [kept(BASELINE_CREDIT, freshCredit), kept(BASELINE_SCORED, freshScored)];
  };
  const mostUsed = (ended: number) =>
    `topk by (${AGENT}) (1, ${sumOf(`${AGENT}, agent_version`, ended)('assay_evaluation_score_count')} > 0)`;
  return {
    name: 'assay_baselines',
    intervalSeconds: settings.interval.slow,
    rules: [
      ...[TCR, SUCCESS, NOT_HARD_FAILURE].flatMap((counted) => inBaseline(counted, SEGMENT)),
      ...inBaseline(CRITERION, `${SEGMENT}, criterion`),
      record(BASELINE_VERSION, `${mostUsed(offset)}\nor on (${AGENT}) ${mostUsed(youngOffset)}`),
      ...baselinesOfVersions(settings),
    ],
  };
}

/** Every other version is compared with the baseline's version in the same days, segment by segment. */
function baselinesOfVersions(settings: RuleSettings): readonly Rule[] {
  const longest = duration(Math.max(...settings.coarseWindows.map(({ seconds }) => seconds)));
  const ofBaselineVersion = (counted: string) => {
    const selected = `${counted}{measure="version", window="${longest}"}`;
    const isBaseline = `on (${AGENT}, agent_version) ${BASELINE_VERSION}`;
    const scored = `${SCORED}{measure="version", window="${longest}"}`;
    return `sum without (window) (
  (${scored} unless ${isBaseline}) * 0
  + on (${SEGMENT}) group_left () sum by (${SEGMENT}) (${selected} and ${isBaseline})
)`;
  };
  return [
    record(BASELINE_SCORED, `${ofBaselineVersion(SCORED)} > 0`),
    record(BASELINE_CREDIT, ofBaselineVersion(CREDIT)),
  ];
}
