/** A unit test of the rules, and its form for promtool. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { LINKS } from '../../../../deploy/links.ts';
import { alertsOf, ruleFile, ruleGroups } from '../../../../deploy/prometheus/source/rule-file.ts';
import { RULE_SETTINGS } from '../../../../deploy/prometheus/source/settings.ts';
import { gauge, runs, type Series } from './traffic.ts';

type Labels = Readonly<Record<string, string>>;

export interface RuleCase {
  /** The claim that the case tests. */
  readonly name: string;
  readonly series: readonly Series[];
  /** Minutes between two samples; 15 by default. */
  readonly stepMinutes?: number;
  /** Minutes between two evaluations of the rules; 30 by default. */
  readonly evaluateMinutes?: number;
  /** Whether an instance can be scraped; it can by default. */
  readonly scraped?: boolean;
  readonly checks: readonly Check[];
}

export interface Check {
  /** Hours since the first sample. */
  readonly at: number;
  /** Exactly the alerts that fire, with the labels that the rule does not set. If absent, alerts are not checked. */
  readonly firing?: Readonly<Record<string, readonly Labels[]>>;
  /** Expressions and their results, each series as `{labels} value`. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Annotations of a firing alert, all of them. */
  readonly annotations?: Readonly<Record<string, Labels>>;
}

const GROUPS = ruleGroups(RULE_SETTINGS);
const ALERTS = alertsOf(GROUPS);
export const AGENT: Labels = { suite: 'default', agent: 'shop', environment: 'production' };

/** A run lasts seconds: collecting its garbage would take longer than the run can use up memory. */
const GO = { GOGC: 'off', GOMEMLIMIT: '300MiB' };

/**
 * Runs cases, and starts the next ones while one is awaited, as many at once as there are processors, because promtool
 * uses little more than one of them. Each has a folder in `directory`.
 */
export class RuleCases {
  readonly #promtool: string;
  readonly #cases: readonly RuleCase[];
  readonly #directory: string;
  readonly #begun = new Map<number, Promise<string | undefined>>();

  constructor(promtool: string, cases: readonly RuleCase[], directory: string) {
    this.#promtool = promtool;
    this.#cases = cases;
    this.#directory = directory;
  }

  /** Resolves to promtool's objections; empty if it agrees. */
  async objection(ruleCase: RuleCase): Promise<string | undefined> {
    const number = this.#cases.indexOf(ruleCase);
    for (let ahead = number; ahead < number + availableParallelism(); ahead += 1) this.#begin(ahead);
    return this.#begun.get(number);
  }

  /** Resolves when runs that were started but not awaited have ended. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#begun.values());
  }

  #begin(number: number): void {
    const ruleCase = this.#cases[number];
    if (ruleCase === undefined || this.#begun.has(number)) return;
    this.#begun.set(number, run(this.#promtool, ruleCase, path.join(this.#directory, String(number))));
  }
}

async function run(promtool: string, ruleCase: RuleCase, directory: string): Promise<string | undefined> {
  mkdirSync(directory);
  const annotated = ruleCase.checks.some(({ annotations }) => annotations !== undefined);
  writeFileSync(path.join(directory, 'rules.yml'), annotated ? ruleFile(RULE_SETTINGS, LINKS) : withoutAnnotations());
  writeFileSync(path.join(directory, 'case.yml'), stringify(asWritten(ruleCase), { lineWidth: 0 }));
  try {
    await promisify(execFile)(promtool, ['test', 'rules', path.join(directory, 'case.yml')], {
      maxBuffer: 64 << 20,
      env: { ...process.env, ...GO },
    });
    return undefined;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return `${stdout}${stderr}`.slice(0, 10_000) || String(error);
  }
}

/** promtool compares annotations literally, in a separate kind of case. */
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
        exp_labels: { ...FIRST[alertname], ...labels, ...fixedLabels(alertname) },
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
    exp_alerts: (firing[alert] ?? []).map((labels) => ({
      exp_labels: { ...FIRST[alert], ...labels, ...fixedLabels(alert) },
    })),
  }));
}

function fixedLabels(name: string): Labels {
  const found = ALERTS.find(({ alert }) => alert === name);
  return { severity: found?.severity ?? '', area: found?.area ?? '' };
}

/** The alert that pages for a fall, unless a case says otherwise: the rules see a fall by score and outcome at once. */
const FIRST: Readonly<Record<string, Labels>> = {
  AgentTcrRegression: { first: 'AgentTcrRegression' },
  AgentSuccessRateDrop: { first: 'AgentTcrRegression' },
  AgentDetectorRegression: { first: 'AgentDetectorRegression' },
  AgentHardFailureSpike: { first: 'AgentHardFailureSpike' },
};

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

/** promtool's notation of a series. */
function notation(values: readonly (number | undefined)[]): string {
  return values.map((value) => (value === undefined ? '_' : String(value))).join(' ');
}

function minutes(hours: number): string {
  return `${Math.round(hours * 60)}m`;
}
