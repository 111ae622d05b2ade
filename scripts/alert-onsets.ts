/**
 * npm run simulate:alerts [-- --rates 20,200,20000 --falls 0,0.05,0.1,0.2 --seeds 2 --first-seed 1 --days 20
 *                             --heal 0 --step 15 --evaluate 15 --rules <file>]
 *
 * How often one lasting fall becomes an alert: the shipped rules, run by promtool over random traffic. An agent is new,
 * scores 0.90 for 8 days, then less by a constant number of points. Every combination is an agent of its own, and a
 * dozen run in one test. With `--heal <hours>` the fall ends after that time, and the alert should end soon after it.
 * `--rules` takes a rule file in place of these rules, to compare with earlier ones.
 *
 * `--promtool` must be 2.x unless `--step` is a minute: 3.x leaves out the left end of a range, so an hour with samples a
 * quarter apart is extrapolated from 45 minutes, and looks as if the rate varied.
 *
 * Prints for each rate, fall and alert, run by run, how often the alert began to fire before the fall and after it.
 * Then come the hours from the fall until the first time, negative if it was before, and the hours that it fired.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
/** promtool limits how many samples a rule loads, of all agents of a test. */
const AGENTS_MAX = 12;
/** The groups that alerts about the TCR are built on; the others would only take time. */
const GROUPS = /^assay_(windows|baseline|evidence|falls|alerts_quality|incidents)/;

const { values } = parseArgs({
  options: {
    rates: { type: 'string', default: '20,200,20000' },
    falls: { type: 'string', default: '0,0.05,0.1,0.2' },
    seeds: { type: 'string', default: '1' },
    'first-seed': { type: 'string', default: '1' },
    days: { type: 'string', default: '20' },
    heal: { type: 'string', default: '0' },
    step: { type: 'string', default: '15' },
    evaluate: { type: 'string', default: '15' },
    rules: { type: 'string' },
    promtool: { type: 'string', default: 'promtool' },
  },
});

/** Minutes between two samples, and between two evaluations of the rules. */
const stepMinutes = Number(values.step);
const evaluateMinutes = Number(values.evaluate);
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
      Array.from({ length: Number(values.seeds) }, (_, seed) => ({
        rate,
        fall,
        seed: Number(values['first-seed']) + seed,
      })),
    ),
  );
  const text = values.rules === undefined ? ruleFile(RULE_SETTINGS, LINKS) : readFileSync(values.rules, 'utf8');
  const file = parse(text) as {
    groups: { name: string; interval?: string; rules: RuleWritten[] }[];
  };
  file.groups = file.groups.filter(({ name }) => GROUPS.test(name));
  for (const group of file.groups) {
    group.rules = group.rules.filter(({ alert, labels }) =>
      alert === undefined ? ['tcr', undefined].includes(labels?.measure) : /^AgentTcr/.test(alert),
    );
    for (const rule of group.rules) delete rule.annotations;
  }
  writeFileSync(path.join(directory, 'rules.yml'), stringify(file, { lineWidth: 0, aliasDuplicateObjects: false }));
  const written = {
    rule_files: ['rules.yml'],
    evaluation_interval: `${evaluateMinutes}m`,
    group_eval_order: file.groups.map(({ name }) => name),
    tests: Array.from({ length: Math.ceil(agents.length / AGENTS_MAX) }, (_, part) =>
      testOf(agents.slice(part * AGENTS_MAX, (part + 1) * AGENTS_MAX)),
    ),
  };
  writeFileSync(path.join(directory, 'case.yml'), stringify(written, { lineWidth: 0 }));
  const { stdout, stderr } = await promisify(execFile)(
    values.promtool,
    ['test', 'rules', path.join(directory, 'case.yml')],
    { maxBuffer: 256 << 20, env: { ...process.env, GOGC: '400', GOMEMLIMIT: '2GiB' } },
  ).catch((error: unknown) => error as { stdout: string; stderr: string });
  return answers(`${stdout}${stderr}`, agents);
}

function testOf(agents: readonly Agent[]) {
  const end = (CALM_DAYS + days) * 24;
  const past = `[${CALM_DAYS + days}d:${evaluateMinutes}m]`;
  const calm = `[${CALM_DAYS}d:${evaluateMinutes}m] offset ${days}d`;
  const by = (expression: string, aggregation = 'sum') => `${aggregation} by (alertname, agent) (${expression})`;
  const pairs = agents.map(nameOf).flatMap((agent) => ALERTS.map((alert) => ({ agent, alert })));
  const questions = pairs.flatMap(({ agent, alert }) => {
    const firing = `ALERTS{alertstate="firing", alertname="${alert}", agent="${agent}"}`;
    const onset = `(${firing} unless ${firing} offset ${evaluateMinutes}m)`;
    return [
      by(`sum_over_time(${onset}${past})`),
      by(`sum_over_time(${onset}${calm})`),
      by(`min_over_time((${firing} * 0 + time())${past})`, 'min'),
      by(`sum_over_time((${firing})${past})`),
    ];
  });
  // Series without any increase only take time.
  const series = agents
    .flatMap(ofAgent)
    .filter(({ name, values: samples }) => name.startsWith('assay_evaluation_score') && samples.at(-1) !== 0);
  const up = gauge('up', {}, runs([1, (end * 60) / stepMinutes + 1]));
  return {
    interval: `${stepMinutes}m`,
    input_series: [up, ...series].map(({ name, labels, values: samples }) => ({
      series: `${name}{${Object.entries(labels)
        .map(([label, value]) => `${label}="${value}"`)
        .join(',')}}`,
      values: samples.map((value) => (value === undefined ? '_' : String(value))).join(' '),
    })),
    promql_expr_test: questions.map((expr) => ({ expr, eval_time: `${end}h`, exp_samples: [] })),
  };
}

/** promtool shows what it found instead of nothing, question by question. */
function answers(text: string, agents: readonly Agent[]): readonly string[] {
  if (/err: /.test(text)) throw new Error(text.slice(0, 5000));
  const found = { all: new Map(), calm: new Map(), first: new Map(), fired: new Map() } satisfies Record<
    string,
    Map<string, number>
  >;
  for (const [, expr = '', got = ''] of text.matchAll(/expr: "(.*)", time.*\n.*\n\s+got:(.*)/g)) {
    const kind = kindOf(expr);
    for (const [, agent = '', alert = '', value] of got.matchAll(/\{agent="([^"]*)", alertname="(\w+)"\} ([-\d.E+]+)/g))
      found[kind].set(`${agent} ${alert}`, Number(value));
  }
  const worlds = [...new Set(agents.map(worldOf))];
  return worlds.flatMap((world) =>
    ALERTS.map((alert) => {
      const runsOf = agents.filter((agent) => worldOf(agent) === world).map((agent) => `${nameOf(agent)} ${alert}`);
      const column = (of: (run: string) => number | string) => runsOf.map((run) => String(of(run))).join(' ');
      const calm = (run: string) => found.calm.get(run) ?? 0;
      const first = (run: string) => {
        const at = found.first.get(run);
        return at === undefined ? '-' : (at / 3600 - CALM_DAYS * 24).toFixed(1);
      };
      return [
        `${world.padEnd(18)} ${alert.padEnd(19)}`,
        `before ${column(calm)}`,
        `after ${column((run) => (found.all.get(run) ?? 0) - calm(run))}`,
        `first ${column(first)} h`,
        `fired ${column((run) => Math.round(((found.fired.get(run) ?? 0) * evaluateMinutes) / 60))} h`,
      ].join('  ');
    }),
  );
}

function kindOf(question: string): 'all' | 'calm' | 'first' | 'fired' {
  if (question.startsWith('min')) return 'first';
  if (!question.includes(' unless ')) return 'fired';
  return / offset \d+d\)/.test(question) ? 'calm' : 'all';
}

interface Agent {
  readonly rate: number;
  readonly fall: number;
  readonly seed: number;
}

function nameOf(agent: Agent): string {
  return `${worldOf(agent)} #${agent.seed}`;
}

function worldOf({ rate, fall }: Agent): string {
  return `${rate}/h -${Number((100 * fall).toFixed(1))} pt`;
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
