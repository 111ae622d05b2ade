/** An interval of a share as wide as this leaves open whether it is good or bad, so that it rests on too few. */
export const WIDE = 0.3;
