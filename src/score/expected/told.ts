/**
 * Whether something was told to the user: it stands in one of the answers of the conversation, in whatever case.
 *
 * A number is told where an answer has it as a whole number of its own: 1286 is in "$1,286.00", and neither in "12860" nor in "1286.5". Of a
 * text that begins or ends with a digit, the same holds for that end. Separators of thousands and the width of spaces do not matter.
 */
import type { Turn } from '../../model/turn.ts';
import { answerGap } from '../needs.ts';

const THOUSANDS = /(?<=\d)[,'’\u00a0\u202f](?=\d{3}(?!\d))/g;
const SPACES = /[\s\u00a0\u202f]+/g;
/** Not within a name such as hat136, and not 10 of 10k. A sign is no dash between two things; a currency may follow it. */
const NUMBERS = /(?<![a-z\d.])(?:[-−] ?(?:[$€£¥] ?)?)?\d+(?:\.\d+)?(?!\.?\d|[kmb](?![a-z]))/g;
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;

/** A text says why it can't be told. */
export function wasTold(wanted: string | number, turns: readonly Turn[]): boolean | string {
  if (turns.some(({ finalAnswer }) => holds(finalAnswer.text, wanted))) return true;
  // It may be in an answer that was not recorded.
  return turns.map(answerGap).find((gap) => gap !== undefined) ?? false;
}

function holds(answer: string, wanted: string | number): boolean {
  const [text, part] = [plain(answer), plain(String(wanted))];
  if (PLAIN_NUMBER.test(part)) return numbersIn(text).some((number) => isSameNumber(number, Number(part)));
  if (part === '') return true;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    if (!continuesNumber(text, at) && !isContinued(text, at + part.length)) return true;
  }
  return false;
}

function plain(text: string): string {
  return text.toLowerCase().replace(THOUSANDS, '').replace(SPACES, ' ').trim();
}

function numbersIn(text: string): readonly number[] {
  return (text.match(NUMBERS) ?? []).map((number) => Number(number.replace('−', '-').replace(/[^\d.-]/g, '')));
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
