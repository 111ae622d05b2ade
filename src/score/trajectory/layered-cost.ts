/**
 * Costs of several layers as one number: a higher layer always outweighs all lower ones together, as hours do minutes. What
 * each layer can come to at most is known beforehand, so that each gets as much room as it needs; where a number can't hold
 * them all, the lowest layers are left out.
 */
export interface Layers {
  pack(amounts: readonly number[]): number;
}

export function layers(largest: readonly number[]): Layers {
  const units: number[] = [];
  // From the lowest layer up; a layer that would leave no room for those above it gets none itself.
  let unit = 1;
  for (let layer = largest.length - 1; layer >= 0; layer -= 1) {
    const above = largest.slice(0, layer).reduce((product, most) => product * (most + 1), 1);
    const room = (largest[layer] ?? 0) + 1;
    const fits = unit * room * above <= SUM_MAX;
    units[layer] = fits ? unit : 0;
    if (fits) unit *= room;
  }
  return {
    pack: (amounts) => amounts.reduce((sum, amount, layer) => sum + amount * (units[layer] ?? 0), 0),
  };
}

/** Half of what a double counts exactly: differences of sums are needed as well. */
const SUM_MAX = 2 ** 52;
