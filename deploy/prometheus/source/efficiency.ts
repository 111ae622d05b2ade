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
export const BASELINE_EFFORT_PER_SUCCESS = 'agent:assay_baseline_effort_per_success:ratio';
export const EFFORT_RISE = 'agent:assay_effort_rise:ratio';
export const EFFORT_Z = 'agent:assay_effort_rise:zscore';

export const EFFORTS = ['cost_usd', 'steps'] as const;

const EFFORT = 'agent_segment:assay_effort:increase';
export const EFFORT_SCORED = 'agent_segment:assay_effort_scored:increase';
const OF_SUCCESSES = 'agent_segment:assay_effort_of_successes:increase';
const SUCCESSES = 'agent_segment:assay_effort_successes:increase';
const SQUARED = 'agent_segment:assay_effort_squared:increase';
const BASELINE_SCORED = 'agent_segment:assay_baseline_effort_scored:increase';
const BASELINE_RATIO = 'agent_segment:assay_baseline_effort_per_success:ratio';
const EXCESS = 'agent_segment:assay_effort_excess:sum';

const SEGMENT = `${AGENT}, segment`;
const IN_SEGMENT = `${SEGMENT}, measure`;
const BY_WINDOW = `${AGENT}, measure, window`;
const TRIED = `{outcome!="${UNSCORED}"}`;
const SUCCEEDED = `{outcome=~"${GOOD}"}`;

export function effortCounts({ effortWindows, interval }: RuleSettings): Group {
  const rules = effortWindows.flatMap((seconds) => EFFORTS.flatMap((measure) => inWindow(measure, duration(seconds))));
  return { name: 'assay_efforts', intervalSeconds: interval.slow, rules };
}

function inWindow(measure: string, window: string): readonly Rule[] {
  const metric = `assay_conversation_${measure}`;
  const sum = (selector: string) => netIncrease(SEGMENT, selector, `[${window}]`);
  const tried = sum(`${metric}_count${TRIED}`);
  const labels = { measure, window };
  return [
    record(EFFORT, sum(`${metric}_sum${TRIED}`), labels),
    record(EFFORT_SCORED, tried, labels),
    record(OF_SUCCESSES, orZeroOf(sum(`${metric}_sum${SUCCEEDED}`), tried), labels),
    record(SUCCESSES, orZeroOf(sum(`${metric}_count${SUCCEEDED}`), tried), labels),
    record(SQUARED, sum(`${metric}_squared_total`), labels),
  ];
}

export function efficiency(settings: RuleSettings): Group {
  const r = on(IN_SEGMENT, BASELINE_RATIO);
  const spread = `clamp_min(
    ${SQUARED} - 2 * ${OF_SUCCESSES} * ${r} + ${SUCCESSES} * ${on(IN_SEGMENT, `${BASELINE_RATIO} ^ 2`)} - ${EXCESS} ^ 2 / (${EFFORT_SCORED} > 0),
    1e-12
  ) * (1 + ${EFFORT_SCORED} / ${on(IN_SEGMENT, BASELINE_SCORED)})`;
  return {
    name: 'assay_efficiency',
    intervalSeconds: settings.interval.fast,
    rules: [
      record(EXCESS, `${EFFORT} - ${SUCCESSES} * ${r}`),
      record(EFFORT_PER_SUCCESS, `sum by (${BY_WINDOW}) (${EFFORT}) / (sum by (${BY_WINDOW}) (${SUCCESSES}) > 0)`),
      record(EFFORT_RISE, `sum by (${BY_WINDOW}) (${EXCESS}) / (sum by (${BY_WINDOW}) (${SUCCESSES} * ${r}) > 0)`),
      record(EFFORT_Z, `sum by (${BY_WINDOW}) (${EXCESS}) / sqrt(sum by (${BY_WINDOW}) (${spread}))`),
    ],
  };
}

export function baselineEfforts(settings: RuleSettings): Group {
  const { seconds, offset, youngOffset } = settings.baseline;
  const sumOf = (by: string, ended: number) => (selector: string) =>
    netIncrease(by, selector, `[${duration(seconds)}] offset ${duration(ended)}`);
  const ratio = (measure: string, by: string) =>
    [offset, youngOffset]
      .map((ended) => {
        const sum = sumOf(by, ended);
        const metric = `assay_conversation_${measure}`;
        return `${sum(`${metric}_sum${TRIED}`)} / (${sum(`${metric}_count${SUCCEEDED}`)} > 0)`;
      })
      .join('\nor ');
  const scored = (measure: string) =>
    [offset, youngOffset]
      .map((ended) => `${sumOf(SEGMENT, ended)(`assay_conversation_${measure}_count${TRIED}`)} > 0`)
      .join('\nor ');
  return {
    name: 'assay_baseline_efforts',
    intervalSeconds: settings.interval.slow,
    rules: EFFORTS.flatMap((measure) => [
      record(BASELINE_SCORED, scored(measure), { measure }),
      record(BASELINE_RATIO, ratio(measure, SEGMENT), { measure }),
      record(BASELINE_EFFORT_PER_SUCCESS, ratio(measure, AGENT), { measure }),
    ]),
  };
}
