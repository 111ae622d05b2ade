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
import { AGENT, duration, FALL_OPENED, frozen, remembered } from './promql.ts';
import { type Group, record, type Rule } from './rule.ts';
import type { Pace, RuleSettings } from './settings.ts';
import { GOOD, UNRATED, WORST } from '../../outcomes.ts';

export const SCORED = 'agent_segment:assay_scored:increase';
export const CREDIT = 'agent_segment:assay_credit:increase';
const HARD = 'agent_segment:assay_hard_failures:increase';
/** The scored of the baseline that is due, by the label `ended`, while an open fall keeps an older one. */
const FRESH = 'agent_segment:assay_baseline_fresh:increase';
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
interface Based extends Counted {
  readonly by: string;
  /** The measure whose fresh scored it has; its own if absent. */
  readonly freshAs?: string;
}
interface Failing extends Based {
  readonly failed: (sum: SumOf) => string;
}
/** The increase of a counter over the window or the baseline, summed by the measure's labels. */
export type SumOf = (selector: string) => string;

export const TCR: Based = {
  measure: 'tcr',
  by: SEGMENT,
  scored: (sum) => sum('assay_evaluation_score_count'),
  credit: (sum) => sum('assay_evaluation_score_sum'),
};

const SUCCESS: Failing = {
  measure: 'success',
  by: SEGMENT,
  scored: (sum) => sum(RATED),
  credit: (sum) => sum(SUCCESSES),
  failed: (sum) => sum(`assay_evaluations_total{outcome!~"${UNRATED}|${GOOD}"}`),
};

const NOT_HARD_FAILURE: Based = {
  measure: 'not_hard_failure',
  freshAs: TCR.measure,
  by: SEGMENT,
  scored: TCR.scored,
  credit: (sum) => `clamp_min(${TCR.scored(sum)}\n  - ${orZeroOf(sum(HARD_FAILURES), TCR.scored(sum))}, 0)`,
};

const CRITERION: Failing = {
  measure: 'criterion',
  by: `${SEGMENT}, criterion`,
  scored: (sum) => sum('assay_verdicts_total{verdict=~"pass|fail"}'),
  credit: (sum) => sum('assay_verdicts_total{verdict="pass"}'),
  failed: (sum) => sum('assay_verdicts_total{verdict="fail"}'),
};

const VERSION: Counted = { ...TCR, measure: 'version' };

export function windowCounts(settings: RuleSettings, pace: Pace): Group {
  const namesOf = (windows: RuleSettings['windows']) =>
    windows.filter((window) => window.pace === pace).map(({ seconds }) => duration(seconds));
  const [windows, coarse] = [namesOf(settings.windows), namesOf(settings.coarseWindows)];
  const rules = [
    ...windows.flatMap((window) => inWindow(TCR, window, SEGMENT)),
    ...coarse.flatMap((window) => ofVersions(window, settings)),
    ...windows.flatMap((window) => whereFailed(SUCCESS, window, settings)),
    ...coarse.flatMap((window) => whereFailed(CRITERION, window, settings)),
    ...windows.map((window) => hardFailures(window, settings)),
  ];
  return { name: `assay_windows_${pace}`, intervalSeconds: settings.interval[pace], rules };
}

/** Counts of the windows that follow from others. */
export function sumsOfWindows(settings: RuleSettings): Group {
  const all = `sum by (${SEGMENT}, window) (${SCORED}{measure="tcr"})`;
  const together = `on (${SEGMENT}, window)`;
  const labels = { measure: 'not_hard_failure' };
  return {
    name: 'assay_windows_sums',
    intervalSeconds: settings.interval.fast,
    rules: [
      ...baselinesOfVersions(settings),
      record(SCORED, `${all} and ${together} ${HARD}`, labels),
      // Not from the counters again: these have grown since the windows were counted.
      record(CREDIT, `clamp_min(${all} - ${together} ${HARD}, 0)`, labels),
    ],
  };
}

/** The scored, then the credit. */
function inWindow({ measure, scored, credit }: Counted, window: string, by: string, which = ''): readonly Rule[] {
  const sum: SumOf = (selector) => netIncrease(by, selector, `[${window}]`);
  const labels = { measure, window };
  return [record(SCORED, `${scored(sum)}${which}`, labels), record(CREDIT, `${credit(sum)}${which}`, labels)];
}

/** The usual version has no baseline but itself; only the longest of its windows is what others are compared with. */
function ofVersions(window: string, settings: RuleSettings): readonly Rule[] {
  const isUsual = `on (${AGENT}, agent_version) ${BASELINE_VERSION}`;
  const which = window === longestOf(settings) ? '' : `\nunless ${isUsual}`;
  return inWindow(VERSION, window, `${SEGMENT}, agent_version`, `\nand on (${AGENT}) ${BASELINE_VERSION}${which}`);
}

/** The credit, then the scored, of what failed. Without a failure no rate can be below its baseline. */
function whereFailed(
  { measure, by, credit, failed }: Failing,
  window: string,
  settings: RuleSettings,
): readonly Rule[] {
  const sum: SumOf = (selector) => netIncrease(by, selector, `[${window}]`);
  const labels = { measure, window };
  const counted = `${CREDIT}{measure="${measure}", window="${window}"}`;
  return [
    record(
      CREDIT,
      `${credit(sum)}\nand on (${by}) (${failed(sum)} > 0 or on (${by}) ${needed(measure, by, window, settings)})
and on (${by}) ${BASELINE_SCORED}{measure="${measure}"}`,
      labels,
    ),
    record(SCORED, `${failed(sum)} + on (${by}) ${counted}`, labels),
  ];
}

function hardFailures(window: string, settings: RuleSettings): Rule {
  const { measure, by } = NOT_HARD_FAILURE;
  const hard = netIncrease(by, HARD_FAILURES, `[${window}]`);
  const baseline = `${BASELINE_SCORED}{measure="${measure}"}`;
  return record(
    HARD,
    `(${hard} > 0 or on (${by}) (${needed(measure, by, window, settings)}) * 0)\nand on (${by}) ${baseline}`,
    {
      window,
    },
  );
}

/**
 * Baselines of what is counted in a window although nothing failed in it. An open fall ends by what does not fail, the
 * hourly variation is that of all hours, and the change of the score is split among all criteria.
 */
function needed(measure: string, by: string, window: string, settings: RuleSettings): string {
  const baseline = `${BASELINE_SCORED}{measure="${measure}"}`;
  if (measure === CRITERION.measure && window === duration(settings.explainWindow)) return baseline;
  const open = `${baseline} and on (${AGENT}) (${remembered(FALL_OPENED, settings)} > 0)`;
  const failing = `${baseline} - on (${by}) ${BASELINE_CREDIT}{measure="${measure}"} > 0.5`;
  return window === duration(settings.block.seconds) ? `(${open} or on (${by}) ${failing})` : `(${open})`;
}

function longestOf({ coarseWindows }: RuleSettings): string {
  return duration(Math.max(...coarseWindows.map(({ seconds }) => seconds)));
}

/**
 * The earlier behaviour of an agent: days that ended some days ago, so that a slow decline does not become its own
 * baseline within a day. An agent or a segment that is younger than that is compared with everything until a day ago.
 * While a fall is open, the baseline stays as it was before.
 */
export function baselineCounts(settings: RuleSettings): Group {
  const { offset, youngOffset } = settings.baseline;
  const mostUsed = (ended: number) =>
    `topk by (${AGENT}) (1, ${sumUntil(`${AGENT}, agent_version`, ended, settings)('assay_evaluation_score_count')} > 0)`;
  return {
    name: 'assay_baselines',
    intervalSeconds: settings.interval.slow,
    rules: [
      ...[TCR, SUCCESS, CRITERION].map((counted) => fresh(counted, settings)),
      ...[TCR, SUCCESS, NOT_HARD_FAILURE, CRITERION].flatMap((counted) => keptBaseline(counted, settings)),
      record(BASELINE_VERSION, `${mostUsed(offset)}\nor on (${AGENT}) ${mostUsed(youngOffset)}`),
    ],
  };
}

function sumUntil(by: string, ended: number, { baseline }: RuleSettings): SumOf {
  return (selector) => netIncrease(by, selector, `[${duration(baseline.seconds)}] offset ${duration(ended)}`);
}

/**
 * A few hours of history are no baseline while there are days of it that ended later. Nor is nothing, which is more than
 * a count below 0: late corrections may withdraw more than Prometheus has seen added.
 */
function fresh({ measure, by, scored }: Based, settings: RuleSettings): Rule {
  const { offset, youngOffset } = settings.baseline;
  const [old, young] = [offset, youngOffset].map((ended) => scored(sumUntil(by, ended, settings)));
  const ended = (vector: string, ago: number) => `label_replace(${vector}, "ended", "${duration(ago)}", "", "")`;
  return record(
    FRESH,
    [
      ended(`(${old} > 0) > ${young} / ${LITTLE}`, offset),
      ended(`${young} > 0`, youngOffset),
      ended(`${old} > 0`, offset),
    ].join(`\nor on (${by}) `),
    { measure },
  );
}

function keptBaseline({ measure, freshAs = measure, by, credit }: Based, settings: RuleSettings): readonly Rule[] {
  const { offset, youngOffset } = settings.baseline;
  const freshScored = `sum by (${by}) (${FRESH}{measure="${freshAs}"})`;
  const freshCredit = [offset, youngOffset]
    .map(
      (ended) =>
        `(${credit(sumUntil(by, ended, settings))}) and on (${by}) ${FRESH}{measure="${freshAs}", ended="${duration(ended)}"}`,
    )
    .join('\nor ');
  // A new agent that had little when its fall opened has no baseline of that.
  const before = remembered(`${BASELINE_SCORED}{measure="${measure}"}`, settings);
  const outgrown = `${before} * ${LITTLE} <= on (${by}) (${freshScored})`;
  const kept = (recorded: string, latest: string) => {
    const selected = `${recorded}{measure="${measure}"}`;
    return record(recorded, frozen(selected, { by, fresh: latest, outgrown }, settings), { measure });
  };
  // In this order: the credit is kept or fresh by the scored of the evaluation before, as the scored are.
  return [kept(BASELINE_CREDIT, freshCredit), kept(BASELINE_SCORED, freshScored)];
}

/** Every other version is compared with the baseline's version in the same days, segment by segment. */
function baselinesOfVersions(settings: RuleSettings): readonly Rule[] {
  const ofBaselineVersion = (counted: string) => {
    const isBaseline = `on (${AGENT}, agent_version) ${BASELINE_VERSION}`;
    const ofLongest = (recorded: string) => `${recorded}{measure="version", window="${longestOf(settings)}"}`;
    return `sum without (window) (
  (${ofLongest(SCORED)} unless ${isBaseline}) * 0
  + on (${SEGMENT}) group_left () sum by (${SEGMENT}) (${ofLongest(counted)} and ${isBaseline})
)`;
  };
  const labels = { measure: VERSION.measure };
  return [
    record(BASELINE_SCORED, `${ofBaselineVersion(SCORED)} > 0`, labels),
    record(BASELINE_CREDIT, ofBaselineVersion(CREDIT), labels),
  ];
}
