/** `assay score`: scores recorded spans and prints what a test runner would. */
import type { Command } from 'commander';
import type { WrittenReading } from '../../model/readings.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { addOutcomeOptions, goodLimitOf, type OutcomeFlags } from '../outcome-options.ts';
import { readingsIn } from '../read-annotations.ts';
import { toScoreJson } from '../score-json.ts';
import { toJUnit } from '../../report/documents/junit.ts';
import { summarize } from '../../report/documents/summary.ts';
import { printSummary } from '../print-summary.ts';
import { addScoringOptions, type ScoringFlags, scoreFiles } from '../score-files.ts';
import { visibleJson } from '../../model/visible-text.ts';
import type { Terminal } from '../terminal.ts';
import { writeReport } from '../write-report.ts';

interface ScoreFlags extends ScoringFlags, OutcomeFlags {
  readonly readings?: string;
  readonly json?: boolean;
  readonly junit?: string;
}

export function addScore(program: Command, terminal: Terminal): void {
  const command = program
    .command('score')
    .description('score recorded spans: OTLP as JSON lines or protobuf, plain or compressed, or a journal folder');
  addScoringOptions(command).option(
    '--readings <file>',
    'a file of {conversation_id, answer}, or annotations of another tool: how many conversations went well',
  );
  addOutcomeOptions(command, 'with --readings: the annotation that says whether a conversation went well')
    .option('--json', 'print {estimate, to_read, summary, input, evaluations} as JSON')
    .option('--junit <file>', 'write the evaluations as JUnit XML as well; - is standard output')
    .action(async (files: readonly string[], flags: ScoreFlags) => {
      const result = await scoreFiles(files, flags, terminal, readingsOf(flags));
      await writeReport(flags.junit, () => toJUnit(result.evaluations), terminal);
      if (flags.json === true) terminal.out(visibleJson(toScoreJson(result)));
      else if (flags.junit !== '-') printSummary(terminal, summarize(result.evaluations), result);
    });
}

function readingsOf(flags: ScoreFlags): readonly WrittenReading[] {
  if (flags.readings !== undefined) return readingsIn(flags.readings, { by: 'reader', ...flags }).readings;
  if (flags.label === undefined && goodLimitOf(flags) === undefined) return [];
  throw new CommandFailure('--label, --good-from and --good-up-to need --readings', EXIT.usage);
}
