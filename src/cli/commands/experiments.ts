/** `assay experiments` and `assay show`: which experiments there are, what one of them says, and what the agent did with a case. */
import type { Command } from 'commander';
import { z } from 'zod';
import { suitesOf } from '../../statistics/compare/compare-experiments.ts';
import { reliabilityOf } from '../../statistics/compare/reliability.ts';
import type { Settings } from '../../config/settings.ts';
import { didYouMean } from '../../model/did-you-mean.ts';
import { caseRunShape, type ExperimentResult } from '../../model/experiment.ts';
import { tryConversationOfRun } from '../../engine/recorded/recorded-run.ts';
import { repeatsSections } from '../../report/documents/comparison-document.ts';
import { reliabilityJson } from '../../report/documents/comparison-json.ts';
import { transcriptOf } from '../../report/documents/transcript.ts';
import { toExperimentJson } from '../../store/experiment/experiment-json.ts';
import { experimentsIn, findExperiment, readExperiment } from '../../store/experiment/read-experiment.ts';
import { isTaken } from '../../store/experiment/taken-folder.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { load } from '../load.ts';
import { printCaseRun } from '../print-case-run.ts';
import { printBlocks } from '../print-document.ts';
import { type ListedExperiment, printExperiment, printExperiments, type RunState } from '../print-experiments.ts';
import { summaryOf } from '../experiment-summary.ts';
import { printKeptRuns, runsJson } from '../print-runs.ts';
import { addImport } from './experiments-import.ts';
import { settingOption } from '../setting-option.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { safe, type Terminal } from '../terminal.ts';

interface Flags {
  readonly json?: boolean;
  readonly experiments?: string;
  readonly config?: string;
}

const LIMIT = '20';

export function addExperiments(program: Command, terminal: Terminal): void {
  const common = (command: Command) =>
    command
      .option('--json', 'print it as JSON')
      .addOption(settingOption('experiments'))
      .addOption(settingOption('config'));

  const experiments = common(program.command('experiments'));
  addImport(experiments, terminal, (folder, options) => showExperiment(terminal, listedFrom(folder), options));
  experiments
    .description('list the experiments with their datasets and results')
    .option('--limit <n>', 'at most this many, latest first', LIMIT)
    .action(async (flags: Flags & { readonly limit: string }) => {
      const settings = await settingsOf(flags);
      if (!/^[1-9]\d{0,5}$/.test(flags.limit))
        throw new CommandFailure(`--limit: ${safe(flags.limit, 60)} is not a whole number of at least 1`, EXIT.usage);
      const found = experimentsIn(settings.experimentsDir, (problem) => terminal.err(safe(problem)));
      const latest = found.slice(-Number(flags.limit)).reverse();
      const listed = latest.map(({ folder }) => listedFrom(folder));
      if (flags.json === true) terminal.out(visibleJson(listed.map(toJson)));
      else if (listed.length === 0)
        terminal.out(`No experiments in ${settings.experimentsDir}: assay run or assay experiments import makes one.`);
      else printExperiments(terminal, listed);
      if (found.length > latest.length)
        terminal.err(`${found.length - latest.length} older ones are not shown: --limit ${found.length}`);
    });

  common(program.command('show'))
    .description('show an experiment; with a case, each of its runs with the verdicts')
    .argument('<experiment>', 'its id, name or folder, or `latest`')
    .argument('[case]', 'the id of a case')
    .action(async (reference: string, name: string | undefined, flags: Flags) => {
      const settings = await settingsOf(flags);
      const listed = listedFrom(findExperiment(settings.experimentsDir, reference));
      if (name !== undefined) await showCase(terminal, listed, { name, settings, json: flags.json === true });
      else showExperiment(terminal, listed, { json: flags.json === true });
    });
}

async function settingsOf(flags: Flags): Promise<Settings> {
  // An experiment records its suites, so no configured suite is loaded.
  const given = { config: flags.config, experiments: flags.experiments };
  return (await load(given, { suites: ['default'], secrets: "the store's" })).settings;
}

function listedFrom(folder: string): ListedExperiment {
  // First: who is done has all its runs.
  const isWritten = isTaken(folder);
  const result = readExperiment(folder);
  return { folder, result, state: stateOf(result, isWritten) };
}

function stateOf({ experiment }: ExperimentResult, isWritten: boolean): RunState {
  if (experiment.endedAt !== undefined) return 'ended';
  return isWritten ? 'running' : 'interrupted';
}

function toJson({ folder, result, state }: ListedExperiment) {
  const { experiment, runs } = result;
  const { suites } = summaryOf(result);
  return { ...toExperimentJson(experiment), folder, state, runs: runs.length, summary: suites };
}

function showExperiment(terminal: Terminal, listed: ListedExperiment, { json }: { readonly json: boolean }): void {
  const { folder, result, state } = listed;
  const reliabilities = suitesOf(result).map((suite) => reliabilityOf(result, suite));
  if (json) {
    const reliability = reliabilities.map(reliabilityJson);
    terminal.out(visibleJson({ ...runsJson(result), folder, state, reliability }));
    return;
  }
  printExperiment(terminal, listed);
  printKeptRuns(terminal, result);
  printBlocks(
    terminal,
    reliabilities.flatMap((one) => repeatsSections(one.suite, one)),
    2,
  );
}

async function showCase(
  terminal: Terminal,
  { folder, result }: ListedExperiment,
  { name, settings, json }: { readonly name: string; readonly settings: Settings; readonly json: boolean },
): Promise<void> {
  const { experiment } = result;
  const runs = result.runs.filter((run) => run.case === name).sort((a, b) => a.repeat - b.repeat);
  if (runs.length === 0) {
    const nearest = didYouMean(name, new Set(result.runs.map((run) => run.case)));
    const hint = nearest === undefined ? '' : `; did you mean ${safe(nearest, 80)}?`;
    throw new CommandFailure(`no run of a case ${safe(name, 80)} is known${hint}`, EXIT.input);
  }
  const shown: object[] = [];
  for (const run of runs) {
    const conversation = await tryConversationOfRun(folder, run, settings);
    if (json) {
      const transcript = 'because' in conversation ? null : transcriptOf(conversation);
      shown.push({ ...z.encode(caseRunShape, run), transcript });
    } else {
      const { name: called, repeats } = experiment;
      printCaseRun(terminal, { experiment: called, run, repeats, conversation, evaluations: run.evaluations });
    }
  }
  if (json) terminal.out(visibleJson({ experiment: toExperimentJson(experiment), case: name, runs: shown }));
}
