/**
 * How alike two requests of users are, from 0 to 1, without a model: Dice's coefficient over the three-letter pieces of
 * their words, in whatever order.
 *
 *     2 · weight of what both have / (weight of the one + weight of the other)
 *
 * A word with a digit in it (an account, a date, an amount) is one piece and counts as much as all pieces of two long words:
 * the same question about another account is another task. In a golden trace such a word may have a `*` (`ACC-*`): it then
 * stands for any word that it matches.
 */
import { compileGlob, type Matcher } from '../../model/glob.ts';

export interface ComparableInput {
  readonly pieces: ReadonlyMap<string, number>;
  readonly globs: readonly Matcher[];
  readonly weight: number;
}

const LENGTH_MAX = 4000;
const NAME_WEIGHT = 12;
const WORD = /[\p{L}\p{N}*][\p{L}\p{N}*_'’.:/@#-]*/gu;
const NAMED = /\p{N}/u;

/** `globs: true` for the input of a golden trace, where a `*` is not what the user typed. */
export function comparableInput(text: string, { globs }: { readonly globs: boolean }): ComparableInput {
  const pieces = new Map<string, number>();
  const matchers: Matcher[] = [];
  let weight = 0;
  const add = (piece: string, of: number) => {
    pieces.set(piece, (pieces.get(piece) ?? 0) + of);
    weight += of;
  };
  for (const match of text.slice(0, LENGTH_MAX).toWellFormed().normalize('NFKC').toLowerCase().matchAll(WORD)) {
    const word = match[0].replace(/[.:'’/-]+$/, '');
    if (globs && word.includes('*')) {
      matchers.push(compileGlob(word));
      weight += NAME_WEIGHT;
    } else if (NAMED.test(word)) add(` ${word} `, NAME_WEIGHT);
    else {
      const padded = ` ${word} `;
      for (let at = 0; at + 3 <= padded.length; at += 1) add(padded.slice(at, at + 3), 1);
    }
  }
  return { pieces, globs: matchers, weight };
}

export function similarity(golden: ComparableInput, live: ComparableInput): number {
  if (golden.weight === 0 || live.weight === 0) return 0;
  let shared = 0;
  for (const [piece, weight] of golden.pieces) shared += Math.min(weight, live.pieces.get(piece) ?? 0);
  const taken = new Set<string>();
  for (const matches of golden.globs) {
    for (const piece of live.pieces.keys()) {
      // Whole words only: names, which stand between blanks.
      if (taken.has(piece) || golden.pieces.has(piece) || !NAMED.test(piece) || !matches(piece.trim())) continue;
      taken.add(piece);
      shared += NAME_WEIGHT;
      break;
    }
  }
  return Math.min(1, (2 * shared) / (golden.weight + live.weight));
}
