/** What is made from source, by its path in deploy/. */
import { dashboards } from './grafana/source/dashboards.ts';
import type { Links } from './links.ts';
import { prometheusRule, ruleFile } from './prometheus/source/rule-file.ts';
import { RULE_SETTINGS } from './prometheus/source/settings.ts';

export function generatedFiles(links: Links): ReadonlyMap<string, string> {
  return new Map([
    ['prometheus/assay.rules.yml', ruleFile(RULE_SETTINGS, links)],
    ['kubernetes/prometheus-rule/prometheus-rule.yaml', prometheusRule(RULE_SETTINGS, links)],
    ...[...dashboards(RULE_SETTINGS, links)].map(([uid, board]): [string, string] => [
      `grafana/dashboards/${uid}.json`,
      `${JSON.stringify(board, null, 2)}\n`,
    ]),
  ]);
}
