/** Prints how well the scores of suites agree with outcomes. */
import type { Estimate } from '../model/estimate.ts';
import type { CriterionValidity, SuiteValidity } from '../model/validity.ts';
import { validityRemarks } from '../report/documents/validity-remarks.ts';
import { headRow, printTable, type TableRow } from './print-table.ts';
import { fixed, percent, safe, type Terminal } from './terminal.ts';

export function printValidity(terminal: Terminal, suites: readonly SuiteValidity[]): void {
  const versions = Map.groupBy(suites, ({ suite }) => suite);
  for (const suite of suites) printSuite(terminal, suite, versions.get(suite.suite)?.length !== 1);
  const notes = [
    'In brackets: 95 % intervals. Area: the chance that a good one scores above a bad one; 0.5 is chance.',
    'Precision: share of the failures whose outcome is bad. Recall: share of the bad outcomes that the criterion failed.',
    ...(suites.some(({ withinCases }) => withinCases !== undefined)
      ? ['Conversations of a case are alike: the intervals of the areas know it, the others are too narrow.']
      : []),
  ];
  terminal.out('');
  for (const note of notes) terminal.out(`  ${terminal.paint('dim', note)}`);
}

function printSuite(terminal: Terminal, suite: SuiteValidity, hasOthers: boolean): void {
  const { good, bad, shareGood } = suite;
  const head = [
    terminal.paint('bold', safe(suite.suite, 80)) + (hasOthers ? ` version ${safe(suite.suiteVersion, 40)}` : ''),
    `${good + bad} with an outcome`,
    ...(shareGood === undefined ? [] : [`${share(shareGood)} good`]),
  ];
  terminal.out(`\n  ${head.join('   ')}`);
  for (const remark of validityRemarks(suite)) terminal.out(`  ${terminal.paint('dim', remark)}`);
  if (good + bad === 0) return;
  terminal.out('');
  const rows = suite.said.map((one): TableRow => [one.outcome, String(one.good), String(one.bad)]);
  printTable(
    terminal,
    [headRow(suite.scope === 'turn' ? 'the worst turn' : 'the suite says', 'good', 'bad'), ...rows],
    { align: 'lrr', min: [22, 6, 6] },
  );
  terminal.out('');
  printTable(terminal, figureRows(suite), { min: [22] });
  printCriteria(terminal, suite);
}

function printCriteria(terminal: Terminal, { criteria, good, bad }: SuiteValidity): void {
  const kinds = Map.groupBy(criteria, ({ decided, failed }) => {
    if (decided.good + decided.bad === 0) return 'never decided';
    return failed.good + failed.bad === 0 ? 'never failed' : 'failed';
  });
  const failed = kinds.get('failed') ?? [];
  terminal.out('');
  if (failed.length > 0) {
    const names = headRow('criterion', 'decided', 'failed good', 'failed bad', 'precision', 'recall');
    printTable(terminal, [names, ...failed.map(criterionRow)], { align: 'lrrrll', min: [22] });
    const badShare = percent(bad / (good + bad));
    terminal.out(
      `    ${terminal.paint('dim', `of all, ${badShare} are bad: a precision that is no higher tells nothing`)}`,
    );
  }
  for (const kind of ['never failed', 'never decided'] as const) {
    const names = (kinds.get(kind) ?? []).map((criterion) => safe(nameOf(criterion), 100));
    if (names.length > 0) terminal.out(`    ${terminal.paint('dim', `${kind}: ${names.join(', ')}`)}`);
  }
}

function figureRows({ agreement, kappa, area, withinCases, saidGood, saidBad }: SuiteValidity): readonly TableRow[] {
  const compared = saidGood.good + saidGood.bad + saidBad.good + saidBad.bad;
  return [
    ['agreement', agreement === undefined ? '-' : share(agreement), `of ${compared} said to be good or bad`],
    ['kappa', figure(kappa), '1 always, 0 as by chance'],
    ['area under the curve', figure(area)],
    ...(withinCases === undefined
      ? []
      : [
          [
            'area within a case',
            figure(withinCases.area),
            `${withinCases.cases} cases with both kinds, ${withinCases.pairs} pairs`,
          ],
        ]),
  ];
}

function criterionRow(validity: CriterionValidity): TableRow {
  const { decided, failed, precision, recall } = validity;
  return [
    { text: nameOf(validity), max: 100 },
    String(decided.good + decided.bad),
    `${failed.good} of ${decided.good}`,
    `${failed.bad} of ${decided.bad}`,
    precision === undefined ? '' : share(precision),
    recall === undefined ? '' : share(recall),
  ];
}

function nameOf({ criterion, judgedBy }: CriterionValidity): string {
  return judgedBy === undefined ? criterion : `${criterion} (${judgedBy.judge} ${judgedBy.version})`;
}

function share({ value, lower, upper }: Estimate): string {
  return `${fixed(value * 100, 1)} % (${fixed(lower * 100, 1)} to ${fixed(upper * 100, 1)})`;
}

function figure(estimate: Estimate | undefined): string {
  if (estimate === undefined) return '-';
  const { value, lower, upper } = estimate;
  return `${fixed(value, 3)} (${fixed(lower, 3)} to ${fixed(upper, 3)})`;
}
