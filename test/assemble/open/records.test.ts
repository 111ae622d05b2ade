import { expect, test } from 'vitest';
import { DeadlineHeap } from '../../../src/assemble/open/deadline-heap.ts';
import { hashOfWords, RecordHash } from '../../../src/assemble/open/record-hash.ts';
import { Records } from '../../../src/assemble/open/records.ts';
import { randomFrom } from '../../random.ts';

test('records keep their fields while others come and go, and numbers of removed ones are used again', () => {
  const random = randomFrom(7);
  const records = new Records(4);
  const kept = new Map<number, number>();
  let highest = 0;
  for (let step = 0; step < 60_000; step += 1) {
    // Three times full of some pages, and empty again.
    const isGrowing = step % 20_000 < 10_000;
    const record = [...kept.keys()].at(Math.floor(random() * Math.min(kept.size, 5)));
    if (record === undefined || random() < (isGrowing ? 0.9 : 0.1)) {
      const added = records.add();
      expect(kept.has(added)).toBe(false);
      expect([records.double(added, 0), records.word(added, 2), records.word(added, 3)]).toEqual([0, 0, 0]);
      const value = random() * 2 ** 50;
      records.setDouble(added, 0, value);
      records.setWord(added, 3, step);
      kept.set(added, value);
      highest = Math.max(highest, added);
    } else {
      expect(records.double(record, 0)).toBe(kept.get(record));
      records.remove(record);
      kept.delete(record);
    }
    if (kept.size > 9000) break;
  }

  expect(kept.has(0)).toBe(false);
  expect(highest).toBeLessThan(10_000);
  for (const [record, value] of kept) expect(records.double(record, 0)).toBe(value);
});

test('a record that is not there cannot be removed, and an odd size is refused', () => {
  expect(() => new Records(2).remove(5000)).toThrow('record 5000 is removed, and is not there');
  expect(() => new Records(2).remove(0)).toThrow('record 0 is removed, and is not there');
  expect(() => new Records(3)).toThrow('records of 3 words: expected an even number');
});

test('pages without a record are given back', () => {
  const records = new Records(2);
  const added = Array.from({ length: 20_000 }, () => records.add());
  for (const record of added.slice(100)) records.remove(record);

  expect(records.pages).toBe(1);
  expect(records.add()).toBeLessThan(20_000 / 9);
});

test.each([
  ['hashes that differ', (value: number) => hashOfWords(value)],
  ['hashes that are all the same', () => 5],
])('records are found by %s, however many come and go', (_, hashOf) => {
  const random = randomFrom(3);
  const records = new Records(2);
  const byValue = new RecordHash(records, { link: 0, hashOf: (record) => hashOf(records.word(record, 1)) });
  const known = new Map<number, number>();
  const find = (value: number) => {
    let found = byValue.first(hashOf(value));
    while (found !== 0 && records.word(found, 1) !== value) found = byValue.after(found);
    return found;
  };
  const values = hashOf(1) === hashOf(2) ? 200 : 8000;
  for (let step = 0; step < 6 * values; step += 1) {
    const value = Math.floor(random() * values) - values / 2;
    expect(find(value)).toBe(known.get(value) ?? 0);
    const record = known.get(value);
    const isGrowing = Math.floor(step / values) % 2 === 0;
    if (record === undefined && isGrowing) {
      const added = records.add();
      records.setWord(added, 1, value);
      byValue.add(added);
      known.set(value, added);
    } else if (record !== undefined && !isGrowing) {
      byValue.remove(record);
      records.remove(record);
      known.delete(value);
    }
  }
  expect(known.size).toBeGreaterThan(0);
});

test('the heap gives records by time, then in their own order, whatever moves and is removed', () => {
  const random = randomFrom(11);
  const records = new Records(2);
  const heap = new DeadlineHeap(records, { place: 0, isBefore: (record, other) => record < other });
  const times = new Map<number, number>();
  for (let step = 0; step < 20_000; step += 1) {
    const chosen = [...times.keys()].at(Math.floor(random() * Math.min(times.size, 20)));
    const time = Math.floor(random() * 50);
    const kind = random();
    if (chosen === undefined || kind < (step < 10_000 ? 0.5 : 0.2)) {
      const record = records.add();
      heap.push(record, time);
      times.set(record, time);
    } else if (kind < 0.7) {
      heap.move(chosen, time);
      times.set(chosen, time);
    } else {
      heap.remove(chosen);
      records.remove(chosen);
      times.delete(chosen);
    }
  }
  const order: number[] = [];
  for (let top = heap.top; top !== 0; top = heap.top) {
    expect(heap.timeOf(top)).toBe(times.get(top));
    order.push(top);
    heap.remove(top);
  }

  expect(order).toEqual([...times.keys()].sort((a, b) => (times.get(a) ?? 0) - (times.get(b) ?? 0) || a - b));
  expect(heap.size).toBe(0);
});
