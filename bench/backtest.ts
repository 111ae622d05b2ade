/**
 * npm run bench -- backtest [--json] [--traces 60000]
 *
 * The cost of scoring recorded conversations again, compared with scoring them the first time. The online path takes
 * the workload first (`pipeline.ts`). Then the store that it has filled is scored again by all of its suites, changed.
 * Both are charged all CPU time of the process, and both in spans of the workload. There are four ways: from stored
 * verdicts with changed weights and outcome rules, the same with the alerts that would have fired, with every criterion
 * evaluated again from the spans, and with other weights as the API answers them.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { loadSettings } from '../src/config/settings.ts';
import { indexTraces } from '../src/otlp/traces-reader.ts';
import { backtest, whatIf } from '../src/backtest/backtest.ts';
import { loadSuites } from '../src/score/load-suites.ts';
import { reweighed } from '../src/score/suite/reweigh.ts';
import type { CompiledSuite } from '../src/score/suite/suite.ts';
import { StoreReader } from '../src/store/sqlite/store-reader.ts';
import { sliceRequests, startPipeline } from './pipeline.ts';
import type { BenchRow } from './row.ts';
import { makeWorkload } from './workload.ts';

export interface BacktestBenchOptions {
  readonly traces: number;
  readonly rounds: number;
}

interface WrittenSuite {
  readonly version?: string;
  readonly min_decided?: number;
  readonly criteria: readonly { readonly weight: number }[];
  readonly extract?: object;
}

const BUILTIN = path.resolve(import.meta.dirname, '../suites');
/** Spans of the online path; its work during compilation does not count. */
const WARM_UP_SHARE = 1 / 4;
/** Number of evaluations of each suite. */
const WARM_UP = 2000;
const ALL = 1_000_000;

export async function benchBacktest(options: BacktestBenchOptions) {
  const workload = makeWorkload({ seed: 1, traces: options.traces, spansPerRequest: 300, concurrent: 200 });
  const directory = mkdtempSync(path.join(tmpdir(), 'assay-bench-'));
  try {
    const pipeline = await startPipeline(directory);
    const slices = sliceRequests(workload, options.rounds);
    const online = { seconds: 0, spans: 0 };
    for (const [index, slice] of slices.entries()) {
      const before = process.cpuUsage();
      await pipeline.take(slice, index === slices.length - 1);
      if (index < options.rounds * WARM_UP_SHARE) continue;
      online.seconds += secondsSince(before);
      online.spans += slice.reduce((sum, bytes) => sum + indexTraces(bytes).spanCount, 0);
    }
    const { evaluations } = await pipeline.stop();
    const again = await rescore(directory);
    const reference = online.spans / online.seconds;
    const rows = again.map(({ name, seconds }): BenchRow => {
      const ours = workload.spans / seconds;
      return {
        name: `backtest: ${name} (spans per CPU second, beside scoring them online)`,
        ours: Math.round(ours),
        reference: Math.round(reference),
        ratio: Math.round((ours / reference) * 100) / 100,
      };
    });
    const notes = [
      `${workload.spans} spans in ${workload.traces} traces, ${evaluations} evaluations stored`,
      ...again.map(
        ({ name, seconds, compared }) => `${name}: ${compared} evaluations in ${seconds.toFixed(2)} s of CPU`,
      ),
    ];
    return { rows, notes };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function rescore(directory: string) {
  const { settings } = loadSettings({ flags: {}, env: {}, cwd: directory });
  const { suites: configured } = await loadSuites(settings.suites, { baseDir: directory, builtinDir: BUILTIN });
  const reader = StoreReader.open(path.join(directory, 'assay.db'));
  const quiet = { ...settings, detection: { ...settings.detection, active: false } };
  const otherWeights = await changed(directory, settings.suites, reweigh);
  const reworded = await changed(directory, settings.suites, reword);
  const measured = [];
  try {
    for (const [name, suites, chosen] of [
      ['weighed again', otherWeights, quiet],
      ['weighed again, with alerts', otherWeights, { ...settings, detection: { ...settings.detection, active: true } }],
      ['asked again', reworded, quiet],
    ] as const) {
      // As for the online path: work during compilation does not count.
      for (const suite of suites)
        await backtest({
          changed: suite,
          against: suite.name,
          configured,
          reader,
          settings: chosen,
          limit: WARM_UP,
          shown: 20,
        });
      const before = process.cpuUsage();
      let compared = 0;
      for (const suite of suites) {
        const report = await backtest({
          changed: suite,
          against: suite.name,
          configured,
          reader,
          settings: chosen,
          shown: 20,
        });
        const { weighedAgain, askedAgain } = report.counted;
        const expected = name === 'asked again' ? askedAgain : weighedAgain;
        if (expected !== report.counted.compared) throw new Error(`bench: ${suite.name} was not ${name}`);
        compared += report.counted.compared;
      }
      measured.push({ name, seconds: secondsSince(before), compared });
    }
    const ask = async (limit: number) => {
      let compared = 0;
      for (const live of configured) {
        const off = live.criteria.filter(({ capsAt }) => capsAt === undefined).slice(0, 1);
        const changed = reweighed(live, { weights: {}, off: off.map(({ name }) => name) });
        compared += (await whatIf({ live, changed, reader, judge: () => undefined, limit, shown: 20 })).counted
          .compared;
      }
      return compared;
    };
    await ask(WARM_UP);
    const before = process.cpuUsage();
    const compared = await ask(ALL);
    measured.push({ name: 'asked what if', seconds: secondsSince(before), compared });
  } finally {
    reader.close();
  }
  return measured;
}

/** The suites with `change` applied to them. */
async function changed(
  directory: string,
  names: readonly string[],
  change: (suite: WrittenSuite) => WrittenSuite,
): Promise<readonly CompiledSuite[]> {
  const files = names.map((name) => {
    const file = path.join(directory, `${name}-changed.yaml`);
    // The cast holds for the built-in suites.
    const written = parse(readFileSync(path.join(BUILTIN, `${name}.yaml`), 'utf8')) as WrittenSuite;
    writeFileSync(file, stringify(change(written)));
    return file;
  });
  const { suites, mistakes } = await loadSuites(files, { baseDir: directory, builtinDir: BUILTIN });
  if (mistakes.length > 0) throw new Error(mistakes.map(({ problem }) => problem).join('; '));
  return suites;
}

/** Swaps the weights of the first two criteria. */
function reweigh(suite: WrittenSuite): WrittenSuite {
  const [first, second, ...rest] = suite.criteria;
  if (first === undefined || second === undefined) return suite;
  const criteria = [{ ...first, weight: second.weight }, { ...second, weight: first.weight }, ...rest];
  return { ...suite, version: 'changed', min_decided: 0.25, criteria };
}

/** Changes the material that criteria see, so that all of them must be evaluated again. */
function reword(suite: WrittenSuite): WrittenSuite {
  return { ...reweigh(suite), extract: { ...suite.extract, of_another_version: 'user_input' } };
}

function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
