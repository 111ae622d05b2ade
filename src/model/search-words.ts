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
  const words = new Set<string>();
  const isPlain = ASCII.test(text);
  const folded = (isPlain ? text : text.normalize('NFKD').replace(MARKS, '')).toLowerCase();
  for (const [run] of folded.matchAll(RUNS)) {
    if (words.size >= most) break;
    if (isPlain) words.add(run.slice(0, WORD_CHARACTERS_MAX));
    else for (const word of partsOf(run)) words.add(word);
  }
  return [...words].slice(0, most);
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
