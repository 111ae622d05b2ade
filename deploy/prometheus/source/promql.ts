/** Building blocks of the expressions: label lists, and durations as Prometheus writes them. */

import type { RuleSettings } from './settings.ts';

/** The labels of an agent in one suite. The default project has no label `project`, which is as if it were empty. */
export const AGENT = 'project, suite, agent, environment';
/** The labels of a measure; `criterion` and `agent_version` are empty except for the measures of that name. */
export const MEASURED = `${AGENT}, measure, criterion, agent_version`;

/** 5400 -> 90m: the largest unit that fits, which is also the name of a window in the label `window`. */
export function duration(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
  ] as const;
  for (const [unit, size] of units) if (seconds % size === 0 && seconds > 0) return `${seconds / size}${unit}`;
  return `${seconds}s`;
}

export function on(labels: string, vector: string): string {
  return `on (${labels}) group_left () ${vector}`;
}

/** The last values of recorded series, also after a pause of the rules. */
export function remembered(recorded: string, { fall }: RuleSettings): string {
  return `last_over_time(${recorded}[${duration(fall.memory)}])`;
}

/** When a fall opened, or zero. */
export const FALL_OPENED = 'agent:assay_fall_opened:timestamp';

/**
 * A recorded series of the baseline that keeps its last values while the agent has an open fall, so that the fall does
 * not become its own baseline; `by` are the labels of the fresh ones. Versions are compared within the same days, so
 * their falls do not count.
 */
export function frozen(
  recorded: string,
  { by, fresh, outgrown }: { readonly by: string; readonly fresh: string; readonly outgrown?: string },
  settings: RuleSettings,
): string {
  const open = `${remembered(`${FALL_OPENED}{measure!="version"}`, settings)} > 0`;
  const kept = `${remembered(recorded, settings)} and on (${AGENT}) (${open})`;
  return `(${kept}${outgrown === undefined ? '' : `\n  unless on (${by}) (${outgrown})`})
or on (${by}) (${fresh})`;
}
