import { describe, expect, it } from 'vitest';
import { InFlightBytes } from '../../src/receive/in-flight-bytes.ts';
import { Turnstile } from '../../src/receive/turnstile.ts';

describe('bytes in flight', () => {
  it('grow up to the limit and no further, whoever holds them', () => {
    const inFlight = new InFlightBytes(10);
    const [one, other] = [inFlight.reserve(), inFlight.reserve()];
    expect([one.tryGrow(6), other.tryGrow(5), other.tryGrow(4)]).toEqual([true, false, true]);
    expect([inFlight.used, inFlight.isFull]).toEqual([10, true]);
  });

  it('are given back once, however often that is said', () => {
    const inFlight = new InFlightBytes(10);
    const [one, other] = [inFlight.reserve(), inFlight.reserve()];
    one.tryGrow(6);
    other.tryGrow(3);
    one.release();
    one.release();
    expect(inFlight.used).toBe(3);
  });

  it('may be more than the limit where they are there already, and then nothing grows', () => {
    const inFlight = new InFlightBytes(10);
    const [one, other] = [inFlight.reserve(), inFlight.reserve()];
    one.change(15);
    expect([other.tryGrow(1), inFlight.used]).toEqual([false, 15]);
    one.change(2);
    expect([other.tryGrow(8), inFlight.used]).toEqual([true, 10]);
  });
});

describe('a turnstile', () => {
  it('lets so many through at a time, in order, and goes on after a failure', async () => {
    const turnstile = new Turnstile(2);
    const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
    const started: number[] = [];
    const runs = gates.map((gate, index) =>
      turnstile.run(async () => {
        started.push(index);
        await gate.promise;
      }),
    );
    expect(started).toEqual([0, 1]);
    gates[1]?.reject(new Error('no'));
    await expect(runs[1]).rejects.toThrow('no');
    expect(started).toEqual([0, 1, 2]);
    for (const gate of gates) gate.resolve();
    await Promise.all(runs.filter((_, index) => index !== 1));
    expect(started).toEqual([0, 1, 2, 3, 4]);
  });
});
