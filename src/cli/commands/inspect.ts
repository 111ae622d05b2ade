/** `assay inspect`: what Assay understands of some spans, before any of them is scored. */
import { counted } from '../../model/counted.ts';
import type { Command } from 'commander';
import { dialectOf } from '../../normalize/rule-dialect.ts';
import { type RecordedBatch, recordedMessages } from '../../engine/recorded/recorded-batch.ts';
import { readRecordings, redactRecorded } from '../../offline/recording.ts';
import { type Understood, understandRecorded } from '../../engine/recorded/understand-recording.ts';
import { toPlain } from '../../reader/to-plain.ts';
import { toInspectionJson } from '../../report/inspect/inspection-json.ts';
import { latestOfService, spansOfService } from '../conversation-of-service.ts';
import { reportExpected } from '../expected-conversations.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { load } from '../load.ts';
import { printInspection } from '../print-inspection.ts';
import { withoutAgent } from '../print-summary.ts';
import { askedPort, type AskedService, askedService, type ServiceFlags, tokenOption } from '../running-service.ts';
import { settingOption } from '../setting-option.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { safe, type Terminal } from '../terminal.ts';
import { wholeNumber } from '../whole-number.ts';

type InspectFlags = ServiceFlags & { readonly why?: boolean; readonly latest: string; readonly expect?: string };

export function addInspect(program: Command, terminal: Terminal): void {
  program
    .command('inspect')
    .description('show what Assay reads from spans, what they lack, and how to switch it on')
    .argument(
      '[files...]',
      'traces and logs of one run, read together: OTLP as JSON lines or protobuf, plain or compressed, a journal folder, or conversations in other formats; - is standard input. Without any, the latest conversations of the running service',
    )
    .option('--url <url>', 'the service to ask (default: that of the configuration, on this machine)')
    .option('--latest <number>', 'number of conversations of the service', '5')
    .option('--json', 'print an array with one object for each conversation')
    .option('--expect <file>', 'compare with the conversations in it, as `assay export --as conversations` writes them')
    .option('--why', 'also show each span: every field of it, and the attribute or rule that decided it')
    .addOption(settingOption('config'))
    .addOption(tokenOption())
    .addOption(askedPort())
    .action(async (files: readonly string[], flags: InspectFlags) => {
      if (files.length > 0 && flags.url !== undefined)
        throw new CommandFailure('files are read here and --url asks a service: use only one of them', EXIT.usage);
      const { settings } = await load({ config: flags.config, httpPort: flags.httpPort }, { secrets: "the store's" });
      const batches =
        files.length === 0
          ? stored(askedService(flags, settings), wholeNumber('--latest', flags.latest))
          : redactRecorded(readRecordings(files), settings);
      const understood = await understandRecorded(batches, {
        conversationKeys: settings.conversation.idKeys,
      });
      const { conversations } = understood;
      if (flags.expect !== undefined) {
        reportExpected(terminal, conversations.map(toPlain), { file: flags.expect, asJson: flags.json === true });
        return;
      }
      if (flags.json === true) {
        terminal.out(visibleJson(toInspectionJson(conversations, dialectOf), 2));
        return;
      }
      printInspection(terminal, conversations, { why: flags.why === true, dialectOf });
      terminal.out(inNumbers(understood));
    });
}

function inNumbers({ conversations, requests, records, rejected, otherTraces, otherScopes }: Understood): string {
  const notes = [
    `${counted(conversations.length, 'conversation')} in ${counted(records, 'span or log record', 'spans and log records')} of ${counted(requests, 'request')}`,
    ...(otherTraces > 0
      ? [
          otherScopes.size === 0
            ? `${withoutAgent(otherTraces)}: these are log records alone; give the traces of the same run as well`
            : `${withoutAgent(otherTraces)}, from ${scopesIn(otherScopes)}: if that is your agent, its attributes are not understood (docs/start/frameworks.md, "Your own code")`,
        ]
      : []),
    ...(rejected > 0 ? [`${counted(rejected, 'record')} without a valid trace or span id left out`] : []),
  ];
  return notes.join('; ');
}

const SCOPES_SHOWN = 3;

function scopesIn(scopes: ReadonlySet<string>): string {
  const shown = [...scopes].slice(0, SCOPES_SHOWN).map((scope) => safe(scope || 'a scope without a name', 60));
  return scopes.size > SCOPES_SHOWN ? `${shown.join(', ')} and others` : shown.join(', ');
}

/** Reads the spans that the service keeps of its latest conversations; they were redacted when they came. */
async function* stored(service: AskedService, limit: number): AsyncGenerator<RecordedBatch> {
  for (const id of await latestOfService(service, limit)) {
    for (const { traces, logs } of await spansOfService(id, service))
      yield* recordedMessages({ traces: [traces], logs: logs === undefined ? [] : [logs] });
  }
}
