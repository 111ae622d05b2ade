/**
 * Levels of groups as a sum of effects of what they have in common: an easy intent, a hard language. Each effect is drawn
 * towards 0 by as many observations as `DRAWN_BY`, so that few of them say little. Fitted by turns (Gauss and Seidel).
 */

export interface Group {
  readonly bad: number;
  readonly quantity: number;
  /** Numbers of the values that it has, each once. */
  readonly values: readonly number[];
}

const DRAWN_BY = 10;
const ROUNDS = 12;

/** Returns the level that the values of a group let expect. */
export function additiveLevel(groups: readonly Group[]): (values: readonly number[]) => number {
  let quantity = 0;
  let bad = 0;
  const members = new Map<number, Group[]>();
  for (const group of groups) {
    quantity += group.quantity;
    bad += group.bad;
    for (const value of group.values) {
      const known = members.get(value);
      if (known === undefined) members.set(value, [group]);
      else known.push(group);
    }
  }
  let mean = quantity > 0 ? bad / quantity : 0;
  const effects = new Map<number, number>();
  const level = (values: readonly number[]) => values.reduce((sum, value) => sum + (effects.get(value) ?? 0), mean);
  for (let round = 0; round < ROUNDS && members.size > 1; round += 1) {
    for (const [value, all] of members) {
      const own = effects.get(value) ?? 0;
      let over = 0;
      let count = 0;
      for (const group of all) {
        over += group.bad - (level(group.values) - own) * group.quantity;
        count += group.quantity;
      }
      effects.set(value, over / (count + DRAWN_BY));
    }
    const over = groups.reduce((sum, group) => sum + group.bad - level(group.values) * group.quantity, 0);
    if (quantity > 0) mean += over / quantity;
  }
  return level;
}
