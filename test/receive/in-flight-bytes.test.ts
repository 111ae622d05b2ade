import { describe, expect, it } from 'vitest';
import { InFlightBytes } from '../../src/receive/in-flight-bytes.ts';
import { Turnstile } from '../../src/receive/turnstile.ts';
import { MIB } from './receiving.ts';

describe('bytes in flight', () => {
  it('grow up to the limit and no further, whoever holds them', () => {
    const inFlight = new InFlightBytes({ max: 10, requestMax: 10 });
    const [one, other] = [inFlight.reserve(), inFlight.reserve()];
    expect([one.tryGrow(6), other.tryGrow(5), other.tryGrow(4)]).toEqual([true, false, true]);
    expect(inFlight.used).toBe(10);
  });

  it('are given back once, however often that is said', () => {
    const inFlight = new InFlightBytes({ max: 10, requestMax: 10 });
    const [one, other] = [inFlight.reserve(), inFlight.reserve()];
    one.tryGrow(6);
    other.tryGrow(3);
    one.release();
    one.release();
    expect(inFlight.used).toBe(3);
  });

  it('may be more than the limit where they are there already, and then nothing grows', () => {
    const inFlight = new InFlightBytes({ max: 10, requestMax: 10 });
    const [one, other] = [inFlight.reserve(), inFlight.reserve()];
    one.change(15);
    expect([other.tryGrow(1), inFlight.used]).toEqual([false, 15]);
    one.change(2);
    expect([other.tryGrow(8), inFlight.used]).toEqual([true, 10]);
  });

  it('of large requests take half at most, and the small ones have the other half', () => {
    const inFlight = new InFlightBytes({ max: 8 * MIB, requestMax: 4 * MIB });
    const large = [inFlight.reserve(), inFlight.reserve()];
    expect(large.map((one) => one.tryGrow(2 * MIB))).toEqual([true, true]);
    const third = inFlight.reserve();
    expect([third.tryGrow(MIB), third.tryGrow(1)]).toEqual([true, false]);
    large[0]?.release();
    expect(third.tryGrow(1)).toBe(true);
  });

  it('let one request of the largest size in, whatever half of them is', () => {
    const inFlight = new InFlightBytes({ max: 8 * MIB, requestMax: 8 * MIB });
    expect(inFlight.reserve().tryGrow(8 * MIB)).toBe(true);
  });

  it('of the request that has been arriving for longest are given up for another one, once it had its time', () => {
    let now = 0;
    const inFlight = new InFlightBytes({ max: 10, requestMax: 10, now: () => now });
    const evicted: string[] = [];
    const arriving = (name: string, bytes: number) => {
      const reservation = inFlight.reserve();
      reservation.arriving(() => evicted.push(name));
      reservation.tryGrow(bytes);
      return reservation;
    };
    arriving('first', 4);
    now = 1_000;
    const second = arriving('second', 4);
    now = 4_999;
    expect([inFlight.reserve().tryGrow(3), evicted]).toEqual([false, []]);
    now = 5_000;
    expect([inFlight.reserve().tryGrow(3), evicted, inFlight.used]).toEqual([true, ['first'], 7]);
    // One that has arrived is not given up.
    second.arrived();
    now = 60_000;
    expect([inFlight.reserve().tryGrow(9), evicted]).toEqual([false, ['first']]);
  });
});

describe('a turnstile', () => {
  it('lets so many through at a time, in order, and goes on after a failure', async () => {
    const turnstile = new Turnstile({ max: 2, waitMsMax: 60_000 });
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

  it('is left without a turn by a task that waited for too long, which is never started', async () => {
    const turnstile = new Turnstile({ max: 1, waitMsMax: 20 });
    const gate = Promise.withResolvers<void>();
    const first = turnstile.run(() => gate.promise);
    let ran = false;
    const late = await turnstile.run(async () => {
      ran = true;
    });
    expect([late, ran]).toEqual([undefined, false]);
    gate.resolve();
    await first;
    expect(await turnstile.run(() => Promise.resolve('next'))).toBe('next');
  });
});
