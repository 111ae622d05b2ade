import { expect, test } from 'vitest';
import type { Brokers } from '../../../src/kafka/kafkajs/brokers.ts';
import { ClientProblems } from '../../../src/kafka/kafkajs/problems.ts';
import { protocolError } from '../../../src/kafka/kafkajs/internals.ts';
import { TopicMap } from '../../../src/kafka/kafkajs/topic-map.ts';

const UNKNOWN_TOPIC = 3;
const LEADER_NOT_AVAILABLE = 5;

/** Brokers that answer these one after the other: a number of partitions, or an error's code below 0. */
function mapOf(...answers: readonly number[]) {
  const left = [...answers];
  const places: Brokers['places'] = async () => {
    const answer = left.shift() ?? 0;
    if (answer < 0) return [{ topic: 'spans', error: protocolError(-answer), partitions: [] }];
    const partitions = Array.from({ length: answer }, (_, partition) => ({ partition, leader: 1 }));
    return [{ topic: 'spans', error: undefined, partitions }];
  };
  const map = new TopicMap({ places } as Brokers, ['spans'], new ClientProblems(() => undefined));
  return async () => ({ changed: await map.refresh(), counts: [...map.partitionCounts()], isWhole: map.isWhole });
}

test('one broker that denies a topic which others have changes nothing, and the brokers are asked again soon', async () => {
  const refresh = mapOf(4, -UNKNOWN_TOPIC, 4, 3, 4);
  expect(await refresh()).toEqual({ changed: true, counts: [['spans', 4]], isWhole: true });
  for (const isWhole of [false, true, false, true])
    expect(await refresh()).toEqual({ changed: false, counts: [['spans', 4]], isWhole });
});

test('a topic that two answers deny, one after the other, is gone', async () => {
  const refresh = mapOf(4, -UNKNOWN_TOPIC, -UNKNOWN_TOPIC, 2);
  await refresh();
  expect(await refresh()).toMatchObject({ changed: false });
  expect(await refresh()).toEqual({ changed: true, counts: [], isWhole: false });
  expect(await refresh()).toEqual({ changed: true, counts: [['spans', 2]], isWhole: true });
});

test('a topic that was made again with fewer partitions is known by the second answer', async () => {
  const refresh = mapOf(4, 2, 2);
  await refresh();
  expect(await refresh()).toMatchObject({ changed: false });
  expect(await refresh()).toEqual({ changed: true, counts: [['spans', 2]], isWhole: true });
});

test('more partitions are believed at once, and a topic without leaders stays known', async () => {
  const refresh = mapOf(2, 4, -LEADER_NOT_AVAILABLE, -LEADER_NOT_AVAILABLE, -LEADER_NOT_AVAILABLE);
  await refresh();
  expect(await refresh()).toEqual({ changed: true, counts: [['spans', 4]], isWhole: true });
  for (let time = 0; time < 3; time += 1)
    expect(await refresh()).toEqual({ changed: false, counts: [['spans', 4]], isWhole: false });
});
