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
 * The same change is split by version and by segment, against the rate of each segment in the baseline:
 *
 *   part of v = Σ_s share_v,s · (TCR now of v in s − TCR then of s)       likewise for each segment
 *   mix       = ΔTCR − Σ parts, the same for both
 */
import { BASELINE_CREDIT, BASELINE_SCORED, CREDIT, SCORED } from './counts.ts';
import { BASELINE, TCR } from './evidence.ts';
import { AGENT, duration, on } from './promql.ts';
import { type Group, record } from './rule.ts';
import type { RuleSettings } from './settings.ts';

export const TCR_CHANGE = 'agent:assay_tcr_change:points';
/** With `part="criterion"` and the criterion, or `part="mix"`. */
export const TCR_CHANGE_PART = 'agent:assay_tcr_change_part:points';
/** With `part="version"` and the version, `part="segment"` and the segment, or `part="mix"`. */
export const VERSION_PART = 'agent_version:assay_tcr_change_part:points';
export const SEGMENT_PART = 'agent_segment:assay_tcr_change_part:points';

const WEIGHTED = 'agent_segment:assay_criterion_weighted:sum';
const BASELINE_WEIGHTED = 'agent_segment:assay_baseline_criterion_weighted:sum';

const SEGMENT = `${AGENT}, segment`;
const CRITERION = '{measure="criterion"}';

export function split(settings: RuleSettings): Group {
  const windows = settings.coarseWindows.map(({ seconds }) => duration(seconds)).join('|');
  const weights = on('suite, criterion', 'max by (suite, criterion) (assay_criterion_weight_ratio)');
  const then = (vector: string) => on(`${SEGMENT}, criterion`, vector);
  const rate = `${CREDIT}${CRITERION} / (${SCORED}${CRITERION} > 0)`;
  const rateThen = `(${BASELINE_CREDIT}${CRITERION} / (${BASELINE_SCORED}${CRITERION} > 0))`;
  const weight = `${WEIGHTED} / ${on(`${SEGMENT}, window`, `(sum by (${SEGMENT}, window) (${WEIGHTED}) > 0)`)}`;
  const weightThen = `(${BASELINE_WEIGHTED} / ${on(SEGMENT, `(sum by (${SEGMENT}) (${BASELINE_WEIGHTED}) > 0)`)})`;
  const tcrThen = `(sum by (${AGENT}) (${BASELINE_CREDIT}{measure="tcr"}) / (sum by (${AGENT}) (${BASELINE_SCORED}{measure="tcr"}) > 0))`;
  const scored = `${SCORED}{measure="tcr"}`;
  const share = `(${scored} / ${on(`${AGENT}, window`, `(sum by (${AGENT}, window) (${scored}) > 0)`)})`;
  const mix = (metric: string, part: string) =>
    record(metric, `${TCR_CHANGE} - (sum by (${AGENT}, window) (${metric}{part="${part}"}) or ${TCR_CHANGE} * 0)`, {
      part: 'mix',
    });
  return {
    name: 'assay_split',
    intervalSeconds: settings.interval.fast,
    rules: [
      record(WEIGHTED, `${SCORED}${CRITERION} * ${weights}`),
      record(BASELINE_WEIGHTED, `${BASELINE_SCORED}${CRITERION} * ${weights}`),
      record(TCR_CHANGE, `${TCR}{window=~"${windows}"} - ${on(AGENT, tcrThen)}`),
      record(
        TCR_CHANGE_PART,
        `sum by (${AGENT}, criterion, window) (
  (${weight} + ${then(weightThen)}) / 2
  * (${rate} - ${then(rateThen)})
  * ${on(`${SEGMENT}, window`, share)}
)`,
        { part: 'criterion' },
      ),
      mix(TCR_CHANGE_PART, 'criterion'),
      record(VERSION_PART, partsBy('version', 'agent_version', windows), { part: 'version' }),
      mix(VERSION_PART, 'version'),
      record(SEGMENT_PART, partsBy('tcr', 'segment', windows), { part: 'segment' }),
      mix(SEGMENT_PART, 'segment'),
    ],
  };
}

function partsBy(measure: string, by: string, windows: string): string {
  const baseline = `${BASELINE}{measure="tcr"}`;
  const labels = `${AGENT}, ${by}, window`;
  const of = `{measure="${measure}", window=~"${windows}"}`;
  const all = on(`${AGENT}, window`, `(sum by (${AGENT}, window) (${SCORED}{measure="tcr"}) > 0)`);
  return `(
  sum by (${labels}) (${CREDIT}${of} and on (${SEGMENT}) ${baseline})
  - sum by (${labels}) (${SCORED}${of} * ${on(SEGMENT, baseline)})
) / ${all}`;
}
