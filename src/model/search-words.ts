/**
 * The words of a text, as conversations are searched by: in small letters, without accents and without anything but
 * letters and digits, the same for a text that is stored and for one that is searched. Scripts that put no blanks
 * between words are taken two characters at a time.
 */
import { powerOfTwoFrom } from './power-of-two.ts';

const WORD_CHARACTERS_MAX = 40;
/** Letters and digits in a run. */
const RUNS = /[\p{L}\p{N}]+/gu;
const MARKS = /\p{M}+/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const IS_UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Each once, in the order in which they come, with a blank between two; not more than `most`. */
export function wordsIn(text: string, most: number): string {
  // Plain is what takes one byte a character. Longer texts are read as others are, for nobody stores such.
  if (text.length <= PLAIN_MAX && TEXT.write(text) === text.length) return plainWords(text.length, most);
  const words = new Set<string>();
  const folded = text.normalize('NFKD').replace(MARKS, '').toLowerCase();
  for (const [run] of folded.matchAll(RUNS)) {
    if (words.size >= most) break;
    for (const word of partsOf(run)) words.add(word);
  }
  return [...words].slice(0, most).join(' ');
}

/** Words of a text, one by one. */
export function wordsOf(text: string, most: number): readonly string[] {
  const words = wordsIn(text, most);
  return words === '' ? [] : words.split(' ');
}

const PLAIN_MAX = 1 << 14;
const TEXT = Buffer.alloc(PLAIN_MAX * 3);
/** The words so far, each with a blank behind it. */
const WORDS = Buffer.alloc(PLAIN_MAX + 1);
const BLANK = 0x20;
/** Place of each word in WORDS, by its hash: the place + 1, or 0. Half of it stays empty, as a word takes two bytes. */
const FROM = new Int32Array(PLAIN_MAX);

/** Reads plain text by hand, without a string for each word, because every stored turn passes here. */
function plainWords(length: number, most: number): string {
  const last = powerOfTwoFrom(length) - 1;
  FROM.fill(0, 0, last + 1);
  let end = 0;
  let count = 0;
  let from = -1;
  let hash = 0;
  for (let at = 0; at <= length && count < most; at += 1) {
    const code = at === length ? BLANK : small(TEXT[at] ?? 0);
    if ((code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)) {
      if (from < 0) [from, hash] = [end, 0];
      if (end === from + WORD_CHARACTERS_MAX) continue;
      WORDS[end] = code;
      end += 1;
      hash = Math.imul(hash, 31) + code;
    } else if (from >= 0) {
      WORDS[end] = BLANK;
      if (isNew(from, end, (hash ^ (hash >>> 15)) & last, last)) {
        count += 1;
        end += 1;
      } else end = from;
      from = -1;
    }
  }
  return WORDS.toString('latin1', 0, Math.max(end - 1, 0));
}

function small(code: number): number {
  return code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
}

/** Whether the word from there to its blank is in WORDS for the first time. */
function isNew(from: number, end: number, hashed: number, last: number): boolean {
  let place = hashed;
  for (let known = FROM[place] ?? 0; known !== 0; known = FROM[place] ?? 0) {
    if (isSame(known - 1, from, end)) return false;
    place = (place + 1) & last;
  }
  FROM[place] = from + 1;
  return true;
}

/** Compares the blanks too, which tells words of other lengths apart. */
function isSame(known: number, from: number, end: number): boolean {
  for (let at = from; at <= end; at += 1) if (WORDS[known + at - from] !== WORDS[at]) return false;
  return true;
}

function* partsOf(run: string): Generator<string> {
  for (const [part] of run.matchAll(UNSPACED)) {
    const characters = [...part];
    if (!IS_UNSPACED.test(part) || characters.length < 2) {
      yield characters.slice(0, WORD_CHARACTERS_MAX).join('');
      continue;
    }
    for (let at = 0; at + 1 < characters.length; at += 1) yield characters.slice(at, at + 2).join('');
  }
}
