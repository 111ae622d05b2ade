/**
 * How alike the request of a user is to that of a golden trace, from 0 to 1, without a model: Dice's coefficient over the
 * three-letter pieces of the words, in whatever order, times the same over the names.
 *
 *     Dice = 2 · what both have / (what the one has + what the other has)
 *
 * Names are the words with a digit in them: accounts, dates, amounts. The same question about another account is another task,
 * however alike the words are. In a golden trace a name may have a `*` (`ACC-*`), and stands for any word that it matches. A
 * trace without names is about nothing in particular: what the user names is then a word like others.
 */
import { compileGlob, type Matcher } from '../../model/glob.ts';

export interface ComparableInput {
  readonly pieces: ReadonlyMap<string, number>;
  readonly weight: number;
  readonly names: readonly Name[];
}

interface Name {
  readonly text: string;
  readonly matches: Matcher;
}

const LENGTH_MAX = 4000;
const NAMES_MAX = 100;
const WORD = /[\p{L}\p{N}*][\p{L}\p{N}*_'’.:/@#-]*/gu;
const MARKS_AT_THE_END = /[.:'’/-]{1,20}$/;
const DIGIT = /\p{N}/u;

export function comparableInput(text: string): ComparableInput {
  const pieces = new Map<string, number>();
  const names: Name[] = [];
  let weight = 0;
  for (const match of text.slice(0, LENGTH_MAX).toWellFormed().normalize('NFKC').toLowerCase().matchAll(WORD)) {
    const word = match[0].replace(MARKS_AT_THE_END, '');
    if ((DIGIT.test(word) || word.includes('*')) && names.length < NAMES_MAX) {
      names.push({ text: word, matches: compileGlob(word) });
      continue;
    }
    const padded = ` ${word} `;
    for (let at = 0; at + 3 <= padded.length; at += 1) {
      const piece = padded.slice(at, at + 3);
      pieces.set(piece, (pieces.get(piece) ?? 0) + 1);
      weight += 1;
    }
  }
  return { pieces, weight, names };
}

export function similarity(golden: ComparableInput, live: ComparableInput): number {
  let shared = 0;
  for (const [piece, weight] of golden.pieces) shared += Math.min(weight, live.pieces.get(piece) ?? 0);
  if (golden.names.length === 0) {
    const named = live.names.reduce((sum, { text }) => sum + text.length, 0);
    return dice(shared, golden.weight, live.weight + named);
  }
  const left = [...live.names];
  let sharedNames = 0;
  for (const { matches } of golden.names) {
    const at = left.findIndex(({ text }) => matches(text));
    if (at < 0) continue;
    left.splice(at, 1);
    sharedNames += 1;
  }
  const names = dice(sharedNames, golden.names.length, live.names.length);
  return golden.weight + live.weight === 0 ? names : names * dice(shared, golden.weight, live.weight);
}

function dice(shared: number, one: number, other: number): number {
  return one + other === 0 ? 0 : (2 * shared) / (one + other);
}
