/** Lines of the page as it was last written, for rows that were not played this time. */
import { nameOf, type Row } from './row.ts';

/** Undefined `table`: the row could not be played. */
export interface PageLines {
  readonly table: string | undefined;
  readonly wrong: string;
  readonly notPlayed: readonly string[];
}

export function linesOf(row: Row, page: string): PageLines {
  const { framework, exporter } = row;
  const table = page.split('\n').find((line) => {
    const [, first, , third] = line.split('|').map((cell) => cell.trim());
    return first === framework && third === exporter;
  });
  const [, after = ''] = page.split(`\n**${framework}, ${exporter}**\n\n`);
  const [, unplayed = ''] = page.split('\n## What could not be played\n\n');
  const begins = [`* ${framework}, ${exporter} (`, `* ${nameOf(row)}, `];
  const notPlayed = unplayed
    .trimEnd()
    .split(/\n(?=\* |\n)/)
    .filter((item) => begins.some((beginning) => item.startsWith(beginning)));
  return { table, wrong: after.split('\n\n')[0]?.trimEnd() ?? '', notPlayed };
}
