/**
 * Whether what is known of conversations has to do with their having been read. An estimate takes what is known for
 * independent of the lots. It is not where reading leads to it: who refunds the failures that readers found makes outcomes of
 * conversations that were read, and of no others.
 */
import { chanceOfAtLeast } from '../discovery/over-represented.ts';

interface Hits {
  readonly all: number;
  /** Conversations of which it is known. */
  readonly known: number;
  readonly drawn: number;
  /** Drawn ones of which it is known. */
  readonly hits: number;
}

const UNLIKELY = 0.01;

/** More of the drawn ones are known than lots explain. */
export function areTooMany({ all, known, drawn, hits }: Hits, unlikely = UNLIKELY): boolean {
  // One that became known between two reads of the store is drawn, and not counted before.
  const others = { count: Math.max(0, known - hits), of: all - drawn };
  return chanceOfAtLeast({ count: hits, of: drawn }, others) < unlikely;
}

/** Too few of the known ones are too many of the others. */
export function areTooManyOrFew(hits: Hits): boolean {
  const others = { ...hits, known: hits.all - hits.known, hits: hits.drawn - hits.hits };
  return [hits, others].some((one) => areTooMany(one, UNLIKELY / 2));
}
