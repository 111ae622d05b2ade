/**
 * `assay dead-letters`: what records could not be read and why, and sending them back once the cause is mended.
 *
 * A letter stays in its topic for as long as that keeps it. A consumer group remembers the replayed records, so that
 * the next replay sends only new ones. If a replay is interrupted between sending and remembering, the next one sends a
 * few again. This is harmless, because spans are recognised by their ids.
 */
import type { Command } from 'commander';
import type { KafkaSettings } from '../../config/kafka-settings.ts';
import { loadSettings } from '../../config/settings.ts';
import { KafkaError, type KafkaRecord } from '../../kafka/kafka-client.ts';
import { KafkajsProducer } from '../../kafka/kafkajs/producer.ts';
import { type ScannedPartition, TopicScan } from '../../kafka/kafkajs/topic-scan.ts';
import { compileGlob, type Matcher } from '../../model/glob.ts';
import { kafkaConnectionOf } from '../../serve/cluster/kafka-connection-of.ts';
import { type FoundLetter, tryReadDeadLetter } from '../../receive/kafka/dead-letter.ts';
import { OffsetSet } from '../../receive/kafka/offset-set.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { failOn } from '../load.ts';
import { settingOption } from '../setting-option.ts';
import { headRow, printTable } from '../print-table.ts';
import { visibleJson } from '../../model/visible-text.ts';
import type { Terminal } from '../terminal.ts';

interface SharedFlags {
  readonly config?: string;
  readonly topic?: string;
  readonly reason?: string;
  readonly limit?: string;
  readonly all?: boolean;
}

interface Letter extends FoundLetter {
  /** Place of the record among the dead letters. */
  readonly place: { readonly partition: number; readonly offset: number };
  readonly diedAt: number;
  readonly record: KafkaRecord;
}

interface Selection {
  readonly matches: Matcher;
  readonly limit: number;
}

interface Opened {
  readonly scan: TopicScan;
  readonly partitions: readonly ScannedPartition[];
  /** Replayed offsets, by partition of the dead letters. */
  readonly replayed: ReadonlyMap<number, OffsetSet>;
  readonly kafka: KafkaSettings;
}

export function addDeadLetters(program: Command, terminal: Terminal): void {
  const command = program
    .command('dead-letters')
    .description('list Kafka records that could not be read, and send them back');
  const withFlags = (sub: Command) =>
    sub
      .option('--reason <glob>', 'only records whose reason matches, for example "*decompress*"')
      .option('--limit <n>', 'at most this many')
      .option('--all', 'also records that were already replayed')
      .option('--topic <topic>', 'topic of the records (default: kafka.dead_letter_topic)')
      .addOption(settingOption('config'));

  withFlags(command.command('list').description('list the records: time, source, size and reason'))
    .option('--json', 'print one JSON object a line')
    .action(async (flags: SharedFlags & { readonly json?: boolean }) => {
      await withLetters(flags, (opened) => list(opened, selectionOf(flags), { ...flags, terminal }));
    });

  withFlags(
    command.command('replay').description('send records back unchanged to the topic and partition they came from'),
  )
    .option('--dry-run', 'only show what would be sent')
    .action(async (flags: SharedFlags & { readonly dryRun?: boolean }) => {
      await withLetters(flags, (opened) => replay(opened, selectionOf(flags), { ...flags, terminal }));
    });
}

async function withLetters(flags: SharedFlags, work: (opened: Opened) => Promise<void>): Promise<void> {
  const { settings, mistakes } = loadSettings({
    flags: { config: flags.config },
    env: process.env,
    cwd: process.cwd(),
  });
  failOn(mistakes);
  const { kafka } = settings;
  if (kafka === undefined)
    throw new CommandFailure('no Kafka is configured: set kafka.brokers or ASSAY_KAFKA_BROKERS', EXIT.usage);
  const topic = flags.topic ?? kafka.deadLetterTopic;
  if (topic === undefined)
    throw new CommandFailure('no dead letter topic: set kafka.dead_letter_topic, or use --topic', EXIT.usage);
  const scan = new TopicScan({ connection: kafkaConnectionOf(kafka), topic, group: `${kafka.group}-dead-letters` });
  try {
    const partitions = await scan.open();
    const replayed = new Map(partitions.map((partition) => [partition.partition, replayedOf(partition)]));
    await work({ scan, partitions, replayed, kafka });
  } catch (error) {
    if (error instanceof KafkaError) throw new CommandFailure(error.message, EXIT.input);
    throw error;
  } finally {
    scan.close();
  }
}

function replayedOf({ logStart, logEnd, kept }: ScannedPartition): OffsetSet {
  // A topic that was created again has other letters at the remembered offsets.
  if (kept === undefined || kept.offset > logEnd) return new OffsetSet(logStart);
  return new OffsetSet(Math.max(kept.offset, logStart), kept.metadata);
}

function selectionOf({ reason, limit }: SharedFlags): Selection {
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit))
    throw new CommandFailure('--limit: expected a positive whole number', EXIT.usage);
  return { matches: compileGlob(reason ?? '*'), limit: limit === undefined ? Number.POSITIVE_INFINITY : Number(limit) };
}

async function* lettersIn(
  { scan, partitions, replayed }: Opened,
  selection: Selection,
  all: boolean,
): AsyncGenerator<Letter> {
  const from = partitions.map(({ partition, logStart, logEnd }) => ({
    partition,
    offset: all ? logStart : (replayed.get(partition)?.kept().offset ?? logStart),
    logEnd,
  }));
  let found = 0;
  for await (const { partition, record } of scan.read(from)) {
    if (found >= selection.limit) return;
    const letter = tryReadDeadLetter(record);
    if (letter === undefined || !selection.matches(letter.reason)) continue;
    if (!all && replayed.get(partition)?.has(record.offset) === true) continue;
    found++;
    yield { ...letter, place: { partition, offset: record.offset }, diedAt: record.timestamp, record };
  }
}

async function list(
  opened: Opened,
  selection: Selection,
  { json, all, terminal }: { readonly json?: boolean; readonly all?: boolean; readonly terminal: Terminal },
): Promise<void> {
  let count = 0;
  for await (const letter of lettersIn(opened, selection, all === true)) {
    const { topic, partition, offset, reason, record, place, diedAt } = letter;
    count++;
    const size = record.value?.length ?? 0;
    if (json === true) {
      const dead_letter = { ...place, replayed: opened.replayed.get(place.partition)?.has(place.offset) === true };
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

async function replay(
  opened: Opened,
  selection: Selection,
  { dryRun, all, terminal }: { readonly dryRun?: boolean; readonly all?: boolean; readonly terminal: Terminal },
): Promise<void> {
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
    for await (const letter of lettersIn(opened, selection, all === true)) {
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

async function sendBack(
  letters: readonly Letter[],
  { scan, replayed }: Opened,
  producer: KafkajsProducer,
): Promise<void> {
  if (letters.length === 0) return;
  const byTopic = Map.groupBy(letters, ({ topic }) => topic);
  for (const [topic, those] of byTopic) {
    const records = those.map(({ partition, headers, record }) => ({
      key: record.key,
      value: record.value ?? Buffer.alloc(0),
      headers,
      partition,
    }));
    await producer.send(topic, records);
  }
  const touched = new Set<number>();
  for (const { place } of letters) {
    replayed.get(place.partition)?.add(place.offset);
    touched.add(place.partition);
  }
  await scan.keep(
    [...touched].flatMap((partition) => {
      const kept = replayed.get(partition)?.kept();
      return kept === undefined ? [] : [{ partition, ...kept }];
    }),
  );
}

function timeOf(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? 'at no known time' : date.toISOString();
}
