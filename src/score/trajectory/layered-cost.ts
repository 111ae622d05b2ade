/**
 * Costs of several layers as one number: a higher layer always outweighs all lower ones together, as hours do minutes.
 * The maximum of each layer is known beforehand, so that each gets as much room as it needs; if a number cannot hold
 * them all, the lowest layers are left out.
 */
type Five = readonly [number, number, number, number, number];

export interface Layers {
  /** The highest layer first. */
  pack(a: number, b: number, c: number, d: number, e: number): number;
}

/** Half of what a double counts exactly: differences of sums are needed as well. */
const SUM_MAX = 2 ** 52;

export function layers(largest: Five): Layers {
  const units = [0, 0, 0, 0, 0];
  // Units from the lowest layer up; a layer that would leave no room for those above it gets none itself.
  let unit = 1;
  for (let layer = largest.length - 1; layer >= 0; layer -= 1) {
    const above = largest.slice(0, layer).reduce((product, most) => product * (most + 1), 1);
    const room = (largest[layer] ?? 0) + 1;
    if (unit * room * above > SUM_MAX) continue;
    units[layer] = unit;
    unit *= room;
  }
  const [ua = 0, ub = 0, uc = 0, ud = 0, ue = 0] = units;
  return { pack: (a, b, c, d, e) => a * ua + b * ub + c * uc + d * ud + e * ue };
}
