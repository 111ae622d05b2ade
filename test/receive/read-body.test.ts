import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InFlightBytes } from '../../src/receive/in-flight-bytes.ts';
import { readBody } from '../../src/receive/read-body.ts';
import { rounds } from '../rounds.ts';

const MIB = 2 ** 20;

function budget(max: number): InFlightBytes {
  return new InFlightBytes({ max, requestMax: max });
}

test('a body is what was sent, however it arrives and whatever is announced', async () => {
  const chunks = fc.array(fc.integer({ min: 1, max: 300_000 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(chunks, fc.constantFrom('head', 'beginning', 'not'), async (sizes, announcing) => {
      const sent = sizes.map((size, at) => Buffer.alloc(size, at + 1));
      const whole = Buffer.concat(sent);
      const inFlight = budget(8 * MIB);
      const reservation = inFlight.reserve();

      const body = await readBody(Readable.from(sent), {
        maxBytes: 4 * MIB,
        announced: announcing === 'head' ? whole.length : undefined,
        ...(announcing === 'beginning' ? { announcedBy: () => whole.length } : {}),
        reservation,
      });

      expect(body.read).toBe('whole');
      expect(body.read === 'whole' && body.bytes.equals(whole)).toBe(true);
      expect(inFlight.used).toBe(whole.length);
    }),
    { numRuns: rounds(100) },
  );
});

test('a body of many parts is whole', async () => {
  const sent = Array.from({ length: 200 }, (_, at) => Buffer.alloc(60_000, at));

  const body = await readBody(Readable.from(sent), {
    maxBytes: 16 * MIB,
    announced: undefined,
    reservation: budget(32 * MIB).reserve(),
  });

  expect(body.read === 'whole' && body.bytes.equals(Buffer.concat(sent))).toBe(true);
});

test('a body that the budget has no room for is refused, and what was counted is released by its owner', async () => {
  const inFlight = budget(MIB);
  const reservation = inFlight.reserve();

  const body = await readBody(Readable.from([Buffer.alloc(MIB), Buffer.alloc(1)]), {
    maxBytes: 4 * MIB,
    announced: undefined,
    reservation,
  });

  expect(body).toEqual({ read: 'overloaded' });
  expect(inFlight.used).toBe(MIB);
  reservation.release();
  expect(inFlight.used).toBe(0);
});
