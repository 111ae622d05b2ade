import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LaneOrder } from '../../src/kafka/lane-order.ts';

const SPANS = 'spans';
const LOGS = 'logs';

function drained<T>(order: LaneOrder<T>): { readonly topic: string; readonly item: T; readonly logTime: number }[] {
  const given = [];
  for (let next = order.next(); next !== undefined; next = order.next()) {
    given.push({ topic: next.topic, item: next.item, logTime: next.logTime });
  }
  return given;
}

test('log time is the largest timestamp so far: it never goes back', () => {
  const order = new LaneOrder<string>([{ topic: SPANS, time: 0 }]);
  order.push(SPANS, 'a', 100);
  order.push(SPANS, 'b', 90);
  order.push(SPANS, 'c', 110);

  expect(drained(order).map(({ item, logTime }) => [item, logTime])).toEqual([
    ['a', 100],
    ['b', 100],
    ['c', 110],
  ]);
  expect(order.time).toBe(110);
});

test('a topic of which nothing is here holds the others back until it is known to be quiet', () => {
  const order = new LaneOrder<string>([
    { topic: SPANS, time: 0 },
    { topic: LOGS, time: 0 },
  ]);
  order.push(SPANS, 'span', 100);

  expect(order.next()).toBeUndefined();
  expect(order.time).toBe(0);

  order.quiet(LOGS, 99);
  expect(order.next()).toBeUndefined();

  order.quiet(LOGS, 100);
  expect(order.next()).toMatchObject({ item: 'span', logTime: 100 });
  expect(order.time).toBe(100);
});

test('of records of one time, those of the topic named first come first, and are waited for', () => {
  const order = new LaneOrder<string>([
    { topic: SPANS, time: 0 },
    { topic: LOGS, time: 0 },
  ]);
  order.push(LOGS, 'log', 100);
  order.quiet(SPANS, 100);

  expect(order.next()).toBeUndefined();

  order.push(SPANS, 'span', 100);
  order.quiet(SPANS, 101);
  expect(drained(order).map(({ item }) => item)).toEqual(['span', 'log']);
});

test('a record that comes for a time that was said to be over is read at the time of the lane, and said to be late', () => {
  const order = new LaneOrder<string>([{ topic: SPANS, time: 0 }]);
  order.quiet(SPANS, 500);

  expect(order.push(SPANS, 'late', 450)).toEqual({ logTime: 500, isLate: true });
  expect(order.push(SPANS, 'in time', 500)).toEqual({ logTime: 500, isLate: false });
  expect(order.next()).toEqual({ topic: SPANS, item: 'late', logTime: 500 });
});

test('however the topics are fetched, the order and the log times are the same', () => {
  const stream = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 30 });
  fc.assert(
    fc.property(stream, stream, fc.array(fc.boolean(), { maxLength: 60 }), (spans, logs, schedule) => {
      const run = (takeSpan: (step: number) => boolean) => {
        const order = new LaneOrder<string>([
          { topic: SPANS, time: 0 },
          { topic: LOGS, time: 0 },
        ]);
        const given = [];
        let [s, l] = [0, 0];
        for (let step = 0; s < spans.length || l < logs.length; step += 1) {
          if (l >= logs.length || (s < spans.length && takeSpan(step))) {
            order.push(SPANS, `s${s}`, spans[s] ?? 0);
            s += 1;
          } else {
            order.push(LOGS, `l${l}`, logs[l] ?? 0);
            l += 1;
          }
          given.push(...drained(order));
        }
        order.quiet(SPANS, 1000);
        order.quiet(LOGS, 1000);
        return [...given, ...drained(order)];
      };

      const all = run(() => true);
      expect(all).toHaveLength(spans.length + logs.length);
      expect(run((step) => schedule[step] ?? false)).toEqual(all);
    }),
  );
});
