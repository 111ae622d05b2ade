/** Links from the overview to the same agent and time in the team's own dashboards. */
import { LinkTemplates } from './link-template.ts';

const TEMPLATES = new LinkTemplates(
  ['suite', 'agent', 'environment', 'from_ms', 'to_ms'],
  'https://grafana.example/d/assay-quality?var-suite={suite}&var-agent={agent}&from={from_ms}&to={to_ms}',
);

/** Names that are not chosen are empty. */
interface ShownFigures {
  readonly suite: string;
  readonly agent: string;
  readonly environment: string;
  readonly from: number;
  readonly to: number;
}

export const DASHBOARD_TEMPLATE_EXPECTED = TEMPLATES.expected;

export function dashboardTemplateMistake(template: string): string | undefined {
  return TEMPLATES.mistakeIn(template);
}

export function dashboardLink(template: string, { suite, agent, environment, from, to }: ShownFigures): string {
  return TEMPLATES.link(template, { suite, agent, environment, from_ms: String(from), to_ms: String(to) });
}
