/** The decision of a release gate as a person reads it. */
import { counted } from '../model/counted.ts';
import { USUAL_GATE_FILE } from '../statistics/compare/gate/gate-between.ts';
import type { GateFile } from '../statistics/compare/gate/gate-rules.ts';
import type { GateResult, JudgedRule } from '../model/gate.ts';
import { wordsOf } from '../model/suite-words.ts';
import { confidenceText, gateRuleName, lookText } from '../report/documents/gate-report.ts';
import { unchangedText } from '../report/documents/comparison-rows.ts';
import { printTable, type TableRow } from './print-table.ts';
import { safe, type Terminal } from './terminal.ts';

const WORDS = {
  pass: ['green', 'pass'],
  regression: ['red', 'regression'],
  not_enough_evidence: ['yellow', 'not enough evidence'],
  not_applicable: ['dim', 'not applicable'],
} as const satisfies Record<JudgedRule['decision'], readonly [string, string]>;

interface PrintOptions {
  /** The command that prints the table. Undefined prints it. */
  readonly tableBy: string | undefined;
}

export function printGate(terminal: Terminal, result: GateResult, gate: GateFile, { tableBy }: PrintOptions): void {
  const { paint, out } = terminal;
  const { sentence, decision, warnings, look } = result;
  out(paint(WORDS[decision][0], safe(sentence, 1000)));
  if (look !== undefined) out(`  ${lookText(result)}`);
  for (const warning of warnings) out(`  ${paint('yellow', 'note')}  ${safe(warning, 400)}`);
  if (tableBy === undefined) printTables(terminal, result, gate);
  else out(paint('dim', `  Each rule: npx ${safe(tableBy, 400)}`));
}

function printTables(terminal: Terminal, result: GateResult, gate: GateFile): void {
  const { paint, out } = terminal;
  const { candidate, baseline, rules, about } = result;
  const side = ({ id, name, runs }: GateResult['candidate']) =>
    `${paint('bold', safe(name, 60))} (${id}, ${counted(runs, 'run')})`;
  out(`\n  ${side(candidate)}${baseline === undefined ? '' : ` against ${side(baseline)}`}`);
  if (gate.isDefault) out(paint('dim', `  by the rules that hold where no ${USUAL_GATE_FILE} says otherwise`));
  for (const [suite, rows] of Map.groupBy(rules, (rule) => rule.suite)) {
    out(`\n  ${paint('bold', safe(suite, 80))}`);
    const { limit } = wordsOf(about.get(suite));
    if (limit !== undefined) out(`  ${paint('dim', limit)}`);
    const table = rows
      .filter((rule) => !isUnchanged(rule))
      .flatMap((rule): readonly TableRow[] => {
        const [style, word] = WORDS[rule.decision];
        const { allowed, value, interval } = rule.shown;
        const cases = rule.examples.map((id) => safe(id, 60)).join(', ');
        return [
          [
            { text: word, style },
            { text: gateRuleName(rule, about.get(suite)), max: 80 },
            allowed,
            interval === '' ? value : `${value}  (${interval})`,
            { text: hintOf(rule), style: 'dim' },
          ],
          ...(cases === '' ? [] : [`      ${paint('dim', `cases: ${cases}`)}`]),
          ...explained(rule).map((line) => `      ${paint('dim', safe(line, 400))}`),
          ...readWith(rule).map((command) => `      ${paint('dim', `read the first: npx ${safe(command, 400)}`)}`),
        ];
      });
    printTable(terminal, [...table, ...unchangedRows(terminal, rows.filter(isUnchanged))]);
  }
  if (rules.some(({ is }) => is !== 'count'))
    out(paint('dim', `\n  Limits and tests are decided at ${confidenceText(result)}, all of them together.`));
  if (baseline !== undefined) out(paint('dim', `  In detail: npx assay compare ${baseline.id} ${candidate.id}`));
}

/** A criterion that has the same verdict in each case, compared with a baseline. */
function isUnchanged(rule: JudgedRule): boolean {
  return rule.is === 'limit' && rule.rule.startsWith('criterion.') && rule.figures?.moved === 0;
}

/** The sentence of a count that did not pass, or that left cases out. */
function explained(rule: JudgedRule): readonly string[] {
  if (rule.is === 'limit') return [];
  const leavesOut = Object.values(rule.counted.leftOut).some((count) => count > 0);
  return rule.decision !== 'pass' || leavesOut ? [rule.because] : [];
}

function readWith(rule: JudgedRule): readonly string[] {
  return rule.is !== 'limit' && rule.readWith !== undefined ? [rule.readWith] : [];
}

/** One line for all of them with the same answer. */
function unchangedRows({ paint }: Terminal, rules: readonly JudgedRule[]): readonly TableRow[] {
  return [...Map.groupBy(rules, (rule) => `${rule.decision} ${hintOf(rule)}`).values()].flatMap((same) => {
    const [first] = same;
    const names = [...new Set(same.map(({ rule }) => safe(rule.slice('criterion.'.length), 80)))];
    const text = unchangedText(names);
    if (first === undefined || text === undefined) return [];
    const [style, word] = WORDS[first.decision];
    const hint = hintOf(first);
    return [`    ${paint(style, word)}  ${text}${hint === '' ? '' : `  ${paint('dim', hint)}`}`];
  });
}

/** The evidence that would settle it. */
function hintOf(rule: JudgedRule): string {
  if (rule.is !== 'limit') return '';
  const { decision, casesNeeded, figures, because } = rule;
  if (decision !== 'not_enough_evidence') return '';
  if (figures === undefined) return safe(because, 200);
  return casesNeeded === undefined ? 'too near the limit to tell' : `about ${casesNeeded} cases would tell`;
}
