/** Sentences of a system prompt with their lines. Marks of lists and headings are left off. */
export interface Sentence {
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

const SENTENCES_MAX = 3000;
const SENTENCE_MAX = 1000;
/** Shorter ones hold no rule. */
const SENTENCE_MIN = 12;
const LINE_MARK = /^[\s>#*+-]*(?:\d{1,3}[.)])?\s*/;

export function sentencesOf(prompt: string): readonly Sentence[] {
  const sentences: Sentence[] = [];
  for (const [index, line] of prompt.split('\n').entries()) {
    const text = line.slice(0, 100_000).replace(LINE_MARK, '');
    for (const sentence of text.split(/(?<=[.!?;])\s+/)) {
      if (sentences.length >= SENTENCES_MAX) return sentences;
      const plain = sentence.trim().slice(0, SENTENCE_MAX);
      if (plain.length >= SENTENCE_MIN) sentences.push({ text: plain, line: index + 1 });
    }
  }
  return sentences;
}
