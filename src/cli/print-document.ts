/** Draws a document in a terminal: sections are indented, and tables that follow each other have the same columns. */
import {
  type Block,
  cleanedPiece,
  type Document,
  type Phrase,
  type Piece,
  piecesOf,
  type Row,
  type Table,
  TEXT_MAX,
  type Tone,
} from '../report/documents/document.ts';
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
    const before = blocks[index - 1];
    if (isContinued(block, before)) continue;
    if (isApart(block, before)) terminal.out('');
    if (block.is === 'line') {
      const mark = block.isNote ? `${terminal.paint('yellow', 'note')}  ` : '';
      terminal.out(indent + mark + painted(terminal, block.text));
    } else if (block.is === 'section') {
      terminal.out(indent + painted(terminal, strong(block.heading)));
      printBlocks(terminal, block.blocks, depth + 1);
    } else printTables(terminal, block, blocks.slice(index + 1), indent.length);
  }
}

function isContinued(block: Block, before: Block | undefined): boolean {
  return hasHead(block) && before !== undefined && hasHead(before);
}

function isApart(block: Block, before: Block | undefined): boolean {
  return (
    block.is === 'section' || hasHead(block) || (before !== undefined && (before.is === 'section' || hasHead(before)))
  );
}

function hasHead(block: Block): boolean {
  return block.is === 'table' && block.head !== undefined;
}

function printTables(terminal: Terminal, first: Table, others: readonly Block[], indent: number): void {
  const end = others.findIndex((other, index) => !isContinued(other, index === 0 ? first : others[index - 1]));
  const tables = [first, ...(others.slice(0, end < 0 ? others.length : end) as Table[])];
  const rows = tables.flatMap(({ head, rows, folded }, index) => [
    ...(index === 0 ? [] : ['']),
    ...(head === undefined
      ? []
      : [
          head.map((cell) =>
            cellOf(
              terminal,
              piecesOf(cell).map((piece) => toned(piece, 'aside')),
            ),
          ),
        ]),
    ...[...rows, ...(folded?.short ?? [])].flatMap((row) => rowsOf(terminal, row, indent)),
  ]);
  printTable(terminal, rows, { indent, ...(first.align === undefined ? {} : { align: first.align }) });
}

function rowsOf(terminal: Terminal, { cells, below = [] }: Row, indent: number): readonly TableRow[] {
  const lines = below.map(
    (sentence) =>
      ' '.repeat(indent + 2) +
      painted(
        terminal,
        piecesOf(sentence).map((piece) => toned(piece, 'aside')),
      ),
  );
  return [cells.map((cell) => cellOf(terminal, cell)), ...lines];
}

function cellOf(terminal: Terminal, phrase: Phrase) {
  return { text: painted({ paint: (_, text) => text }, phrase), painted: painted(terminal, phrase) };
}

function painted({ paint }: Pick<Terminal, 'paint'>, phrase: Phrase): string {
  return piecesOf(phrase)
    .map((piece) => {
      const { text, max = TEXT_MAX, tone } = typeof piece === 'string' ? { text: piece } : piece;
      const shown = cleanedPiece(text, (words) => safe(words, max));
      return tone === undefined || shown === '' ? shown : paint(STYLES[tone], shown);
    })
    .join('');
}

/** The first piece of a heading is what it is about. */
function strong(heading: Phrase): Phrase {
  return piecesOf(heading).map((piece, index) => (index === 0 ? toned(piece, 'strong') : piece));
}

function toned(piece: Piece, tone: Tone): Piece {
  return typeof piece === 'string' ? { text: piece, tone } : { tone, ...piece };
}
