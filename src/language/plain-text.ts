/** Text as the patterns of all languages read it, and its sentences. */
const TEXT_READ_MAX = 8000;
const SENTENCE_READ_MAX = 1000;

/**
 * Lower case, composed, with straight apostrophes and marks of one width, without Markdown's bold. Takes the beginning and the end of a long
 * text.
 */
export function plainText(text: string): string {
  return inOwnCase(text).toLowerCase();
}

/** A sentence of the plain text, in the case in which it was written. */
export function asWritten(sentence: string, text: string): string {
  const written = inOwnCase(text);
  const plain = written.toLowerCase();
  const at = plain.indexOf(sentence);
  // A letter such as İ has more of them in lower case: then places are not comparable.
  return at === -1 || plain.length !== written.length ? sentence : written.slice(at, at + sentence.length);
}

function inOwnCase(text: string): string {
  const half = TEXT_READ_MAX / 2;
  const read = text.length <= TEXT_READ_MAX ? text : `${text.slice(0, half)}\n${text.slice(-half)}`;
  const composed = ASCII.test(read) ? read : read.normalize('NFKC').replaceAll(/[’‘]/g, "'");
  return composed.replaceAll('**', '');
}

const ASCII = /^[\0-\x7f]*$/;
const SENTENCE_END = /[!?。\n]|\.(?=\s)/g;

/** At full stops that are not within a number or a name, and at line ends. The mark stays with its sentence. */
export function sentencesOf(plain: string): readonly string[] {
  const sentences: string[] = [];
  let from = 0;
  const add = (to: number) => {
    const sentence = plain.slice(from, to);
    if (sentence.trim() !== '') {
      sentences.push(sentence.length > SENTENCE_READ_MAX ? sentence.slice(-SENTENCE_READ_MAX) : sentence);
    }
    from = to;
  };
  for (const { index } of plain.matchAll(SENTENCE_END)) add(index + 1);
  add(plain.length);
  return sentences;
}
