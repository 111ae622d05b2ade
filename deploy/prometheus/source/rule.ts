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
