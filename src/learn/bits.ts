/** Sets of conversations, by their places. */
export type Bits = Uint32Array;

/** Places that have this value. */
export function bitsOf(values: ArrayLike<number>, value: number): Bits {
  const bits = new Uint32Array(Math.ceil(values.length / 32));
  for (let place = 0; place < values.length; place += 1)
    if (values[place] === value) bits[place >> 5] = (bits[place >> 5] ?? 0) | (1 << (place & 31));
  return bits;
}

export function has(bits: Bits, place: number): boolean {
  return (((bits[place >> 5] ?? 0) >>> (place & 31)) & 1) === 1;
}

export function both(a: Bits, b: Bits): Bits {
  return a.map((word, at) => word & (b[at] ?? 0));
}

export function countOf(bits: Bits): number {
  let count = 0;
  for (const word of bits) count += ones(word);
  return count;
}

export function overlap(a: Bits, b: Bits): number {
  let count = 0;
  for (let at = 0; at < a.length; at += 1) count += ones((a[at] ?? 0) & (b[at] ?? 0));
  return count;
}

/** Share of the places of either that both have. */
export function likeness(a: Bits, b: Bits): number {
  const common = overlap(a, b);
  return common / (countOf(a) + countOf(b) - common);
}

/** Ones of a word, by adding neighbours. */
function ones(word: number): number {
  let sum = word - ((word >>> 1) & 0x55555555);
  sum = (sum & 0x33333333) + ((sum >>> 2) & 0x33333333);
  return Math.imul((sum + (sum >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
