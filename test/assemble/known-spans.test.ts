import { expect, test } from 'vitest';
import { KnownSpans } from '../../src/assemble/known-spans.ts';
import { randomFrom } from '../random.ts';

test.each([
  ['few', 10, 1 << 20],
  ['many', 400, 1 << 20],
  ['many that share their low words', 400, 3],
])('knows which spans arrived and which parents are missing, of %s', (_, spans, lowWords) => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const random = randomFrom(seed);
    const known = new KnownSpans();
    const arrived = new Set<string>();
    const named = new Set<string>();
    const idOf = (): readonly [high: number, low: number] => {
      const number = Math.floor(random() * spans);
      return [number - (spans >> 1), number % lowWords];
    };
    for (let step = 0; step < spans * 2; step += 1) {
      const [high, low] = idOf();
      expect(known.hasArrived(high, low)).toBe(arrived.has(`${high} ${low}`));
      if (random() < 0.5) {
        known.arrive(high, low);
        arrived.add(`${high} ${low}`);
      } else {
        known.nameParent(high, low);
        named.add(`${high} ${low}`);
      }
      expect(known.arrived).toBe(arrived.size);
      expect(known.missing).toBe([...named].filter((id) => !arrived.has(id)).length);
    }
  }
});
