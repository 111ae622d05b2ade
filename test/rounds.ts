/**
 * How often a property or a simulation is tried. `npm test` asks whether this commit broke it, and tries a tenth;
 * `npm run properties` tries all, and that each night.
 */
const ALL = process.env.ASSAY_TEST_ROUNDS === 'all';

/** `fewest`: without so many, it could not fail. */
export function rounds(all: number, fewest = 1): number {
  return ALL ? all : Math.max(fewest, Math.ceil(all / 10));
}

/** More than this happen in one of 50 samples, if each of `count` does with this chance. */
export function mostOf(count: number, chance: number): number {
  let exactly = (1 - chance) ** count;
  let upTo = exactly;
  let most = 0;
  while (1 - upTo > 1 / 50) {
    most += 1;
    exactly *= ((count - most + 1) / most) * (chance / (1 - chance));
    upTo += exactly;
  }
  return most;
}
