/** `assay score`: scores recorded spans and prints what a test runner would. */
import type { Command } from 'commander';
import { scoreRecorded } from '../../offline/score-recording.ts';
import { type RecordedBatch, RecordingError, readRecording } from '../../offline/recording.ts';
import { toReportJson } from '../../report/documents/report-json.ts';
import { toJUnit } from '../../report/documents/junit.ts';
import { summarize } from '../../report/documents/summary.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { criteriaNotAsked, judgeProgress, startJudges } from '../judges-offline.ts';
import { load } from '../load.ts';
import { printSummary } from '../print-summary.ts';
import { settingOption } from '../setting-option.ts';
import type { Terminal } from '../terminal.ts';
import { writeReport } from '../write-report.ts';

interface ScoreFlags {
  readonly suite?: readonly string[];
  readonly config?: string;
  readonly dataDir?: string;
  readonly json?: boolean;
  readonly junit?: string;
  readonly judges?: boolean;
}

export function addScore(program: Command, terminal: Terminal): void {
  program
    .command('score')
    .description('score recorded spans: OTLP as JSON lines or protobuf, plain or compressed, or a journal folder')
    .argument('<files...>', 'files to read together, as one recording; - is standard input')
    .option('--suite <file or name...>', 'suites to score with, instead of the configured ones')
    .addOption(settingOption('config'))
    .addOption(settingOption('data_dir'))
    .option(
      '--judges',
      'ask the configured judges, within their budget, what no answer is kept of; without it, judged criteria are skipped',
    )
    .option('--json', 'print {summary, evaluations} as JSON')
    .option('--junit <file>', 'write the evaluations as JUnit XML as well; - is standard output')
    .action(async (files: readonly string[], flags: ScoreFlags) => {
      const secrets = flags.judges === true ? 'all' : "the store's";
      const location = { config: flags.config, dataDir: flags.dataDir };
      const { settings, suites } = await load(location, { suites: flags.suite ?? [], secrets });
      const startedAt = performance.now();
      const judges = flags.judges === true ? await startJudges(settings, terminal) : undefined;
      const judging = judges && judgeProgress(judges, terminal);
      const result = await scoreRecorded({
        batches: readAll(files),
        suites,
        settings,
        judges,
        onProgress: ({ records, turns }) => terminal.progress(`${records} records read, ${turns} turns scored`),
      })
        .catch((error: unknown) => {
          throw error instanceof RecordingError ? new CommandFailure(error.message, EXIT.input) : error;
        })
        .finally(() => judges?.close());
      terminal.progressDone();
      judging?.end();
      const skipped = criteriaNotAsked(result.evaluations);
      if (skipped > 0)
        terminal.err(`${skipped} judged criteria were skipped: --judges asks the judges, which may cost money`);
      await writeReport(flags.junit, () => toJUnit(result.evaluations), terminal);
      if (flags.json === true) terminal.out(JSON.stringify(toReportJson(result.evaluations)));
      else if (flags.junit !== '-') {
        const seconds = (performance.now() - startedAt) / 1000;
        printSummary(terminal, summarize(result.evaluations), { ...result, seconds });
      }
    });
}

async function* readAll(files: readonly string[]): AsyncGenerator<RecordedBatch> {
  for (const file of files) yield* readRecording(file);
}
