/** The generated files, by their path in deploy/. */
import { prometheusConfig, silentAlertmanagerConfig } from './derived-configs.ts';
import { dashboards } from './grafana/source/dashboards.ts';
import { LINKS, type Links } from './links.ts';
import { pyrraObjective, slothSpec } from './prometheus/source/objectives.ts';
import { prometheusRule, ruleFile } from './prometheus/source/rule-file.ts';
import { RULE_SETTINGS, shortened } from './prometheus/source/settings.ts';

export function generatedFiles(links: Links): ReadonlyMap<string, string> {
  const alertmanager = 'alertmanager:9093';
  const oneMachine = { assay: ['assay:4319'], alertmanager };
  const ofInstances = { assay: ['assay-1:4319', 'assay-2:4319', 'assay-3:4319'], alertmanager };
  const caFile = '/etc/assay-tls/ca.crt';
  return new Map([
    ['prometheus/assay.rules.yml', ruleFile(RULE_SETTINGS, links)],
    ['prometheus/objectives/sloth.yml', slothSpec(links.docs)],
    ['prometheus/objectives/pyrra.yml', pyrraObjective()],
    ['kubernetes/prometheus-rule/prometheus-rule.yaml', prometheusRule(RULE_SETTINGS, links)],
    ...dashboardFiles(links, 'grafana/dashboards'),
    ['compose/prometheus.yml', prometheusConfig(oneMachine)],
    ['compose/prometheus-of-instances.yml', prometheusConfig(ofInstances)],
    ['compose/tls/prometheus.yml', prometheusConfig({ ...oneMachine, caFile })],
    ['compose/tls/prometheus-of-instances.yml', prometheusConfig({ ...ofInstances, caFile })],
    ['compose/alertmanager.yml', silentAlertmanagerConfig()],
    // Helm reads nothing outside the chart. Its values replace the links there, so the links here are always the
    // shipped ones.
    ['helm/assay/files/assay.rules.yml', ruleFile(RULE_SETTINGS, LINKS)],
    ...dashboardFiles(LINKS, 'helm/assay/files/dashboards'),
  ]);
}

/**
 * For users who want to see an alert within minutes: the rules with every time divided by a factor, and a Prometheus
 * and an Alertmanager that evaluate often enough for that.
 */
export function trialFiles(links: Links, factor: number): ReadonlyMap<string, string> {
  const often = { scrapeSeconds: 1, evaluateSeconds: 1 };
  return new Map([
    ['assay.rules.yml', ruleFile(shortened(RULE_SETTINGS, factor), links)],
    ['prometheus.yml', prometheusConfig({ ...often, assay: ['localhost:4319'], alertmanager: 'localhost:9093' })],
    [
      'prometheus-in-compose.yml',
      prometheusConfig({ ...often, assay: ['assay:4319'], alertmanager: 'alertmanager:9093' }),
    ],
    ['alertmanager.yml', silentAlertmanagerConfig()],
  ]);
}

function dashboardFiles(links: Links, folder: string): readonly [string, string][] {
  return [...dashboards(RULE_SETTINGS, links)].map(([uid, board]) => [
    `${folder}/${uid}.json`,
    `${JSON.stringify(board, null, 2)}\n`,
  ]);
}
