/**
 * The words of a text, as conversations are searched by: in small letters, without accents and without anything but
 * letters and digits, the same for a text that is stored and for one that is searched. Scripts that put no blanks
 * between words are taken two characters at a time.
 */

const WORD_CHARACTERS_MAX = 40;
/** Letters and digits in a run. */
const RUNS = /[\p{L}\p{N}]+/gu;
const MARKS = /\p{M}+/gu;
const ASCII = /^[\0-\x7f]*$/;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const IS_UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Each once, in the order in which they come; not more than `most`. */
export function wordsOf(text: string, most: number): readonly string[] {
  if (ASCII.test(text)) return plainWords(text.toLowerCase(), Math.min(most, WORDS_MAX));
  const words = new Set<string>();
  const folded = text.normalize('NFKD').replace(MARKS, '').toLowerCase();
  for (const [run] of folded.matchAll(RUNS)) {
    if (words.size >= most) break;
    for (const word of partsOf(run)) words.add(word);
  }
  return [...words].slice(0, most);
}

const WORDS_MAX = 4096;
/** Twice as many places as words, so that one is found soon; a power of two. */
const PLACES = 2 * WORDS_MAX;
/** Where in the text the words lie that are known, by their hashes: the place of the first character + 1, or 0. */
const FROM = new Int32Array(PLACES);
const LENGTH = new Int32Array(PLACES);

/** By hand: every turn that is stored comes here, and a pattern with a set takes many times as long. */
function plainWords(text: string, most: number): readonly string[] {
  const words: string[] = [];
  FROM.fill(0);
  let from = -1;
  let hash = 0;
  for (let at = 0; at <= text.length && words.length < most; at += 1) {
    // Beyond the end it is no number, and no character of a word.
    const code = text.charCodeAt(at);
    if ((code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)) {
      if (from < 0) [from, hash] = [at, 0];
      if (at < from + WORD_CHARACTERS_MAX) hash = Math.imul(hash, 31) + code;
    } else if (from >= 0) {
      const length = Math.min(at - from, WORD_CHARACTERS_MAX);
      if (isNew(text, from, length, hash)) words.push(text.slice(from, from + length));
      from = -1;
    }
  }
  return words;
}

function isNew(text: string, from: number, length: number, hash: number): boolean {
  let place = (hash ^ (hash >>> 15)) & (PLACES - 1);
  for (let known = FROM[place] ?? 0; known !== 0; known = FROM[place] ?? 0) {
    if (LENGTH[place] === length && isSame(text, known - 1, from, length)) return false;
    place = (place + 1) & (PLACES - 1);
  }
  FROM[place] = from + 1;
  LENGTH[place] = length;
  return true;
}

function isSame(text: string, one: number, other: number, length: number): boolean {
  for (let at = 0; at < length; at += 1) if (text.charCodeAt(one + at) !== text.charCodeAt(other + at)) return false;
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
