/** All groups of rules, in the order in which they build on one another, and the files generated from them. */
import { stringify } from 'yaml';
import { DASHBOARDS, type Links } from '../../links.ts';
import { agentInUrl } from './annotation.ts';
import { baselineCounts, sumsOfWindows, windowCounts } from './counts.ts';
import { detectorAlerts } from './detector-alerts.ts';
import { baselineEfforts, efficiency, effortCounts } from './efficiency.ts';
import { estimateAlerts } from './estimate-alerts.ts';
import { baselineRates, evidence } from './evidence.ts';
import { falls } from './falls.ts';
import { healthAlerts, slowAlerts } from './health-alerts.ts';
import { incidents } from './incidents.ts';
import { judgeAlerts } from './judge-alerts.ts';
import { duration } from './promql.ts';
import { qualityAlerts } from './quality-alerts.ts';
import type { AgentLabel, Alert, Group, Rule } from './rule.ts';
import type { RuleSettings } from './settings.ts';
import { split } from './split.ts';

export function ruleGroups(settings: RuleSettings): readonly Group[] {
  return [
    baselineCounts(settings),
    windowCounts(settings, 'fast'),
    windowCounts(settings, 'slow'),
    sumsOfWindows(settings),
    baselineRates(settings),
    evidence(settings),
    falls(settings),
    incidents(settings),
    split(settings),
    baselineEfforts(settings),
    effortCounts(settings),
    efficiency(settings),
    qualityAlerts(settings),
    detectorAlerts(settings),
    estimateAlerts(settings),
    healthAlerts(settings),
    slowAlerts(settings),
    judgeAlerts(settings),
  ];
}

export function alertsOf(groups: readonly Group[]): readonly Alert[] {
  return groups.flatMap(({ rules }) => rules.filter((rule) => rule.kind === 'alert'));
}

const AGENT_LABELS: readonly AgentLabel[] = ['suite', 'agent', 'environment'];

const HEADER = `# Made by \`npm run generate\` from deploy/prometheus/source: change it there.
# docs/operate/alerting.md explains the names and the reasons for the numbers.
`;

/** A rule file of Prometheus. */
export function ruleFile(settings: RuleSettings, links: Links): string {
  return `${HEADER}${yamlOf({ groups: groupsAsWritten(settings, links) })}`;
}

/** The same for the Prometheus operator. */
export function prometheusRule(settings: RuleSettings, links: Links): string {
  const resource = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'assay' },
    spec: { groups: groupsAsWritten(settings, links) },
  };
  return `${HEADER}${yamlOf(resource)}`;
}

function groupsAsWritten(settings: RuleSettings, links: Links) {
  return ruleGroups(settings).map(({ name, intervalSeconds, rules }) => ({
    name,
    interval: duration(intervalSeconds),
    rules: rules.map((rule) => written(rule, settings, links)),
  }));
}

function written(rule: Rule, { shorterBy }: RuleSettings, links: Links) {
  if (rule.kind === 'recording') {
    const { record, expr, labels } = rule;
    return Object.keys(labels).length > 0 ? { record, expr, labels } : { record, expr };
  }
  const wait = (seconds: number) => duration(Math.max(1, Math.round(seconds / shorterBy)));
  return {
    alert: rule.alert,
    expr: rule.expr,
    ...(rule.for === undefined ? {} : { for: wait(rule.for) }),
    ...(rule.keepFiringFor === undefined ? {} : { keep_firing_for: wait(rule.keepFiringFor) }),
    labels: { severity: rule.severity, area: rule.area },
    annotations: annotationsOf(rule, links),
  };
}

function annotationsOf(alert: Alert, links: Links): Readonly<Record<string, string>> {
  const { area, selects = area === 'assay' ? [] : AGENT_LABELS, conversations = 'since=6h&order=worst' } = alert;
  const variables = agentInUrl(selects, (label) => `var-${label}`);
  const dashboard = `${links.grafana}/d/${DASHBOARDS[alert.dashboard]}`;
  const inList = selects.filter((label) => label !== 'environment');
  return {
    summary: alert.summary,
    description: alert.description,
    ...alert.annotations,
    runbook_url: `${links.docs}/runbooks/${alert.alert}.md`,
    dashboard_url: variables === '' ? dashboard : `${dashboard}?${variables}`,
    ...(inList.length > 0
      ? { conversations_url: `${links.assay}/conversations?${agentInUrl(inList, (label) => label)}&${conversations}` }
      : {}),
  };
}

function yamlOf(value: unknown): string {
  return stringify(value, { lineWidth: 0, blockQuote: 'literal', aliasDuplicateObjects: false });
}
