/** First and last offsets of partitions, and what a group has committed for them. */
import { KafkaError, type OffsetToCommit, type TopicPartition } from '../kafka-client.ts';
import { type Brokers, throwIfRefused } from './brokers.ts';
import type { GroupIdentity } from './group-member.ts';

interface KnownOffset extends TopicPartition {
  readonly offset: number;
}

interface Committed {
  readonly offset: number;
  readonly metadata: string;
}

interface Answer {
  readonly responses: readonly {
    readonly topic: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly errorCode: number;
      readonly offset: string;
      readonly metadata?: string | null;
    }[];
  }[];
}

/** Transactions that are open or aborted are not read; the end is before the first that is open. */
const READ_COMMITTED = 1;
const LATEST = -1;
const EARLIEST = -2;

export class Offsets {
  readonly #brokers: Pick<Brokers, 'coordinator' | 'request'>;
  readonly #leaders: { leaderOf(partition: TopicPartition): number | undefined };
  readonly #group: string;
  #coordinator: number | undefined;

  constructor(
    brokers: Pick<Brokers, 'coordinator' | 'request'>,
    leaders: { leaderOf(partition: TopicPartition): number | undefined },
    group: string,
  ) {
    this.#brokers = brokers;
    this.#leaders = leaders;
    this.#group = group;
  }

  /** Offsets in the order of the partitions. */
  async list(partitions: readonly TopicPartition[], which: 'start' | 'end'): Promise<readonly KnownOffset[]> {
    const timestamp = which === 'start' ? EARLIEST : LATEST;
    const byLeader = Map.groupBy(partitions, (partition) => {
      const leader = this.#leaders.leaderOf(partition);
      if (leader !== undefined) return leader;
      throw new KafkaError(`partition ${partition.topic}/${partition.partition} has no leader`, { retriable: true });
    });
    const found = new Map<string, number>();
    await Promise.all(
      [...byLeader].map(async ([leader, led]) => {
        const topics = byTopic(led, ({ partition }) => ({ partition, timestamp }));
        const answer = (await this.#brokers.request(leader, 'ListOffsets', {
          replicaId: -1,
          isolationLevel: READ_COMMITTED,
          topics,
        })) as Answer;
        for (const { topic, partitions: answered } of answer.responses)
          for (const { partition, errorCode, offset } of answered) {
            throwIfRefused(errorCode);
            found.set(`${topic}/${partition}`, Number(offset));
          }
      }),
    );
    return partitions.map(({ topic, partition }) => {
      const offset = found.get(`${topic}/${partition}`);
      if (offset === undefined) throw new KafkaError(`no offsets of ${topic}/${partition}`, { retriable: true });
      return { topic, partition, offset };
    });
  }

  /** Committed offsets in the order of the partitions; undefined if nothing was committed. */
  async committed(partitions: readonly TopicPartition[]): Promise<readonly (Committed | undefined)[]> {
    const topics = byTopic(partitions, ({ partition }) => ({ partition }));
    const answer = (await this.#ask('OffsetFetch', { groupId: this.#group, topics })) as Answer & {
      readonly errorCode?: number;
    };
    // Errors of all partitions at once, such as a broker that is not the coordinator.
    this.#throwIfMoved(answer.errorCode ?? 0);
    const found = new Map<string, Committed>();
    for (const { topic, partitions: answered } of answer.responses)
      for (const { partition, errorCode, offset, metadata } of answered) {
        this.#throwIfMoved(errorCode);
        if (Number(offset) >= 0)
          found.set(`${topic}/${partition}`, { offset: Number(offset), metadata: metadata ?? '' });
      }
    return partitions.map(({ topic, partition }) => found.get(`${topic}/${partition}`));
  }

  async commit(offsets: readonly OffsetToCommit[], identity: GroupIdentity): Promise<void> {
    const topics = byTopic(offsets, ({ partition, offset, metadata }) => ({
      partition,
      offset: String(offset),
      metadata,
    }));
    const answer = (await this.#ask('OffsetCommit', {
      groupId: this.#group,
      groupGenerationId: identity.generation,
      memberId: identity.memberId,
      topics,
    })) as Answer;
    for (const { partitions } of answer.responses)
      for (const { errorCode } of partitions) this.#throwIfMoved(errorCode);
  }

  /** The coordinator is looked for again after each failure. */
  async #ask(name: string, request: object): Promise<unknown> {
    const coordinator = this.#coordinator ?? (await this.#brokers.coordinator(this.#group));
    this.#coordinator = coordinator;
    try {
      return await this.#brokers.request(coordinator, name, request);
    } catch (error) {
      this.#coordinator = undefined;
      throw error;
    }
  }

  #throwIfMoved(errorCode: number): void {
    if (errorCode !== 0) this.#coordinator = undefined;
    throwIfRefused(errorCode);
  }
}

export function byTopic<P extends TopicPartition, T>(partitions: readonly P[], make: (partition: P) => T) {
  return [...Map.groupBy(partitions, ({ topic }) => topic)].map(([topic, those]) => ({
    topic,
    partitions: those.map(make),
  }));
}
