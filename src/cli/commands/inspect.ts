/** `assay inspect`: what Assay understands of some spans, before any of them is scored. */
import { counted } from '../../model/counted.ts';
import type { Command } from 'commander';
import { dialectOf } from '../../normalize/rule-dialect.ts';
import { type RecordedBatch, RecordingError, readRecording, redactBatches } from '../../offline/recording.ts';
import { offlineRedaction } from '../../engine/redaction-rules.ts';
import { type Understood, understandRecorded } from '../../offline/understand-recording.ts';
import { toInspectionJson } from '../../report/inspect/inspection-json.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { load } from '../load.ts';
import { printInspection } from '../print-inspection.ts';
import { withoutAgent } from '../print-summary.ts';
import { settingOption } from '../setting-option.ts';
import { jsonText, type Terminal } from '../terminal.ts';

interface InspectFlags {
  readonly json?: boolean;
  readonly why?: boolean;
  readonly config?: string;
}

export function addInspect(program: Command, terminal: Terminal): void {
  program
    .command('inspect')
    .description('show what is understood of recorded spans, what is missing in them, and how to switch that on')
    .argument(
      '<files...>',
      'traces and logs of one run, read together: OTLP as JSON lines or protobuf, plain or compressed, or a journal folder; - is standard input',
    )
    .option('--json', 'print an array with one object for each conversation')
    .option('--why', 'also show each span: every field of it, and the attribute or rule that decided it')
    .addOption(settingOption('config'))
    .action(async (files: readonly string[], flags: InspectFlags) => {
      const { settings } = await load({ config: flags.config }, { secrets: "the store's" });
      const understood = await understandRecorded(redactBatches(readAll(files), offlineRedaction(settings)), {
        conversationKeys: settings.conversation.idKeys,
      }).catch((error: unknown) => {
        throw error instanceof RecordingError ? new CommandFailure(error.message, EXIT.input) : error;
      });
      const { conversations } = understood;
      if (flags.json === true) {
        terminal.out(jsonText(toInspectionJson(conversations, dialectOf), 2));
        return;
      }
      printInspection(terminal, conversations, { why: flags.why === true, dialectOf });
      terminal.out(inNumbers(understood));
    });
}

function inNumbers({ conversations, requests, records, rejected, otherTraces }: Understood): string {
  const notes = [
    `${counted(conversations.length, 'conversation')} in ${counted(records, 'span or log record', 'spans and log records')} of ${counted(requests, 'request')}`,
    ...(otherTraces > 0
      ? [
          conversations.length === 0
            ? `${withoutAgent(otherTraces)}: where these are log records alone, give the traces of the same run as well`
            : withoutAgent(otherTraces),
        ]
      : []),
    ...(rejected > 0 ? [`${counted(rejected, 'record')} without a valid trace or span id left out`] : []),
  ];
  return notes.join('; ');
}

async function* readAll(files: readonly string[]): AsyncGenerator<RecordedBatch> {
  for (const file of files) yield* readRecording(file);
}
