/**
 * How often the release gate reports a regression if an agent is compared with itself: with real runs of the example
 * agent, a fifth of whose conversations go wrong by chance.
 *
 *     npm run gate:level                                   200 pairs of 30 cases
 *     npm run gate:level -- --experiment <folder>          of runs that are there already: an even number of repeats
 *
 * One experiment with two repeats for each pair is run. Each repeat has its own seeds, so a pair of repeats compares
 * the agent with itself under other seeds. Limits are the hardest: no drop is allowed at all. Ends with 1 where there
 * were more regressions than the level and chance allow.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { decideGate } from '../src/statistics/compare/gate/decide-gate.ts';
import { DEFAULT_GATE, type GateFile } from '../src/statistics/compare/gate/gate-rules.ts';
import { readGate } from '../src/statistics/compare/gate/read-gate.ts';
import type { ExperimentResult } from '../src/model/experiment.ts';
import { formatMistakes } from '../src/model/mistake.ts';
import { readExperiment } from '../src/store/experiment/read-experiment.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const STRICT = `confidence: 0.95
rules:
  tcr: { max_drop: 0 }
  success_rate: { max_drop: 0 }
  cost_per_success: { max_rise: 0 }
  failed_runs: { max_rise: 0 }
  criteria: { max_drop: 0 }`;

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '200' },
    cases: { type: 'string', default: '*-0?' },
    rate: { type: 'string', default: '0.2' },
    faults: { type: 'string', default: 'wrong-participant,wrong-time,skip-alternatives,silent-crash' },
    experiment: { type: 'string' },
  },
});

const temporary = values.experiment === undefined ? mkdtempSync(path.join(tmpdir(), 'assay-')) : undefined;
try {
  const whole = readExperiment(values.experiment ?? runAgent(temporary ?? '', 2 * Number(values.pairs)));
  const { gate, mistakes } = readGate(STRICT, 'strict', whole.experiment.suites);
  if (gate === undefined) throw new Error(formatMistakes(mistakes));
  // After an interruption only complete repeats count.
  const { cases } = whole.experiment.dataset;
  const repeats = [...Map.groupBy(whole.runs, ({ repeat }) => repeat)].filter(([, runs]) => runs.length === cases);
  const pairs = Math.floor(repeats.length / 2);
  const count = { strict: 0, usual: 0 };
  for (let pair = 0; pair < pairs; pair += 1) {
    const [baseline, candidate] = [repeatOf(whole, 2 * pair + 1), repeatOf(whole, 2 * pair + 2)];
    const isRegression = (file: GateFile): boolean =>
      decideGate({ candidate, baseline, gate: file, warnings: [] }).decision === 'regression';
    if (isRegression(gate)) count.strict += 1;
    if (isRegression(DEFAULT_GATE)) count.usual += 1;
    process.stderr.write(`\r${pair + 1} of ${pairs} pairs`);
  }
  process.stderr.write('\n');
  process.stdout.write(
    `${pairs} pairs of ${cases} cases, the same agent: ${count.strict} called a regression where no drop is allowed, ` +
      `${count.usual} by the rules that hold without a file; the level is 5 %, ${(0.05 * pairs).toFixed(0)} of ${pairs}\n`,
  );
  // Three standard errors above the level.
  const most = 0.05 * pairs + 3 * Math.sqrt(pairs * 0.05 * 0.95);
  process.exitCode = Math.max(count.strict, count.usual) > most ? 1 : 0;
} finally {
  if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
}

/** The folder of the experiment. */
function runAgent(folder: string, repeats: number): string {
  const { status } = spawnSync(
    process.execPath,
    [
      path.join(ROOT, 'src/cli/main.ts'),
      ...['run', 'examples/release-gate/scheduling.cases.yaml', '--agent', 'examples/release-gate/agent.ts'],
      ...['--suite', 'scheduling', 'default', '--experiments', folder, '--only', values.cases],
      ...['--repeats', String(repeats), '--concurrency', '16', '--settle', '50ms', '--seed', '1'],
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, EXAMPLE_AGENT_REGRESS: values.faults, EXAMPLE_AGENT_REGRESS_RATE: values.rate },
    },
  );
  const [name] = readdirSync(folder);
  if (status !== 0 || name === undefined) throw new Error(`assay run ended with ${status}`);
  return path.join(folder, name);
}

function repeatOf({ experiment, runs }: ExperimentResult, repeat: number): ExperimentResult {
  return {
    experiment: { ...experiment, id: `${experiment.id}-${repeat}`, repeats: 1 },
    runs: runs.filter((run) => run.repeat === repeat).map((run) => ({ ...run, repeat: 1 })),
  };
}
