/** Known topics: their partitions, and the broker that leads each. */
import type { TopicPartition } from '../kafka-client.ts';
import type { Brokers } from './brokers.ts';
import { problemWords } from './problem-words.ts';
import type { ClientProblems } from './problems.ts';

export class TopicMap {
  readonly #brokers: Brokers;
  readonly #topics: Set<string>;
  readonly #problems: ClientProblems;
  /** Leaders by topic, in the order of the partitions. */
  #leaders: ReadonlyMap<string, readonly (number | undefined)[]> = new Map();
  #errors: ReadonlyMap<string, Error> = new Map();
  /** Topics that the last answer denied, or showed with fewer partitions, though they had been known. */
  #doubted: ReadonlySet<string> = new Set();
  #suspect = false;
  #whole = false;

  constructor(brokers: Brokers, topics: readonly string[], problems: ClientProblems) {
    this.#brokers = brokers;
    this.#topics = new Set(topics);
    this.#problems = problems;
  }

  /** Known from the next refresh on. */
  add(topic: string): void {
    this.#topics.add(topic);
  }

  /** Why nothing is known of it, as of the last refresh. */
  errorOf(topic: string): Error | undefined {
    return this.#errors.get(topic);
  }

  /** A broker said something that does not agree with this. */
  suspect(): void {
    this.#suspect = true;
  }

  get isSuspect(): boolean {
    return this.#suspect;
  }

  /** All topics are there, and every partition has a leader. */
  get isWhole(): boolean {
    return this.#whole;
  }

  leaderOf({ topic, partition }: TopicPartition): number | undefined {
    return this.#leaders.get(topic)?.[partition];
  }

  partitionCounts(): ReadonlyMap<string, number> {
    return new Map([...this.#leaders].map(([topic, leaders]) => [topic, leaders.length]));
  }

  /** Says whether there are other partitions than before. A topic that is missing or forbidden is a problem and no failure. */
  async refresh(): Promise<boolean> {
    this.#suspect = false;
    const places = await this.#brokers.places([...this.#topics]);
    const leaders = new Map<string, readonly (number | undefined)[]>();
    const errors = new Map<string, Error>();
    const doubted = new Set<string>();
    this.#whole = true;
    for (const { topic, error, partitions } of places) {
      const about = `topic ${topic}`;
      const leaderless = partitions.filter(({ leader }) => leader === undefined).length;
      if (error !== undefined) this.#problems.set(about, problemWords(error, { doing: `read topic ${topic}`, topic }));
      else if (leaderless > 0)
        this.#problems.set(
          about,
          `${leaderless} of ${partitions.length} partitions of topic ${topic} have no leader. The brokers that have them are probably down`,
        );
      else this.#problems.clear(about);
      if (error !== undefined || leaderless > 0) this.#whole = false;
      // A broker that starts, or lags behind, may deny for a moment what is there. A second answer is believed: a group that
      // divided its lanes again at the first would interrupt all its members for nothing.
      const known = this.#leaders.get(topic);
      const mayPass = error?.type === 'LEADER_NOT_AVAILABLE' || !this.#doubted.has(topic);
      if (known !== undefined && partitions.length < known.length && mayPass) {
        doubted.add(topic);
        this.#whole = false;
        leaders.set(topic, known);
        if (error !== undefined) errors.set(topic, error);
        continue;
      }
      if (error !== undefined) {
        errors.set(topic, error);
        continue;
      }
      const byPartition: (number | undefined)[] = [];
      for (const { partition, leader } of partitions) byPartition[partition] = leader;
      leaders.set(topic, byPartition);
    }
    const before = this.partitionCounts();
    this.#leaders = leaders;
    this.#doubted = doubted;
    this.#errors = errors;
    const now = this.partitionCounts();
    return before.size !== now.size || [...now].some(([topic, count]) => before.get(topic) !== count);
  }
}
