/**
 * Text of annotations that is worked out when an alert fires: which criterion, version and segment moved most, and a link to the conversations.
 * Label values come from spans, so they go into queries with `%q` and into links with `urlquery`, and nowhere else than into text.
 */
import { AGENT } from './promql.ts';

const AGENT_LABELS = AGENT.split(', ');
const SELECTOR = AGENT_LABELS.map((label) => `${label}=%q`).join(',');
const VALUES = AGENT_LABELS.map((label) => `$labels.${label}`).join(' ');

export const WHO = '{{ $labels.agent }}{{ with $labels.environment }} in {{ . }}{{ end }} (suite {{ $labels.suite }})';
export const PERCENT = '{{ $value | humanizePercentage }}';

/** `query` holds one `{SELECTOR}`-like place for the agent: `AGENT_PLACE`. */
export const AGENT_PLACE = '<agent>';

/** The label of the first series that a query gives for the alert's agent, or a dash. */
export function labelOfFirst(label: string, query: string): string {
  return `{{ with ${queryOfAgent(query)} }}{{ . | first | label "${label}" }}{{ else }}–{{ end }}`;
}

/** The value of the first series, through one of Prometheus' functions for people. */
export function valueOfFirst(query: string, format: 'humanizePercentage' | 'humanize'): string {
  return `{{ with ${queryOfAgent(query)} }}{{ . | first | value | ${format} }}{{ else }}–{{ end }}`;
}

function queryOfAgent(query: string): string {
  const text = query.replaceAll('%', '%%').replaceAll(AGENT_PLACE, SELECTOR);
  return `printf ${'`'}${text}${'`'} ${VALUES} | query`;
}

/** `?suite=…&agent=…` of the alert, each under the name that the other side has for it. */
export function agentInUrl(names: { readonly suite: string; readonly agent: string; readonly environment?: string }) {
  return Object.entries(names)
    .map(([label, name]) => `${name}={{ $labels.${label} | urlquery }}`)
    .join('&');
}
