/**
 * The evidence that something got worse, in nats. With segments s, n of a window and b, N of the baseline:
 *
 *     expected e   = Σ n b / Σ n                the rate that this mix of traffic had before
 *     evidence     = n · kl(o ‖ e) / I          0 if o ≥ e
 *     inflation I  = c · (1 + Σ n² b(1−b)/N / Σ n b(1−b))  +  n · τ² / (e(1−e))
 *
 * The first term of I accounts for the baseline, which is an estimate too. The factor c accounts for a weighted score,
 * which scatters less than a yes or no with the same mean. The term τ² is the variation of the rate from hour to hour
 * beyond chance. One standard error is subtracted from it, so that it does not drown small samples.
 *
 * The alarm threshold is the same for all volumes of traffic; docs/operate/alerting.md explains it.
 */
import { netIncrease } from '../../../src/report/metrics/net-increase.ts';
import { BASELINE_CREDIT, BASELINE_SCORED, CREDIT, SCORED } from './counts.ts';
import { AGENT, duration, FALL_OPENED, frozen, MEASURED, on, remembered } from './promql.ts';
import { type Group, record, type Rule } from './rule.ts';
import { BAND_Z, FALL_SIZE_Z, FALL_Z, type RuleSettings } from './settings.ts';

export const BASELINE = 'agent_segment:assay_baseline:ratio';
export const TCR = 'agent:assay_tcr:ratio';
export const TCR_LOWER = 'agent:assay_tcr:lower';
export const TCR_UPPER = 'agent:assay_tcr:upper';
export const OBSERVED = 'agent:assay_observed:ratio';
export const EXPECTED = 'agent:assay_expected:ratio';
export const MATCHED = 'agent:assay_matched:sum';
export const DROP = 'agent:assay_drop:ratio';
export const OBSERVED_UPPER = 'agent:assay_observed:upper';
export const DROP_LOWER = 'agent:assay_drop:lower';
export const CONFIRMING_DROP = 'agent:assay_confirming_drop:ratio';
export const EVIDENCE = 'agent:assay_drop_evidence:nats';
export const INFLATION = 'agent:assay_inflation:ratio';
export const DISPERSION = 'agent:assay_score_dispersion:ratio';
export const WOBBLE = 'agent:assay_wobble:variance';

/** Number of criteria of an agent. */
export const CRITERIA = `count by (${AGENT}) (count by (${AGENT}, criterion) (${BASELINE_SCORED}{measure="criterion"}))`;

/**
 * The most evidence that a window may have and not be looked at. n · kl(o ‖ e) is at most n (o − e)² / e(1−e), which
 * costs little to compute.
 */
const WATCHED_NATS = 3;
/** Measures that dashboards show while nothing is wrong. */
const ALWAYS = '{measure=~"tcr|version"}';

const BLOCK_RESIDUAL = 'agent:assay_block_residual:sum';
const BLOCK_SCORED = 'agent:assay_block_scored:sum';
const BLOCK_VARIANCE = 'agent:assay_block_variance:sum';

const BY_WINDOW = `${MEASURED}, window`;
const BY_SEGMENT = `${MEASURED}, segment`;
/**
 * Standard deviations of the hourly variation: the value while there is too little history, and the maximum, so that a
 * fall of seven points is always detected.
 */
const WOBBLE_UNKNOWN = 0.0025;
const WOBBLE_MAX = 0.015;
/** The variance, in that of a sure failure, of the yes or no that the dispersion begins with: about five failures. */
const DISPERSION_PRIOR = 5;

export function baselineRates(settings: RuleSettings): Group {
  const { seconds, offset } = settings.baseline;
  const range = `[${duration(seconds)}] offset ${duration(offset)}`;
  const sum = (selector: string) => netIncrease(AGENT, selector, range);
  return {
    name: 'assay_baseline_rates',
    intervalSeconds: settings.interval.slow,
    rules: [
      record(DISPERSION, dispersion(sum), { measure: 'tcr' }),
      // The step of an open fall is not variation.
      record(WOBBLE, frozen(WOBBLE, { by: MEASURED, fresh: wobble(settings) }, settings)),
    ],
  };
}

/**
 * The variance of the score relative to that of a yes or no with the same mean, as if the variance of a few yes or no
 * had been seen besides. So a few conversations that all succeeded, which have no variance, do not make any failure
 * after them certain evidence.
 */
function dispersion(sum: (selector: string) => string): string {
  const n = `(${sum('assay_evaluation_score_count')} > 0)`;
  const total = sum('assay_evaluation_score_sum');
  const squares = sum('assay_evaluation_score_squared_total');
  return `clamp(
  (${squares} - ${total} ^ 2 / ${n} + ${DISPERSION_PRIOR})
  / (${total} - ${total} ^ 2 / ${n} + ${DISPERSION_PRIOR}),
  0.05, 1)`;
}

/**
 * A constant distance from the expected rate is not variation, so the mean residual is subtracted. A rate without a
 * failure does not vary.
 */
function wobble({ baseline, block }: RuleSettings): string {
  const blocks = `[${duration(baseline.seconds)}:${duration(block.seconds)}] offset ${duration(baseline.offset)}`;
  const total = (expression: string) => `sum_over_time((${expression})${blocks})`;
  const excess = total(`${BLOCK_RESIDUAL} ^ 2 - ${BLOCK_VARIANCE}`);
  const standardError = `sqrt(2 * ${total(`${BLOCK_VARIANCE} ^ 2`)})`;
  const meanResidual = `${total(BLOCK_RESIDUAL)} / (${total(BLOCK_SCORED)} > 0)`;
  return `clamp(
  (${excess} - ${standardError}) / (${total(`${BLOCK_SCORED} ^ 2`)} > 0)
  - (${meanResidual}) ^ 2,
  0, ${WOBBLE_MAX ** 2}
) and count_over_time((${BLOCK_SCORED})${blocks}) >= ${block.min}
or (sum by (${MEASURED}) (${BASELINE_SCORED} - on (${BY_SEGMENT}) ${BASELINE_CREDIT}) < 0.5) * 0
or sum by (${MEASURED}) (${BASELINE_SCORED}) * 0 + ${WOBBLE_UNKNOWN ** 2}`;
}

export function evidence(settings: RuleSettings): Group {
  const spread = on(BY_SEGMENT, `(${BASELINE} * (1 - ${BASELINE}))`);
  const spreadOfMean = on(BY_SEGMENT, `(${BASELINE} * (1 - ${BASELINE}) / ${BASELINE_SCORED})`);
  const variance = `sum by (${BY_WINDOW}) (${SCORED} * ${spread})`;
  const scattered = (vector: string) => `${vector} * ${on(`${AGENT}, measure`, DISPERSION)} or ${vector}`;
  const estimated = `(1 + sum by (${BY_WINDOW}) (${SCORED} ^ 2 * ${spreadOfMean}) / ${variance})`;
  const open = `on (${MEASURED}) (${remembered(FALL_OPENED, settings)} > 0)`;
  const expected = `clamp(${expectedCredit()} / ${matched()}, 0.0001, 0.999)`;
  const n = `(${MATCHED} / ${INFLATION})`;
  return {
    name: 'assay_evidence',
    intervalSeconds: settings.interval.fast,
    rules: [
      // Half an observation each way: a baseline without a single failure does not prove that failures are impossible.
      record(BASELINE, `clamp((${BASELINE_CREDIT} + 0.5) / (${BASELINE_SCORED} + 1), 0.0001, 0.999)`),
      record(
        EXPECTED,
        `${expected}
and (
  (${expectedCredit()} - ${credited()} > 0) ^ 2 > ${WATCHED_NATS} * (${scattered(variance)})
  or ${expectedCredit()} and ${open}
)`,
      ),
      record(MATCHED, `${matched()} and ${EXPECTED}`),
      record(OBSERVED, `clamp(${credited()} / ${MATCHED}, 0, 1)`),
      record(DROP, `1 - ${OBSERVED} / ${EXPECTED}\nor 1 - ${credited(ALWAYS)} / (${expectedCredit(ALWAYS)} > 0)`),
      record(
        INFLATION,
        `(${scattered(estimated)})\n+ ${MATCHED} / (${EXPECTED} * (1 - ${EXPECTED})) * ${on(MEASURED, WOBBLE)}`,
      ),
      record(EVIDENCE, `${nats(EXPECTED)}\n* (${OBSERVED} < bool ${EXPECTED})\nor ${DROP} * 0`),
      record(OBSERVED_UPPER, wilson(OBSERVED, n, FALL_Z).upper),
      record(DROP_LOWER, `1 - ${OBSERVED_UPPER} / ${EXPECTED}`),
      record(CONFIRMING_DROP, confirmations(settings)),
      ...blocks(settings),
      ...levels(settings),
    ],
  };
}

/** Sums over the segments that have a baseline: what was scored, its credit, and the credit that it had before. */
export function matched(of = ''): string {
  return `(sum by (${BY_WINDOW}) (${SCORED}${of} and on (${BY_SEGMENT}) ${BASELINE_SCORED}) > 0)`;
}
function credited(of = ''): string {
  return `sum by (${BY_WINDOW}) (${CREDIT}${of} and on (${BY_SEGMENT}) ${BASELINE_SCORED})`;
}
export function expectedCredit(of = ''): string {
  return `sum by (${BY_WINDOW}) (${SCORED}${of} * ${on(BY_SEGMENT, BASELINE)})`;
}

/** Each full hour of what is counted in all hours, whether it was better or worse than expected. */
function blocks(settings: RuleSettings): readonly Rule[] {
  const block = `{window="${duration(settings.block.seconds)}"}`;
  const [scored, expected] = [matched(block), expectedCredit(block)];
  const variance = `${expected} * (1 - ${expected} / ${scored})`;
  const all = (vector: string) => `sum without (window) (${vector})`;
  return [
    record(BLOCK_SCORED, all(scored)),
    record(BLOCK_RESIDUAL, all(`${credited(block)} - ${expected}`)),
    record(BLOCK_VARIANCE, `${all(`${variance} * ${on(`${AGENT}, measure`, DISPERSION)}`)}\nor ${all(variance)}`),
  ];
}

/** The lower end of a fall, however often it is looked at. */
export function dropLowest(of: string): string {
  const n = `(${MATCHED}${of} / ${INFLATION}${of})`;
  return `(1 - ${wilson(`${OBSERVED}${of}`, n, FALL_SIZE_Z).upper} / ${EXPECTED}${of})`;
}

/** The evidence that the rate differs from a level; the level needs the labels of the observed rate, or a matcher. */
export function nats(level: string): string {
  const term = (observed: string, expected: string) => `${observed} * ln(clamp_min(${observed}, 1e-9) / ${expected})`;
  return `${MATCHED}
* (${term(OBSERVED, level)} + ${term(`(1 - ${OBSERVED})`, `(1 - ${level})`)})
/ ${INFLATION}`;
}

/** Wilson's interval for a rate p among n. */
function wilson(p: string, n: string, z: number): { readonly lower: string; readonly upper: string } {
  const z2 = Number((z ** 2).toFixed(4));
  const half = `${z} * sqrt(${p} * (1 - ${p}) / ${n} + ${z2} / (4 * ${n} ^ 2))`;
  const centre = `${p} + ${z2} / (2 * ${n})`;
  return {
    lower: `(${centre} - ${half}) / (1 + ${z2} / ${n})`,
    upper: `(${centre} + ${half}) / (1 + ${z2} / ${n})`,
  };
}

/** The windows whose shorter one shows a fall too. */
function confirmations({ windows, coarseWindows }: RuleSettings): string {
  const lists = [
    { list: windows, measures: 'tcr|success|not_hard_failure' },
    { list: coarseWindows, measures: 'criterion|version' },
  ];
  const drops = lists.flatMap(({ list, measures }) =>
    list.map(({ seconds, confirmedBy }) => {
      const of = `{measure=~"${measures}", window="${duration(confirmedBy)}"}`;
      const drop = `${expectedCredit(of)} - ${credited(of)} > 0`;
      return `label_replace(${drop}, "window", "${duration(seconds)}", "", "") and ${EXPECTED}`;
    }),
  );
  return drops.join('\nor ');
}

/** The unadjusted TCR of all traffic, and Wilson's interval for it: wide for a weighted score, never too narrow. */
function levels({ bandWindow, explainWindow }: RuleSettings): readonly Rule[] {
  const band = duration(bandWindow);
  const bounds = tcrBounds(`window="${band}"`);
  return [
    record(TCR, tcr(`window=~"${duration(explainWindow)}|${band}"`)),
    record(TCR_LOWER, bounds.lower),
    record(TCR_UPPER, bounds.upper),
  ];
}

/** The mean score of what labels select, and Wilson's interval for it. */
export function tcr(labels: string): string {
  return `sum by (${AGENT}, window) (${CREDIT}{measure="tcr", ${labels}}) / ${scoredOf(labels)}`;
}
export function tcrBounds(labels: string): { readonly lower: string; readonly upper: string } {
  return wilson(`clamp(${tcr(labels)}, 0, 1)`, scoredOf(labels), BAND_Z);
}
function scoredOf(labels: string): string {
  return `(sum by (${AGENT}, window) (${SCORED}{measure="tcr", ${labels}}) > 0)`;
}
