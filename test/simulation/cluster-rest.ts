/**
 * Detects that a cluster is at rest: everything in the topics has been read and filed, nothing is pending, and nothing
 * is due.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import type { Client } from 'pg';
import { connectTo } from './cluster-database.ts';

export interface RestOptions {
  readonly brokers: readonly string[];
  readonly topics: readonly string[];
  readonly group: string;
  readonly database: string;
  /** Gives up after this time without progress. */
  readonly patienceMs: number;
  readonly say: (line: string) => void;
}

const EVERY_MS = 1000;
const SAY_EVERY = 10;
const ROUNDS_AT_REST = 3;

/** Returns the remaining work when the time is over; undefined when all is done. */
export async function untilAtRest(options: RestOptions): Promise<string | undefined> {
  const kafka = new Kafka({ brokers: [...options.brokers], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const client = await connectTo(options.database);
  try {
    let rounds = 0;
    let last = '';
    let progressAt = Date.now();
    for (let round = 0; ; round += 1) {
      const { state, isAtRest } = await look(admin, client, options);
      if (state !== last) progressAt = Date.now();
      last = state;
      rounds = isAtRest ? rounds + 1 : 0;
      if (rounds >= ROUNDS_AT_REST) return undefined;
      if (Date.now() - progressAt > options.patienceMs) return state;
      if (round % SAY_EVERY === 0) options.say(state);
      await sleep(EVERY_MS);
    }
  } finally {
    await client.end();
    await admin.disconnect();
  }
}

async function look(
  admin: Admin,
  client: Client,
  options: RestOptions,
): Promise<{ readonly state: string; readonly isAtRest: boolean }> {
  try {
    const behind = await recordsBehind(admin, options);
    const { rows } = await client.query<{ pending: string; due: string; sending: string }>(
      `SELECT (SELECT count(*) FROM pending) AS pending,
              (SELECT count(*) FROM conversations WHERE due_at IS NOT NULL) AS due,
              (SELECT count(*) FROM outbox_new) + (SELECT count(*) FROM outbox) AS sending`,
    );
    const { pending = '0', due = '0', sending = '0' } = rows[0] ?? {};
    const state = `${behind} records to commit, ${pending} arrivals to judge, ${due} conversations due later, ${sending} evaluations to send`;
    return { state, isAtRest: behind + Number(pending) + Number(due) + Number(sending) === 0 };
  } catch (error) {
    // The coordinator is moving, or the tables do not exist yet.
    return { state: error instanceof Error ? error.message : String(error), isAtRest: false };
  }
}

const QUIET_ROUNDS = 5;

/** Also waits for records that a Collector still holds. */
export async function untilNothingComes({
  brokers,
  topics,
}: {
  readonly brokers: readonly string[];
  readonly topics: readonly string[];
}): Promise<void> {
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  let last = '';
  for (let rounds = 0; rounds < QUIET_ROUNDS; ) {
    const ends = await Promise.all(topics.map((topic) => admin.fetchTopicOffsets(topic)));
    const state = JSON.stringify(ends);
    rounds = state === last ? rounds + 1 : 0;
    last = state;
    await sleep(EVERY_MS);
  }
  await admin.disconnect();
}

async function recordsBehind(admin: Admin, options: RestOptions): Promise<number> {
  const committed = await admin.fetchOffsets({ groupId: options.group, topics: [...options.topics] });
  let behind = 0;
  for (const topic of options.topics) {
    const of = new Map(
      committed
        .find((one) => one.topic === topic)
        ?.partitions.map(({ partition, offset }) => [partition, Number(offset)]),
    );
    for (const { partition, high, low } of await admin.fetchTopicOffsets(topic)) {
      behind += Number(high) - Math.max(of.get(partition) ?? 0, Number(low));
    }
  }
  return behind;
}
