/**
 * Derives configurations from the shipped ones by replacing parts: other addresses for containers, receivers that send
 * nothing for users who only want to look, shorter times for a trial. Each replaced part must be present, so that a
 * rewritten source file is not passed on half changed.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

export interface PrometheusPlace {
  /** host:port of each Assay. */
  readonly assay: readonly string[];
  readonly alertmanager: string;
  /** Authority of Assay's certificate; undefined scrapes in plain text. */
  readonly caFile?: string;
  readonly scrapeSeconds?: number;
  readonly evaluateSeconds?: number;
}

export function prometheusConfig({
  assay,
  alertmanager,
  caFile,
  scrapeSeconds,
  evaluateSeconds,
}: PrometheusPlace): string {
  const shipped = read('prometheus/prometheus.yml').replace(/^(?:#.*\n)+/, '');
  const intervals = exchange(shipped, [
    ...(scrapeSeconds === undefined ? [] : [['scrape_interval: 15s', `scrape_interval: ${scrapeSeconds}s`] as const]),
    ...(evaluateSeconds === undefined
      ? []
      : [['evaluation_interval: 1m', `evaluation_interval: ${evaluateSeconds}s`] as const]),
  ]);
  return `${madeFrom('deploy/prometheus/prometheus.yml')}${exchange(intervals, [
    ['[localhost:4319]', `[${assay.map((target) => `'${target}'`).join(', ')}]`],
    ['[localhost:9093]', `['${alertmanager}']`],
    ...(caFile === undefined
      ? []
      : [['  - job_name: assay\n', `$&    scheme: https\n    tls_config: { ca_file: ${caFile} }\n`] as const]),
  ])}`;
}

/** Alerts are grouped and muted as shipped, but sent nowhere: they are visible in Alertmanager's page. */
export function silentAlertmanagerConfig(): string {
  const shipped = read('alertmanager/alertmanager.yml').replace(/^(?:#.*\n)+/, '');
  return `${madeFrom('deploy/alertmanager/alertmanager.yml')}${exchange(shipped, [
    [/^ {4}webhook_configs:\n(?: {6}.*\n)+/gm, ''],
  ])}`;
}

function madeFrom(file: string): string {
  return `# Made by \`npm run generate\` from ${file}: change it there.\n`;
}

function read(file: string): string {
  return readFileSync(path.join(import.meta.dirname, file), 'utf8');
}

function exchange(text: string, changes: readonly (readonly [string | RegExp, string])[]): string {
  let changed = text;
  for (const [from, to] of changes) {
    const next = changed.replace(from, to);
    if (next === changed) throw new Error(`there is no ${String(from)} to exchange any more`);
    changed = next;
  }
  return changed;
}
