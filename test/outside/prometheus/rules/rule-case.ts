/** A unit test of the rules, and how it is told to promtool. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { LINKS } from '../../../../deploy/links.ts';
import { alertsOf, ruleFile, ruleGroups } from '../../../../deploy/prometheus/source/rule-file.ts';
import { RULE_SETTINGS } from '../../../../deploy/prometheus/source/settings.ts';
import { tempDirectory } from '../../../temp-directory.ts';
import { gauge, runs, type Series } from './traffic.ts';

type Labels = Readonly<Record<string, string>>;

export interface RuleCase {
  /** A claim. */
  readonly name: string;
  readonly series: readonly Series[];
  /** Between two samples; 15 unless given. */
  readonly stepMinutes?: number;
  /** Between two evaluations of the rules; 30 unless given. */
  readonly evaluateMinutes?: number;
  /** Whether an instance can be scraped; it can unless given. */
  readonly scraped?: boolean;
  readonly checks: readonly Check[];
}

export interface Check {
  /** Hours since the first sample. */
  readonly at: number;
  /** Exactly the alerts that fire, with the labels that the rule does not set. Left out: alerts are not looked at. */
  readonly firing?: Readonly<Record<string, readonly Labels[]>>;
  /** Expressions and what they give, each series as `{labels} value`. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Annotations of a firing alert, all of them. */
  readonly annotations?: Readonly<Record<string, Labels>>;
}

const GROUPS = ruleGroups(RULE_SETTINGS);
const ALERTS = alertsOf(GROUPS);
export const AGENT: Labels = { suite: 'default', agent: 'shop', environment: 'production' };

/** Resolves to what promtool objects to; nothing where it agrees. */
export async function run(promtool: string, ruleCase: RuleCase): Promise<string | undefined> {
  const directory = tempDirectory();
  const annotated = ruleCase.checks.some(({ annotations }) => annotations !== undefined);
  writeFileSync(path.join(directory, 'rules.yml'), annotated ? ruleFile(RULE_SETTINGS, LINKS) : withoutAnnotations());
  writeFileSync(path.join(directory, 'case.yml'), stringify(asWritten(ruleCase), { lineWidth: 0 }));
  try {
    await promisify(execFile)(promtool, ['test', 'rules', path.join(directory, 'case.yml')], { maxBuffer: 64 << 20 });
    return undefined;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return `${stdout}${stderr}`.slice(0, 10_000) || String(error);
  }
}

/** promtool compares annotations to the letter, which is a case of its own. */
function withoutAnnotations(): string {
  const file = parse(ruleFile(RULE_SETTINGS, LINKS)) as { groups: { rules: { annotations?: unknown }[] }[] };
  for (const { rules } of file.groups) for (const rule of rules) delete rule.annotations;
  return stringify(file, { lineWidth: 0, aliasDuplicateObjects: false });
}

function asWritten({ name, series, stepMinutes = 15, evaluateMinutes = 30, scraped = true, checks }: RuleCase) {
  const samples = Math.ceil((Math.max(...checks.map(({ at }) => at)) * 60) / stepMinutes) + 1;
  const up = gauge('up', {}, runs([1, samples]));
  const all = scraped ? [up, ...series] : series;
  return {
    rule_files: ['rules.yml'],
    evaluation_interval: `${evaluateMinutes}m`,
    group_eval_order: GROUPS.map((group) => group.name),
    tests: [
      {
        name,
        interval: `${stepMinutes}m`,
        input_series: all.map((one) => ({ series: selector(one), values: notation(one.values) })),
        alert_rule_test: checks.flatMap(expectedAlerts),
        promql_expr_test: checks.flatMap(expectedValues),
      },
    ],
  };
}

function expectedAlerts({ at, firing, annotations }: Check) {
  if (annotations !== undefined) {
    return Object.entries(annotations).map(([alertname, exp_annotations]) => ({
      eval_time: minutes(at),
      alertname,
      exp_alerts: (firing?.[alertname] ?? []).map((labels) => ({
        exp_labels: { ...labels, ...fixedLabels(alertname) },
        exp_annotations,
      })),
    }));
  }
  if (firing === undefined) return [];
  const unknown = Object.keys(firing).filter((name) => !ALERTS.some(({ alert }) => alert === name));
  if (unknown.length > 0) throw new Error(`no alert is called ${unknown.join(', ')}`);
  return ALERTS.map(({ alert }) => ({
    eval_time: minutes(at),
    alertname: alert,
    exp_alerts: (firing[alert] ?? []).map((labels) => ({ exp_labels: { ...labels, ...fixedLabels(alert) } })),
  }));
}

function fixedLabels(name: string): Labels {
  const found = ALERTS.find(({ alert }) => alert === name);
  return { severity: found?.severity ?? '', area: found?.area ?? '' };
}

function expectedValues({ at, values }: Check) {
  return Object.entries(values ?? {}).map(([expr, samples]) => ({
    expr,
    eval_time: minutes(at),
    exp_samples: Object.entries(samples).map(([labels, value]) => ({ labels, value })),
  }));
}

function selector({ name, labels }: Series): string {
  return `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
    .join(',')}}`;
}

/** promtool's own way to write a series. */
function notation(values: readonly (number | undefined)[]): string {
  return values.map((value) => (value === undefined ? '_' : String(value))).join(' ');
}

function minutes(hours: number): string {
  return `${Math.round(hours * 60)}m`;
}
