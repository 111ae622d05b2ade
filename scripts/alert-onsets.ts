/**
 * npm run simulate:alerts [-- --rates 20,200,20000 --falls 0,0.05,0.1,0.2 --seeds 2 --days 20 --heal 0 --step 15]
 *
 * How often one lasting fall becomes an alert: the shipped rules, run by promtool over random traffic. An agent scores
 * 0.90 for 13 days, then less by a constant number of points. Every combination is an agent of its own, and all run in
 * one test. With `--heal <hours>` the fall ends after that time, and the alert should end soon after it.
 *
 * Prints for each agent how often each alert began to fire, hours until the first time, and hours that it fired.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { LINKS } from '../deploy/links.ts';
import { ruleFile } from '../deploy/prometheus/source/rule-file.ts';
import { RULE_SETTINGS } from '../deploy/prometheus/source/settings.ts';
import { runs, traffic, type Series, gauge } from '../test/outside/prometheus/rules/traffic.ts';

const CALM_DAYS = 8;
const SCORE = 0.9;
const ALERTS = ['AgentTcrRegression', 'AgentTcrSlipping', 'AgentTcrNotReady'];
/** The groups that alerts about the TCR are built on; the others would only take time. */
const GROUPS = /^assay_(windows|baseline|evidence|falls|alerts_quality|incidents)/;

const { values } = parseArgs({
  options: {
    rates: { type: 'string', default: '20,200,20000' },
    falls: { type: 'string', default: '0,0.05,0.1,0.2' },
    seeds: { type: 'string', default: '1' },
    days: { type: 'string', default: '20' },
    heal: { type: 'string', default: '0' },
    step: { type: 'string', default: '15' },
    promtool: { type: 'string', default: 'promtool' },
  },
});

const stepMinutes = Number(values.step);
const days = Number(values.days);
const directory = mkdtempSync(path.join(tmpdir(), 'assay-onsets-'));
try {
  const rows = await simulate();
  for (const row of rows) process.stdout.write(`${row}\n`);
} finally {
  rmSync(directory, { recursive: true });
}

interface RuleWritten {
  annotations?: unknown;
  readonly alert?: string;
  readonly labels?: { readonly measure?: string };
}

async function simulate(): Promise<readonly string[]> {
  const agents = numbers(values.rates).flatMap((rate) =>
    numbers(values.falls).flatMap((fall) =>
      Array.from({ length: Number(values.seeds) }, (_, seed) => ({ rate, fall, seed: seed + 1 })),
    ),
  );
  const file = parse(ruleFile(RULE_SETTINGS, LINKS)) as {
    groups: { name: string; interval?: string; rules: RuleWritten[] }[];
  };
  file.groups = file.groups.filter(({ name }) => GROUPS.test(name));
  for (const group of file.groups) {
    group.rules = group.rules.filter(({ alert, labels }) =>
      alert === undefined ? ['tcr', undefined].includes(labels?.measure) : /^AgentTcr/.test(alert),
    );
    for (const rule of group.rules) delete rule.annotations;
  }
  const end = (CALM_DAYS + days) * 24;
  const past = `[${CALM_DAYS + days - 2}d:${stepMinutes}m]`;
  const by = (expression: string, aggregation = 'sum') => `${aggregation} by (alertname, agent) (${expression})`;
  // One at a time, because promtool limits how many samples a query loads.
  const pairs = agents.map(nameOf).flatMap((agent) => ALERTS.map((alert) => ({ agent, alert })));
  const questions = pairs.flatMap(({ agent, alert }) => {
    const firing = `ALERTS{alertstate="firing", alertname="${alert}", agent="${agent}"}`;
    return [
      by(`sum_over_time((${firing} unless ${firing} offset ${stepMinutes}m)${past})`),
      by(`min_over_time((${firing} * 0 + time())${past})`, 'min'),
      by(`sum_over_time((${firing})${past})`),
    ];
  });
  writeFileSync(path.join(directory, 'rules.yml'), stringify(file, { lineWidth: 0, aliasDuplicateObjects: false }));
  // Series without any increase only take time.
  const series = agents
    .flatMap(ofAgent)
    .filter(({ name, values: samples }) => name.startsWith('assay_evaluation_score') && samples.at(-1) !== 0);
  const up = gauge('up', {}, runs([1, (end * 60) / stepMinutes + 1]));
  const test = {
    rule_files: ['rules.yml'],
    evaluation_interval: `${stepMinutes}m`,
    group_eval_order: file.groups.map(({ name }) => name),
    tests: [
      {
        interval: `${stepMinutes}m`,
        input_series: [up, ...series].map(({ name, labels, values: samples }) => ({
          series: `${name}{${Object.entries(labels)
            .map(([label, value]) => `${label}="${value}"`)
            .join(',')}}`,
          values: samples.map((value) => (value === undefined ? '_' : String(value))).join(' '),
        })),
        promql_expr_test: questions.map((expr) => ({ expr, eval_time: `${end}h`, exp_samples: [] })),
      },
    ],
  };
  writeFileSync(path.join(directory, 'case.yml'), stringify(test, { lineWidth: 0 }));
  const { stdout, stderr } = await promisify(execFile)(
    values.promtool,
    ['test', 'rules', path.join(directory, 'case.yml')],
    { maxBuffer: 256 << 20, env: { ...process.env, GOGC: '400', GOMEMLIMIT: '2GiB' } },
  ).catch((error: unknown) => error as { stdout: string; stderr: string });
  return answers(`${stdout}${stderr}`);
}

/** promtool shows what it found instead of nothing, question by question. */
function answers(text: string): readonly string[] {
  const found = { unless: new Map<string, number>(), min: new Map<string, number>(), fired: new Map<string, number>() };
  for (const [, expr = '', got = ''] of text.matchAll(/expr: "(.*)", time.*\n.*\n\s+got:(.*)/g)) {
    const kind = expr.includes(' unless ') ? 'unless' : expr.startsWith('min') ? 'min' : 'fired';
    for (const [, labels = '', value] of got.matchAll(/(\{[^}]*\}) ([-\d.E+]+)/g))
      found[kind].set(labels, Number(value));
  }
  if (/err: /.test(text)) throw new Error(text.slice(0, 5000));
  return [...found.unless].sort().map(([labels, onsets]) => {
    const begun = (found.min.get(labels) ?? 0) / 3600 - CALM_DAYS * 24;
    const hours = ((found.fired.get(labels) ?? 0) * stepMinutes) / 60;
    return `${labels.padEnd(80)} onsets ${onsets}  first after ${begun.toFixed(1)} h  fired ${hours.toFixed(0)} h`;
  });
}

interface Agent {
  readonly rate: number;
  readonly fall: number;
  readonly seed: number;
}

function nameOf({ rate, fall, seed }: Agent): string {
  return `${rate}/h -${Number((100 * fall).toFixed(1))} pt #${seed}`;
}

function ofAgent(agent: Agent): readonly Series[] {
  const { rate, fall, seed } = agent;
  const heal = Number(values.heal);
  const calm = { perHour: rate, score: SCORE };
  const low = { ...calm, score: SCORE - fall };
  const after = days * 24;
  return traffic(
    heal > 0
      ? [
          { ...calm, hours: CALM_DAYS * 24 },
          { ...low, hours: heal },
          { ...calm, hours: after - heal },
        ]
      : [
          { ...calm, hours: CALM_DAYS * 24 },
          { ...low, hours: after },
        ],
    { agent: nameOf(agent), seed: 1000 * seed + Math.round(100 * fall), stepMinutes },
  );
}

function numbers(list: string): readonly number[] {
  return list.split(',').map(Number);
}
