/**
 * The order of a lane: records of several topics in one order that does not depend on how they were fetched.
 *
 * Each topic has a time of its own, the largest timestamp so far; a record's log time is that of its topic when it comes. The record
 * with the smallest log time is next; of equal ones, that of the topic named first. A topic of which nothing is here holds the others
 * back, unless it is known to be quiet: read to its end at a time that lies behind them.
 *
 * Quiet time moves the lane on where nothing comes. It never goes back: a record that comes with an earlier timestamp after all is
 * read at the lane's time.
 */
interface Placed {
  readonly logTime: number;
  /** True if the timestamp was before the time that the lane had reached for the topic. */
  readonly isLate: boolean;
}

interface Ordered<T> {
  readonly topic: string;
  readonly item: T;
  readonly logTime: number;
}

interface Stream<T> {
  readonly topic: string;
  readonly waiting: Ordered<T>[];
  head: number;
  /** Time before which no further record is expected. */
  time: number;
  quietUntil: number;
}

const SLIDE_FROM = 1024;

export class LaneOrder<T> {
  readonly #streams: readonly Stream<T>[];

  /** `time` is where the topic stood when it was read up to here before; 0 where it is read for the first time. */
  constructor(topics: readonly { readonly topic: string; readonly time: number }[]) {
    this.#streams = topics.map(({ topic, time }) => ({ topic, time, waiting: [], head: 0, quietUntil: 0 }));
  }

  push(topic: string, item: T, timestamp: number): Placed {
    const stream = this.#stream(topic);
    const logTime = Math.max(stream.time, timestamp);
    stream.time = logTime;
    stream.waiting.push({ topic, item, logTime });
    return { logTime, isLate: timestamp < stream.quietUntil };
  }

  quiet(topic: string, until: number): void {
    const stream = this.#stream(topic);
    stream.quietUntil = Math.max(stream.quietUntil, until);
    stream.time = Math.max(stream.time, until);
  }

  /** How many records of the topic wait for others. */
  waiting(topic: string): number {
    const stream = this.#stream(topic);
    return stream.waiting.length - stream.head;
  }

  /** Everything before this time has been given. */
  get time(): number {
    return Math.min(...this.#streams.map(reached));
  }

  next(): Ordered<T> | undefined {
    let first: Stream<T> | undefined;
    for (const stream of this.#streams) {
      // Equal times go by the order of the topics: the topic named first is taken, or waited for.
      if (first === undefined || reached(stream) < reached(first)) first = stream;
    }
    const found = first?.waiting[first.head];
    if (first === undefined || found === undefined) return undefined;
    first.head += 1;
    if (first.head >= SLIDE_FROM && first.head * 2 >= first.waiting.length) {
      first.waiting.splice(0, first.head);
      first.head = 0;
    }
    return found;
  }

  #stream(topic: string): Stream<T> {
    const stream = this.#streams.find((candidate) => candidate.topic === topic);
    if (stream === undefined) throw new Error(`lane: it has no topic ${topic}`);
    return stream;
  }
}

/** The log time of the stream's next record: known where one waits, else no less than this. */
function reached<T>(stream: Stream<T>): number {
  return stream.waiting[stream.head]?.logTime ?? stream.time;
}
