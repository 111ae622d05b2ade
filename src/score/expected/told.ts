/**
 * Whether something was told to the user: it stands in one of the answers of the conversation, in whatever case.
 *
 * A number is told where an answer has it as a whole number of its own: 1286 is in "$1,286.00", and neither in "12860"
 * nor in "1286.5". The same holds for a text's end that is a digit; one that begins or ends with a letter is told as
 * whole words: "no" is not in "now". Scripts that put no spaces between words have no such ends. Separators of
 * thousands and the width of spaces do not matter. A text right behind a negation does not count as told: "not 12",
 * "isn't refundable".
 */
import type { Turn } from '../../model/turn.ts';
import { answerGap } from '../subject/needs.ts';
import { readingsOf, WRITTEN_NUMBER } from '../subject/written-number.ts';

const THOUSANDS = /(?<=\d)[,'’\u00a0\u202f](?=\d{3}(?!\d))/g;
const SPACES = /[\s\u00a0\u202f]+/g;
/** Not within a name such as hat136, and not 10 of 10k. A sign is no dash between two things; a currency may follow it. */
const NUMBERS = new RegExp(
  String.raw`(?<![a-z\d.])(?<sign>[-−] ?)?(?:[$€£¥] ?)?(?<digits>${WRITTEN_NUMBER})(?!\.?\d|[kmb](?![a-z]))`,
  'g',
);
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;

/** Returns the reason as a text if an answer was not recorded, which may have told it. */
export function wasTold(wanted: string | number, turns: readonly Turn[]): boolean | string {
  if (turns.some(({ finalAnswer }) => findIn(finalAnswer.text, wanted) === 'told')) return true;
  // An answer that was not recorded may have it.
  return turns.map(answerGap).find((gap) => gap !== undefined) ?? false;
}

/** True where an answer has it only right behind a negation. */
export function isNegatedIn(turns: readonly Turn[], wanted: string | number): boolean {
  return turns.some(({ finalAnswer }) => findIn(finalAnswer.text, wanted) === 'negated');
}

type Found = 'told' | 'negated' | undefined;

function findIn(said: string, wanted: string | number): Found {
  const answer = inHalfWidth(said);
  const [text, part] = [plain(answer), plain(inHalfWidth(String(wanted)))];
  if (part === '') return 'told';
  if (PLAIN_NUMBER.test(part)) return findNumber(answer.toLowerCase(), Number(part));
  let found: Found;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    const end = at + part.length;
    if (continuesNumber(text, at) || isContinued(text, end) || isInWord(text, at, end)) continue;
    if (!isNegated(text, at, end)) return 'told';
    found = 'negated';
  }
  return found;
}

/** Japanese and Chinese write digits and letters in full width as well. */
function inHalfWidth(text: string): string {
  return text.replaceAll(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - FULL_WIDTH));
}

const FULL_WIDTH = 0xfee0;

function plain(text: string): string {
  return text.toLowerCase().replace(THOUSANDS, '').replace(SPACES, ' ').trim();
}

function findNumber(text: string, wanted: number): Found {
  let found: Found;
  for (const { 0: written, index, groups } of text.matchAll(NUMBERS)) {
    const end = index + written.length;
    // "#30-A" is a name.
    if (text.charAt(index - 1) === '#' && /^-[a-z\d]/.test(text.slice(end, end + 2))) continue;
    const sign = groups?.sign === undefined ? 1 : -1;
    const told = readingsOf(groups?.digits ?? '').map((reading) => sign * Number(reading));
    if (!told.some((number) => isSameNumber(number, wanted))) continue;
    if (!isNegated(text, index, end)) return 'told';
    found = 'negated';
  }
  return found;
}

/**
 * Letters of scripts that put spaces between words, and whose words end there: in Korean, endings are part of the word.
 */
const LETTER =
  /(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])[\p{L}\p{M}]/u;
const IN_WORD = /[\p{L}\p{M}\p{N}]/u;

function isInWord(text: string, at: number, end: number): boolean {
  const goesOn = (edge: string, next: string) => LETTER.test(edge) && IN_WORD.test(next) && !isUnspaced(next);
  return goesOn(text.charAt(at), text.charAt(at - 1)) || goesOn(text.charAt(end - 1), text.charAt(end));
}

function isUnspaced(letter: string): boolean {
  return /\p{L}/u.test(letter) && !LETTER.test(letter);
}

const NEGATION_LENGTH_MAX = 40;
const NEGATED_BEFORE =
  /(?:(?<!\p{L})(?:not|never|cannot|nicht|kein\p{L}{0,2}|pas|jamais|nunca|não|non)[ -]|n['’]t |不是|并非)(?:(?:a|an|the|ein|eine|einen|un|une|una|um|uma) )?["'“”‘’*_]{0,3}[$€£¥]?[-−]? ?$/u;
const NEGATED_BEHIND = /^.{0,3}(?:ではない|ではありません|じゃない|じゃありません)/u;

function isNegated(text: string, at: number, end: number): boolean {
  return (
    NEGATED_BEFORE.test(text.slice(Math.max(0, at - NEGATION_LENGTH_MAX), at)) ||
    NEGATED_BEHIND.test(text.slice(end, end + NEGATION_LENGTH_MAX))
  );
}

/** An amount that is paid back is written with a sign or without one. */
function isSameNumber(told: number, wanted: number): boolean {
  return told === wanted || (wanted > 0 && -told === wanted);
}

function continuesNumber(text: string, at: number): boolean {
  return /\d/.test(text.charAt(at)) && /\d\.?$/.test(text.slice(Math.max(0, at - 2), at));
}

/** Zeros behind the point change nothing. */
function isContinued(text: string, at: number): boolean {
  return /\d/.test(text.charAt(at - 1)) && /^(?:\d|\.(?!0+(?!\d))\d)/.test(text.slice(at, at + 20));
}
