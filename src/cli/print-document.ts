/** Draws a document in a terminal: sections are indented, and the columns of a table are aligned. */
import { type Block, cleanedPiece, type Document, type Phrase } from '../report/documents/document.ts';
import { type Piece, piecesOf, type Row, TEXT_MAX, type Tone } from '../report/documents/document.ts';
import { printTable, type TableRow } from './print-table.ts';
import { safe, type Style, type Terminal } from './terminal.ts';

const STYLES = {
  good: 'green',
  bad: 'red',
  unsure: 'yellow',
  aside: 'dim',
  strong: 'bold',
} as const satisfies Record<Tone, Style>;

export function printDocument(terminal: Terminal, { verdict, blocks }: Omit<Document, 'title'>): void {
  if (verdict !== undefined) terminal.out(painted(terminal, verdict));
  else if (blocks[0]?.is === 'line') terminal.out('');
  printBlocks(terminal, blocks, 1);
}

export function printBlocks(terminal: Terminal, blocks: readonly Block[], depth: number): void {
  const indent = '  '.repeat(depth);
  for (const [index, block] of blocks.entries()) {
    if (isTall(block) || (index > 0 && isTall(blocks[index - 1]))) terminal.out('');
    switch (block.is) {
      case 'section':
        terminal.out(indent + painted(terminal, headingOf(block.heading)));
        printBlocks(terminal, block.blocks, depth + 1);
        break;
      case 'line':
        terminal.out(indent + painted(terminal, block.text));
        break;
      case 'note':
        terminal.out(`${indent}${terminal.paint('yellow', 'note')}  ${painted(terminal, block.text)}`);
        break;
      case 'table': {
        const rows = block.rows.flatMap((row, at) => rowsOf(terminal, row, { indent, isFirst: at === 0 }));
        printTable(terminal, rows, { indent: indent.length, align: block.align ?? '' });
      }
    }
  }
}

/** An empty line stands before and after it. */
function isTall(block: Block | undefined): boolean {
  if (block?.is === 'table') return block.rows.some((row) => 'head' in row);
  return block?.is === 'section';
}

function rowsOf(
  terminal: Terminal,
  row: Row,
  at: { readonly indent: string; readonly isFirst: boolean },
): readonly TableRow[] {
  if ('folded' in row) return row.short.flatMap((one) => rowsOf(terminal, one, at));
  if ('below' in row) return row.below.map((text) => `${at.indent}  ${painted(terminal, toned(text, 'aside'))}`);
  if ('head' in row)
    return [...(at.isFirst ? [] : ['']), row.head.map((cell) => cellOf(terminal, toned(cell, 'aside')))];
  return [row.map((cell) => cellOf(terminal, cell))];
}

function cellOf(terminal: Terminal, phrase: Phrase) {
  return { text: painted({ paint: (_, text) => text }, phrase), painted: painted(terminal, phrase) };
}

function painted({ paint }: Pick<Terminal, 'paint'>, phrase: Phrase): string {
  const pieces = piecesOf(phrase).map((piece) => {
    const { text, max = TEXT_MAX, tone } = typeof piece === 'string' ? { text: piece } : piece;
    const shown = cleanedPiece(text, (words) => safe(words, max));
    return tone === undefined || shown === '' ? shown : paint(STYLES[tone], shown);
  });
  return pieces.join('');
}

/** Its first piece is its subject. */
function headingOf(heading: Phrase): Phrase {
  const [subject = '', ...more] = piecesOf(heading);
  return [...piecesOf(toned(subject, 'strong')), ...more];
}

function toned(phrase: Phrase, tone: Tone): Phrase {
  return piecesOf(phrase).map(
    (piece): Piece => (typeof piece === 'string' ? { text: piece, tone } : { tone, ...piece }),
  );
}
