/**
 * Sends evaluations from the store's outbox to their topic, each once. The instance that has the first lane is the
 * relay; if it dies, that lane has another owner, and with it the evaluations.
 *
 *   idle --start--> opening (fences who was relay before, learns how far it had come) --> relaying --stop--> idle
 *                      ^---- fenced, or brokers or store away: after a pause, if this still is the relay ----|
 *
 * The sent records and the progress are one Kafka transaction. So after a crash at any point the topic itself says
 * where to go on: rows up to there are deleted, rows after it are sent.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaPublisher } from '../../kafka/kafka-client.ts';
import type { EvaluationOutbox } from '../../store/cluster-store.ts';
import type { Troubles } from '../scoring-side.ts';
import { Stoppable } from '../../model/stoppable.ts';

interface EvaluationRelayParts {
  readonly store: EvaluationOutbox;
  readonly makePublisher: () => KafkaPublisher;
  readonly onSent: (evaluations: number) => void;
  readonly troubles: Troubles;
  readonly idleMs?: number;
  readonly retryMs?: number;
}

const SENT_TOGETHER = 500;
const IDLE_MS = 500;
const RETRY_MS = 2000;

export class EvaluationRelay {
  readonly #parts: EvaluationRelayParts;
  readonly #loop = new Stoppable((signal) => this.#run(signal));

  constructor(parts: EvaluationRelayParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const publisher = this.#parts.makePublisher();
      try {
        await this.#relay(publisher, signal);
      } catch (error) {
        this.#parts.troubles.said('send', error);
        await this.#pause(this.#parts.retryMs ?? RETRY_MS, signal);
      } finally {
        await publisher.stop().catch(() => {});
      }
    }
    // The next owner reports this; clear our value.
    this.#parts.troubles.over('send');
  }

  async #relay(publisher: KafkaPublisher, signal: AbortSignal): Promise<void> {
    const { store, onSent, troubles } = this.#parts;
    let sentTo = (await publisher.open()) ?? 0;
    await store.forget(sentTo);
    while (!signal.aborted) {
      const last = await store.number();
      if (last <= sentTo) {
        troubles.over('send');
        await this.#pause(this.#parts.idleMs ?? IDLE_MS, signal);
        continue;
      }
      const rows = await store.read(sentTo, SENT_TOGETHER);
      const newest = rows.at(-1);
      if (newest === undefined) {
        // They were sent and let go by another relay; this one finds that out when it sends, or here.
        sentTo = last;
        continue;
      }
      await publisher.publish(
        rows.map(({ key, payload }) => ({ key, value: Buffer.from(payload) })),
        newest.number,
      );
      sentTo = newest.number;
      onSent(rows.length);
      // Not when it is opened: who may open it may still not write.
      troubles.over('send');
      await store.forget(sentTo);
    }
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(ms, undefined, { signal }).catch(() => {});
  }
}
