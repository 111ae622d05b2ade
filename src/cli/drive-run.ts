/** Runs what `assay run` has planned: progress, Ctrl-C, judges, and what is printed at the end. */
import { environmentWithoutSecrets } from '../config/environment-without-secrets.ts';
import type { AgentTarget } from '../agent-runner/agent-target.ts';
import { offlineRedaction } from '../engine/redaction-rules.ts';
import { unusedTracesOf } from '../model/compared-traces.ts';
import { visibleJson } from '../model/visible-text.ts';
import { type ExperimentEnd, runExperiment } from '../offline/run/run-experiment.ts';
import type { PlannedRun } from '../offline/run/run-plan.ts';
import type { ExperimentFolder } from '../store/experiment/experiment-folder.ts';
import { CommandFailure, EXIT, INTERRUPTED } from './exit-codes.ts';
import { startJudges } from './judges-offline.ts';
import { failOn, type Loaded } from './load.ts';
import { leftText, printRuns, runsJson } from './print-runs.ts';
import { RunProgress } from './run-progress.ts';
import { safe, type Terminal } from './terminal.ts';
import type { Looks } from './until-decided.ts';

/** How the agent is driven. */
export interface Driving {
  readonly dataset: { readonly file: string };
  readonly target: AgentTarget;
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly settleMs: number;
  readonly otlpPort: number;
  readonly headers: { readonly [name: string]: string };
}

interface Driven {
  readonly folder: ExperimentFolder;
  readonly wanted: Driving;
  readonly parts: readonly (readonly PlannedRun[])[];
  /** Undefined unless it ends as soon as a gate is decided. */
  readonly looks: Looks | undefined;
  readonly loaded: Loaded;
  readonly flags: { readonly judges?: boolean; readonly json?: boolean };
}

const SPANS_WITHIN_MS = 10_000;

/** The exit code; throws `CommandFailure` where runs are left that should have been made. */
export async function driveRun(terminal: Terminal, driven: Driven): Promise<number> {
  const { folder, wanted, parts, looks, flags } = driven;
  const all = parts.reduce((sum, part) => sum + part.length, 0);
  const end = await runsOf(terminal, driven, all);
  const isEnded = end.is === 'ended';
  for (const warning of isEnded ? unusedTracesOf(folder) : []) terminal.err(`warning: ${safe(warning, 600)}`);
  if (flags.json === true) {
    const gate = isEnded && looks !== undefined ? { gate: looks.json() } : {};
    terminal.out(visibleJson({ ...runsJson(folder), ...gate }));
  } else {
    printRuns(terminal, folder, end);
    if (isEnded) looks?.print();
  }
  if (isEnded) return looks?.exitCode ?? EXIT.ok;
  const resume = `assay run ${wanted.dataset.file} --resume ${folder.experiment.id}`;
  const left = `${leftText(end.left, all)} To go on`;
  if (end.is === 'stopped') throw new CommandFailure(`Stopped; ${left}: ${resume}`, INTERRUPTED);
  const kept = `The failed runs are kept in ${safe(folder.folder, 1000)}. After fixing the setup, begin a new experiment.`;
  const lines = [safeLines(end.because), kept, ...(end.left > 0 ? [`${left} all the same: ${resume}`] : [])];
  throw new CommandFailure(lines.join('\n'), EXIT.input);
}

async function runsOf(
  terminal: Terminal,
  { folder, wanted, parts, looks, loaded, flags }: Driven,
  all: number,
): Promise<ExperimentEnd> {
  const judges = await judgesFor(flags, loaded, terminal);
  const progress = new RunProgress(terminal, { folder, all });
  progress.begin();
  looks?.begin();
  const { stop, abandon, release } = stopSignals((order) => progress.stopping(order));
  // A pending request then ends with an error, and the run is planned again.
  let closed: Promise<void> | undefined;
  const closeJudges = () => {
    closed ??= judges?.close();
    return closed;
  };
  abandon.addEventListener('abort', () => void closeJudges());
  try {
    return await runExperiment({
      ...wanted,
      folder,
      parts,
      ...(looks === undefined ? {} : { isEnough: (part: number) => looks.hold(part) }),
      places: wanted.concurrency,
      settings: loaded.settings,
      suites: loaded.suites,
      judges,
      spansWithinMs: SPANS_WITHIN_MS,
      redaction: offlineRedaction(loaded.settings),
      cwd: process.cwd(),
      environment: environmentWithoutSecrets(process.env, loaded),
      stop,
      abandon,
      onStarted: () => progress.started(),
      onAbandoned: () => progress.abandoned(),
      onKept: (run) => progress.kept(run),
    });
  } finally {
    release();
    await closeJudges();
    progress.end();
  }
}

function safeLines(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith('  ') ? `  ${safe(line, 2000)}` : safe(line, 2000)))
    .join('\n');
}

/** Ctrl-C or SIGTERM once: begin nothing more. Twice: end what is in flight. */
function stopSignals(onStop: (order: 'first' | 'second') => void) {
  const stop = new AbortController();
  const abandon = new AbortController();
  const hear = () => {
    onStop(stop.signal.aborted ? 'second' : 'first');
    if (stop.signal.aborted) abandon.abort();
    stop.abort();
  };
  // The terminal is gone: nobody can say it twice.
  const hangUp = () => {
    stop.abort();
    abandon.abort();
  };
  for (const name of SIGNALS) process.on(name, hear);
  process.on('SIGHUP', hangUp);
  const release = () => {
    for (const name of SIGNALS) process.off(name, hear);
    process.off('SIGHUP', hangUp);
  };
  return { stop: stop.signal, abandon: abandon.signal, release };
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Only where somebody is to be asked are the judges' keys needed. */
async function judgesFor({ judges }: Driven['flags'], { suites, settings, loadSettings }: Loaded, terminal: Terminal) {
  const hasQuestions = suites.some(({ criteria }) => criteria.some(({ judged }) => judged !== undefined));
  const isAsked = judges ?? (hasQuestions && settings.judging.judges.length > 0);
  if (!isAsked) return undefined;
  failOn(loadSettings().mistakes);
  return await startJudges(settings, terminal);
}
