/** `assay labels import`: puts what people said of conversations into the service that is running, to compare judges with it. */
import type { Command } from 'commander';
import { z } from 'zod';
import { failOn } from '../load.ts';
import { readLabels, type WrittenLabel } from '../read-labels.ts';
import { ask, askedPort, type ServiceFlags, serviceOf, writing } from '../running-service.ts';
import { settingOption } from '../setting-option.ts';
import { jsonText, type Terminal } from '../terminal.ts';

/** As many as one request may have. */
const LABELS_MAX = 1000;
const answerSchema = z.object({ added: z.number() });

export function addLabels(program: Command, terminal: Terminal): void {
  const labels = program
    .command('labels')
    .description('what people say of conversations: by it Assay says how far judges can be trusted');
  labels
    .command('import')
    .description('put the labels of a file into the service that is running; what it has already is not put again')
    .argument(
      '<file>',
      'YAML, JSON, JSON lines (.jsonl) or CSV: conversation, suite, criterion, label, by, turn_id, note',
    )
    .option('--by <person>', 'who says so, where the file does not')
    .option('--suite <name>', 'the suite, where the file does not say it')
    .option('--url <url>', 'the service to ask (default: that of the configuration, on this machine)')
    .option('--json', 'print the counts as JSON')
    .addOption(settingOption('config'))
    .addOption(askedPort())
    .action(async (file: string, flags: ServiceFlags & { readonly by?: string; readonly suite?: string }) => {
      const read = readLabels(file, { by: flags.by, suite: flags.suite });
      failOn(read.mistakes);
      const added = await putAll(read.labels, serviceOf(flags));
      const counts = { labels: read.labels.length, added };
      terminal.out(
        flags.json === true
          ? jsonText(counts)
          : `${counts.labels} labels, ${added} of them new: metrics show them within a minute`,
      );
    });
}

/** Those before one that is refused stay put; after the mistake is mended the file can be imported again. */
async function putAll(
  labels: readonly WrittenLabel[],
  { url, writeToken }: ReturnType<typeof serviceOf>,
): Promise<number> {
  let added = 0;
  for (const [conversation, own] of Map.groupBy(labels, (label) => label.conversation)) {
    for (let first = 0; first < own.length; first += LABELS_MAX) {
      const some = own.slice(first, first + LABELS_MAX).map(({ conversation: _, ...label }) => label);
      const address = new URL(`/v1/labels/${encodeURIComponent(conversation)}`, url);
      added += answerSchema.parse(await ask(address, writing('PUT', some, writeToken))).added;
    }
  }
  return added;
}
