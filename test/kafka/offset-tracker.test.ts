import { expect, test } from 'vitest';
import { OffsetTracker } from '../../src/kafka/offset-tracker.ts';

test('an offset may be committed once everything before it is done, with the log time at that place', () => {
  const tracker = new OffsetTracker({ offset: 10, time: 100 });
  const first = tracker.add(10, 2);
  tracker.reached(110);
  const second = tracker.add(11, 1);
  tracker.reached(120);

  tracker.release(second, 1);
  expect(tracker.progress).toEqual({ offset: 10, time: 100 });

  tracker.release(first, 1);
  expect(tracker.progress).toEqual({ offset: 10, time: 100 });

  tracker.release(first, 1);
  expect(tracker.progress).toEqual({ offset: 12, time: 120 });
  expect(tracker.next).toBe(12);
});

test('a record in which nothing is of interest holds nobody up', () => {
  const tracker = new OffsetTracker({ offset: 0, time: 0 });
  tracker.add(0, 0);
  tracker.reached(5);
  const open = tracker.add(7, 1);

  expect(tracker.progress).toEqual({ offset: 7, time: 5 });

  tracker.release(open, 1);
  expect(tracker.progress.offset).toBe(8);
});

test('releasing what was not taken is a mistake that is said', () => {
  const tracker = new OffsetTracker({ offset: 0, time: 0 });
  const record = tracker.add(0, 1);
  tracker.release(record, 1);

  expect(() => tracker.release(record, 1)).toThrow('record 0 was released more often');
});
