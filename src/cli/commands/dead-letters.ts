/**
 * `assay dead-letters`: what records could not be read and why; sending them back once the cause is mended, or
 * discarding what nobody needs. States and crash points are in `opened-letters.ts`.
 */
import type { Command } from 'commander';
import { KafkajsProducer } from '../../kafka/kafkajs/producer.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { kafkaConnectionOf } from '../../serve/cluster/kafka-connection-of.ts';
import {
  isDone,
  type Letter,
  type LetterFlags,
  lettersIn,
  markDone,
  type OpenedLetters,
  type Selection,
  selectionOf,
  withLetters,
} from '../opened-letters.ts';
import { headRow, printTable } from '../print-table.ts';
import { settingOption } from '../setting-option.ts';
import type { Terminal } from '../terminal.ts';

interface Printing {
  readonly json?: boolean;
  readonly dryRun?: boolean;
  readonly terminal: Terminal;
}

const DISCARD_HELP = `
Discarded records stay in their topic for as long as that keeps it, and \`list --all\` shows them. \`replay --all\` sends
them back nevertheless, with all that were replayed before.

Example:
  assay dead-letters discard --reason "*read as protobuf*" --dry-run`;

export function addDeadLetters(program: Command, terminal: Terminal): void {
  const command = program
    .command('dead-letters')
    .description('list Kafka records that could not be read, send them back or discard them');
  const withFlags = (sub: Command) =>
    sub
      .option('--reason <glob>', 'only records whose reason matches, for example "*decompress*"')
      .option('--limit <n>', 'at most this many')
      .option('--topic <topic>', 'topic of the records (default: kafka.dead_letter_topic)')
      .addOption(settingOption('config'));

  withFlags(command.command('list').description('list the records: time, source, size and reason'))
    .option('--all', 'also records that were already replayed or discarded')
    .option('--json', 'print one JSON object a line')
    .action(async (flags: LetterFlags & { readonly json?: boolean }) => {
      await withLetters(flags, (opened) => list(opened, selectionOf(flags), { ...flags, terminal }));
    });

  withFlags(
    command.command('replay').description('send records back unchanged to the topic and partition they came from'),
  )
    .option('--all', 'also records that were already replayed or discarded')
    .option('--dry-run', 'only show what would be sent')
    .action(async (flags: LetterFlags & { readonly dryRun?: boolean }) => {
      await withLetters(flags, (opened) => replay(opened, selectionOf(flags), { ...flags, terminal }));
    });

  withFlags(command.command('discard').description('no longer list or replay records, because nobody needs them'))
    .option('--dry-run', 'only say how many would be discarded')
    .option('--json', 'print the counts as JSON')
    .addHelpText('after', DISCARD_HELP)
    .action(async (flags: LetterFlags & { readonly dryRun?: boolean; readonly json?: boolean }) => {
      await withLetters(flags, (opened) => discard(opened, selectionOf(flags), { ...flags, terminal }));
    });
}

async function list(opened: OpenedLetters, selection: Selection, { json, terminal }: Printing): Promise<void> {
  let count = 0;
  for await (const letter of lettersIn(opened, selection)) {
    const { topic, partition, offset, reason, record, place, diedAt } = letter;
    count++;
    const size = record.value?.length ?? 0;
    if (json === true) {
      const dead_letter = { ...place, done: isDone(opened, place) };
      terminal.out(visibleJson({ at: timeOf(diedAt), topic, partition, offset, bytes: size, reason, dead_letter }));
      continue;
    }
    // Printed as they are read: the widths are those that are usual.
    const row = [timeOf(diedAt), { text: `${topic}/${partition}@${offset}`, max: 60 }, String(size), reason];
    printTable(terminal, count === 1 ? [headRow('when', 'from', 'bytes', 'reason'), row] : [row], {
      align: 'llrl',
      indent: 0,
      min: [24, 32, 9],
    });
  }
  if (json !== true) terminal.err(count === 0 ? 'no dead letters' : `${count} dead letters`);
}

/** Records that are sent before the place is remembered. */
const SEND_AT_ONCE = 500;
const SEND_AT_ONCE_BYTES = 4 * 1024 * 1024;

async function replay(opened: OpenedLetters, selection: Selection, { dryRun, terminal }: Printing): Promise<void> {
  const producer = new KafkajsProducer({ connection: kafkaConnectionOf(opened.kafka) });
  const counts = { sent: 0, withoutValue: 0 };
  let waiting: Letter[] = [];
  let waitingBytes = 0;
  const flush = async () => {
    if (dryRun !== true) await sendBack(waiting, opened, producer);
    counts.sent += waiting.length;
    waiting = [];
    waitingBytes = 0;
    terminal.progress(`${counts.sent} sent back`);
  };
  try {
    for await (const letter of lettersIn(opened, selection)) {
      const size = letter.record.value?.length ?? 0;
      // The record was too large for the topic of dead letters, which has only its description.
      if (size === 0) {
        counts.withoutValue++;
        continue;
      }
      waiting.push(letter);
      waitingBytes += size;
      if (waiting.length >= SEND_AT_ONCE || waitingBytes >= SEND_AT_ONCE_BYTES) await flush();
    }
    await flush();
  } finally {
    await producer.stop();
    terminal.progressDone();
  }
  terminal.out(dryRun === true ? `${counts.sent} would be sent back` : `${counts.sent} sent back`);
  if (counts.withoutValue > 0)
    terminal.out(`${counts.withoutValue} have no value to send: they exceeded the size limit`);
}

async function sendBack(letters: readonly Letter[], opened: OpenedLetters, producer: KafkajsProducer): Promise<void> {
  for (const [topic, those] of Map.groupBy(letters, (letter) => letter.topic)) {
    const records = those.map(({ partition, headers, record }) => ({
      key: record.key,
      value: record.value ?? Buffer.alloc(0),
      headers,
      partition,
    }));
    await producer.send(topic, records);
  }
  // Letters whose mark did not fit are sent again by the next replay, which is harmless.
  await markDone(
    opened,
    letters.map(({ place }) => place),
  );
}

/** Reads everything before it marks anything: a command that is interrupted has discarded nothing. */
async function discard(
  opened: OpenedLetters,
  selection: Selection,
  { dryRun = false, json, terminal }: Printing,
): Promise<void> {
  const places: Letter['place'][] = [];
  for await (const { place } of lettersIn(opened, selection)) {
    places.push(place);
    terminal.progress(`${places.length} read`);
  }
  terminal.progressDone();
  const unmarked = dryRun ? 0 : await markDone(opened, places);
  const discarded = places.length - unmarked;
  if (json === true) return terminal.json({ discarded, unmarked, dry_run: dryRun });
  terminal.out(dryRun ? `${discarded} would be discarded` : `${discarded} discarded`);
  if (unmarked > 0)
    terminal.out(
      `${unmarked} still wait: too many waiting ones lie between them to mark each; replay or discard those first`,
    );
}

function timeOf(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? 'at no known time' : date.toISOString();
}
