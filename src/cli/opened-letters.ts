/**
 * Dead letters as the commands see them: read from their topic, each marked once it is done.
 *
 *   waiting   in the topic, without a mark             listed, replayed, discarded
 *   done      replayed or discarded, and marked        only with `--all`, until the topic deletes it
 *
 * A mark is an offset of the consumer group `<kafka.group>-dead-letters`. No letter is removed from the topic: a
 * letter that was discarded by mistake is sent back by `replay --all`.
 *
 * A crash, or an end by a signal:
 *
 *   discard, before the marks are written   nothing is discarded: they are written once, after all letters were read
 *   replay, between sending and marking     the next replay sends a few again; spans are recognised by their ids
 *   either, before the answer of a broker   marked or not; running the command again gives the same end
 *
 * Two commands at the same time overwrite the marks of each other. Letters of the one that marked first are then listed
 * again. Neither can mark a letter that it did not read: letters that arrive meanwhile stay.
 */
import type { KafkaSettings } from '../config/kafka-settings.ts';
import { loadSettings } from '../config/settings.ts';
import { KafkaError, type KafkaRecord } from '../kafka/kafka-client.ts';
import { type ScannedPartition, TopicScan } from '../kafka/kafkajs/topic-scan.ts';
import { compileGlob, type Matcher } from '../model/glob.ts';
import { type FoundLetter, tryReadDeadLetter } from '../receive/kafka/dead-letter.ts';
import { OffsetSet } from '../receive/kafka/offset-set.ts';
import { kafkaConnectionOf } from '../serve/cluster/kafka-connection-of.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { failOn } from './load.ts';

export interface LetterFlags {
  readonly config?: string;
  readonly topic?: string;
  readonly reason?: string;
  readonly limit?: string;
  readonly all?: boolean;
}

export interface Letter extends FoundLetter {
  readonly place: LetterPlace;
  readonly diedAt: number;
  readonly record: KafkaRecord;
}

/** Place of the record among the dead letters. */
interface LetterPlace {
  readonly partition: number;
  readonly offset: number;
}

export interface Selection {
  readonly matches: Matcher;
  readonly limit: number;
  /** Letters that are done too. */
  readonly all: boolean;
}

export interface OpenedLetters {
  readonly scan: TopicScan;
  readonly partitions: readonly ScannedPartition[];
  /** Offsets that are done, by partition of the dead letters. */
  readonly done: ReadonlyMap<number, OffsetSet>;
  readonly kafka: KafkaSettings;
}

export async function withLetters(flags: LetterFlags, work: (opened: OpenedLetters) => Promise<void>): Promise<void> {
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
    const done = new Map(partitions.map((partition) => [partition.partition, doneIn(partition)]));
    await work({ scan, partitions, done, kafka });
  } catch (error) {
    if (error instanceof KafkaError) throw new CommandFailure(error.message, EXIT.input);
    throw error;
  } finally {
    scan.close();
  }
}

function doneIn({ logStart, logEnd, kept }: ScannedPartition): OffsetSet {
  // A topic that was created again has other letters at the remembered offsets.
  if (kept === undefined || kept.offset > logEnd) return new OffsetSet(logStart);
  return new OffsetSet(Math.max(kept.offset, logStart), kept.metadata);
}

export function selectionOf({ reason, limit, all = false }: LetterFlags): Selection {
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit))
    throw new CommandFailure('--limit: expected a positive whole number', EXIT.usage);
  const most = limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  return { matches: compileGlob(reason ?? '*'), limit: most, all };
}

export async function* lettersIn(
  { scan, partitions, done }: OpenedLetters,
  { matches, limit, all }: Selection,
): AsyncGenerator<Letter> {
  const from = partitions.map(({ partition, logStart, logEnd }) => ({
    partition,
    offset: all ? logStart : (done.get(partition)?.kept().offset ?? logStart),
    logEnd,
  }));
  let found = 0;
  for await (const { partition, record } of scan.read(from)) {
    if (found >= limit) return;
    const letter = tryReadDeadLetter(record);
    if (letter === undefined || !matches(letter.reason)) continue;
    if (!all && isDone({ done }, { partition, offset: record.offset })) continue;
    found++;
    yield { ...letter, place: { partition, offset: record.offset }, diedAt: record.timestamp, record };
  }
}

export function isDone({ done }: Pick<OpenedLetters, 'done'>, { partition, offset }: LetterPlace): boolean {
  return done.get(partition)?.has(offset) === true;
}

interface MarkedLetters extends Pick<OpenedLetters, 'done'> {
  readonly scan: Pick<TopicScan, 'keep'>;
}

/** Writes the marks. Returns how many of the letters did not fit into what Kafka keeps of a group, and wait again. */
export async function markDone({ scan, done }: MarkedLetters, letters: readonly LetterPlace[]): Promise<number> {
  let unmarked = 0;
  const kept = [...Map.groupBy(letters, ({ partition }) => partition)].flatMap(([partition, places]) => {
    const offsets = done.get(partition);
    if (offsets === undefined) return [];
    for (const { offset } of places) offsets.add(offset);
    const marks = offsets.kept();
    const remembered = new OffsetSet(marks.offset, marks.metadata);
    unmarked += places.filter(({ offset }) => !remembered.has(offset)).length;
    return [{ partition, ...marks }];
  });
  if (kept.length > 0) await scan.keep(kept);
  return unmarked;
}
