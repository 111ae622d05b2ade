import { expect, test } from 'vitest';
import { Calendar } from '../../../src/statistics/detect/calendar.ts';
import { ClusterMemory, NOTHING_GIVEN } from '../../../src/statistics/detect/cluster-memory.ts';
import { ClusterSlots, SLOTS } from '../../../src/statistics/detect/cluster-slots.ts';
import { DesignEffect, designEffectOf } from '../../../src/statistics/detect/design-effect.ts';
import { Neighbours } from '../../../src/statistics/detect/neighbours.ts';
import { DAY_MS } from '../../../src/statistics/detect/settings.ts';
import { randomFrom } from '../../random.ts';

const VARIANCE = 0.09;
/** A Monday. */
const MONDAY = Date.UTC(2026, 0, 5);

/** Excesses of outcomes that fail in a tenth; with chance `same` an outcome is the last one again. */
function* excesses(count: number, same: number, seed: number): Iterable<number> {
  const random = randomFrom(seed);
  let bad = 0;
  for (let index = 0; index < count; index += 1) {
    if (random() >= same) bad = random() < 0.1 ? 1 : 0;
    yield bad - 0.1;
  }
}

test('outcomes that have nothing to do with one another have a design effect of 1', () => {
  const effect = new DesignEffect();
  for (const excess of excesses(20_000, 0, 1)) effect.add(excess, VARIANCE);

  expect(designEffectOf(Float64Array.from(effect.takeHour()))).toBeLessThan(1.15);
  expect(designEffectOf(Float64Array.from(effect.takeHour()))).toBe(1);
});

test('outcomes that repeat have the design effect of theory, whatever the baseline is wrong by', () => {
  const effect = new DesignEffect();
  for (const excess of excesses(60_000, 0.4, 2)) effect.add(excess + 0.01, VARIANCE);

  // (1 + ρ) / (1 − ρ) = 2.33, measured to within a tenth or so.
  const measured = designEffectOf(Float64Array.from(effect.takeHour()));
  expect(measured).toBeGreaterThan(2);
  expect(measured).toBeLessThan(2.8);
});

test('what the last outcome says of the next one is learnt and taken out', () => {
  const neighbours = new Neighbours();
  for (const excess of excesses(20_000, 0.4, 3)) neighbours.add(excess);
  neighbours.learn(Float64Array.from(neighbours.takeHour()));
  neighbours.add(0.9);

  expect(neighbours.next().predicted).toBeCloseTo(0.36, 1);
  expect(neighbours.next().shown).toBeCloseTo(0.6, 1);
  expect(neighbours.next().left).toBeCloseTo(1 - 0.4 ** 2, 1);
});

test('of unrelated outcomes nothing is predicted', () => {
  const neighbours = new Neighbours();
  for (const excess of excesses(20_000, 0, 4)) neighbours.add(excess);
  neighbours.learn(Float64Array.from(neighbours.takeHour()));
  neighbours.add(0.9);

  expect(neighbours.next()).toEqual({ predicted: 0, shown: 1, left: 1 });
});

test('a user who always fails is news once', () => {
  const memory = new ClusterMemory();
  memory.learn([0.3 * VARIANCE * 1000, VARIANCE * 1000, VARIANCE ** 2 * 1000]);
  const slot = { number: 7, isNew: false };
  const surprises: number[] = [];
  for (let index = 0; index < 50; index += 1) {
    const { predicted, stake } = memory.given(slot);
    surprises.push((0.9 - predicted) * stake);
    memory.add(slot, 0.9, VARIANCE);
  }

  expect(surprises[0]).toBe(0.9);
  // The best linear prediction: ρ / (1 + (k − 2) ρ) of the sum so far.
  expect(surprises[2]).toBeCloseTo((0.9 - (0.3 / 1.3) * 1.8) / 1.6, 6);
  const all = surprises.reduce((sum, one) => sum + one, 0);
  expect(all).toBeLessThan(0.9 / 0.3);
  expect(memory.given({ number: 7, isNew: true })).toBe(NOTHING_GIVEN);
});

test('the correlation within users is measured from pairs of their conversations', () => {
  const random = randomFrom(5);
  const memory = new ClusterMemory();
  for (let user = 0; user < 4000; user += 1) {
    // Half of the users fail in a fifth, the others never: the correlation is 0.01 / 0.09.
    const rate = user % 2 === 0 ? 0.2 : 0;
    for (let index = 0; index < 5; index += 1) {
      const slot = { number: user % SLOTS, isNew: index === 0 };
      memory.given(slot);
      memory.add(slot, (random() < rate ? 1 : 0) - 0.1, VARIANCE);
    }
  }
  memory.learn(memory.takePairs());
  memory.given({ number: 0, isNew: true });
  memory.add({ number: 0, isNew: false }, 1, VARIANCE);

  expect(memory.given({ number: 0, isNew: false }).predicted).toBeCloseTo(0.111, 1);
});

test('users have a slot while they come, the one seen longest ago makes room, nobody has none', () => {
  const slots = new ClusterSlots();
  const first = slots.slotOf('first', 0);
  for (let user = 1; user < SLOTS; user += 1) slots.slotOf(`user ${user}`, user);

  expect(first).toEqual({ number: 0, isNew: true });
  expect(slots.slotOf('first', 300)).toEqual({ number: 0, isNew: false });
  // The second that came is now the oldest.
  expect(slots.slotOf('one more', 301)).toEqual({ number: 1, isNew: true });
  expect(slots.slotOf('', 302)).toBeUndefined();
  const restored = new ClusterSlots();
  restored.restore(JSON.parse(JSON.stringify(slots.snapshot())));
  expect(restored.slotOf('first', 303)).toEqual({ number: 0, isNew: false });
});

test('an id that most conversations have is no user', () => {
  const slots = new ClusterSlots();
  for (let index = 0; index < 300; index += 1) {
    slots.slotOf('anonymous', index);
    slots.slotOf(`user ${index}`, index);
  }

  expect(slots.slotOf('anonymous', 300)).toBeUndefined();
  expect(slots.slotOf('user 299', 300)).toBeDefined();
});

/** Four conversations an hour's part: failures as the day says. */
function fourWeeks(calendar: Calendar, rateOf: (day: number) => number, days: number, seed: number): void {
  const random = randomFrom(seed);
  for (let day = 0; day < days; day += 1)
    for (let index = 0; index < 1000; index += 1) {
      const at = MONDAY + day * DAY_MS + (index / 1000) * DAY_MS;
      const bad = random() < rateOf(day) ? 1 : 0;
      calendar.add(at, { quantity: 1, excess: bad - 0.1, variance: VARIANCE });
    }
  calendar.learn(MONDAY + days * DAY_MS);
}

test('what a weekend does is known after two of them, and a weekday does nothing', () => {
  const calendar = new Calendar();
  fourWeeks(calendar, (day) => (day % 7 >= 5 ? 0.16 : 0.1), 14, 6);

  const saturday = calendar.effect(MONDAY + 19 * DAY_MS);
  const wednesday = calendar.effect(MONDAY + 16 * DAY_MS);
  expect(saturday - wednesday).toBeGreaterThan(0.035);
  expect(saturday - wednesday).toBeLessThan(0.085);
  const restored = new Calendar();
  restored.restore(JSON.parse(JSON.stringify(calendar.snapshot())));
  expect(restored.effect(MONDAY + 19 * DAY_MS)).toBe(saturday);
});

test('one bad Saturday is no rule', () => {
  const calendar = new Calendar();
  fourWeeks(calendar, (day) => (day === 12 ? 0.4 : 0.1), 21, 7);

  expect(Math.abs(calendar.effect(MONDAY + 26 * DAY_MS))).toBeLessThan(0.02);
});

test('days since the onset of a regression say nothing of the calendar', () => {
  const calendar = new Calendar();
  const effects = [false, true].map((isCut) => {
    // Two weeks in which Friday to Sunday are bad, as they are if an outage begins on a Friday.
    fourWeeks(calendar, (day) => (day % 7 >= 4 ? 0.3 : 0.1), 14, 8);
    if (isCut) for (const first of [4, 11]) calendar.cut(MONDAY + (first + 0.5) * DAY_MS);
    calendar.learn(MONDAY + 14 * DAY_MS);
    return Math.abs(calendar.effect(MONDAY + 19 * DAY_MS));
  });

  expect(effects[0]).toBeGreaterThan(0.05);
  expect(effects[1]).toBe(0);
});

test('where days do not differ the calendar has no effect', () => {
  let effects = 0;
  for (let seed = 0; seed < 20; seed += 1) {
    const calendar = new Calendar();
    fourWeeks(calendar, () => 0.1, 21, 100 + seed);
    effects += Math.abs(calendar.effect(MONDAY + 26 * DAY_MS));
  }

  expect(effects / 20).toBeLessThan(0.005);
});
