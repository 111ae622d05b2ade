/** The words the expressions are made of: label lists, and durations as Prometheus writes them. */

import { withdrawnName } from '../../../src/report/metrics/quality-metrics.ts';

/** An agent, as one suite sees it. */
export const AGENT = 'suite, agent, environment';
/** What is measured of it; `criterion` and `agent_version` are empty except for the measures of that name. */
export const MEASURED = `${AGENT}, measure, criterion, agent_version`;

/** 5400 -> 90m: the largest unit that fits, which is also how a window is named in the label `window`. */
export function duration(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
  ] as const;
  for (const [unit, size] of units) if (seconds % size === 0 && seconds > 0) return `${seconds / size}${unit}`;
  return `${seconds}s`;
}

/**
 * What was counted of a metric of evaluations, less what revisions took out of it: `range` is that of the increase, with its offset. By these
 * labels, or in all.
 */
export function netIncrease(by: string | undefined, selector: string, range: string): string {
  const sum = (of: string) => `sum${by === undefined ? '' : ` by (${by})`} (increase(${of}${range}))`;
  const counted = sum(selector);
  return `(${counted} - ${orZeroOf(sum(withdrawn(selector)), counted)})`;
}

/** The same series of what revisions took out. */
function withdrawn(selector: string): string {
  return selector.replace(/^\w+/, withdrawnName);
}

export function on(labels: string, vector: string): string {
  return `on (${labels}) group_left () ${vector}`;
}

/** Where the right side has nothing, its labels are those of the left, with zero: a counter that never counted. */
export function orZeroOf(vector: string, shape: string): string {
  return `(${vector} or ${shape} * 0)`;
}
