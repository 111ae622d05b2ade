/**
 * The log of one of many instances on the main thread: its lanes of Kafka, with the bytes of their open turns in a spool. OTLP that it takes goes to
 * Kafka, keyed by trace id, for the instance that has the lane. A gateway does only that, and has no lanes.
 *
 * At a stop no more is read, closed turns are filed, their offsets are committed, then the lanes are given back. Turns that are open are read again
 * by the next owner.
 */
import path from 'node:path';
import type { KafkaSettings } from '../../config/kafka-settings.ts';
import type { Settings } from '../../config/settings.ts';
import { ConversationNotes } from '../../engine/conversation-notes.ts';
import { turnLimits } from '../../engine/engine-settings.ts';
import { KafkajsConsumer } from '../../kafka/kafkajs/consumer.ts';
import { KafkajsProducer } from '../../kafka/kafkajs/producer.ts';
import type { KafkaProducer } from '../../kafka/kafka-client.ts';
import { TurnSpool } from '../../kafka/turn-spool.ts';
import type { BatchSink } from '../../receive/sink.ts';
import type { LaneReadings } from '../../report/events/cluster.ts';
import type { LogNeeds, ServedLog } from '../deployment/deployment.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { TurnPacker } from '../scoring/turn-packer.ts';
import { DeadLetters } from './dead-letters.ts';
import { kafkaConnectionOf } from './kafka-connection-of.ts';
import { KafkaSink } from './kafka-sink.ts';
import { Lanes } from './lanes.ts';
import { RecordReading } from './record-reading.ts';
import { UnscoredBytes } from './unscored-bytes.ts';

interface Reading {
  readonly lanes: Lanes;
  readonly spool: TurnSpool;
  readonly packer: TurnPacker;
  readonly deadLetters: DeadLetters;
}

/** Brokers take records of a mebibyte unless told otherwise, with their heads. */
const RECORD_BYTES_MAX = 900_000;

/** Each open turn of a lane is in memory, and an instance may get all lanes. */
const OPEN_TURNS_OF_LANE_MAX = 50_000;

export class KafkaLog implements ServedLog {
  readonly sink: BatchSink;
  readonly #producer: KafkaProducer;
  readonly #scorer: Scorer;
  /** Undefined for a gateway. */
  readonly #reading: Reading | undefined;

  constructor(settings: Settings, kafka: KafkaSettings, needs: LogNeeds) {
    const { topics } = kafka;
    this.#scorer = needs.scorer;
    this.#producer = new KafkajsProducer({ connection: kafkaConnectionOf(kafka) });
    this.sink = new KafkaSink({
      producer: this.#producer,
      topics: { traces: topics.spans[0], logs: topics.logs[0] },
      recordBytesMax: RECORD_BYTES_MAX,
    });
    if (kafka.read) this.#reading = readingOf(settings, kafka, { ...needs, producer: this.#producer });
  }

  /** The spool has those of open turns. */
  get bytes(): number {
    return this.#reading?.spool.bytes ?? 0;
  }

  get openTurns(): number {
    return this.#reading?.lanes.openTurns ?? 0;
  }

  get openSpans(): number {
    return this.#reading?.lanes.openRows ?? 0;
  }

  get lagSeconds(): number {
    return Math.max(0, ...(this.#reading?.lanes.lags ?? []).map(({ seconds }) => seconds));
  }

  get lanes(): LaneReadings {
    const lanes = this.#reading?.lanes;
    return { count: lanes?.count ?? 0, lags: lanes?.lags ?? [] };
  }

  get problems(): readonly string[] {
    const { lanes, deadLetters } = this.#reading ?? {};
    return [
      ...(lanes?.problem === undefined ? [] : [`Kafka: ${lanes.problem}`]),
      ...(deadLetters?.problem === undefined ? [] : [`the topic of dead letters: ${deadLetters.problem}`]),
    ];
  }

  start(): void {
    this.#reading?.lanes.start();
  }

  async stop(): Promise<void> {
    const { lanes, spool, packer } = this.#reading ?? {};
    // Stops all parts even if one of them fails: an open client would keep the process.
    try {
      await lanes?.stopReading();
      await this.#scorer.stop();
    } finally {
      try {
        await lanes?.leave();
      } finally {
        packer?.close();
        spool?.close();
        await this.#producer.stop();
      }
    }
  }
}

function readingOf(
  settings: Settings,
  kafka: KafkaSettings,
  { producer, redaction, events, duty, scorer, log }: LogNeeds & { readonly producer: KafkaProducer },
): Reading {
  const topics = [...kafka.topics.spans, ...kafka.topics.logs];
  const spool = new TurnSpool(path.join(settings.dataDir, 'spool'));
  const packer = new TurnPacker(spool.directory);
  const onEvent: LogNeeds['events']['report'] = (event) => events.report(event);
  const deadLetters = new DeadLetters({ producer, topic: kafka.deadLetterTopic, onEvent });
  const notes = new ConversationNotes(settings.conversation.idKeys);
  const lanes = new Lanes({
    consumer: new KafkajsConsumer({
      connection: kafkaConnectionOf(kafka),
      group: kafka.group,
      topics,
      startFrom: kafka.from,
      sessionTimeoutMs: kafka.sessionTimeoutMs,
      // Failures that stop reading are reported as problems; everything else is debug output.
      onLog: ({ message }) => log.line('debug', 'kafka: client reported something, continuing', { detail: message }),
    }),
    scorer,
    packer,
    spool,
    unscored: new UnscoredBytes(),
    group: kafka.group,
    topics,
    limits: turnLimits(settings, OPEN_TURNS_OF_LANE_MAX),
    clockMarginMs: kafka.clockMarginMs,
    spoolBytesMax: settings.journal.maxBytes,
    records: new RecordReading({ kafka, redaction, deadLetters, notes, onEvent }),
    duty,
    onEvent,
  });
  return { lanes, spool, packer, deadLetters };
}
