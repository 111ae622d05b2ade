/**
 * A later version of a text as its difference from the one before: instructions often hold the time or the user's name, and would otherwise be
 * shown again in each turn. Nothing is lost: with the text before it, the difference gives the whole.
 *
 *     [… 2154 characters as before …]The current time is 15:04.
 *     [… 61 characters taken out …][… 388 characters as before …]
 */
const RUN_MIN = 100;
/** Lines, and sentences within them. */
const PIECES = /(?<=\n|[.!?] )/;

/** Undefined where it is not much shorter than the whole. */
export function whatChanged(before: string, after: string): string | undefined {
  const [old, pieces] = [before.split(PIECES), after.split(PIECES)];
  const placeInOld = samePieces(old, pieces);
  let changed = '';
  let run = '';
  const endRun = () => {
    changed += run.length >= RUN_MIN ? `[… ${run.length} characters as before …]` : run;
    run = '';
  };
  let next = 0;
  let isReplaced = false;
  /** Removed text is replaced by nothing; a mark would be taken for text that was there. */
  const passTo = (place: number) => {
    const gone = old.slice(next, place).reduce((sum, { length }) => sum + length, 0);
    if (gone === 0) return;
    endRun();
    if (!isReplaced) changed += `[… ${gone} characters taken out …]`;
  };
  for (const [at, piece] of pieces.entries()) {
    const place = placeInOld(at);
    if (place === undefined) {
      endRun();
      changed += piece;
    } else {
      passTo(place);
      run += piece;
      next = place + 1;
    }
    isReplaced = place === undefined;
  }
  passTo(old.length);
  endRun();
  return changed.length * 2 <= after.length ? changed : undefined;
}

/**
 * Where a piece of the later text stands in the earlier one: counted from the beginning, from the end, and between where both have as many.
 * Undefined where it is another.
 */
function samePieces(old: readonly string[], pieces: readonly string[]): (at: number) => number | undefined {
  const both = Math.min(old.length, pieces.length);
  let head = 0;
  while (head < both && old[head] === pieces[head]) head += 1;
  let tail = 0;
  while (tail < both - head && old.at(-1 - tail) === pieces.at(-1 - tail)) tail += 1;
  const isPaired = old.length === pieces.length;
  return (at) => {
    if (at < head || (isPaired && old[at] === pieces[at])) return at;
    return at >= pieces.length - tail ? at + old.length - pieces.length : undefined;
  };
}
