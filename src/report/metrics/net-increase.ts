/** How PromQL subtracts what revisions withdrew. Rules, dashboards and docs/reference/METRICS.md all ask so. */

const PARTS = ['_total', '_bucket', '_sum', '_count'] as const;

/** Name of the twin of a metric, or of a part of a histogram. */
export function withdrawnName(metric: string): string {
  const part = PARTS.find((end) => metric.endsWith(end)) ?? '';
  return `${metric.slice(0, metric.length - part.length)}_withdrawn${part}`;
}

/**
 * The increase of a metric of evaluations minus what revisions withdrew from it, by these labels or in all. `range` is
 * that of the increase, with its offset. A twin begins when something is withdrawn; until then it is taken as zero.
 */
export function netIncrease(by: string | undefined, selector: string, range: string): string {
  const sum = (of: string) => `sum${by === undefined ? '' : ` by (${by})`} (increase(${of}${range}))`;
  const counted = sum(selector);
  return `(${counted} - ${orZeroOf(sum(selector.replace(/^\w+/, withdrawnName)), counted)})`;
}

/** If the right side has no series, the left side's labels with zero are used: a counter that never counted. */
export function orZeroOf(vector: string, shape: string): string {
  return `(${vector} or ${shape} * 0)`;
}
