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
  addWordsOf(text, words, most);
  return [...words].slice(0, most);
}

/** Until there are `most`, or a few more. */
export function addWordsOf(text: string, words: Set<string>, most: number): void {
  if (ASCII.test(text)) {
    addPlain(words, text.toLowerCase(), most);
    return;
  }
  const folded = text.normalize('NFKD').replace(MARKS, '').toLowerCase();
  for (const [run] of folded.matchAll(RUNS)) {
    if (words.size >= most) break;
    for (const word of partsOf(run)) words.add(word);
  }
}

/** By hand: every turn that is stored comes here, and the pattern takes four times as long. */
function addPlain(words: Set<string>, text: string, most: number): void {
  let from = -1;
  for (let at = 0; at <= text.length && words.size < most; at += 1) {
    // Beyond the end it is no number, and no character of a word.
    const code = text.charCodeAt(at);
    const isOfWord = (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
    if (isOfWord && from < 0) from = at;
    if (isOfWord || from < 0) continue;
    words.add(text.slice(from, Math.min(at, from + WORD_CHARACTERS_MAX)));
    from = -1;
  }
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
