/** The words the expressions are made of: label lists, and durations as Prometheus writes them. */

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

export function increase(selector: string, range: string): string {
  return `increase(${selector}[${range}])`;
}

export function on(labels: string, vector: string): string {
  return `on (${labels}) group_left () ${vector}`;
}

/** Where the right side has nothing, its labels are those of the left, with zero: a counter that never counted. */
export function orZeroOf(vector: string, shape: string): string {
  return `(${vector} or ${shape} * 0)`;
}
