/**
 * Puts records that can't be read where people can look at them, and says when they are safe there: until then the offset behind
 * them is not committed. Without a topic for them they are counted, logged and let go.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { KafkaError, type KafkaProducer, type KafkaRecord, type TopicPartition } from '../../kafka/kafka-client.ts';
import type { ClusterEvent } from '../../model/events/cluster-events.ts';
import { deadLetterOf } from '../../receive/kafka/dead-letter.ts';
import { RETRY_PAUSE_MS } from '../threads/retry-pause.ts';

interface DeadLettersOptions {
  readonly producer: KafkaProducer;
  readonly topic: string | undefined;
  readonly onEvent: (event: ClusterEvent) => void;
}

export class DeadLetters {
  readonly #options: DeadLettersOptions;
  #problem: string | undefined;

  constructor(options: DeadLettersOptions) {
    this.#options = options;
  }

  /** Reason why the topic cannot be written to now. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Resolves once the record is safe. Never rejects: brokers that are away come back, and until then nothing is committed past it. */
  async put(place: TopicPartition, record: KafkaRecord, reason: string): Promise<void> {
    const { topic, producer } = this.#options;
    const fate = topic === undefined ? 'dropped' : 'dead-letter';
    const { offset } = record;
    this.#options.onEvent({ type: 'record-unreadable', ...place, offset, reason, fate });
    if (topic === undefined) return;
    let letter = deadLetterOf(place, record, reason);
    for (;;) {
      try {
        await producer.send(topic, [letter]);
        this.#problem = undefined;
        return;
      } catch (error) {
        if (error instanceof KafkaError && error.isTooLarge && letter.value.length > 0) {
          // Partial knowledge of it is better than none.
          letter = deadLetterOf(
            place,
            { ...record, value: Buffer.alloc(0) },
            `${reason} (value left out: ${error.message})`,
          );
          continue;
        }
        this.#problem = error instanceof Error ? error.message : String(error);
        await sleep(RETRY_PAUSE_MS);
      }
    }
  }
}
