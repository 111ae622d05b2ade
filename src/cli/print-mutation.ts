/**
 * Prints the result of `assay suite mutate`: a table of faults and criteria, the faults that nothing noticed, and the
 * criteria that noticed none.
 */
import type { MutatedFault, SuiteMutation } from '../model/mutation.ts';
import { cellOf, passing } from '../report/documents/mutation-report.ts';
import { headRow, printTable, type TableRow } from './print-table.ts';
import { percent, safe, type Terminal } from './terminal.ts';

const UNNOTICED_SHOWN = 2;
const LEFT_OUT_SHOWN = 3;

export function printMutation(terminal: Terminal, suite: SuiteMutation): void {
  const { paint, out } = terminal;
  out('');
  if (suite.tried === 0) {
    out(`  ${paint('bold', suite.suite)}   nothing to break: no ${suite.scope} of it passes`);
    printLeftOut(terminal, suite);
    return;
  }
  const share = percent(suite.noticed / suite.tried);
  out(
    `  ${paint('bold', suite.suite)}   ${suite.noticed} of ${suite.tried} faults noticed (${share}), in ${passing(suite)}`,
  );
  out('');
  for (const [index, { criterion }] of suite.criteria.entries()) out(`    ${column(index)} ${criterion}`);
  out('');
  const head = headRow('fault', 'noticed', ...suite.criteria.map((_, index) => column(index)));
  printTable(terminal, [head, ...suite.faults.map(rowOf)], { align: `l${'r'.repeat(suite.criteria.length + 1)}` });
  printUnnoticed(terminal, suite);
  printIdle(terminal, suite);
  if (suite.judged.length > 0) out(paint('dim', `\n  Judges are not asked: ${suite.judged.join(', ')}`));
  printLeftOut(terminal, suite);
}

function column(index: number): string {
  return `[${index + 1}]`;
}

function rowOf({ fault, tried, noticed, criteria }: MutatedFault): TableRow {
  if (tried === 0) return headRow(fault, '–', 'no place for it');
  const style = noticed === tried ? 'green' : noticed === 0 ? 'red' : 'yellow';
  return [fault, { text: `${noticed}/${tried}`, style }, ...criteria.map(cellOf)];
}

function printUnnoticed({ paint, out }: Terminal, { faults, suite }: SuiteMutation): void {
  const missed = faults.filter(({ unnoticed }) => unnoticed.length > 0);
  if (missed.length === 0) return;
  out(`\n  ${paint('bold', 'Nothing noticed')}`);
  for (const { fault, unnoticed: all } of missed) {
    const unnoticed = [...new Map(all.map((one) => [one.what, one])).values()];
    for (const { golden, what, advice, isOutside } of unnoticed.slice(0, UNNOTICED_SHOWN)) {
      out(`    ${fault}: ${safe(what)} ${paint('dim', `(${safe(golden.name, 60)})`)}`);
      const remedy = isOutside
        ? `${suite} is not for the conversation then: see its \`match\``
        : `see it by ${safe(advice)}`;
      out(paint('dim', `      ${remedy}`));
    }
    const others = unnoticed.length - UNNOTICED_SHOWN;
    if (others > 0) out(paint('dim', `      and ${others} more`));
  }
}

function printIdle({ paint, out }: Terminal, { criteria }: SuiteMutation): void {
  const idle = criteria.filter(({ noticed }) => noticed === 0).map(({ criterion }) => criterion);
  if (idle.length === 0) return;
  out(`\n  ${paint('bold', 'Noticed nothing')}   ${idle.join(', ')}`);
  out(paint('dim', '    That is no problem for criteria that ask about something else than these faults.'));
}

function printLeftOut({ paint, out }: Terminal, { leftOut }: SuiteMutation): void {
  if (leftOut.length === 0) return;
  const reasons = [...Map.groupBy(leftOut, ({ because }) => because)].sort(([, a], [, b]) => b.length - a.length);
  out(paint('dim', `\n  Left out: ${leftOut.length}`));
  for (const [because, { length }] of reasons.slice(0, LEFT_OUT_SHOWN))
    out(paint('dim', `    ${length} as ${because}`));
}
