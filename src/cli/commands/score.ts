/** `assay score`: scores recorded spans and prints what a test runner would. */
import type { Command } from 'commander';
import { toScoreJson } from '../score-json.ts';
import { toJUnit } from '../../report/documents/junit.ts';
import { summarize } from '../../report/documents/summary.ts';
import { printSummary } from '../print-summary.ts';
import { addScoringOptions, type ScoringFlags, scoreFiles } from '../score-files.ts';
import { visibleJson } from '../../model/visible-text.ts';
import type { Terminal } from '../terminal.ts';
import { writeReport } from '../write-report.ts';

interface ScoreFlags extends ScoringFlags {
  readonly json?: boolean;
  readonly junit?: string;
}

export function addScore(program: Command, terminal: Terminal): void {
  const command = program
    .command('score')
    .description('score recorded spans: OTLP as JSON lines or protobuf, plain or compressed, or a journal folder');
  addScoringOptions(command)
    .option('--json', 'print {summary, input, evaluations} as JSON')
    .option('--junit <file>', 'write the evaluations as JUnit XML as well; - is standard output')
    .action(async (files: readonly string[], flags: ScoreFlags) => {
      const result = await scoreFiles(files, flags, terminal);
      await writeReport(flags.junit, () => toJUnit(result.evaluations), terminal);
      if (flags.json === true) terminal.out(visibleJson(toScoreJson(result)));
      else if (flags.junit !== '-') printSummary(terminal, summarize(result.evaluations), result);
    });
}
