/** Means of values between 0 and 1, drawn with the case that was not seen. */
import { randomFrom } from '../../model/random.ts';
import { DRAWS, type Drawn, exponential } from './draws.ts';
import { gamma } from './gamma.ts';

/** With more values, those that are equal are drawn together: the time does not depend on how many there are. */
const ONE_BY_ONE_MAX = 1_000;

/** Means with weights drawn evenly, and with the unseen case (`unseen-case.ts`) at 0 and at 1. */
export function drawMeans(values: readonly number[], seed: number): Drawn {
  const random = randomFrom(seed);
  const lower = new Float64Array(DRAWS);
  const upper = new Float64Array(DRAWS);
  const groups = groupsOf(values);
  for (let draw = 0; draw < DRAWS; draw += 1) {
    let [weights, total] = [0, 0];
    for (const { value, count } of groups) {
      const weight = count === 1 ? exponential(random) : gamma(count, random);
      weights += weight;
      total += weight * value;
    }
    const unseen = exponential(random);
    lower[draw] = total / (weights + unseen);
    upper[draw] = (total + unseen) / (weights + unseen);
  }
  return { lower, upper };
}

/** The weights of equal values add up to a gamma variable whose shape is their count. */
function groupsOf(values: readonly number[]): readonly { readonly value: number; readonly count: number }[] {
  if (values.length <= ONE_BY_ONE_MAX) return values.map((value) => ({ value, count: 1 }));
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, count }));
}
