/**
 * Prints rows in columns, each as wide as its widest cell. Cells may be text from spans: they are made safe for a
 * terminal here, and cut to a length.
 */
import { safe, type Style, type Terminal } from './terminal.ts';

type Cell =
  | string
  | { readonly text: string; readonly style?: Style; readonly max?: number }
  /** Safe already, and as it looks. */
  | { readonly text: string; readonly painted: string };
/** A text is a line of its own between rows; it is printed as it is. */
export type TableRow = readonly Cell[] | string;

interface Layout {
  /** A letter a column, `l` or `r`; columns without one stand to the left. */
  readonly align?: string;
  readonly indent?: number;
  /** Least widths of the columns, where not all rows are known or tables should look alike. */
  readonly min?: readonly number[];
}

interface PlainCell {
  readonly text: string;
  readonly painted: string;
}

export function printTable({ out, paint }: Terminal, rows: readonly TableRow[], layout: Layout = {}): void {
  const { align = '', indent = 4, min = [] } = layout;
  const lines = rows.map((row) => (typeof row === 'string' ? row : row.map((cell) => plainCell(cell, paint))));
  const table = lines.filter((line) => typeof line !== 'string');
  const columns = Math.max(0, ...table.map(({ length }) => length));
  // The last cell of a row with fewer cells than others runs on: a text in place of figures may be as long as it likes.
  const runsOn = (line: readonly PlainCell[], column: number) => line.length < columns && column === line.length - 1;
  const widthIn = (line: readonly PlainCell[], column: number) =>
    runsOn(line, column) ? 0 : (line[column]?.text.length ?? 0);
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(min[column] ?? 0, ...table.map((line) => widthIn(line, column))),
  );
  for (const line of lines) {
    if (typeof line === 'string') {
      out(line);
      continue;
    }
    const cells = line.map(({ text, painted }, column) => {
      const gap = ' '.repeat(runsOn(line, column) ? 0 : (widths[column] ?? 0) - text.length);
      return align[column] === 'r' ? gap + painted : painted + gap;
    });
    out((' '.repeat(indent) + cells.join('  ')).trimEnd());
  }
}

export function headRow(...cells: readonly string[]): TableRow {
  return cells.map((text) => ({ text, style: 'dim' }));
}

function plainCell(cell: Cell, paint: Terminal['paint']): PlainCell {
  if (typeof cell === 'string') return { text: safe(cell), painted: safe(cell) };
  if ('painted' in cell) return cell;
  const text = safe(cell.text, cell.max);
  return { text, painted: cell.style === undefined || text === '' ? text : paint(cell.style, text) };
}
