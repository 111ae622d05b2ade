/**
 * When a sequential gate looks, and how much of its error each look may spend.
 *
 * The shares of all looks sum to 1, so by the union bound the looks together err no more often than the gate as it is
 * written, however much they depend on each other. Half of the error is kept for the last look, which has all cases: a
 * gate that goes to the end loses little power. The other half is divided in proportion to the cases of each look,
 * because a look at few cases can only decide what is far from the limit.
 */
import type { PlannedLook } from '../../../model/gate.ts';

/** Cases of the first look, and of each further one as a multiple of the one before. */
const FIRST = 30;
const GROWTH = 1.5;
/** A look that could save less than this share of the cases is left out. */
const SAVED_MIN = 1 / 6;
const LAST_SHARE = 0.5;

export function planLooks(cases: number): readonly PlannedLook[] {
  const early: number[] = [];
  for (let size = FIRST; size <= cases * (1 - SAVED_MIN); size = Math.ceil(size * GROWTH)) early.push(size);
  if (early.length === 0) return [{ cases, share: 1 }];
  const sum = early.reduce((total, size) => total + size, 0);
  return [
    ...early.map((size) => ({ cases: size, share: ((1 - LAST_SHARE) * size) / sum })),
    { cases, share: LAST_SHARE },
  ];
}
