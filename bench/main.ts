/**
 * npm run bench -- <name> [--json] [--small] [--runs <simulated months a cell>] [--scenario <of detect, or versions>]
 *     [--seed <of online, unseen, learn, release and learned, whose --scenario is a part of a case's name>]
 *     [--agents, --step <seconds between samples> and --file <rule file> of rules]
 *     [--data <of validity, estimate and learn>] [--half <of estimate and learn: a or b>] [--conversations <of read, page, readers and start>]
 * Each claim is a ratio to a reference in the same run. `--small` is for the test suite, so that benchmarks keep working.
 */
import { parseArgs } from 'node:util';
import { SERIES_MAX } from '../scripts/metrics-page.ts';
import { benchBacktest } from './backtest.ts';
import { benchDetect, DETECT_FULL, DETECT_SMALL } from './detect.ts';
import { benchDialects } from './dialects.ts';
import { benchEstimate } from './estimate.ts';
import { benchExport } from './export.ts';
import { benchKafka } from './kafka.ts';
import { benchLearn } from './learn.ts';
import { benchLearned } from './learned.ts';
import { benchMemory } from './memory.ts';
import { benchOnline, ONLINE_WORLDS } from './online.ts';
import { benchPage } from './page.ts';
import { benchPipeline } from './pipeline.ts';
import { benchPostgres } from './postgres.ts';
import { benchRead } from './read.ts';
import { benchReaders } from './readers.ts';
import { benchRedaction } from './redaction.ts';
import { benchRelease } from './release.ts';
import { benchRules } from './rules.ts';
import { benchScrape } from './scrape.ts';
import { benchService } from './service.ts';
import { benchStart } from './start.ts';
import { benchStoreMemory } from './store-memory.ts';
import { benchTrajectory } from './trajectory.ts';
import { benchUnseen } from './unseen.ts';
import { benchValidity } from './validity.ts';
import { benchWords } from './words.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    small: { type: 'boolean', default: false },
    traces: { type: 'string' },
    runs: { type: 'string' },
    seed: { type: 'string' },
    scenario: { type: 'string' },
    data: { type: 'string' },
    half: { type: 'string' },
    conversations: { type: 'string' },
    agents: { type: 'string' },
    step: { type: 'string' },
    file: { type: 'string' },
  },
});
const [name = 'pipeline'] = positionals;
const small = values.small;

const benches = {
  pipeline: async () => {
    const size = { traces: Number(values.traces ?? (small ? 300 : 36_000)), rounds: small ? 2 : 36 };
    const hard = await benchPipeline({ load: 'hard', ...size });
    const plain = await benchPipeline({ load: 'plain', ...size });
    const parts = [hard, plain];
    return { rows: parts.flatMap(({ rows }) => rows), notes: parts.flatMap(({ notes }) => notes) };
  },
  memory: () => benchMemory(small ? { some: 1000, many: 2000 } : { some: 100_000, many: 1_000_000 }),
  detect: () => {
    const size = small ? DETECT_SMALL : DETECT_FULL;
    const { scenario } = values;
    const scenarios = size.scenarios.filter((name) => scenario === undefined || name === scenario);
    // A single scenario leaves the other parts to another run: `versions` is those parts.
    const timed = scenario === undefined || scenario === 'versions' ? size.timed : 0;
    return benchDetect({ ...size, scenarios, timed, runs: Number(values.runs ?? size.runs) });
  },
  // Whether one version is worse than another online; `--scenario` is the name of a world.
  online: () =>
    benchOnline({
      runs: Number(values.runs ?? (small ? 1 : 200)),
      seed: Number(values.seed ?? 1),
      worlds: ONLINE_WORLDS.filter(({ name }) => values.scenario === undefined || name === values.scenario),
    }),
  // Whether intervals of the success rate hold the truth; with `--data`, of real conversations.
  estimate: () =>
    benchEstimate({
      runs: Number(values.runs ?? (small ? 4 : 4000)),
      seed: Number(values.seed ?? 1),
      data: values.data === undefined ? undefined : { file: values.data, half: values.half === 'b' ? 'b' : 'a' },
    }),
  // Whether a search for criteria finds any, and whether its certificates are true.
  learn: () => {
    const { data, half, runs, seed } = values;
    if (data === undefined) throw new Error('learn needs --data <file> of conversations with known outcome');
    return benchLearn({
      file: data,
      half: half === 'a' || half === 'b' ? half : undefined,
      runs: Number(runs ?? (small ? 2 : 200)),
      seed: Number(seed ?? 1),
    });
  },
  // Whether the chance of a new kind of failure is held by its interval.
  unseen: () => benchUnseen({ runs: Number(values.runs ?? (small ? 20 : 4000)), seed: Number(values.seed ?? 1) }),
  // How often the gate errs, and what it finds.
  release: () =>
    benchRelease({
      runs: Number(values.runs ?? (small ? 2 : 400)),
      seed: Number(values.seed ?? 1),
      cases: small ? [20] : [20, 50],
    }),
  learned: () =>
    benchLearned({
      runs: Number(values.runs ?? (small ? 1 : 12)),
      seed: Number(values.seed ?? 1),
      rates: small ? [3] : [3, 20],
      ...(values.scenario === undefined ? {} : { only: values.scenario }),
    }),
  backtest: () => benchBacktest({ traces: Number(values.traces ?? (small ? 300 : 60_000)), rounds: small ? 2 : 12 }),
  redaction: () => benchRedaction({ traces: Number(values.traces ?? (small ? 60 : 1500)), rounds: small ? 2 : 15 }),
  dialects: () => benchDialects(small ? { frameworks: 2, rounds: 2 } : { rounds: 40 }),
  // Needs the services that it starts itself: Java for Kafka, PostgreSQL. A million spans.
  kafka: () =>
    benchKafka({ traces: Number(values.traces ?? (small ? 2000 : 100_000)), partitions: 12, pairs: small ? 1 : 3 }),
  // Needs Prometheus. Ten days of history.
  rules: () =>
    benchRules({
      agents: Number(values.agents ?? (small ? 2 : 200)),
      days: 10,
      stepSeconds: Number(values.step ?? (small ? 1800 : 300)),
      file: values.file,
    }),
  // Starts a PostgreSQL.
  postgres: () => benchPostgres({ turns: Number(values.traces ?? (small ? 1000 : 20_000)) }),
  // Builds a Collector from its Go modules, for the comparison, unless it is built.
  service: () =>
    benchService(small ? { traces: 300, rounds: 1 } : { traces: Number(values.traces ?? 9_000), rounds: 4 }),
  // Installs agentevals, for the comparison, unless it is installed.
  trajectory: () =>
    benchTrajectory(
      small ? { lengths: [2, 20], rounds: 1, runsOfEach: 2 } : { lengths: [2, 20, 200], rounds: 60, runsOfEach: 4 },
    ),
  validity: () => {
    if (values.data === undefined) throw new Error('validity needs --data <file> of conversations with known outcome');
    return benchValidity(values.data);
  },
  read: () =>
    benchRead({
      conversations: Number(values.conversations ?? (small ? 2_000 : 1_000_000)),
      measuredMs: small ? 10 : 500,
    }),
  page: () =>
    benchPage({
      conversations: Number(values.conversations ?? (small ? 2_000 : 1_000_000)),
      callMs: small ? 20 : 1_000,
      opensBrowser: !small,
    }),
  readers: () =>
    benchReaders(
      small
        ? { conversations: 500, traces: 200, phases: 1, phaseMs: 1_000 }
        : { conversations: Number(values.conversations ?? 100_000), traces: 4_000, phases: 4, phaseMs: 10_000 },
    ),
  export: () => benchExport(small ? { some: 500, many: 2_000 } : { some: 100_000, many: 1_000_000 }),
  words: () => benchWords({ traces: Number(values.traces ?? (small ? 300 : 24_000)), rounds: small ? 2 : 48 }),
  scrape: () => benchScrape(small ? { series: 2000, rounds: 2 } : { series: SERIES_MAX, rounds: 11 }),
  start: () =>
    benchStart(
      small
        ? { conversations: 2_000, rounds: 1 }
        : { conversations: Number(values.conversations ?? 1_000_000), rounds: 5 },
    ),
  store: () => {
    const size = small
      ? { open: 1000, evaluated: 1000, scored: 20 }
      : { open: 100_000, evaluated: 2_000_000, scored: 300 };
    return benchStoreMemory(size);
  },
};

if (!(name in benches)) {
  process.stderr.write(`no benchmark is called ${name}; there are: ${Object.keys(benches).join(', ')}\n`);
  process.exitCode = 2;
} else {
  // The cast holds: the name was just looked up.
  const { rows, notes } = await benches[name as keyof typeof benches]();
  if (values.json) process.stdout.write(`${JSON.stringify(rows)}\n`);
  else {
    for (const { name: of, ...figures } of rows) {
      const written = Object.entries(figures).map(([figure, value]) => `${figure} ${value}`);
      process.stdout.write(`${of}\n  ${written.join('   ')}\n`);
    }
    for (const note of notes) process.stdout.write(`  ${note}\n`);
  }
}
