import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { KafkaError, type KafkaProducer, type RecordToSend } from '../../../src/kafka/kafka-client.ts';
import { EvaluationRelay } from '../../../src/serve/cluster/evaluation-relay.ts';
import type { OutboxRow } from '../../../src/store/cluster-store.ts';
import { randomFrom } from '../../random.ts';

/** Sometimes fails: before it has sent, or afterwards, with the answer lost. */
function producerOf(topic: RecordToSend[], fails: () => 'before' | 'after' | undefined): KafkaProducer {
  return {
    send: async (name, records) => {
      expect(name).toBe('evaluations');
      await sleep(0);
      const failure = fails();
      if (failure === 'before') throw new KafkaError('no broker', { retriable: true });
      topic.push(...records);
      if (failure === 'after') throw new KafkaError('the answer was lost', { retriable: true });
    },
    stop: async () => {},
  };
}

class Outbox {
  rows: OutboxRow[] = [];
  /** Rows that an instance of the last release was about to send. */
  numbered: OutboxRow[] = [];
  #last = 0;

  add(conversationId: string, id: string): void {
    this.#last += 1;
    this.rows.push({ id: this.#last, conversationId, payload: Buffer.from(JSON.stringify({ id })) });
  }

  async adopt(): Promise<void> {
    this.rows.push(...this.numbered.splice(0));
  }

  async read(limit: number): Promise<readonly OutboxRow[]> {
    return this.rows.slice(0, limit);
  }

  async forget(ids: readonly number[]): Promise<void> {
    this.rows = this.rows.filter(({ id }) => !ids.includes(id));
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 2000 && !holds(); tries += 1) await sleep(1);
}

test('each evaluation is in the topic under its id, in order, whatever fails and whoever takes over', async () => {
  const random = randomFrom(7);
  const topic: RecordToSend[] = [];
  const outbox = new Outbox();
  const relays = Array.from(
    { length: 3 },
    () =>
      new EvaluationRelay({
        store: outbox,
        topic: 'evaluations',
        makeProducer: () =>
          producerOf(topic, () => {
            const chance = random();
            if (chance < 0.15) return 'before';
            return chance < 0.3 ? 'after' : undefined;
          }),
        onSent: () => {},
        troubles: { said: () => {}, over: () => {} },
        idleMs: 1,
        retryMs: 1,
      }),
  );
  const expected: string[] = [];
  for (let round = 0; round < 60; round += 1) {
    for (let count = 0; count < 5; count += 1) {
      expected.push(`evaluation ${expected.length}`);
      outbox.add(`conversation ${round}`, expected.at(-1) ?? '');
    }
    // Two may be active for a while: a paused one does not know that it has been replaced.
    const relay = relays[Math.floor(random() * relays.length)];
    relay?.start();
    await sleep(2);
    if (random() < 0.7) await relay?.stop();
  }
  relays[0]?.start();
  await until(() => outbox.rows.length === 0);
  for (const relay of relays) await relay.stop();

  const keys = topic.map(({ key }) => String(key));
  expect([...new Set(keys)]).toEqual(expected);
  for (const { key, value, partitionKey } of topic) {
    expect(JSON.parse(value.toString())).toEqual({ id: key });
    expect(partitionKey).toBe(`conversation ${Math.floor(expected.indexOf(String(key)) / 5)}`);
  }
});

test('a relay that cannot send says so until it can or is stopped', async () => {
  const outbox = new Outbox();
  const problems: unknown[] = [];
  const topic: RecordToSend[] = [];
  let isRefused = true;
  const relay = new EvaluationRelay({
    store: outbox,
    topic: 'evaluations',
    makeProducer: () => producerOf(topic, () => (isRefused ? 'before' : undefined)),
    onSent: () => {},
    troubles: { said: (_, problem) => problems.push(problem), over: () => problems.push(undefined) },
    idleMs: 1,
    retryMs: 1,
  });
  outbox.add('c', 'one');
  relay.start();
  await until(() => problems.length >= 3);
  await relay.stop();
  const [end, ...refusals] = problems.splice(0).reverse();
  expect(end).toBeUndefined();
  for (const refusal of refusals) expect(refusal).toBeInstanceOf(KafkaError);

  relay.start();
  await until(() => problems.length > 0);
  isRefused = false;
  await until(() => outbox.rows.length === 0 && problems.at(-1) === undefined);
  await relay.stop();
  expect(topic).toHaveLength(1);
  expect(outbox.rows).toEqual([]);
});

test('evaluations that an instance of the last release leaves behind are sent, at the start and later', async () => {
  const outbox = new Outbox();
  const topic: RecordToSend[] = [];
  const relay = new EvaluationRelay({
    store: outbox,
    topic: 'evaluations',
    makeProducer: () => producerOf(topic, () => undefined),
    onSent: () => {},
    troubles: { said: () => {}, over: () => {} },
    idleMs: 1,
  });
  const leave = (id: number) => {
    outbox.numbered.push({ id, conversationId: 'c', payload: Buffer.from(`{"id":"${id}"}`) });
  };
  leave(101);
  relay.start();
  await until(() => topic.length === 1);
  leave(102);
  await until(() => topic.length === 2);
  await relay.stop();

  expect(topic.map(({ key }) => key)).toEqual(['101', '102']);
  expect(outbox.rows).toEqual([]);
});

test('what a stopping relay could not send stays, and its producer is stopped', async () => {
  const outbox = new Outbox();
  let stopped = 0;
  const relay = new EvaluationRelay({
    store: outbox,
    topic: 'evaluations',
    makeProducer: () => ({
      send: () => Promise.reject(new KafkaError('no broker', { retriable: true })),
      stop: async () => {
        stopped += 1;
      },
    }),
    onSent: () => expect.unreachable('nothing was sent'),
    troubles: { said: () => {}, over: () => {} },
  });
  outbox.add('c', 'one');
  relay.start();
  await sleep(5);
  await relay.stop();

  expect([outbox.rows.length, stopped]).toEqual([1, 1]);
});
