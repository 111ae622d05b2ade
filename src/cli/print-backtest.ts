/** What a changed suite would have said, for a terminal. */
import type { BacktestReport } from '../model/backtest.ts';
import {
  headlineOf,
  moverText,
  remarksOf,
  sideText,
  type Table,
  tablesOf,
} from '../report/documents/backtest-words.ts';
import { safe, type Terminal } from './terminal.ts';

const CELL_MAX = 60;

export function printBacktest(terminal: Terminal, report: BacktestReport): void {
  const { paint } = terminal;
  terminal.out(paint('bold', safe(headlineOf(report), 300)));
  for (const remark of remarksOf(report)) terminal.out(`  ${safe(remark, 300)}`);
  for (const table of tablesOf(report)) printTable(terminal, table);
  const { changed, conversations, counted } = report;
  terminal.out(
    `\n${paint('bold', `${changed} of ${counted.compared} changed`)}${changed > conversations.length && conversations.length > 0 ? `; the ${conversations.length} most changed:` : ''}`,
  );
  for (const { conversationId, turnId, before, after, movedBy } of conversations) {
    const turn = turnId === undefined ? '' : `, turn ${safe(turnId, CELL_MAX)}`;
    terminal.out(`  ${safe(conversationId, 100)}${turn}`);
    terminal.out(`    ${sideText(before)} → ${paint('bold', sideText(after))}`);
    const movers = movedBy.length === 0 ? 'by its outcome rules' : movedBy.map(moverText).join(', ');
    terminal.out(`    ${paint('dim', safe(movers, 300))}`);
  }
}

function printTable(terminal: Terminal, { title, head, rows }: Table): void {
  const cells = [head, ...rows].map((row) => row.map((cell) => safe(cell, CELL_MAX)));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  terminal.out(`\n${terminal.paint('bold', title)}`);
  for (const [index, row] of cells.entries()) {
    const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
    terminal.out(`  ${index === 0 ? terminal.paint('dim', line.trimEnd()) : line.trimEnd()}`);
  }
}
