/** `assay inspect`: what Assay understands of some spans, before any of them is scored. */
import type { Command } from 'commander';
import { type RecordedBatch, RecordingError, readRecording } from '../../pipeline/recording.ts';
import { understandRecorded } from '../../pipeline/understand.ts';
import { toInspectionJson } from '../../report/inspection-json.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';

export function addInspect(program: Command, terminal: Terminal): void {
  program
    .command('inspect')
    .description('show what Assay understands of recorded spans: conversations, turns, tool calls, and what is missing')
    .argument('<files...>', 'traces and logs of one run, together, as for `assay score`; - is standard input')
    .option('--json', 'print an array with one object for each conversation')
    .action(async (files: readonly string[]) => {
      const { conversations } = await understandRecorded(readAll(files)).catch((error: unknown) => {
        throw error instanceof RecordingError ? new CommandFailure(error.message, EXIT.input) : error;
      });
      terminal.out(JSON.stringify(toInspectionJson(conversations), undefined, 2));
    });
}

async function* readAll(files: readonly string[]): AsyncGenerator<RecordedBatch> {
  for (const file of files) yield* readRecording(file);
}
