/** Sizes of tables whose places are found by the last bits of a hash. */

/** At least 64. */
export function powerOfTwoFrom(count: number): number {
  let size = 64;
  while (size < count) size *= 2;
  return size;
}
