/**
 * Sends evaluations from the store's outbox to their topic, at least once. The instance that has the first lane is the
 * relay; if it dies, that lane has another owner, and with it the evaluations.
 *
 *   waiting    in the store, from the transaction that made the evaluation
 *   read       the oldest, in order; nothing is written        a crash: read again
 *   sent       all in-sync replicas have it                    a crash: sent again, with the same key
 *   forgotten  deleted from the store
 *
 * The key is the id of the evaluation at its revision: a record that is there twice is the same twice, and a topic that
 * is compacted keeps one of them. A relay that slept, and does not know that another took over, can do no more than
 * that. The conversation chooses the partition, so revisions follow one another.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaProducer, RecordToSend } from '../../kafka/kafka-client.ts';
import type { EvaluationOutbox, OutboxRow } from '../../store/cluster-store.ts';
import type { Troubles } from '../scoring/scoring-side.ts';
import { Stoppable } from '../../model/stoppable.ts';

interface EvaluationRelayParts {
  readonly store: EvaluationOutbox;
  readonly topic: string;
  readonly makeProducer: () => KafkaProducer;
  readonly onSent: (evaluations: number) => void;
  readonly troubles: Troubles;
  readonly idleMs?: number;
  readonly retryMs?: number;
}

const SENT_TOGETHER = 500;
const IDLE_MS = 500;
const RETRY_MS = 2000;

export class EvaluationRelay extends Stoppable {
  readonly #parts: EvaluationRelayParts;

  constructor(parts: EvaluationRelayParts) {
    super((signal) => this.#loop(signal));
    this.#parts = parts;
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { store, troubles, idleMs = IDLE_MS, retryMs = RETRY_MS } = this.#parts;
    const producer = this.#parts.makeProducer();
    while (!signal.aborted) {
      let waitMs = 0;
      try {
        const rows = await store.read(SENT_TOGETHER);
        if (rows.length > 0) await this.#send(producer, rows);
        else {
          // An instance of the last release may have woken and died meanwhile, so once at the start is not enough.
          await store.adopt();
          waitMs = idleMs;
        }
        troubles.over('send');
      } catch (error) {
        troubles.said('send', error);
        waitMs = retryMs;
      }
      if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
    await producer.stop().catch(() => {});
    // The next owner reports this; clear our value.
    troubles.over('send');
  }

  async #send(producer: KafkaProducer, rows: readonly OutboxRow[]): Promise<void> {
    const { store, topic, onSent } = this.#parts;
    await producer.send(topic, rows.map(recordOf));
    await store.forget(rows.map(({ id }) => id));
    onSent(rows.length);
  }
}

function recordOf({ conversationId, payload }: OutboxRow): RecordToSend {
  const value = Buffer.from(payload);
  // The cast holds because the store has what the engine wrote: an evaluation's record.
  const { id } = JSON.parse(value.toString()) as { readonly id: string };
  return { key: id, partitionKey: conversationId, value };
}
