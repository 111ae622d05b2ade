/** Writes a backtest as Markdown for a pull request. Names come from spans, and nothing of theirs is markup. */
import type { BacktestReport } from '../../model/backtest.ts';
import { headlineOf, moverText, remarksOf, sideText, tablesOf, type Table } from './backtest-words.ts';
import { markdownText } from './markdown-text.ts';

export function backtestMarkdown(report: BacktestReport): string {
  const changed: Table = {
    title: `Changed: ${report.changed} of ${report.counted.compared}${report.changed > report.conversations.length ? `, the ${report.conversations.length} most changed` : ''}`,
    head: ['conversation', 'before', 'after', 'moved by'],
    rows: report.conversations.map(({ conversationId, turnId, before, after, movedBy }) => [
      turnId === undefined ? conversationId : `${conversationId}, turn ${turnId}`,
      sideText(before),
      sideText(after),
      movedBy.length === 0 ? 'outcome rules' : movedBy.map(moverText).join(', '),
    ]),
  };
  return [
    `## ${markdownText(headlineOf(report))}`,
    ...remarksOf(report).map((remark) => `* ${markdownText(remark)}`),
    ...[...tablesOf(report), changed].map(table),
    '',
  ].join('\n');
}

function table({ title, head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => markdownText(cell)).join(' | ')} |`;
  return ['', `### ${markdownText(title)}`, '', line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join(
    '\n',
  );
}
