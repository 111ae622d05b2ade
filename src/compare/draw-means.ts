/** Means of values between 0 and 1, drawn with the case that was not seen. */
import { randomFrom } from '../model/random.ts';
import { DRAWS, type Drawn, exponential } from './draws.ts';

/** Means with weights drawn evenly, and with the unseen case (`unseen-case.ts`) at 0 and at 1. */
export function drawMeans(values: readonly number[], seed: number): Drawn {
  const random = randomFrom(seed);
  const lower = new Float64Array(DRAWS);
  const upper = new Float64Array(DRAWS);
  for (let draw = 0; draw < DRAWS; draw += 1) {
    let [weights, total] = [0, 0];
    for (const value of values) {
      const weight = exponential(random);
      weights += weight;
      total += weight * value;
    }
    const unseen = exponential(random);
    lower[draw] = total / (weights + unseen);
    upper[draw] = (total + unseen) / (weights + unseen);
  }
  return { lower, upper };
}
