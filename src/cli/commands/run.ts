/** `assay run`: drives an agent over the cases of a dataset, and scores what it did. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Command } from 'commander';
import { USUAL_GATE_FILE } from '../../statistics/compare/gate/gate-between.ts';
import { durationMs } from '../../config/quantities.ts';
import { readAgentTarget, shownTarget } from '../../agent-runner/agent-target.ts';
import type { Dataset } from '../../model/dataset.ts';
import type { Experiment } from '../../model/experiment.ts';
import { formatMistakes, type Mistake } from '../../model/mistake.ts';
import {
  fingerprintOf,
  readDataset,
  taskTruthMistakes,
  weakTruthsRemark,
} from '../../offline/datasets/read-dataset.ts';
import { experimentSuite } from '../../offline/run/experiment-suite.ts';
import { gitState } from '../../offline/run/git-state.ts';
import { whatIsAnother } from '../../offline/run/resume-check.ts';
import { chosenCases, planParts, planRuns } from '../../offline/run/run-plan.ts';
import { createExperiment, resumeExperiment } from '../../store/experiment/experiment-folder.ts';
import { newExperimentId } from '../../store/experiment/experiment-id.ts';
import { findExperiment, readExperiment } from '../../store/experiment/read-experiment.ts';
import { driveRun, type Driving } from '../drive-run.ts';
import { UnreadableInput } from '../../model/unreadable-input.ts';
import { CommandFailure, EXIT, GATE_EXIT, INTERRUPTED, withCauses } from '../exit-codes.ts';
import { failOn, type Loaded, load } from '../load.ts';
import { settingOption } from '../setting-option.ts';
import { safe, type Terminal } from '../terminal.ts';
import { Looks, questionOf, UNTIL_HELP, type UntilFlags } from '../until-decided.ts';
import { version } from '../version.ts';

interface RunFlags extends UntilFlags {
  readonly agent?: string;
  readonly name?: string;
  readonly suite?: readonly string[];
  readonly concurrency: string;
  readonly timeout: string;
  readonly settle: string;
  readonly repeats?: string;
  readonly seed?: string;
  readonly only?: string;
  readonly tag?: readonly string[];
  readonly resume?: string | true;
  readonly force?: boolean;
  readonly experiments?: string;
  readonly otlpPort: string;
  readonly header?: readonly string[];
  readonly judges?: boolean;
  readonly json?: boolean;
  readonly config?: string;
}

const CONCURRENCY_MAX = 256;
const REPEATS_MAX = 10_000;
const SEED_MAX = 2 ** 31 - 1;
const HOUR_MS = 3_600_000;

export function addRun(program: Command, terminal: Terminal): void {
  program
    .command('run')
    .description('run an agent on the cases of a dataset, score its spans, and keep the result as an experiment')
    .argument('<dataset>', 'cases: a YAML file, or JSON lines')
    .option(
      '--agent <target>',
      'a URL, a module (agent.ts, or agent.ts#name for a function other than `agent`), or a command for the shell',
    )
    .option('--name <text>', "name of the experiment (default: the dataset's name)")
    .option('--suite <file or name...>', 'suites to score with, instead of the configured ones')
    .option('--concurrency <n>', 'runs at once', '4')
    .option('--timeout <duration>', 'time limit of a run, all turns together', '2m')
    .option('--repeats <n>', 'number of runs of each case (default 1)')
    .option(
      '--seed <n>',
      'number from which the seed of each run is derived; the same number gives the same seeds (default: a new one)',
    )
    .option('--only <pattern>', 'only cases whose ids match: * is any text, ? a character')
    .option('--tag <tag...>', 'only cases that have one of these tags')
    .option('--resume [experiment]', 'continue an interrupted experiment: its id or name, or the last one')
    .option('--force', 'continue although the agent is called differently than at the beginning')
    .addOption(settingOption('experiments'))
    .option('--otlp-port <port>', 'port to which an agent behind a URL sends its spans', '4318')
    .option('--header <text...>', "headers for an agent behind a URL: 'name: value'")
    .option('--settle <duration>', 'a run is complete when no new span has arrived for this long', '1s')
    .option('--judges', 'ask the configured judges (default: if a suite has questions for them)')
    .option('--no-judges', 'ask no judge; criteria that need one are skipped')
    .option('--until-decided', 'end as soon as the release gate is decided; the exit code is its answer')
    .option('--baseline <experiment>', 'with --until-decided: experiment that the gate compares with')
    .option(
      '--rules <file>',
      `with --until-decided: file of the gate's rules (default: ${USUAL_GATE_FILE}, if it exists)`,
    )
    .option('--json', 'print {experiment, runs, summary} as JSON; with --until-decided also {gate}')
    .addOption(settingOption('config'))
    .addHelpText('after', UNTIL_HELP)
    .exitOverride((error) => {
      if (error.exitCode === 0 || !process.argv.includes('--until-decided')) throw error;
      throw new CommandFailure('', GATE_EXIT.error);
    })
    .action(async (file: string, flags: RunFlags) => {
      const asked = { isGate: flags.untilDecided === true };
      const code = await run(terminal, file, { flags, asked }).catch((error: unknown) => {
        throw asked.isGate ? asGateError(error) : error;
      });
      if (code !== EXIT.ok) throw new CommandFailure('', code);
    });
}

/** The exit code. `asked.isGate`: whether that is the gate's, also of an experiment that is gone on with. */
async function run(
  terminal: Terminal,
  file: string,
  { flags, asked }: { readonly flags: RunFlags; readonly asked: { isGate: boolean } },
): Promise<number> {
  const loaded = await load(
    { config: flags.config, experiments: flags.experiments },
    { suites: flags.suite ?? [], byName: true, secrets: "the store's" },
  );
  const root = loaded.settings.experimentsDir;
  const resumed =
    flags.resume === undefined ? undefined : findExperiment(root, flags.resume === true ? 'latest' : flags.resume);
  const began = resumed === undefined ? undefined : readExperiment(resumed).experiment;
  asked.isGate ||= began?.untilDecided !== undefined;
  const wanted = readWanted(file, flags, began);
  failOn(taskTruthMistakes(wanted.dataset, loaded.suites));
  const remark = weakTruthsRemark(wanted.dataset, loaded.suites);
  if (remark !== undefined) terminal.err(`warning: ${safe(remark, 600)}`);
  const experiment = await experimentOf(wanted, { flags, loaded, began });
  if (began !== undefined) refuseAnother(began, experiment, flags);
  const { dataset, repeats, seed } = wanted;
  const question = await questionOf(flags, { root, experiment, dataset, began });
  const folder =
    resumed === undefined
      ? createExperiment(root, question === undefined ? experiment : { ...experiment, untilDecided: question.plan })
      : resumeExperiment(resumed);
  const looks = question === undefined ? undefined : new Looks(terminal, folder, question);
  const parts =
    looks === undefined
      ? [planRuns(dataset.cases, { repeats, seed })]
      : planParts(looks.ordered(dataset.cases), looks.sizes, { repeats, seed });
  try {
    if (began !== undefined) folder.update({ agent: { ...folder.experiment.agent, target: experiment.agent.target } });
    return await driveRun(terminal, { folder, wanted, parts, looks, loaded, flags });
  } catch (error) {
    // An experiment without runs is not named; one that was stopped can be resumed.
    const isStopped = error instanceof CommandFailure && error.exitCode === INTERRUPTED;
    if (!isStopped && resumed === undefined && folder.runs.length === 0) {
      rmSync(folder.folder, { recursive: true, force: true });
    }
    throw error;
  } finally {
    folder.close();
  }
}

/** An error must not be taken for an answer of the gate. */
function asGateError(error: unknown): CommandFailure {
  if (error instanceof CommandFailure && error.exitCode === INTERRUPTED) return error;
  if (error instanceof CommandFailure || error instanceof UnreadableInput)
    return new CommandFailure(error.message, GATE_EXIT.error);
  return new CommandFailure(error instanceof Error ? withCauses(error) : String(error), GATE_EXIT.error);
}

interface Wanted extends Driving {
  readonly dataset: Dataset;
  readonly targetText: string;
  readonly repeats: number;
  readonly seed: number;
}

/** Flags and dataset, all mistakes of both at once. Options of an experiment that is resumed need not be repeated. */
function readWanted(file: string, flags: RunFlags, began: Experiment | undefined): Wanted {
  const mistakes: Mistake[] = [];
  const mistake = (flag: string, problem: string, expected: string) =>
    mistakes.push({ file: 'the command line', line: undefined, column: undefined, path: flag, problem, expected });
  const whole = (flag: string, text: string, min: number, max: number) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    mistake(flag, `'${text}' is none`, `a whole number from ${min} to ${max}`);
    return min;
  };
  const duration = (flag: string, text: string, min: number) => {
    const parsed = durationMs({ min, max: 24 * HOUR_MS }).safeParse(text);
    if (parsed.success) return parsed.data;
    mistake(flag, `'${text}' is none`, parsed.error.issues[0]?.message ?? 'a duration');
    return min;
  };
  const targetText = flags.agent ?? began?.agent.target ?? '';
  const target = readAgentTarget(targetText, process.cwd());
  if ('problem' in target) mistake('--agent', target.problem, 'http://…, agent.ts, agent.ts#name, or a command');
  const read = readDataset(file);
  mistakes.push(...read.mistakes);
  const seed =
    flags.seed === undefined
      ? (began?.seed ?? randomBytes(4).readUInt32BE(0) >>> 1)
      : whole('--seed', flags.seed, 0, SEED_MAX);
  const repeats =
    flags.repeats === undefined ? (began?.repeats ?? 1) : whole('--repeats', flags.repeats, 1, REPEATS_MAX);
  const numbers = {
    concurrency: whole('--concurrency', flags.concurrency, 1, CONCURRENCY_MAX),
    timeoutMs: duration('--timeout', flags.timeout, 1),
    settleMs: duration('--settle', flags.settle, 0),
    otlpPort: whole('--otlp-port', flags.otlpPort, 0, 65_535),
  };
  const headers: [string, string][] = (flags.header ?? []).map((text) => {
    const [, name, value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*([\t\x20-\x7e\x80-\xff]*)$/.exec(text) ?? [];
    if (name === undefined) mistake('--header', `'${safe(text)}' is none`, "'name: value'");
    return [name ?? '', value];
  });
  const { dataset } = read;
  const cases = chosenCases(dataset?.cases ?? [], { only: flags.only, tags: flags.tag ?? [] });
  if (dataset !== undefined && cases.length === 0) {
    mistake(
      '--only, --tag',
      `none of the ${dataset.cases.length} cases of ${file} is meant`,
      'ids or tags that are there',
    );
  }
  if (mistakes.length > 0 || dataset === undefined || 'problem' in target) {
    throw new CommandFailure(formatMistakes(mistakes), EXIT.usage);
  }
  return {
    dataset: cases.length === dataset.cases.length ? dataset : { ...dataset, cases, fingerprint: fingerprintOf(cases) },
    target,
    targetText: shownTarget(targetText),
    repeats,
    seed,
    ...numbers,
    headers: Object.fromEntries(headers),
  };
}

async function experimentOf(
  { dataset, target, targetText, repeats, seed }: Wanted,
  {
    flags,
    loaded,
    began,
  }: { readonly flags: RunFlags; readonly loaded: Loaded; readonly began: Experiment | undefined },
): Promise<Experiment> {
  const startedAt = new Date();
  return {
    id: began?.id ?? newExperimentId(startedAt, randomBytes(3).toString('hex')),
    name: flags.name ?? began?.name ?? dataset.name,
    startedAt: startedAt.toISOString(),
    endedAt: undefined,
    dataset: {
      name: dataset.name,
      version: dataset.version,
      file: dataset.file,
      fingerprint: dataset.fingerprint,
      cases: dataset.cases.length,
    },
    agent: { kind: target.kind, target: targetText, version: undefined },
    git: await gitState(process.cwd()),
    suites: loaded.suites.map((suite) => experimentSuite(suite, loaded.suitesBaseDirectory)),
    repeats,
    seed,
    assayVersion: version,
  };
}

function refuseAnother(began: Experiment, now: Experiment, { force }: RunFlags): void {
  const agent = force === true ? 'may be another' : 'must be the same';
  const others = whatIsAnother(began, now, { agent });
  if (others.length === 0) return;
  const lines = others.map((other) => `  - ${safe(other, 1000)}`);
  const message = `experiment ${began.id} can't be gone on with; another than at its beginning is`;
  throw new CommandFailure([message, ...lines, 'Without --resume a new one is begun.'].join('\n'), EXIT.usage);
}
