/** `assay compare`: is the one version of an agent better than the other, by what, how sure is that, and where does one see it? */
import { type Command, InvalidArgumentError } from 'commander';
import { compareExperiments, suitesOf } from '../../statistics/compare/compare-experiments.ts';
import { tellingRuns } from '../../statistics/compare/telling-runs.ts';
import type { Settings } from '../../config/settings.ts';
import { didYouMean } from '../../model/did-you-mean.ts';
import type { ExperimentResult } from '../../model/experiment.ts';
import { tryConversationOfRun } from '../../engine/recorded/recorded-run.ts';
import { comparisonJson } from '../../report/documents/comparison-json.ts';
import { comparisonDocument } from '../../report/documents/comparison-document.ts';
import { findExperiment, readExperiment } from '../../store/experiment/read-experiment.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { load } from '../load.ts';
import { printCaseRun } from '../print-case-run.ts';
import { printReport } from '../print-report.ts';
import { settingOption } from '../setting-option.ts';
import { safe, type Terminal } from '../terminal.ts';

interface CompareFlags {
  readonly suite?: readonly string[];
  readonly json?: boolean;
  readonly markdown?: string;
  readonly confidence: number;
  readonly smallest: number;
  readonly flipped: number;
  readonly transcripts?: string;
  readonly experiments?: string;
  readonly config?: string;
}

const COMPARE_HELP = `
Each measure gets a conclusion. Better or worse, or fewer or more faults where a suite knows form or rules alone: the
difference is unlikely to be chance. No difference shown: any difference is smaller than --smallest. Otherwise: not enough evidence, with the number of additional cases needed.

  assay compare baseline candidate
  assay compare baseline candidate --transcripts free-slot-1`;

export function addCompare(program: Command, terminal: Terminal): void {
  program
    .command('compare')
    .description('compare two experiments: what changed, how certain that is, and in which cases')
    .argument('<a>', 'the experiment before: its id, name or folder, or `latest`')
    .argument('<b>', 'the experiment after')
    .option('--suite <name...>', 'only these suites, of those that scored both')
    .option('--confidence <share>', 'confidence of the intervals and conclusions', share, 0.95)
    .option('--smallest <difference>', 'the smallest difference that matters, as a share', share, 0.05)
    .option('--flipped <n>', 'number of flipped cases to show', count, 10)
    .option('--transcripts <case>', 'show both runs of a case with their verdicts, instead of the comparison')
    .option('--json', 'print the comparison as JSON')
    .option('--markdown <file>', 'also write Markdown, for a pull request; - is standard output')
    .addOption(settingOption('experiments'))
    .addOption(settingOption('config'))
    .addHelpText('after', COMPARE_HELP)
    .action(async (a: string, b: string, flags: CompareFlags) => {
      const { settings } = await load(
        { config: flags.config, experiments: flags.experiments },
        { suites: ['default'], secrets: "the store's" },
      );
      const [first, second] = [found(settings, a), found(settings, b)];
      failOnUnknownSuites(flags.suite, [first.result, second.result]);
      if (flags.transcripts !== undefined) {
        await printTranscripts(terminal, {
          name: flags.transcripts,
          suites: flags.suite,
          sides: { A: first, B: second },
          settings,
        });
        return;
      }
      const comparison = compareExperiments(first.result, second.result, {
        confidence: flags.confidence,
        smallest: flags.smallest,
        suites: flags.suite,
      });
      const document = comparisonDocument(comparison, { flippedMax: flags.flipped });
      await printReport(terminal, flags, { document, json: comparisonJson(comparison) });
    });
}

interface Found {
  readonly folder: string;
  readonly result: ExperimentResult;
}

function found(settings: Settings, reference: string): Found {
  const folder = findExperiment(settings.experimentsDir, reference);
  return { folder, result: readExperiment(folder) };
}

function failOnUnknownSuites(asked: readonly string[] | undefined, results: readonly ExperimentResult[]): void {
  const known = results.map(suitesOf);
  const inAll = [...new Set(known.flat())].filter((suite) => known.every((suites) => suites.includes(suite)));
  for (const suite of asked ?? []) {
    if (inAll.includes(suite)) continue;
    const meant = didYouMean(suite, inAll);
    const hint =
      meant === undefined
        ? `: ${inAll.map((name) => safe(name, 80)).join(', ') || 'none did'}`
        : `; did you mean ${safe(meant, 80)}?`;
    throw new CommandFailure(`no suite ${safe(suite, 80)} scored both${hint}`, EXIT.usage);
  }
}

async function printTranscripts(
  terminal: Terminal,
  asked: {
    readonly name: string;
    readonly suites: readonly string[] | undefined;
    readonly sides: Readonly<Record<'A' | 'B', Found>>;
    readonly settings: Settings;
  },
): Promise<void> {
  const { A, B } = asked.sides;
  const runs = tellingRuns(asked.name, { a: A.result, b: B.result }, asked.suites);
  if (runs === undefined) throw new CommandFailure(noSuchCase(asked.name, [A.result, B.result]), EXIT.input);
  for (const [side, one, run] of [
    ['A', A, runs.a],
    ['B', B, runs.b],
  ] as const) {
    const { experiment } = one.result;
    if (run === undefined) {
      terminal.out(`\n  ${side}  ${safe(experiment.name, 60)}: the case was not run`);
      continue;
    }
    const conversation = await tryConversationOfRun(one.folder, run, asked.settings);
    const evaluations = run.evaluations.filter(({ suite }) => asked.suites?.includes(suite) ?? true);
    printCaseRun(terminal, {
      side,
      experiment: experiment.name,
      run,
      repeats: experiment.repeats,
      conversation,
      evaluations,
    });
  }
}

function noSuchCase(name: string, results: readonly ExperimentResult[]): string {
  const meant = didYouMean(name, new Set(results.flatMap(({ runs }) => runs.map((run) => run.case))));
  const hint = meant === undefined ? '' : `; did you mean ${safe(meant, 80)}?`;
  return `no run of a case ${safe(name, 80)} is known in either${hint}`;
}

function share(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !(number > 0 && number < 1))
    throw new InvalidArgumentError('expected a number between 0 and 1, as 0.95');
  return number;
}

function count(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > 100_000) throw new InvalidArgumentError('expected a whole number, 0 or more');
  return number;
}
