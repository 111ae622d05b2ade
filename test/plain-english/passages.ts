/**
 * Finds the prose in a file: comments of TypeScript, YAML and shell; docstrings and comments of Python; paragraphs, list
 * items and table cells of Markdown.
 * Code, links and quotations are left out.
 */

const WIDTH_MAX = 120;

export interface Sentence {
  readonly file: string;
  /** Number of the line on which its passage begins, from 1. */
  readonly line: number;
  readonly text: string;
  readonly isHeading: boolean;
}

interface Passage {
  readonly line: number;
  readonly text: string;
  readonly isHeading?: boolean;
}

export function sentencesOf(file: string, text: string): readonly Sentence[] {
  return passagesOf(file, text).flatMap((passage) => sentencesIn(file, passage));
}

export function sentencesIn(file: string, { line, text, isHeading = false }: Passage): readonly Sentence[] {
  return splitSentences(withoutCode(text)).map((sentence) => ({ file, line, text: sentence, isHeading }));
}

/** Lines of prose in Markdown that are too wide. Tables, code, headings and a line of one link or name cannot be wrapped. */
export function wideLinesOf(markdown: string): readonly { readonly line: number; readonly text: string }[] {
  return withoutFences(markdown)
    .split('\n')
    .map((text, index) => ({ line: index + 1, text }))
    .filter(({ text }) => text.length > WIDTH_MAX && !/^\s*\||^#|^ {4,}\S|^\s*(?:[-*+]\s+)?\S+$/.test(text));
}

function passagesOf(file: string, text: string): readonly Passage[] {
  if (file.endsWith('.md')) return passagesOfMarkdown(text);
  if (file.endsWith('.py')) return [...docstringsOf(text), ...hashComments(withoutDocstrings(text))];
  return /\.tsx?$/.test(file) ? commentsOf(text) : hashComments(text);
}

const DOCSTRING = /^( *)"""([\s\S]*?)"""/gm;

/** An indented example inside a docstring is not prose. */
function docstringsOf(source: string): readonly Passage[] {
  return [...source.matchAll(DOCSTRING)].flatMap(({ index, 1: indent = '', 2: text = '' }) => {
    const line = source.slice(0, index).split('\n').length;
    const lines = text.split('\n').map((one) => (one.startsWith(indent) ? one.slice(indent.length) : one));
    return paragraphs(line, lines);
  });
}

/** The other lines keep their numbers, and the `#:` before a comment of an attribute goes. */
function withoutDocstrings(source: string): string {
  return source.replace(DOCSTRING, (text) => text.replace(/[^\n]/g, '')).replace(/#: /g, '# ');
}

/** Comments of YAML and shell, on lines of their own or behind a value. Commented-out settings are not prose. */
function hashComments(source: string): readonly Passage[] {
  const passages: Passage[] = [];
  let open: { line: number; texts: string[]; column: number } | undefined;
  const close = () => {
    if (open !== undefined) passages.push(...paragraphs(open.line, open.texts));
    open = undefined;
  };
  for (const [index, line] of source.split('\n').entries()) {
    const [, before = '', marked] = /^(|.*?\s)(#+(?: .*)?)$/.exec(line) ?? [];
    const text = marked?.replace(/^#+ ?/, '');
    if (text === undefined || /^!|^\s*(?:- )?[\w./-]+:(?:\s|$)|^[-=]+$/.test(text)) {
      close();
      continue;
    }
    // A comment goes on in the same column, on a line that holds nothing else.
    if (open === undefined || open.column !== before.length || before.trim() !== '') {
      close();
      open = { line: index + 1, texts: [], column: before.length };
    }
    open.texts.push(text);
  }
  close();
  return passages;
}

/** Comments on lines of their own, as the formatter leaves them. An indented example inside a comment is not prose. */
function commentsOf(source: string): readonly Passage[] {
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
  const lines = withoutFences(text).split('\n');
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
    const isHeading = line.startsWith('#');
    texts.push(line.trim().replace(/^(?:[-*+]|\d+\.|#+|>)\s+/, ''));
    if (isHeading) {
      passages.push({ line: start, text: texts.join(' '), isHeading });
      texts = [];
    }
  }
  close();
  return passages;
}

/** Blocks of code become empty lines, so that the others keep their numbers. */
function withoutFences(markdown: string): string {
  return markdown.replace(/^ *(```|~~~)[\s\S]*?^ *\1/gm, (fence) => fence.replace(/[^\n]/g, ''));
}

/** A row of a table in a comment: columns are two spaces apart, or between bars. */
const TABLE_ROW = /\S {2,}\S|^\||--+>/;

/** The paragraphs of a comment: separated by empty lines, without indented text. */
function paragraphs(line: number, texts: readonly string[]): readonly Passage[] {
  const passages: Passage[] = [];
  let current: Passage | undefined;
  for (const [index, text] of texts.entries()) {
    if (text.trim() === '' || /^ {3,}\S/.test(text)) {
      current = undefined;
      continue;
    }
    if (TABLE_ROW.test(text)) {
      passages.push({ line: line + index, text: text.trim() });
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

/** One word in place of code, so that the sentence keeps its length. A list of names counts as one of them. */
function withoutCode(text: string): string {
  return text
    .replace(/`[^`]*`/g, 'CODE')
    .replace(/CODE(?:, (?:and |or )?CODE)+/g, 'CODE')
    .replace(/\[[^\]]*\]\([^)]*\)(?:\s+·\s+\[[^\]]*\]\([^)]*\))+/g, 'LINKS')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/https?:\/\/\S+/g, 'LINK')
    .replace(/["“][^"”]*["”]/g, 'QUOTE')
    .replace(/[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}/g, '');
}

const ABBREVIATION = /(?:\b(?:e\.g|i\.e|etc|vs|approx|cf|No)|\b[A-Z])\.$/;

function splitSentences(text: string): readonly string[] {
  const sentences: string[] = [];
  let from = 0;
  for (const { index, 0: mark } of text.matchAll(/[.!?](?=\s+(?:[A-Z(*]|[a-z][\w-]*: ))|[.!?]$/g)) {
    const sentence = text.slice(from, index + mark.length);
    if (ABBREVIATION.test(sentence)) continue;
    sentences.push(sentence.trim());
    from = index + mark.length;
  }
  sentences.push(text.slice(from).trim());
  return sentences.filter((sentence) => sentence !== '');
}
