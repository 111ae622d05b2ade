import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { KafkaError, type KafkaPublisher, type RecordToSend } from '../../../src/kafka/kafka-client.ts';
import { EvaluationRelay } from '../../../src/serve/cluster/evaluation-relay.ts';
import type { OutboxRow } from '../../../src/store/cluster-store.ts';
import { randomFrom } from '../../random.ts';

/** A topic with transactions: the records and the position change together, and only one publisher is alive. */
class Topic {
  readonly records: string[] = [];
  progress: number | undefined;
  living: object | undefined;
}

/** Sometimes fails: before it has published, or afterwards, with the answer lost. */
function publisherOf(topic: Topic, fails: () => 'before' | 'after' | undefined): KafkaPublisher {
  const me = {};
  return {
    open: async () => {
      topic.living = me;
      return topic.progress;
    },
    publish: async (records: readonly RecordToSend[], progress: number) => {
      await sleep(0);
      if (topic.living !== me) throw new KafkaError('fenced', { retriable: false });
      const failure = fails();
      if (failure === 'before') throw new KafkaError('no broker', { retriable: true });
      topic.records.push(...records.map(({ value }) => value.toString()));
      topic.progress = progress;
      if (failure === 'after') throw new KafkaError('the answer was lost', { retriable: true });
    },
    stop: async () => {},
  };
}

class Outbox {
  rows: OutboxRow[] = [];
  #last = 0;
  #new: string[] = [];

  add(payload: string): void {
    this.#new.push(payload);
  }

  async number(): Promise<number> {
    for (const payload of this.#new.splice(0)) {
      this.#last += 1;
      this.rows.push({ number: this.#last, key: 'c', payload: Buffer.from(payload) });
    }
    return this.#last;
  }

  async read(after: number, limit: number): Promise<readonly OutboxRow[]> {
    return this.rows.filter(({ number }) => number > after).slice(0, limit);
  }

  async forget(upTo: number): Promise<void> {
    this.rows = this.rows.filter(({ number }) => number > upTo);
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 2000 && !holds(); tries += 1) await sleep(1);
}

test('each evaluation is in the topic once and in order, whatever fails and whoever takes over', async () => {
  const random = randomFrom(7);
  const topic = new Topic();
  const outbox = new Outbox();
  const relays = Array.from(
    { length: 3 },
    () =>
      new EvaluationRelay({
        store: outbox,
        makePublisher: () =>
          publisherOf(topic, () => {
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
      outbox.add(expected.at(-1) ?? '');
    }
    // Two may be active for a while: a paused one does not know that it has been replaced.
    const relay = relays[Math.floor(random() * relays.length)];
    relay?.start();
    await sleep(2);
    if (random() < 0.7) await relay?.stop();
  }
  relays[0]?.start();
  await until(() => topic.records.length >= expected.length && outbox.rows.length === 0);
  for (const relay of relays) await relay.stop();

  expect(topic.records).toEqual(expected);
  expect(outbox.rows).toEqual([]);
});

test('a relay that can not send says so until it can or is stopped, however often it opens its topic', async () => {
  const outbox = new Outbox();
  const problems: unknown[] = [];
  let isRefused = true;
  const relay = new EvaluationRelay({
    store: outbox,
    makePublisher: () => publisherOf(new Topic(), () => (isRefused ? 'before' : undefined)),
    onSent: () => {},
    troubles: { said: (_, problem) => problems.push(problem), over: () => problems.push(undefined) },
    idleMs: 1,
    retryMs: 1,
  });
  outbox.add('one');
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
  expect(outbox.rows).toEqual([]);
});
