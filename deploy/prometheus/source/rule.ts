/** Rules and groups of rules in Prometheus' structure, with readable names. */
import type { Dashboard } from '../../links.ts';

export interface Recording {
  readonly kind: 'recording';
  readonly record: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
}

export type Severity = 'page' | 'ticket';
export type Area = 'quality' | 'efficiency' | 'assay';

export type AgentLabel = 'suite' | 'agent' | 'environment';

export interface Alert {
  readonly kind: 'alert';
  readonly alert: string;
  readonly expr: string;
  readonly severity: Severity;
  readonly area: Area;
  /** Seconds. */
  readonly for?: number;
  readonly keepFiringFor?: number;
  /** One line with the figure. */
  readonly summary: string;
  /** The next action. */
  readonly description: string;
  readonly dashboard: Dashboard;
  /** Labels by which its links select; those of an agent in one suite if absent, none for alerts about Assay. */
  readonly selects?: readonly AgentLabel[];
  /** Rest of the query of the linked list of conversations. */
  readonly conversations?: string;
  /** Further data for receivers besides the text: criterion, version, a link to conversations. */
  readonly annotations?: Readonly<Record<string, string>>;
}

export type Rule = Recording | Alert;

export interface Group {
  readonly name: string;
  readonly intervalSeconds: number;
  readonly rules: readonly Rule[];
}

export function record(name: string, expr: string, labels: Readonly<Record<string, string>> = {}): Recording {
  return { kind: 'recording', record: name, expr, labels };
}
