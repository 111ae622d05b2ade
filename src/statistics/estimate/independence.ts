/**
 * Whether what is known of conversations has to do with their having been read. An estimate takes what is known for
 * independent of the lots. It is not where reading leads to it: who refunds the failures that readers found makes outcomes of
 * conversations that were read, and of no others.
 */
interface Hits {
  readonly all: number;
  /** Conversations of which it is known. */
  readonly known: number;
  readonly drawn: number;
  /** Drawn ones of which it is known. */
  readonly hits: number;
}

const UNLIKELY = 0.01;
const SCALE = 1e200;

/** More of the drawn ones are known than lots explain. */
export function areTooMany(hits: Hits): boolean {
  return chances(hits).ofAtLeast < UNLIKELY;
}

export function areTooManyOrFew(hits: Hits): boolean {
  const { ofAtLeast, ofAtMost } = chances(hits);
  return Math.min(ofAtLeast, ofAtMost) < UNLIKELY / 2;
}

/** Tails of the hypergeometric law, from the ratio of each chance to that before it. */
function chances({ all, known, drawn, hits }: Hits): { readonly ofAtLeast: number; readonly ofAtMost: number } {
  const least = Math.max(0, drawn + known - all);
  const most = Math.min(drawn, known);
  let [chance, sum, atLeast, atMost] = [1, 0, 0, 0];
  for (let count = least; count <= most; count += 1) {
    sum += chance;
    if (count >= hits) atLeast += chance;
    if (count <= hits) atMost += chance;
    chance *= ((known - count) * (drawn - count)) / ((count + 1) * (all - known - drawn + count + 1));
    if (chance > SCALE) [chance, sum, atLeast, atMost] = [1, sum / chance, atLeast / chance, atMost / chance];
  }
  return { ofAtLeast: atLeast / sum, ofAtMost: atMost / sum };
}
