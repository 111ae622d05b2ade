/** A unified diff of a text whose changed lines are known, as `git apply` and `patch -p1` take it. */

export interface LineEdit {
  /** Line, from 0. */
  readonly line: number;
  /** The lines that stand in its place. */
  readonly by: readonly string[];
}

const CONTEXT = 3;
const NO_NEWLINE = '\\ No newline at end of file';

interface Row {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
  /** True for the last line of its side, if no newline follows. */
  readonly isEnd: boolean;
}

/** Empty where nothing changes. `edits` are in the order of the text. */
export function unifiedDiff(text: string, edits: readonly LineEdit[], file: string): string {
  const rows = rowsOf(text, edits);
  const hunks = hunksIn(rows);
  if (hunks.length === 0) return '';
  const written = hunks.flatMap(({ from, to }) => {
    const before = rows.slice(0, from);
    const hunk = rows.slice(from, to);
    const place = (other: '-' | '+') => {
      const count = hunk.filter(({ mark }) => mark !== other).length;
      return `${before.filter(({ mark }) => mark !== other).length + 1},${count}`;
    };
    return [`@@ -${place('+')} +${place('-')} @@`, ...hunk.flatMap(shown)];
  });
  return [`--- a/${file}`, `+++ b/${file}`, ...written, ''].join('\n');
}

function shown({ mark, text, isEnd }: Row): readonly string[] {
  return isEnd ? [`${mark}${text}`, NO_NEWLINE] : [`${mark}${text}`];
}

function rowsOf(text: string, edits: readonly LineEdit[]): readonly Row[] {
  const endsWithNewline = text.endsWith('\n');
  const lines = (endsWithNewline ? text.slice(0, -1) : text).split('\n');
  const byLine = new Map(edits.map((edit) => [edit.line, edit.by]));
  // Lines that are added behind the last newline.
  const behind = endsWithNewline ? (byLine.get(lines.length)?.slice(0, -1) ?? []) : [];
  const rows = lines.flatMap((line, index): readonly Row[] => {
    const isLast = !endsWithNewline && index === lines.length - 1;
    const by = byLine.get(index);
    if (by === undefined) return [{ mark: ' ', text: line, isEnd: isLast }];
    const row = (mark: Row['mark'], one: string, isEnd = false): Row => ({ mark, text: one, isEnd });
    // A line that only got company stays as it is, unless a newline comes to its end.
    if (!isLast && by[0] === line) return [row(' ', line), ...by.slice(1).map((one) => row('+', one))];
    if (!isLast && by.at(-1) === line) return [...by.slice(0, -1).map((one) => row('+', one)), row(' ', line)];
    return [row('-', line, isLast), ...by.map((one, at) => row('+', one, isLast && at === by.length - 1))];
  });
  return [...rows, ...behind.map((one): Row => ({ mark: '+', text: one, isEnd: false }))];
}

function hunksIn(rows: readonly Row[]): readonly { readonly from: number; readonly to: number }[] {
  const hunks: { from: number; to: number }[] = [];
  for (const [index, { mark }] of rows.entries()) {
    if (mark === ' ') continue;
    const last = hunks.at(-1);
    const to = Math.min(rows.length, index + CONTEXT + 1);
    if (last !== undefined && index - CONTEXT <= last.to) last.to = to;
    else hunks.push({ from: Math.max(0, index - CONTEXT), to });
  }
  return hunks;
}
