import { expect, test } from 'vitest';
import { SlowedAddresses } from '../../src/listen/slowed-addresses.ts';

test('connections of a slowed address are taken one after the other, those of others at once', () => {
  const slowed = new SlowedAddresses(() => 0);
  slowed.slow('10.0.0.1');
  expect([1, 2, 3].map(() => slowed.waitOf('10.0.0.1'))).toEqual([{ ms: 250 }, { ms: 500 }, { ms: 750 }]);
  expect(slowed.waitOf('10.0.0.2')).toEqual({ ms: 0 });
  expect(slowed.waitOf('::ffff:10.0.0.1')).toEqual({ ms: 1000 });
});

test('an address is free a minute after its last abuse', () => {
  let now = 0;
  const slowed = new SlowedAddresses(() => now);
  slowed.slow('10.0.0.1');
  now = 30_000;
  slowed.slow('10.0.0.1');
  now = 89_999;
  expect(slowed.waitOf('10.0.0.1')).toEqual({ ms: 250 });
  now = 90_000;
  expect(slowed.waitOf('10.0.0.1')).toEqual({ ms: 0 });
});

test('no more than 64 wait, and there is room again once some were taken', () => {
  let now = 0;
  const slowed = new SlowedAddresses(() => now);
  slowed.slow('10.0.0.1');
  const waits = Array.from({ length: 70 }, () => slowed.waitOf('10.0.0.1'));
  expect(waits.filter((wait) => wait === 'refused')).toHaveLength(6);
  // Abuse in the meantime gives nobody an earlier turn.
  slowed.slow('10.0.0.1');
  now = 500;
  expect(slowed.waitOf('10.0.0.1')).toEqual({ ms: 64 * 250 - 250 });
});

test('however many addresses are slowed, ten thousand are remembered', () => {
  const slowed = new SlowedAddresses(() => 0);
  for (let n = 0; n <= 10_000; n += 1) slowed.slow(`10.0.${n >> 8}.${n & 255}`);
  expect(slowed.waitOf('10.0.0.0')).toEqual({ ms: 0 });
  expect(slowed.waitOf('10.0.0.1')).toEqual({ ms: 250 });
});
