/** Finds the prose in a file: comments of TypeScript, paragraphs, list items and table cells of Markdown. Code, links and quotations are left out. */

export interface Sentence {
  readonly file: string;
  /** Number of the line on which its passage begins, from 1. */
  readonly line: number;
  readonly text: string;
}

interface Passage {
  readonly line: number;
  readonly text: string;
}

export function sentencesOf(file: string, text: string): readonly Sentence[] {
  const passages = file.endsWith('.md') ? passagesOfMarkdown(text) : commentsOf(text);
  return passages.flatMap(({ line, text: passage }) =>
    splitSentences(withoutCode(passage)).map((sentence) => ({ file, line, text: sentence })),
  );
}

/** Comments on lines of their own, as the formatter leaves them. An indented example inside a comment is not prose. */
export function commentsOf(source: string): readonly Passage[] {
  const passages: Passage[] = [];
  let open: { line: number; texts: string[]; isBlock: boolean } | undefined;
  const close = () => {
    if (open !== undefined) passages.push(...paragraphs(open.line, open.texts));
    open = undefined;
  };
  for (const [index, line] of source.split('\n').entries()) {
    if (open?.isBlock === true) {
      open.texts.push(line.replace(/\*\/.*$/, '').replace(/^\s*\* ?/, ''));
      if (line.includes('*/')) close();
      continue;
    }
    const lineComment = /^\s*\/\/ ?(.*)$/.exec(line)?.[1];
    if (lineComment !== undefined) {
      open ??= { line: index + 1, texts: [], isBlock: false };
      open.texts.push(lineComment);
      continue;
    }
    close();
    const block = /^\s*(?:\{\s*)?\/\*\*? ?(.*)$/.exec(line)?.[1];
    if (block === undefined) continue;
    open = { line: index + 1, texts: [block.replace(/\*\/.*$/, '')], isBlock: true };
    if (block.includes('*/')) close();
  }
  close();
  return passages;
}

function passagesOfMarkdown(text: string): readonly Passage[] {
  const passages: Passage[] = [];
  const lines = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, (fence) => fence.replace(/[^\n]/g, '')).split('\n');
  let texts: string[] = [];
  let start = 0;
  const close = () => {
    if (texts.length > 0) passages.push({ line: start, text: texts.join(' ') });
    texts = [];
  };
  for (const [index, line] of lines.entries()) {
    const cells = /^\s*\|(.*)\|\s*$/.exec(line)?.[1];
    const beginsAnew = /^\s*(?:[-*+]|\d+\.)\s+|^#|^>/.test(line);
    if (line.trim() === '' || cells !== undefined || beginsAnew) close();
    if (cells !== undefined) {
      for (const cell of cells.split(/(?<!\\)\|/))
        if (/[a-z]{3}/i.test(cell)) passages.push({ line: index + 1, text: cell });
      continue;
    }
    // Indented code.
    if (texts.length === 0 && /^ {4,}\S/.test(line) && !beginsAnew) continue;
    if (line.trim() === '') continue;
    if (texts.length === 0) start = index + 1;
    texts.push(line.trim().replace(/^(?:[-*+]|\d+\.|#+|>)\s+/, ''));
  }
  close();
  return passages;
}

/** The paragraphs of a comment: separated by empty lines, without indented text. */
function paragraphs(line: number, texts: readonly string[]): readonly Passage[] {
  const passages: Passage[] = [];
  let current: Passage | undefined;
  for (const [index, text] of texts.entries()) {
    if (text.trim() === '' || /^ {3,}\S/.test(text)) {
      current = undefined;
      continue;
    }
    if (current === undefined || /^(?:\* |- |\d+\. )/.test(text)) {
      current = { line: line + index, text: text.trim() };
      passages.push(current);
      continue;
    }
    passages.pop();
    current = { line: current.line, text: `${current.text} ${text.trim()}` };
    passages.push(current);
  }
  return passages;
}

/** One word in place of code, so that the sentence keeps its length. */
function withoutCode(text: string): string {
  return text
    .replace(/`[^`]*`/g, 'CODE')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/https?:\/\/\S+/g, 'LINK')
    .replace(/["“][^"”]*["”]/g, 'QUOTE')
    .replace(/[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}/g, '');
}

const ABBREVIATION = /(?:\b(?:e\.g|i\.e|etc|vs|approx|cf|No)|\b[A-Z])\.$/;

function splitSentences(text: string): readonly string[] {
  const sentences: string[] = [];
  let from = 0;
  for (const { index, 0: mark } of text.matchAll(/[.!?](?=\s+[A-Z(*])|[.!?]$/g)) {
    const sentence = text.slice(from, index + mark.length);
    if (ABBREVIATION.test(sentence)) continue;
    sentences.push(sentence.trim());
    from = index + mark.length;
  }
  sentences.push(text.slice(from).trim());
  return sentences.filter((sentence) => sentence !== '');
}
