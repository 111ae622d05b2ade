import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  assignLanes,
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
  type Member,
  partitionsOf,
} from '../../../src/kafka/kafkajs/lane-assignment.ts';

const TOPICS = ['spans', 'logs'];

function member(id: string, lanes: readonly number[] = [], generation = 1): Member {
  return { id, topics: TOPICS, lanes, generation };
}

function assigned(members: readonly Member[], counts: Record<string, number>) {
  return Object.fromEntries(assignLanes(members, new Map(Object.entries(counts))));
}

test('shares are even to within one lane', () => {
  expect(assigned([member('a'), member('b'), member('c')], { spans: 7, logs: 3 })).toEqual({
    a: [0, 3, 6],
    b: [1, 4],
    c: [2, 5],
  });
});

test('a member that joins takes no more than its share, and everybody else keeps the rest', () => {
  const members = [member('a', [0, 2, 4]), member('b', [1, 3, 5]), member('new', [], -1)];

  expect(assigned(members, { spans: 6 })).toEqual({ a: [0, 2], b: [1, 3], new: [4, 5] });
});

test('the lanes of a member that left are shared out, and nobody loses one', () => {
  expect(assigned([member('a', [0, 1]), member('b', [2, 3])], { spans: 6 })).toEqual({ a: [0, 1, 4], b: [2, 3, 5] });
});

test('where two claim a lane, the one with the later generation has it', () => {
  expect(assigned([member('a', [0, 1], 4), member('b', [0, 1], 5)], { spans: 2 })).toEqual({ a: [1], b: [0] });
});

test('members that do not read all topics get nothing while others do', () => {
  const old = { ...member('a', [0, 1]), topics: ['spans'] };

  expect(assigned([old, member('b')], { spans: 2, logs: 2 })).toEqual({ a: [], b: [0, 1] });
});

test('whatever members claim: all lanes are given once, evenly, in the same way, and again the same', () => {
  const claims = fc.record({ lanes: fc.array(fc.nat(40)), generation: fc.integer({ min: -1, max: 5 }) });
  fc.assert(
    fc.property(fc.array(claims, { minLength: 1, maxLength: 8 }), fc.nat(30), (made, laneCount) => {
      const counts = new Map([['spans', laneCount]]);
      const members = made.map((claim, index) => ({ id: `m${index}`, topics: TOPICS, ...claim }));
      const given = assignLanes(members, counts);

      const lanes = [...given.values()].flat().sort((a, b) => a - b);
      expect(lanes).toEqual(Array.from({ length: laneCount }, (_, lane) => lane));
      const sizes = [...given.values()].map(({ length }) => length);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      expect(assignLanes([...members].reverse(), counts)).toEqual(given);
      const settled = members.map(({ id, topics }) => ({ id, topics, lanes: given.get(id) ?? [], generation: 9 }));
      expect(assignLanes(settled, counts)).toEqual(given);
    }),
  );
});

test('a lane is all partitions of one number', () => {
  const counts = new Map([
    ['spans', 3],
    ['logs', 1],
  ]);
  expect(partitionsOf([0, 2], counts)).toEqual([
    { topic: 'spans', partition: 0 },
    { topic: 'spans', partition: 2 },
    { topic: 'logs', partition: 0 },
  ]);
});

test('subscriptions and assignments come back as they were', () => {
  const subscription = { topics: ['spans', 'ünïcode'], lanes: [0, 5], generation: 12 };
  const partitions = [
    { topic: 'spans', partition: 1 },
    { topic: 'spans', partition: 7 },
    { topic: 'logs', partition: 1 },
  ];

  expect(decodeSubscription(encodeSubscription(subscription))).toEqual(subscription);
  expect(decodeAssignment(encodeAssignment(partitions))).toEqual(partitions);
  expect(decodeAssignment(encodeAssignment([]))).toEqual([]);
  expect(decodeAssignment(Buffer.alloc(0))).toEqual([]);
});

test('a subscription that is not ours is one that has nothing', () => {
  const bytes = Buffer.from([0, 1, 0, 0, 0, 1, 0, 1, 0x61, 0, 0, 0, 2, 0x7b, 0x7b]);

  expect(decodeSubscription(bytes)).toEqual({ topics: [], lanes: [], generation: -1 });
  fc.assert(
    fc.property(fc.uint8Array(), (noise) => {
      expect(decodeSubscription(Buffer.from(noise)).lanes).toEqual([]);
    }),
  );
});
