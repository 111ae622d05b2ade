/** Random values of tests come from a seed that they print, so that a failure can be reproduced. */
export { randomFrom } from '../src/model/random.ts';

export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const copy = [...items];
  for (let index = copy.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    const kept = copy[index] as T;
    copy[index] = copy[other] as T;
    copy[other] = kept;
  }
  return copy;
}
