/** Draws a document as Markdown, for a pull request. */
import { type Block, cleanedPiece, type Document, type Phrase, piecesOf, type Row } from './document.ts';
import { markdownCode, markdownText } from './markdown-text.ts';

export function documentMarkdown({ title, verdict, blocks }: Document): string {
  const lead = verdict === undefined ? [] : [phraseText(verdict), ''];
  return [`## ${phraseText(title)}`, '', ...lead, ...linesOf(blocks, 3)].join('\n');
}

function linesOf(blocks: readonly Block[], level: number): readonly string[] {
  return blocks.flatMap((block) => [...blockLines(block, level), '']);
}

function blockLines(block: Block, level: number): readonly string[] {
  switch (block.is) {
    case 'section':
      return [
        `${'#'.repeat(level)} ${phraseText(block.heading)}`,
        '',
        ...linesOf(block.blocks, level + 1).slice(0, -1),
      ];
    case 'line':
      return [sentenceText(block.text)];
    case 'note':
      return [`> ${phraseText(block.text)}`];
    case 'table':
      return tableLines(block.rows.flatMap((row) => ('folded' in row ? row.folded : [row])));
  }
}

/** Sentences about a row follow its item, or behind its name the table. */
function tableLines(rows: readonly Row[]): readonly string[] {
  const lines: string[] = [];
  const about: string[] = [];
  let columns = 0;
  let above: readonly Phrase[] = [];
  for (const row of rows) {
    if ('head' in row) {
      if (lines.length > 0) lines.push('');
      columns = row.head.length;
      lines.push(rowText(row.head), `|${'---|'.repeat(columns)}`);
    } else if ('below' in row) {
      const sentences = row.below.map(sentenceText).join(' ');
      if (columns === 0) lines.push(`${lines.pop()}: ${sentences}`);
      else about.push(`* ${phraseText(nameIn(above))}: ${sentences}`);
    } else if (!('folded' in row)) {
      above = row;
      lines.push(columns === 0 ? itemText(row) : rowText(filled(row, columns)));
    }
  }
  return about.length === 0 ? lines : [...lines, '', ...about];
}

function itemText(cells: readonly Phrase[]): string {
  const texts = cells.map(phraseText).filter((text) => text !== '');
  return `* ${texts.join(', ')}`;
}

function rowText(cells: readonly Phrase[]): string {
  return `| ${cells.map(phraseText).join(' | ')} |`;
}

function filled(cells: readonly Phrase[], columns: number): readonly Phrase[] {
  const missing = Array.from({ length: columns - cells.length }, () => '');
  return [...cells.slice(0, -1), ...missing, ...cells.slice(-1)];
}

function nameIn(cells: readonly Phrase[]): Phrase {
  return cells.find((cell) => piecesOf(cell).some((piece) => typeof piece !== 'string' && piece.isName)) ?? '';
}

function sentenceText(phrase: Phrase): string {
  const text = phraseText(phrase);
  return /[.:!?]$/.test(text) ? text : `${text}.`;
}

function phraseText(phrase: Phrase): string {
  const pieces = piecesOf(phrase).map((piece) => {
    if (typeof piece === 'string') return cleanedPiece(piece, markdownText);
    const { text, max, tone, isName } = piece;
    const drawn = isName ? markdownCode(text, max) : cleanedPiece(text, (words) => markdownText(words, max));
    return tone === 'bad' ? `**${drawn}**` : drawn;
  });
  return pieces.join('');
}
