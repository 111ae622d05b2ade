/**
 * Assigns lanes to members; the leader of the group decides. A lane is all partitions of one number, and goes to one
 * member whole. Shares are even to within one lane, and who has a lane keeps it as long as that leaves shares even.
 *
 * Each member's lanes travel in the user data of its subscription, with the generation that assigned them: a member
 * that missed a generation loses against one that did not.
 *
 *   subscription = version i16, topics (string each), user data (length i32)
 *   assignment   = version i16, topics: name string, partitions i32 each; user data
 */
import type { TopicPartition } from '../kafka-client.ts';

/** Name of the protocol for the group's coordinator. All members of a group must divide lanes in the same way. */
export const LANE_PROTOCOL = 'assay-lanes';

interface Subscription {
  readonly topics: readonly string[];
  readonly lanes: readonly number[];
  readonly generation: number;
}

export interface Member extends Subscription {
  readonly id: string;
}

/** The lanes of each member. `partitionCounts` are of the topics that exist. */
export function assignLanes(
  members: readonly Member[],
  partitionCounts: ReadonlyMap<string, number>,
): ReadonlyMap<string, readonly number[]> {
  const given = new Map<string, number[]>(members.map(({ id }) => [id, []]));
  const able = membersThatReadMost(members, partitionCounts);
  const laneCount = Math.max(0, ...partitionCounts.values());
  if (able.length === 0) return given;

  const owners = ownersOf(able, laneCount);
  const shareMin = Math.floor(laneCount / able.length);
  let largerShares = laneCount % able.length;
  // Members that have most keep the larger shares.
  const held = (member: Member) => owners.filter((owner) => owner === member.id).length;
  for (const member of [...able].sort((a, b) => held(b) - held(a) || byId(a, b))) {
    let share = shareMin;
    if (largerShares > 0 && held(member) > shareMin) {
      share++;
      largerShares--;
    }
    const lanes = given.get(member.id) ?? [];
    owners.forEach((owner, lane) => {
      if (owner === member.id && lanes.length < share) lanes.push(lane);
    });
  }

  const taken = new Set([...given.values()].flat());
  for (let lane = 0; lane < laneCount; lane++) {
    if (taken.has(lane)) continue;
    const [poorest] = [...able].sort((a, b) => size(given, a) - size(given, b) || byId(a, b));
    if (poorest !== undefined) given.get(poorest.id)?.push(lane);
  }
  for (const lanes of given.values()) lanes.sort((a, b) => a - b);
  return given;
}

export function partitionsOf(lanes: readonly number[], partitionCounts: ReadonlyMap<string, number>): TopicPartition[] {
  return [...partitionCounts].flatMap(([topic, count]) =>
    lanes.filter((lane) => lane < count).map((partition) => ({ topic, partition })),
  );
}

/** While topics are added with members running, the older ones do not know of them and would leave a part of the lane unread. */
function membersThatReadMost(
  members: readonly Member[],
  partitionCounts: ReadonlyMap<string, number>,
): readonly Member[] {
  const topicsRead = (member: Member) =>
    [...partitionCounts.keys()].filter((topic) => member.topics.includes(topic)).length;
  const most = Math.max(0, ...members.map(topicsRead));
  return members.filter((member) => topicsRead(member) === most).sort(byId);
}

/** Id of the member that had each lane last. */
function ownersOf(members: readonly Member[], laneCount: number): (string | undefined)[] {
  const owners: (Member | undefined)[] = Array.from({ length: laneCount }, () => undefined);
  for (const member of members)
    for (const lane of member.lanes)
      if (lane < laneCount && member.generation > (owners[lane]?.generation ?? -1)) owners[lane] = member;
  return owners.map((owner) => owner?.id);
}

function size(given: ReadonlyMap<string, readonly number[]>, member: Member): number {
  return given.get(member.id)?.length ?? 0;
}

function byId(a: Member, b: Member): number {
  return a.id < b.id ? -1 : 1;
}

export function encodeSubscription(subscription: Subscription): Buffer {
  const { lanes, generation } = subscription;
  return Buffer.concat([
    int16(1),
    int32(subscription.topics.length),
    ...subscription.topics.map(string),
    bytes(Buffer.from(JSON.stringify({ lanes, generation }))),
  ]);
}

/** A subscription that is not Assay's counts as a member that reads nothing and has nothing. */
export function decodeSubscription(encoded: Buffer): Subscription {
  try {
    const reader = new Reader(encoded);
    reader.int16();
    const topics = reader.array(() => reader.string());
    const had: unknown = JSON.parse(reader.bytes().toString('utf8'));
    if (typeof had !== 'object' || had === null || !('lanes' in had) || !('generation' in had))
      return { topics, ...NOTHING_HAD };
    const { lanes, generation } = had;
    if (!Array.isArray(lanes) || typeof generation !== 'number') return { topics, ...NOTHING_HAD };
    return {
      topics,
      lanes: lanes.filter((lane): lane is number => Number.isSafeInteger(lane) && lane >= 0),
      generation,
    };
  } catch {
    // Not in our words: it is a member all the same, and gets nothing.
    return { topics: [], ...NOTHING_HAD };
  }
}

const NOTHING_HAD = { lanes: [], generation: -1 };

export function encodeAssignment(partitions: readonly TopicPartition[]): Buffer {
  const topics = Map.groupBy(partitions, ({ topic }) => topic);
  return Buffer.concat([
    int16(1),
    int32(topics.size),
    ...[...topics].flatMap(([topic, those]) => [
      string(topic),
      int32(those.length),
      ...those.map(({ partition }) => int32(partition)),
    ]),
    bytes(Buffer.alloc(0)),
  ]);
}

export function decodeAssignment(encoded: Buffer): TopicPartition[] {
  // A member that is given nothing may get no bytes at all.
  if (encoded.length < 2) return [];
  const reader = new Reader(encoded);
  reader.int16();
  return reader
    .array(() => {
      const topic = reader.string();
      return reader.array(() => ({ topic, partition: reader.int32() }));
    })
    .flat();
}

function int16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeInt16BE(value);
  return buffer;
}

function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
}

function string(text: string): Buffer {
  const encoded = Buffer.from(text);
  return Buffer.concat([int16(encoded.length), encoded]);
}

function bytes(content: Buffer): Buffer {
  return Buffer.concat([int32(content.length), content]);
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(encoded: Buffer) {
    this.#bytes = encoded;
  }

  int16(): number {
    this.#at += 2;
    return this.#bytes.readInt16BE(this.#at - 2);
  }

  int32(): number {
    this.#at += 4;
    return this.#bytes.readInt32BE(this.#at - 4);
  }

  string(): string {
    return this.#take(this.int16()).toString('utf8');
  }

  bytes(): Buffer {
    return this.#take(this.int32());
  }

  array<T>(read: () => T): T[] {
    const items: T[] = [];
    for (let left = this.int32(); left > 0; left--) items.push(read());
    return items;
  }

  #take(length: number): Buffer {
    const taken = this.#bytes.subarray(this.#at, this.#at + Math.max(0, length));
    this.#at += Math.max(0, length);
    return taken;
  }
}
