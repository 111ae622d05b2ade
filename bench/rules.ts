/**
 * The load of the recording rules and alerts on a Prometheus that has ten days of history: blocks that promtool makes of
 * what an instance exposes for so many agents, two versions each, and that the shipped rules then read. Series that the
 * rules recorded in those days are absent, so the variation from hour to hour is not estimated.
 *
 * Samples are fewer than those of a scrape every 15 s, to be made in minutes; `samples` says how many there are.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from '../test/free-ports.ts';
import { randomFrom } from '../test/random.ts';
import { cpuSeconds } from './process-cpu.ts';
import type { BenchRow } from './row.ts';

const RULES = path.resolve(import.meta.dirname, '../deploy/prometheus/assay.rules.yml');
const OUTCOMES =
  'successful_completion graceful_failure partial_failure hard_failure unscored no_fault_found handed_over';
const SUITES = { default: 11, honesty: 1 } as const;
const VERSIONS = { v1: 0.8, v2: 0.2 } as const;
const CONVERSATIONS_PER_HOUR = 30;
/** Every fourth criterion ever fails. */
const FAILING = 4;
const DAY_S = 86_400;

export interface RulesLoad {
  readonly agents: number;
  readonly days: number;
  readonly stepSeconds: number;
  /** A rule file; the shipped one if absent. */
  readonly file: string | undefined;
}

export async function benchRules({ file = RULES, ...load }: RulesLoad): Promise<{ rows: BenchRow[]; notes: string[] }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'assay-bench-rules-'));
  try {
    copyFileSync(file, path.join(folder, 'rules.yml'));
    const history = path.join(folder, 'history.txt');
    const exposed = await writeHistory(history, load);
    await promisify(execFile)('promtool', [
      ...['tsdb', 'create-blocks-from', 'openmetrics', '--quiet', '--max-block-duration=486h'],
      ...[history, path.join(folder, 'data')],
    ]);
    rmSync(history);
    return await evaluated(folder, `${load.agents} agents, ${exposed.series} series, ${exposed.samples} samples`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function writeHistory(file: string, { agents, days, stepSeconds }: Omit<RulesLoad, 'file'>) {
  const out = createWriteStream(file, { highWaterMark: 1 << 22 });
  const now = Math.floor(Date.now() / 1000);
  const steps = Math.floor((days * DAY_S) / stepSeconds);
  const next = randomFrom(1);
  const perStep = (CONVERSATIONS_PER_HOUR * stepSeconds) / 3600;
  let series = 0;
  for (let agent = 0; agent < agents; agent += 1) {
    for (const { name, share } of seriesOf(`agent-${agent}`)) {
      const lines: string[] = [];
      let value = 0;
      for (let step = steps; step > 0; step -= 1) {
        const mean = perStep * share;
        value += Math.floor(mean) + (next() < mean % 1 ? 1 : 0);
        lines.push(`${name} ${value} ${now - step * stepSeconds}\n`);
      }
      series += 1;
      if (!out.write(lines.join(''))) await once(out, 'drain');
    }
  }
  out.end('# EOF\n');
  await once(out, 'close');
  return { series, samples: series * steps };
}

/** The series that rules read, and how often each grows with a conversation. */
function seriesOf(agent: string): readonly { readonly name: string; readonly share: number }[] {
  return Object.entries(SUITES).flatMap(([suite, criteria]) =>
    Object.entries(VERSIONS).flatMap(([version, share]) => {
      const of = (metric: string, labels: string, part: number) => ({
        name: `${metric}{job="assay",instance="a:1",suite="${suite}",agent="${agent}",agent_version="${version}",environment="prod"${labels}}`,
        share: share * part,
      });
      const effort = ['successful_completion', 'partial_failure'].flatMap((outcome, bad) =>
        ['count', 'sum'].map((part) =>
          of(
            `assay_conversation_steps_${part}`,
            `,outcome="${outcome}"`,
            (bad === 1 ? 0.1 : 0.9) * (part === 'sum' ? 6 : 1),
          ),
        ),
      );
      return [
        ...OUTCOMES.split(' ').map((outcome, number) =>
          of('assay_evaluations_total', `,outcome="${outcome}"`, [0.9, 0, 0.09, 0.01][number] ?? 0),
        ),
        of('assay_evaluation_score_count', '', 1),
        of('assay_evaluation_score_sum', '', 0.93),
        of('assay_evaluation_score_squared_total', '', 0.9),
        ...effort,
        of('assay_conversation_steps_squared_total', '', 40),
        ...Array.from({ length: criteria }, (_, number) => number).flatMap((number) => {
          const failed = number % FAILING === 0 ? 0.05 : 0;
          const labels = `,criterion="criterion_${number}"`;
          return [
            of('assay_verdicts_total', `${labels},verdict="pass"`, 1 - failed),
            of('assay_verdicts_total', `${labels},verdict="fail"`, failed),
          ];
        }),
      ];
    }),
  );
}

interface GroupAnswer {
  readonly name: string;
  readonly interval: number;
  readonly evaluationTime: number;
  readonly lastEvaluation: string;
}

/** Resolves when each group has been evaluated. */
async function evaluated(folder: string, note: string): Promise<{ rows: BenchRow[]; notes: string[] }> {
  writeFileSync(path.join(folder, 'prometheus.yml'), 'rule_files: [rules.yml]\n');
  const [port = 0] = await freePorts(1);
  const child = spawn(
    'prometheus',
    [
      ...[`--config.file=${path.join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${path.join(folder, 'data')}`],
      ...[
        `--web.listen-address=127.0.0.1:${port}`,
        '--storage.tsdb.retention.time=30d',
        '--query.max-samples=500000000',
      ],
    ],
    { stdio: 'ignore' },
  );
  const ended = once(child, 'exit');
  const begun = Date.now();
  try {
    const groups = await untilAllEvaluated(port);
    const perMinute = groups.reduce((sum, group) => sum + (group.evaluationTime / group.interval) * 60, 0);
    const minutes = (Date.now() - begun) / 60_000;
    const cpu = cpuSeconds(child.pid ?? 0);
    const [, memory = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    const head = await headSeries(port);
    const rows = groups.map(({ name, interval, evaluationTime }) => ({
      name: `seconds of ${name}, of its interval`,
      ours: Number(evaluationTime.toFixed(3)),
      reference: interval,
      ratio: Number((evaluationTime / interval).toFixed(4)),
    }));
    return {
      rows,
      notes: [
        note,
        `recorded series ${head}, evaluation of all groups ${perMinute.toFixed(1)} s a minute`,
        `process ${cpu.toFixed(1)} s in ${minutes.toFixed(1)} minutes, memory at most ${Math.round(Number(memory) / 1024)} MB`,
      ],
    };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function untilAllEvaluated(port: number): Promise<readonly GroupAnswer[]> {
  for (;;) {
    await sleep(1000);
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/rules`).catch(() => undefined);
    if (answer?.ok !== true) continue;
    // The cast holds: it is Prometheus' answer.
    const { data } = (await answer.json()) as { readonly data: { readonly groups: readonly GroupAnswer[] } };
    // The groups that read baselines, after the baselines.
    const last = (name: string) =>
      Date.parse(data.groups.find((group) => group.name === name)?.lastEvaluation ?? '0001-01-01T00:00:00Z');
    const isBased =
      last('assay_evidence') > last('assay_windows_slow') && last('assay_windows_slow') > last('assay_baselines');
    if (isBased && data.groups.every(({ lastEvaluation }) => !lastEvaluation.startsWith('0001'))) return data.groups;
  }
}

async function headSeries(port: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/status/tsdb`);
  // The cast holds: it is Prometheus' answer.
  const { data } = (await answer.json()) as { readonly data: { readonly headStats: { readonly numSeries: number } } };
  return data.headStats.numSeries;
}
