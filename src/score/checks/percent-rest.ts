/**
 * The rest of a percentage: where 67 % were returned, the others are 33 %. Only numbers that are written as percentages have a rest, since
 * 67 orders say nothing of 33 others.
 */
import { readingsOf, WRITTEN_NUMBER } from '../subject/written-number.ts';

const TEXT_READ_MAX = 100_000;
const PERCENTAGE = new RegExp(
  `(?<![\\w.,])(${WRITTEN_NUMBER})[ \\u00a0\\u202f]?(?:%|per ?cent|prozent|por ciento|por cento|pour ?cent)`,
  'gi',
);

export function percentagesIn(texts: readonly string[]): ReadonlySet<number> {
  return new Set(
    texts.flatMap((text) =>
      [...text.slice(0, TEXT_READ_MAX).matchAll(PERCENTAGE)].map(([, written = '']) => Number(readingsOf(written)[0])),
    ),
  );
}

/** Rest of a percentage, to hundredths, as precise as people write them. */
export function restOf(percentage: number): number {
  return Math.round((100 - percentage) * 100) / 100;
}
