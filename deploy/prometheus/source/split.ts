/**
 * The parts of a TCR change. The score is Σ weight × passed over what was decided, so its change against the baseline
 * can be split by criterion:
 *
 *   part of c = Σ_s share_s · ½(w_now + w_then) · (pass rate now − pass rate then)       s: segments; w: weight among what was decided
 *   mix       = ΔTCR − Σ parts
 *
 * With the mean of the weights now and then, the order in which weights and pass rates changed makes no difference. The
 * mix is the remainder: other segments, other applicable criteria, corrections by late spans. So all parts together are
 * exactly ΔTCR.
 *
 * They are recorded for one window, and for agents of which something may have fallen.
 *
 * The same change is split by version and by segment, against the rate of each segment in the baseline:
 *
 *   part of v = Σ_s share_v,s · (TCR now of v in s − TCR then of s)       likewise for each segment
 *   mix       = ΔTCR − Σ parts, the same for both
 */
import { netIncrease } from '../../../src/report/metrics/net-increase.ts';
import { BASELINE_CREDIT, BASELINE_SCORED, CREDIT, SCORED } from './counts.ts';
import { BASELINE, EVIDENCE, tcr } from './evidence.ts';
import { AGENT, duration, on } from './promql.ts';
import { type Group, record } from './rule.ts';
import type { RuleSettings } from './settings.ts';

export const TCR_CHANGE = 'agent:assay_tcr_change:points';
/** With `part="criterion"` and the criterion, or `part="mix"`. */
export const TCR_CHANGE_PART = 'agent:assay_tcr_change_part:points';
/** With `part="version"` and the version, `part="segment"` and the segment, or `part="mix"`. */
export const VERSION_PART = 'agent_version:assay_tcr_change_part:points';
export const SEGMENT_PART = 'agent_segment:assay_tcr_change_part:points';

const SEGMENT = `${AGENT}, segment`;

export function split({ explainWindow, interval }: RuleSettings): Group {
  const window = duration(explainWindow);
  const moved = `on (${AGENT}) (${EVIDENCE} > 0)`;
  const withMix = (metric: string, part: string, parts: string) => [
    record(metric, parts, { part, window }),
    record(metric, `${TCR_CHANGE} - (sum by (${AGENT}, window) (${metric}{part="${part}"}) or ${TCR_CHANGE} * 0)`, {
      part: 'mix',
    }),
  ];
  return {
    name: 'assay_split',
    intervalSeconds: interval.fast,
    rules: [
      record(TCR_CHANGE, `${tcrChange(`window="${window}"`)} and ${moved}`),
      ...withMix(TCR_CHANGE_PART, 'criterion', `${byCriterion(window)} and on (${AGENT}) ${TCR_CHANGE}`),
      ...withMix(VERSION_PART, 'version', partsBy('agent_version', window)),
      ...withMix(SEGMENT_PART, 'segment', partsBy('segment', window)),
    ],
  };
}

/** The mean score of what labels select minus that of the baseline. */
export function tcrChange(labels: string): string {
  const then = `(sum by (${AGENT}) (${BASELINE_CREDIT}{measure="tcr"}) / (sum by (${AGENT}) (${BASELINE_SCORED}{measure="tcr"}) > 0))`;
  return `${tcr(labels)} - ${on(AGENT, then)}`;
}

function byCriterion(window: string): string {
  const of = `{measure="criterion", window="${window}"}`;
  const before = '{measure="criterion"}';
  const weights = on('suite, criterion', 'max by (suite, criterion) (assay_criterion_weight_ratio)');
  const then = (vector: string) => on(`${SEGMENT}, criterion`, vector);
  const shareOf = (scored: string) =>
    `(${scored} * ${weights} / ${on(SEGMENT, `(sum by (${SEGMENT}) (${scored} * ${weights}) > 0)`)})`;
  const rate = `${CREDIT}${of} / (${SCORED}${of} > 0)`;
  const rateThen = `(${BASELINE_CREDIT}${before} / (${BASELINE_SCORED}${before} > 0))`;
  const scored = `${SCORED}{measure="tcr", window="${window}"}`;
  const share = `(${scored} / ${on(AGENT, `(sum by (${AGENT}) (${scored}) > 0)`)})`;
  return `sum by (${AGENT}, criterion) (
  (${shareOf(`${SCORED}${of}`)} + ${then(shareOf(`${BASELINE_SCORED}${before}`))}) / 2
  * (${rate} - ${then(rateThen)})
  * ${on(SEGMENT, share)}
)`;
}

/** From the counters, because windows of the usual version are not recorded. */
function partsBy(label: string, window: string): string {
  const sum = (selector: string) => netIncrease(`${SEGMENT}, agent_version`, selector, `[${window}]`);
  const baseline = `${BASELINE}{measure="tcr"}`;
  const all = on(AGENT, `(sum by (${AGENT}) (${SCORED}{measure="tcr", window="${window}"}) > 0)`);
  return `(
  sum by (${AGENT}, ${label}) (${sum('assay_evaluation_score_sum')} and on (${SEGMENT}) ${baseline})
  - sum by (${AGENT}, ${label}) (${sum('assay_evaluation_score_count')} * ${on(SEGMENT, baseline)})
) / ${all} and on (${AGENT}) ${TCR_CHANGE}`;
}
