import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OffsetSet } from '../../../src/receive/kafka/offset-set.ts';

test('what is done without a gap moves the offset, what is beyond a gap is kept as ranges', () => {
  const set = new OffsetSet(10);

  for (const offset of [10, 11, 13, 14, 15, 20, 12]) set.add(offset);

  expect(set.kept()).toEqual({ offset: 16, metadata: '20' });
  set.add(18);
  set.add(17);
  expect(set.kept()).toEqual({ offset: 16, metadata: '17-18,20' });
});

test('what was kept says the same when it is read again, whatever was added in which order', () => {
  fc.assert(
    fc.property(fc.nat(20), fc.array(fc.nat(60)), fc.array(fc.nat(60)), (before, first, second) => {
      const all = new OffsetSet(before);
      for (const offset of [...first, ...second]) all.add(offset);
      const one = new OffsetSet(before);
      for (const offset of first) one.add(offset);
      const kept = one.kept();
      const other = new OffsetSet(kept.offset, kept.metadata);
      for (const offset of second) other.add(offset);

      expect(other.kept()).toEqual(all.kept());
      for (let offset = 0; offset <= 60; offset++)
        expect(other.has(offset)).toBe(offset < before || first.includes(offset) || second.includes(offset));
    }),
  );
});

test('ranges that do not fit are forgotten, not cut', () => {
  const set = new OffsetSet(0);
  for (let offset = 1_000_001; offset < 1_010_000; offset += 2) set.add(offset);

  const { offset, metadata } = set.kept();

  expect(offset).toBe(0);
  expect(metadata.length).toBeLessThanOrEqual(3_500);
  expect(metadata.split(',').every((range) => /^10\d{5}$/.test(range))).toBe(true);
});

test('metadata that somebody else wrote says nothing', () => {
  expect(new OffsetSet(3, '{"time":1},x,4-').kept()).toEqual({ offset: 3, metadata: '' });
});
