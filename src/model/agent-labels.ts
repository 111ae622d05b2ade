/** The labels under which the evaluations of an agent are counted. */

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

/** Whether figures were asked for under that name, under which no conversation is found. */
export function isOther(query: URLSearchParams): boolean {
  return query.getAll('agent').includes(OTHER) || query.getAll('agent_version').includes(OTHER);
}

/** Whether these labels stand for agents without series of their own. */
export function isFolded(labels: AgentLabels): boolean {
  return labels.agent === OTHER && labels.agent_version === OTHER && labels.environment === OTHER;
}
