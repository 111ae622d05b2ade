/** An estimate on the terminal, and all that it is computed from. */
import type { EstimateAnswer } from '../api/estimate.ts';
import type { ApiEstimate } from '../api/shapes.ts';
import { logFactors } from '../statistics/estimate/evidence.ts';
import { headRow, printTable, type TableRow } from './print-table.ts';
import { fixed, percent, safe, type Terminal } from './terminal.ts';

const FORMULA = `  Before each draw a cell has a belief p: the chance that one of its conversations went well. Suppose a
  success rate. Each belief is tilted to q by q − p = m q (1 − q), where m = t × (sum of what is left × rate) / rate. One
  t serves all cells: that by which the q of the conversations left sum to the successes that the supposed rate leaves. A
  good draw multiplies the evidence by p / q, a bad one by (1 − p) / (1 − q). The interval has the rates whose product
  stays below`;

export function printEstimate(terminal: Terminal, answer: EstimateAnswer): void {
  const { conversations, readings, missed, miss_rate: missRate, band } = answer;
  const row = (name: string, count: number, remark = '') =>
    [name, String(count), { text: remark, style: 'dim' }] as const;
  const share = (name: string, of: ApiEstimate | undefined, text: (share: number) => string): readonly TableRow[] =>
    of === undefined ? [] : [[name, `${text(of.value)} (${text(of.low)} to ${text(of.high)})`]];
  const { out, paint } = terminal;
  out(paint('bold', safe(answer.says, 600)));
  printTable(
    terminal,
    [
      row('spoken for', conversations.spoken_for, `began since ${answer.since}`),
      row('later', conversations.later, 'began later, and not spoken for until those that come first are read'),
      row('unreadable', conversations.unreadable, 'no words were recorded, and not spoken for'),
      row('sample', readings.sample, 'read in the order of their lots'),
      row('out of turn', readings.out_of_turn, 'read by choice, before their turn, or certain since: not counted'),
      row('certain', readings.certain, 'known by outcomes that are certain'),
      row('unclear', readings.unclear, 'counted as bad at the lower end and as good at the upper end'),
      row('disagreed', readings.disagreed, `of ${readings.by_two} that two people read`),
      ...share('miss rate', missRate, percent),
      ...share('missed per 100', missed, (value) => (value * 100).toFixed(1)),
      ...(band === undefined ? [] : [['band', { text: band, style: 'green' } as const]]),
    ],
    { align: 'lr' },
  );
  out(safe(answer.next, 600));
}

type Explained = NonNullable<EstimateAnswer['explained']>;

/** The factors are those of two supposed rates: the ends of the interval before readers' disagreement widens it. */
export function printExplained(terminal: Terminal, { success }: EstimateAnswer, explained: Explained): void {
  const { cells, draws, certain, against, prediction, widened_by: widenedBy } = explained;
  const { out, paint } = terminal;
  out(`\n${paint('bold', 'Cells')}   conversations that are alike in all that is known without reading`);
  const ofCell = cells.map(({ group, called_fine, predicted, rate, size }, at) => {
    const chance = predicted === undefined ? group : `${group}, foretold ${percent(predicted)}`;
    return [String(at), String(size), String(rate), called_fine ? 'fine' : 'not fine', chance];
  });
  const head = headRow('cell', 'conversations', 'rate', 'called', 'group');
  printTable(terminal, [head, ...ofCell], { align: 'rrrll' });
  if (prediction !== undefined) {
    const { hash, readings, taught_before: before, weights } = prediction;
    out(`    foretold by ${readings} readings of conversations before ${before.slice(0, 10)} (${hash}), mostly by:`);
    for (const { fact, log_odds: odds } of weights)
      out(`      ${odds > 0 ? '+' : ''}${odds.toFixed(3)}  ${safe(fact, 200)}`);
  }
  out(`    certain: ${certain.good} good, ${certain.bad} bad, ${certain.bad_called_fine} of these called fine`);
  const limit = fixed(Math.exp(against), 0);
  const more = widenedBy === 0 ? '' : `; both ends then move out by ${percent(widenedBy)}, as readers disagree`;
  out(`\n${paint('bold', 'Formula')}\n${FORMULA} ${limit}${more}.`);
  if (success === undefined) return;
  const ends = [
    { rate: Math.min(success.value, success.low + widenedBy), taken: 'bad' },
    { rate: Math.max(success.value, success.high - widenedBy), taken: 'good' },
  ] as const;
  const logs = ends.map(({ rate, taken }) => factorsIf(explained, rate, taken));
  const left = cells.map(({ size }) => size);
  const rows = draws.map(({ cell, answer, beliefs }, at) => {
    const all = left.reduce((sum, size, of) => sum + size * (cells[of]?.rate ?? 1), 0);
    const chance = (cells[cell]?.rate ?? 1) / all;
    left[cell] = (left[cell] ?? 0) - 1;
    const factors = logs.map((own) => Math.exp(own[at] ?? 0).toFixed(4));
    return [`${at + 1}`, `${cell}`, chance.toExponential(2), answer, (beliefs[cell] ?? 0).toFixed(4), ...factors];
  });
  const products = logs.map((own) => Math.exp(own.reduce((sum, log) => sum + log, 0)).toFixed(2));
  out(`\n${paint('bold', 'Draws')}   the last columns are factors of the evidence against a supposed rate`);
  const supposed = ends.map(({ rate }) => `if ${percent(rate)}`);
  printTable(
    terminal,
    [
      headRow('draw', 'cell', 'chance', 'answer', 'belief', ...supposed),
      ...rows,
      ['', '', '', '', 'product', ...products],
    ],
    { align: 'rrrlrrr' },
  );
  out(
    `    A product below ${limit}: what was read leaves no rate beyond this end. --json has the beliefs of all cells.`,
  );
}

/** Unclear draws are bad at the lower end and good at the upper; beliefs go with it. */
function factorsIf({ cells, draws, certain }: Explained, rate: number, taken: 'good' | 'bad'): readonly number[] {
  const all = cells.reduce((sum, { size }) => sum + size, 0) + certain.good + certain.bad;
  return logFactors(
    cells,
    draws.map(({ cell, answer }) => ({ cell, isGood: answer === 'unclear' ? taken === 'good' : answer === 'good' })),
    draws.map(({ beliefs, beliefs_if_good: ifGood }) => (taken === 'good' ? (ifGood ?? beliefs) : beliefs)),
    { total: rate * all - certain.good, weights: cells.map(() => 1) },
  ).logs;
}
