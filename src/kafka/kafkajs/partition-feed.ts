/**
 * A partition while we have it: the position of reading, what was fetched and waits, and whether it is being handed on.
 *
 * Batches wait as they came, compressed; at most one waits while another is in work, so a slow partition holds two
 * fetches and not more.
 */
import type { KafkaRecord, TopicPartition } from '../kafka-client.ts';
import { type FetchedBatches, readBatches } from './record-batches.ts';

interface FeedOptions extends TopicPartition {
  readonly decompressedBytesMax: number;
  /** Action for the next records. Rejects where they must be handed on again. */
  readonly deliver: (partition: TopicPartition, records: readonly KafkaRecord[]) => Promise<void>;
  readonly onFailure: (error: unknown) => Promise<void>;
  readonly onRoom: () => void;
}

export class PartitionFeed implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  /** The next offset to fetch; undefined until it is known where to begin. */
  position: number | undefined;
  leader: number | undefined;
  /** Not before this time of `performance.now`, after a failure of its own. */
  notBefore = 0;
  readonly #options: FeedOptions;
  #waiting: FetchedBatches | undefined;
  #working = false;
  #started = false;
  #paused = false;
  #lost = false;

  constructor(options: FeedOptions) {
    this.topic = options.topic;
    this.partition = options.partition;
    this.#options = options;
  }

  get lost(): boolean {
    return this.#lost;
  }

  /** True if the feed would fetch, room permitting. */
  get isActive(): boolean {
    return this.#started && !this.#paused && !this.#lost && this.position !== undefined;
  }

  /** Records before this offset were handed on, or belong to others. */
  hasReadTo(offset: number): boolean {
    return (this.position ?? -1) >= offset && this.#waiting === undefined && !this.#working;
  }

  get hasRoom(): boolean {
    return this.#waiting === undefined;
  }

  /** The handlers know that it is ours. */
  begin(): void {
    this.#started = true;
    this.#options.onRoom();
  }

  lose(): void {
    this.#lost = true;
    this.#waiting = undefined;
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#work();
    this.#options.onRoom();
  }

  /** Takes what was fetched from `fromOffset`; the next fetch is from `nextOffset`. */
  take(batches: FetchedBatches, nextOffset: number): void {
    this.#waiting = batches;
    this.position = nextOffset;
    this.#work();
  }

  #work(): void {
    if (this.#working) return;
    this.#working = true;
    void this.#handOn().finally(() => {
      this.#working = false;
    });
  }

  /** Never rejects. */
  async #handOn(): Promise<void> {
    while (this.#waiting !== undefined && !this.#paused && !this.#lost) {
      const batches = this.#waiting;
      this.#waiting = undefined;
      this.#options.onRoom();
      const records = await readBatches(batches, this.#options.decompressedBytesMax);
      while (records.length > 0 && !this.#lost) {
        try {
          await this.#options.deliver(this, records);
          break;
        } catch (error) {
          await this.#options.onFailure(error);
        }
      }
    }
  }
}
