/** The labels under which the evaluations of an agent are counted. */
import { visibleText } from './visible-text.ts';

// A type, because an interface is not assignable to `{ [label: string]: string }`.
export type AgentLabels = {
  readonly agent: string;
  readonly agent_version: string;
  readonly environment: string;
  /** Absent where no segments are configured. */
  readonly segment?: string;
};

/** Stands for every value that has no series of its own, because there are as many as there may be. */
export const OTHER = 'other';
export const FOLDED: AgentLabels = { agent: OTHER, agent_version: OTHER, environment: OTHER };

/** Agent of the conversation by which `assay init` tests a service: nobody's, and in no list of agents. */
export const TEST_AGENT = 'assay-init-test';

/** Whether figures were asked for under that name, under which no conversation is found. */
export function isOther(query: URLSearchParams): boolean {
  return query.getAll('agent').includes(OTHER) || query.getAll('agent_version').includes(OTHER);
}

/** Whether these labels stand for agents without series of their own. */
export function isFolded(labels: AgentLabels): boolean {
  return labels.agent === OTHER && labels.agent_version === OTHER && labels.environment === OTHER;
}

/** Longer names carry text that is not a name; Prometheus stores every byte of them in every block. */
export const LABEL_CHARACTERS_MAX = 100;

/** A name that spans give, as a label has it: one visible line of bounded length. */
export function labelValue(value: string): string {
  const oneLine = visibleText(value)
    .replace(/[\n\t]/g, ' ')
    .trim();
  // Cut by code points, so that no half of a surrogate pair is left.
  const short = oneLine.length > LABEL_CHARACTERS_MAX ? [...oneLine].slice(0, LABEL_CHARACTERS_MAX).join('') : oneLine;
  return short === '' ? 'unknown' : short.toWellFormed();
}
