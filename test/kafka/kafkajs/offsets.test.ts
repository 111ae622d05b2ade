import { expect, test } from 'vitest';
import type { Brokers } from '../../../src/kafka/kafkajs/brokers.ts';
import { Offsets } from '../../../src/kafka/kafkajs/offsets.ts';

const NOT_COORDINATOR = 16;
const PLACE = { topic: 'spans', partition: 0 };

/** The group's coordinator has moved from broker 1 to broker 2 since the last look-up. */
function movedCoordinator(refusal: (node: number) => object) {
  const coordinators = [1, 2];
  const asked: number[] = [];
  const brokers: Pick<Brokers, 'coordinator' | 'request'> = {
    coordinator: async () => coordinators.shift() ?? 2,
    request: async (node) => {
      asked.push(node);
      return refusal(node);
    },
  };
  const offsets = new Offsets(brokers, { leaderOf: () => 1 }, 'assay');
  return { offsets, asked };
}

const answerOf = (errorCode: number) => ({
  responses: [{ topic: 'spans', partitions: [{ partition: 0, errorCode, offset: '7', metadata: '' }] }],
});

test.each([
  ['for all partitions at once', (node: number) => ({ ...answerOf(0), errorCode: node === 1 ? NOT_COORDINATOR : 0 })],
  ['for each partition', (node: number) => answerOf(node === 1 ? NOT_COORDINATOR : 0)],
])('a broker that no longer coordinates the group says so %s: the next call asks who does', async (_, refusal) => {
  const { offsets, asked } = movedCoordinator(refusal);

  await expect(offsets.committed([PLACE])).rejects.toMatchObject({ type: 'NOT_COORDINATOR_FOR_GROUP' });

  expect(await offsets.committed([PLACE])).toEqual([{ offset: 7, metadata: '' }]);
  expect(asked).toEqual([1, 2]);
});

test('the same of what is committed', async () => {
  const { offsets, asked } = movedCoordinator((node) => answerOf(node === 1 ? NOT_COORDINATOR : 0));
  const commit = () => offsets.commit([{ ...PLACE, offset: 8, metadata: '' }], { generation: 1, memberId: 'm' });

  await expect(commit()).rejects.toMatchObject({ type: 'NOT_COORDINATOR_FOR_GROUP' });
  await commit();

  expect(asked).toEqual([1, 2]);
});
