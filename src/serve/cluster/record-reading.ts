/** From records of Kafka to what lanes take: read, without secrets, counted; what can't be read goes to the dead letters. */
import type { KafkaSettings } from '../../config/kafka-settings.ts';
import type { KafkaRecord, TopicPartition } from '../../kafka/kafka-client.ts';
import type { ConversationNotes } from '../../engine/conversation-notes.ts';
import type { ClusterEvent } from '../../model/events/cluster-events.ts';
import type { ReceiveEvent } from '../../model/events/receive-events.ts';
import type { RedactionRules } from '../../model/redaction.ts';
import { type ReadRecord, type RecordReader, readRecord } from '../../receive/kafka/read-record.ts';
import { RequestRedactor } from '../../redact/request-redactor.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { LaneRecord } from './lane.ts';

interface RecordReadingOptions {
  readonly kafka: Pick<KafkaSettings, 'topics' | 'maxRecordBytes'>;
  readonly redaction: RedactionRules | undefined;
  readonly deadLetters: Pick<DeadLetters, 'put'>;
  readonly notes: Pick<ConversationNotes, 'note'>;
  readonly onEvent: (event: ClusterEvent | ReceiveEvent) => void;
}

export class RecordReading {
  readonly #options: RecordReadingOptions;
  readonly #redactor: RequestRedactor | undefined;

  constructor(options: RecordReadingOptions) {
    this.#options = options;
    this.#redactor = options.redaction === undefined ? undefined : new RequestRedactor(options.redaction);
  }

  read(place: TopicPartition, record: KafkaRecord): LaneRecord {
    const { kafka, onEvent, deadLetters } = this.#options;
    const { topic } = place;
    const { offset, timestamp, value } = record;
    if (record.unreadable !== undefined) {
      return { offset, timestamp, batch: undefined, heldBy: deadLetters.put(place, record, record.unreadable) };
    }
    const signal = kafka.topics.logs.includes(topic) ? 'logs' : 'traces';
    const read = this.#tryRead(value, { signal, bytesMax: kafka.maxRecordBytes, redactor: this.#redactor });
    if ('poison' in read) {
      return { offset, timestamp, batch: undefined, heldBy: deadLetters.put(place, record, read.poison) };
    }
    const bytes = value?.length ?? 0;
    if ('empty' in read || read.batch.rows === 0) onEvent({ type: 'record-empty', topic });
    if ('empty' in read) {
      onEvent({ type: 'records-read', topic, signal, records: 1, rows: 0, bytes });
      return { offset, timestamp, batch: undefined };
    }
    const { batch, rejected, redactions } = read;
    if (rejected > 0)
      onEvent({ type: 'records-rejected', transport: 'kafka', signal, reason: 'invalid_id', records: rejected });
    if (redactions !== undefined) onEvent({ type: 'text-redacted', signal, counts: redactions });
    onEvent({ type: 'records-read', topic, signal, records: 1, rows: batch.rows, bytes });
    return { offset, timestamp, batch };
  }

  /** A mistake of ours in reading it must not stop the partition. */
  #tryRead(value: Uint8Array | undefined, reader: RecordReader): ReadRecord {
    try {
      const read = readRecord(value, reader);
      if ('batch' in read) this.#options.notes.note(read.batch);
      return read;
    } catch (error) {
      return { poison: `Assay made a mistake reading it: ${error instanceof Error ? error.stack : String(error)}` };
    }
  }
}
