/** Wraps the prose of a generated page, which has values of any length in it. Tables, headings and code stay as they are. */

const WIDTH = 120;
/** Code, and a link with its text, which are not broken. */
const UNBROKEN = /`[^`]*`|\[[^\]]*\]\([^)]*\)/g;
const SPACE = '\u0000';

export function wrapProse(markdown: string): string {
  return markdown
    .split(/^(```[\s\S]*?^```)$/m)
    .map((part) => (part.startsWith('```') ? part : part.split('\n\n').map(wrapBlock).join('\n\n')))
    .join('');
}

function wrapBlock(block: string): string {
  const isProse = !/^\n*(?:[\s|#<]|[-*] )/.test(block);
  if (!isProse || block.split('\n').every((line) => line.length <= WIDTH)) return block;
  const before = /^\n*/.exec(block)?.[0] ?? '';
  const after = /\n*$/.exec(block)?.[0] ?? '';
  const words = block
    .trim()
    .replace(UNBROKEN, (text) => text.replaceAll(' ', SPACE))
    .split(/\s+/);
  return before + lines(words).join('\n').replaceAll(SPACE, ' ') + after;
}

function lines(words: readonly string[]): readonly string[] {
  const full: string[] = [];
  let line = '';
  for (const word of words) {
    if (line !== '' && line.length + 1 + word.length > WIDTH) {
      full.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...full, line];
}
