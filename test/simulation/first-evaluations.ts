/**
 * Checks whether conversations were complete at their first evaluation. If all turns of a conversation reached the log
 * at once, nothing excuses an incomplete first evaluation. There are three excuses. A broker was away, and a turn
 * reached the log only after the end of its conversation had closed. A part of a turn arrived after the turn had
 * closed. Or a turn arrived after the conversation had been idle. These could not be known in advance, and such
 * conversations are counted separately.
 */
import { hash } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { describeConversation } from './cluster-books.ts';
import { connectTo } from './cluster-database.ts';

/** Has a question about each conversation as a whole. */
export const TOGETHER_SUITE = path.resolve(import.meta.dirname, 'together.yaml');

/** A conversation that was sent. */
export interface SentConversation {
  readonly id: string;
  /** By trace, the number of different spans. */
  readonly spans: ReadonlyMap<string, number>;
  /** The trace whose turn ends it. */
  readonly ends: string;
}

export interface FirstEvaluations {
  readonly first_evaluations: number;
  /** Conversations that reached the log at once but were evaluated incompletely. */
  readonly judged_incomplete: number;
  /** Conversations that did not reach the log at once, and how many of them were evaluated incompletely. */
  readonly apart: number;
  readonly apart_incomplete: number;
}

/** The times at which the records of a trace were appended, in order; for duplicates the first time counts. */
type Appended = readonly number[];

/** One of a thousand first evaluations may be incomplete. */
export const INCOMPLETE_SHARE_MAX = 0.001;

export async function firstEvaluations(of: {
  readonly sent: readonly SentConversation[];
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly database: string;
  readonly settleMs: number;
  readonly idleMs: number;
  readonly say: (line: string) => void;
}): Promise<FirstEvaluations> {
  const found = { first_evaluations: 0, judged_incomplete: 0, apart: 0, apart_incomplete: 0 };
  if (of.sent.length === 0) return found;
  const appended = await appendTimes(of.brokers, of.topic);
  const steps = await firstSteps(of.database);
  for (const { id, spans, ends } of of.sent) {
    const seen = steps.get(id);
    if (seen === undefined) continue;
    found.first_evaluations += 1;
    // The span of the agent itself is no step.
    const expected = [...spans.values()].reduce((sum, count) => sum + count - 1, 0);
    const turns = [...spans.keys()].map((traceId) => appended.get(traceId) ?? []);
    const isApart = !atOnce(turns, { ...of, end: appended.get(ends) ?? [] });
    if (isApart) found.apart += 1;
    if (seen >= expected) continue;
    if (isApart) found.apart_incomplete += 1;
    else found.judged_incomplete += 1;
    if (found.judged_incomplete > 5 || isApart) continue;
    of.say(`${id} was evaluated with ${seen} of ${expected} steps:\n${await describeConversation(of.database, id)}`);
    of.say(`its turns reached the log at ${JSON.stringify(turns)}, and it ended with trace ${ends}`);
  }
  return found;
}

function atOnce(
  turns: readonly Appended[],
  { end, settleMs, idleMs }: { readonly end: Appended; readonly settleMs: number; readonly idleMs: number },
): boolean {
  const closed = (end.at(-1) ?? 0) + settleMs;
  const all = turns.flat();
  return (
    turns.every(([first = Number.POSITIVE_INFINITY]) => first <= closed) &&
    turns.every((times) => times.every((at, index) => at - (times[index - 1] ?? at) < settleMs)) &&
    Math.max(...all) - Math.min(...all) < idleMs
  );
}

/** By conversation, the steps that its first evaluation saw. */
async function firstSteps(database: string): Promise<ReadonlyMap<string, number>> {
  const client = await connectTo(database);
  try {
    const { rows } = await client.query<{ id: string; steps: number }>(
      `SELECT c.conversation_id AS id, min(e.steps) AS steps FROM evaluations e JOIN conversations c ON c.id = e.conversation
       WHERE e.revision = 1 AND e.suite = 'together' GROUP BY 1`,
    );
    return new Map(rows.map(({ id, steps }) => [id, steps]));
  } finally {
    await client.end();
  }
}

const QUIET_MS = 3000;

async function appendTimes(brokers: readonly string[], topic: string): Promise<ReadonlyMap<string, Appended>> {
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: `times-of-${topic}-${Date.now()}` });
  const times = new Map<string, Map<string, number>>();
  let lastAt = Date.now();
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachBatch: async ({ batch }) => {
      for (const { key, value, timestamp } of batch.messages) {
        const traceId = String(key);
        const records = times.get(traceId) ?? new Map<string, number>();
        times.set(traceId, records);
        const record = hash('sha256', value ?? '');
        if (!records.has(record)) records.set(record, Number(timestamp));
      }
      lastAt = Date.now();
    },
  });
  // The group needs some time to get its partitions.
  while (times.size === 0 || Date.now() - lastAt < QUIET_MS) await sleep(200);
  await consumer.disconnect();
  return new Map([...times].map(([traceId, records]) => [traceId, [...records.values()].toSorted((a, b) => a - b)]));
}
