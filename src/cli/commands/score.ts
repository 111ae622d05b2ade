/** `assay score`: scores recorded spans and prints what a test runner would. */
import type { Command } from 'commander';
import type { WrittenReading } from '../../model/readings.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { addOutcomeOptions, type OutcomeFlags } from '../outcome-options.ts';
import { readingsIn } from '../read-annotations.ts';
import { toScoreJson } from '../score-json.ts';
import { toJUnit } from '../../report/documents/junit.ts';
import { summarize } from '../../report/documents/summary.ts';
import { printSummary } from '../print-summary.ts';
import { addScoringOptions, type ScoringFlags, scoreFiles } from '../score-files.ts';
import { visibleJson } from '../../model/visible-text.ts';
import type { Terminal } from '../terminal.ts';
import { writeReport } from '../write-report.ts';

type ScoreFlags = ScoringFlags &
  OutcomeFlags & {
    readonly readings?: string;
    readonly json?: boolean;
    readonly junit?: string;
  };

const HELP = `
Readings are a CSV, JSON or JSON lines file with conversation_id and answer (good, bad or cannot_tell), or annotations
that Langfuse, Phoenix, LangSmith or MLflow export. Read in the order of \`to_read\`: see docs/estimate.md.

Examples:
  assay score recorded.jsonl --suite default
  assay score recorded.jsonl --suite default --readings readings.csv`;

export function addScore(program: Command, terminal: Terminal): void {
  const command = program
    .command('score')
    .description('score recorded spans: OTLP as JSON lines or protobuf, plain or compressed, or a journal folder');
  addScoringOptions(command).option(
    '--readings <file>',
    'how conversations went, as people read: the summary begins with the share that went well',
  );
  addOutcomeOptions(command, 'with --readings from another tool: the annotation that says whether it went well')
    .option('--json', 'print {estimate, to_read, summary, input, evaluations} as JSON')
    .option('--junit <file>', 'write the evaluations as JUnit XML as well; - is standard output')
    .addHelpText('after', HELP)
    .action(async (files: readonly string[], flags: ScoreFlags) => {
      const read = readingsOf(flags);
      const result = await scoreFiles(files, { ...flags, read }, terminal);
      await writeReport(flags.junit, () => toJUnit(result.evaluations), terminal);
      if (flags.json === true) terminal.out(visibleJson(toScoreJson(result)));
      else if (flags.junit !== '-') printSummary(terminal, summarize(result.evaluations), result);
    });
}

function readingsOf(flags: ScoreFlags): readonly WrittenReading[] {
  const { readings, label, goodFrom, goodUpTo } = flags;
  if (readings !== undefined) return readingsIn(readings, { ...flags, by: 'reader' }).readings;
  const given = Object.entries({ label, 'good-from': goodFrom, 'good-up-to': goodUpTo }).find(([, value]) => value);
  if (given !== undefined) throw new CommandFailure(`--${given[0]} needs --readings`, EXIT.usage);
  return [];
}
