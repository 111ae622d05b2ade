/**
 * Cost and steps per success. A ratio of means has no simple distribution, so the excess is tested: with the baseline's
 * ratio r, D = effort − r · successes is zero on average while nothing changes, whatever the number of successes.
 *
 *   z = Σ_s D / √ Σ_s (Σ effort² − 2 r · effort of successes + r² · successes − D²/n) · (1 + n/N)
 *
 * The sum is by segment s, so that a larger share of an expensive kind of conversation is not taken for waste. Unscored
 * conversations are left out, because they cannot succeed.
 */
import { netIncrease, orZeroOf } from '../../../src/report/metrics/net-increase.ts';
import { AGENT, duration, on } from './promql.ts';
import { type Group, record, type Rule } from './rule.ts';
import type { RuleSettings } from './settings.ts';
import { GOOD, UNSCORED } from '../../outcomes.ts';

export const EFFORT_PER_SUCCESS = 'agent:assay_effort_per_success:ratio';
export const EFFORT_RISE = 'agent:assay_effort_rise:ratio';
export const EFFORT_Z = 'agent:assay_effort_rise:zscore';

const EFFORTS = ['cost_usd', 'steps'] as const;

const EFFORT = 'agent_segment:assay_effort:increase';
export const EFFORT_SCORED = 'agent_segment:assay_effort_scored:increase';
const OF_SUCCESSES = 'agent_segment:assay_effort_of_successes:increase';
const SUCCESSES = 'agent_segment:assay_effort_successes:increase';
const SQUARED = 'agent_segment:assay_effort_squared:increase';
const BASELINE_SCORED = 'agent_segment:assay_baseline_effort_scored:increase';
const BASELINE_RATIO = 'agent_segment:assay_baseline_effort_per_success:ratio';
const EXCESS = `(${EFFORT} - ${SUCCESSES} * ${on(`${AGENT}, segment, measure`, BASELINE_RATIO)})`;

const SEGMENT = `${AGENT}, segment`;
const IN_SEGMENT = `${SEGMENT}, measure`;
const BY_WINDOW = `${AGENT}, measure, window`;
const TRIED = `{outcome!="${UNSCORED}"}`;
const SUCCEEDED = `{outcome=~"${GOOD}"}`;

/** Counts of what has a baseline. */
export function effortCounts({ effortWindows, interval }: RuleSettings): Group {
  const rules = effortWindows.flatMap((seconds) => inWindow(duration(seconds)));
  return { name: 'assay_efforts', intervalSeconds: interval.slow, rules };
}

function inWindow(window: string): readonly Rule[] {
  const sum = (selector: string) => netIncrease(SEGMENT, selector, `[${window}]`);
  const counted = (name: string, of: (metric: string) => string) =>
    record(name, `(\n${ofMeasures(of)}\n) and on (${IN_SEGMENT}) ${BASELINE_RATIO}`, { window });
  const tried = (metric: string) => sum(`${metric}_count${TRIED}`);
  return [
    counted(EFFORT, (metric) => sum(`${metric}_sum${TRIED}`)),
    counted(EFFORT_SCORED, tried),
    counted(OF_SUCCESSES, (metric) => orZeroOf(sum(`${metric}_sum${SUCCEEDED}`), tried(metric))),
    counted(SUCCESSES, (metric) => orZeroOf(sum(`${metric}_count${SUCCEEDED}`), tried(metric))),
    counted(SQUARED, (metric) => sum(`${metric}_squared_total`)),
  ];
}

function ofMeasures(of: (metric: string) => string): string {
  return EFFORTS.map(
    (measure) => `label_replace(${of(`assay_conversation_${measure}`)}, "measure", "${measure}", "", "")`,
  ).join('\nor ');
}

export function efficiency(settings: RuleSettings): Group {
  const r = on(IN_SEGMENT, BASELINE_RATIO);
  const explained = `{window="${duration(settings.explainWindow)}"}`;
  const spread = `clamp_min(
    ${SQUARED} - 2 * ${OF_SUCCESSES} * ${r} + ${SUCCESSES} * ${on(IN_SEGMENT, `${BASELINE_RATIO} ^ 2`)} - ${EXCESS} ^ 2 / (${EFFORT_SCORED} > 0),
    1e-12
  ) * (1 + ${EFFORT_SCORED} / ${on(IN_SEGMENT, BASELINE_SCORED)})`;
  return {
    name: 'assay_efficiency',
    intervalSeconds: settings.interval.fast,
    rules: [
      record(
        EFFORT_PER_SUCCESS,
        `sum by (${BY_WINDOW}) (${EFFORT}${explained}) / (sum by (${BY_WINDOW}) (${SUCCESSES}${explained}) > 0)`,
      ),
      record(EFFORT_RISE, `sum by (${BY_WINDOW}) (${EXCESS}) / (sum by (${BY_WINDOW}) (${SUCCESSES} * ${r}) > 0)`),
      record(EFFORT_Z, `sum by (${BY_WINDOW}) (${EXCESS}) / sqrt(sum by (${BY_WINDOW}) (${spread}))`),
    ],
  };
}

/** The baseline of what labels select, or of all; of an agent that is young, its history until a day ago. */
export function baselineEffort({ baseline }: RuleSettings, by: string | undefined, metric: string, labels = '') {
  const { seconds, offset, youngOffset } = baseline;
  const either = (of: (sum: (selector: string) => string) => string) =>
    [offset, youngOffset]
      .map((ended) => of((selector) => netIncrease(by, selector, `[${duration(seconds)}] offset ${duration(ended)}`)))
      .join('\nor ');
  const tried = `{${labels}outcome!="${UNSCORED}"}`;
  const succeeded = `{${labels}outcome=~"${GOOD}"}`;
  return {
    perSuccess: either((sum) => `${sum(`${metric}_sum${tried}`)} / (${sum(`${metric}_count${succeeded}`)} > 0)`),
    scored: either((sum) => `${sum(`${metric}_count${tried}`)} > 0`),
  };
}

export function baselineEfforts(settings: RuleSettings): Group {
  const of = (metric: string) => baselineEffort(settings, SEGMENT, metric);
  return {
    name: 'assay_baseline_efforts',
    intervalSeconds: settings.interval.slow,
    rules: [
      record(
        BASELINE_SCORED,
        ofMeasures((metric) => of(metric).scored),
      ),
      record(
        BASELINE_RATIO,
        ofMeasures((metric) => of(metric).perSuccess),
      ),
    ],
  };
}
