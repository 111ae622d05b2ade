import { expect, test } from 'vitest';
import { receiveLimits } from '../../src/config/fixed-settings.ts';

const MIB = 2 ** 20;

test.each([
  [256, 64],
  [1024, 128],
  [2048, 256],
  [65_536, 256],
])('with %i MiB of memory %i MiB of requests are in flight', (memory, inFlight) => {
  expect(receiveLimits(memory * MIB)).toEqual({ maxBodyBytes: 64 * MIB, maxInFlightBytes: inFlight * MIB });
});
