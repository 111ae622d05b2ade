/**
 * Annotation text that is computed when an alert fires: the criterion, version and segment that moved most, and a link
 * to the conversations. Label values come from spans. So they are put into queries with `%q`, into links with
 * `urlquery`, and otherwise only into text.
 */
import { AGENT } from './promql.ts';
import type { AgentLabel } from './rule.ts';

export const WHO = '{{ $labels.agent }}{{ with $labels.environment }} in {{ . }}{{ end }} (suite {{ $labels.suite }})';
export const PERCENT = '{{ $value | humanizePercentage }}';

/** Places in a query for the selector of the alert's agent in its suite, or of the agent in all suites; one a query. */
export const AGENT_PLACE = '<agent>';
export const ONE_AGENT = '<agent of all suites>';

/** The label of the first series that a query returns for the alert's agent, or a dash. */
export function labelOfFirst(label: string, query: string): string {
  return `{{ with ${queryOfAgent(query)} }}{{ . | first | label "${label}" }}{{ else }}–{{ end }}`;
}

/** The value of the first series, formatted by one of Prometheus' functions for people. */
export function valueOfFirst(query: string, format: 'humanizePercentage' | 'humanize'): string {
  return `{{ with ${queryOfAgent(query)} }}{{ . | first | value | ${format} }}{{ else }}–{{ end }}`;
}

function queryOfAgent(query: string): string {
  const [place, labels] = query.includes(ONE_AGENT) ? [ONE_AGENT, ['agent']] : [AGENT_PLACE, AGENT.split(', ')];
  const selector = labels.map((label) => `${label}=%q`).join(',');
  const values = labels.map((label) => `$labels.${label}`).join(' ');
  return `printf ${'`'}${query.replaceAll('%', '%%').replaceAll(place, selector)}${'`'} ${values} | query`;
}

/** `suite=…&agent=…` of the alert, each under the name that the other side uses. */
export function agentInUrl(labels: readonly AgentLabel[], nameOf: (label: AgentLabel) => string): string {
  return labels.map((label) => `${nameOf(label)}={{ $labels.${label} | urlquery }}`).join('&');
}
