/**
 * Annotation text that is computed when an alert fires: the criterion, version and segment that moved most, and a link
 * to the conversations. Label values come from spans. So they are put into queries with `%q`, into links with
 * `urlquery`, and otherwise only into text.
 */
import { AGENT } from './promql.ts';

const AGENT_LABELS = AGENT.split(', ');
const SELECTOR = AGENT_LABELS.map((label) => `${label}=%q`).join(',');
const VALUES = AGENT_LABELS.map((label) => `$labels.${label}`).join(' ');

export const WHO = '{{ $labels.agent }}{{ with $labels.environment }} in {{ . }}{{ end }} (suite {{ $labels.suite }})';
export const PERCENT = '{{ $value | humanizePercentage }}';

/** `query` has one placeholder for the agent, `AGENT_PLACE`, in the form of a `{SELECTOR}`. */
export const AGENT_PLACE = '<agent>';

/** The label of the first series that a query returns for the alert's agent, or a dash. */
export function labelOfFirst(label: string, query: string): string {
  return `{{ with ${queryOfAgent(query)} }}{{ . | first | label "${label}" }}{{ else }}–{{ end }}`;
}

/** The value of the first series, formatted by one of Prometheus' functions for people. */
export function valueOfFirst(query: string, format: 'humanizePercentage' | 'humanize'): string {
  return `{{ with ${queryOfAgent(query)} }}{{ . | first | value | ${format} }}{{ else }}–{{ end }}`;
}

function queryOfAgent(query: string): string {
  const text = query.replaceAll('%', '%%').replaceAll(AGENT_PLACE, SELECTOR);
  return `printf ${'`'}${text}${'`'} ${VALUES} | query`;
}

/** `?suite=…&agent=…` of the alert, each under the name that the other side uses. */
export function agentInUrl(names: { readonly suite: string; readonly agent: string; readonly environment?: string }) {
  return Object.entries(names)
    .map(([label, name]) => `${name}={{ $labels.${label} | urlquery }}`)
    .join('&');
}
