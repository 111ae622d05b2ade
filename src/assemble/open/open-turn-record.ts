/**
 * The record of an open turn. It refers to its rows and to its missing parents (`open-spans.ts`), and to the
 * conversations that it names (`named-conversations.ts`).
 *
 *   record = first row's time f64   last row's time f64   bytes f64   trace id 16   link of the bucket   place in the heap
 *            first row, last row, rows   first missing parent, missing parents   distinct spans   first naming
 *            root ended                                                                            (words unless said)
 */
export const TURN_WORDS = 20;

/** In pairs of words. */
export const FIRST_AT = 0;
export const LAST_AT = 1;
export const BYTES = 2;

/** Four words. */
export const TRACE_ID = 6;
export const LINK = 10;
export const PLACE = 11;
export const FIRST_ROW = 12;
export const LAST_ROW = 13;
export const ROWS = 14;
export const FIRST_MISSING = 15;
export const MISSING = 16;
export const SPANS = 17;
export const FIRST_NAMING = 18;
export const ROOT_ENDED = 19;
