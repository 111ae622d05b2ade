/** Prints the verdicts that a changed suite would have given. */
import type { BacktestReport } from '../model/backtest.ts';
import { headlineOf, moverText, remarksOf, sideText, tablesOf } from '../report/documents/backtest-words.ts';
import { headRow, printTable } from './print-table.ts';
import { safe, type Terminal } from './terminal.ts';

const CELL_MAX = 60;

export function printBacktest(terminal: Terminal, report: BacktestReport): void {
  const { paint } = terminal;
  terminal.out(paint('bold', safe(headlineOf(report), 300)));
  for (const remark of remarksOf(report)) terminal.out(`  ${safe(remark, 300)}`);
  for (const { title, head, rows } of tablesOf(report)) {
    terminal.out(`\n${paint('bold', title)}`);
    const cells = rows.map((row) => row.map((text) => ({ text, max: CELL_MAX })));
    printTable(terminal, [headRow(...head), ...cells], { indent: 2 });
  }
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
