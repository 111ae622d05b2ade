/** `assay gate`: may this version be released? Answers by its exit code, and says why for people, pull requests and CI services. */
import { type Command, Option } from 'commander';
import { counted } from '../../model/counted.ts';
import { gateBetween, USUAL_GATE_FILE } from '../../compare/gate/gate-between.ts';
import type { GateFile } from '../../compare/gate/gate-rules.ts';
import { type GateDecision, type GateResult, type JudgedRule, mayRelease } from '../../model/gate.ts';
import { limitOf } from '../../model/known-share.ts';
import { formatMistakes } from '../../model/mistake.ts';
import { gateJson, gateJUnit, gateMarkdown, gateRuleName } from '../../report/documents/gate-report.ts';
import { unchangedText } from '../../report/documents/comparison-rows.ts';
import { findExperiment, readExperiment } from '../../store/experiment/read-experiment.ts';
import { CommandFailure } from '../exit-codes.ts';
import { initGate } from '../init-gate.ts';
import { planOfGate } from '../plan-gate.ts';
import { load } from '../load.ts';
import { settingOption } from '../setting-option.ts';
import { printTable, type TableRow } from '../print-table.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { safe, type Terminal } from '../terminal.ts';
import { writeReport } from '../write-report.ts';

interface GateFlags {
  readonly baseline?: string;
  readonly rules?: string;
  readonly experiments?: string;
  readonly config?: string;
  readonly json?: boolean;
  readonly markdown?: string;
  readonly junit?: string;
  readonly init?: boolean;
  readonly plan?: boolean;
  readonly cases?: string;
  readonly repeats?: string;
  readonly loss?: string;
}

/** A gate is asked by machines: what it found must not be mistaken for what went wrong. */
const GATE_EXIT = { pass: 0, regression: 1, not_enough_evidence: 2, error: 3 } as const;
const GATE_HELP = `
Rules are read from gate.yaml, where there is one:
  rules:
    newly_hard_failing: 0        # cases that passed in the baseline and fail hard now
    newly_critical: 0            # cases that newly fail a critical criterion
    critical_failures: 0         # cases that fail a critical criterion
    cases_worse: 3               # cases that \`assay compare\` lists as worse
    missing_cases: 0             # cases of the baseline not run, or changed; 0 also where it is not written
    tcr: { floor: 0.8, max_drop: 5 points }
    success_rate: { max_drop: 5% of baseline }
    cost_efficiency: { max_drop: 10% }
    criteria: { max_drop: 10 points }
    critical: { floor: 0.95 }
The first five count cases: they hold from the first case, and name the cases. The others are decided on intervals, and
need 60 cases of an agent that never fails, and hundreds of one that often does: \`assay gate --plan\` says how many.
\`assay gate --init\` writes such a file, with a comment on each rule. Without a file: drops of success of 5 % and of cost efficiency of 10 % of the baseline, of TCR of 5 points, of a criterion of 10; rises of failed runs of 5.

Exit codes: 0 pass; 1 regression; 2 not enough evidence; 3 an error: nothing was decided. With
\`on_not_enough_evidence: pass\` in the file, limits that could not be decided are 0. Counts are not.`;

export function addGate(program: Command, terminal: Terminal): void {
  program
    .command('gate')
    .description(
      'decide whether a version may be released: compare an experiment with a baseline, or with fixed limits',
    )
    .argument('[candidate]', 'the experiment: its id, name or folder, or `latest`', 'latest')
    .option('--baseline <experiment>', 'experiment to compare with; needed for limits on drops and rises')
    .option('--rules <file>', `file of rules (default: ${USUAL_GATE_FILE}, if it exists)`)
    .addOption(settingOption('experiments'))
    .addOption(settingOption('config'))
    .option('--json', 'print the result as JSON')
    .option('--markdown <file>', 'also write Markdown, for a pull request; - is standard output')
    .option('--junit <file>', 'also write JUnit XML; - is standard output')
    .addOption(
      new Option(
        '--init',
        `write ${USUAL_GATE_FILE} (or --rules) with rules that this experiment passes, or for the suites of assay.yaml`,
      ).conflicts(['baseline', 'json', 'markdown', 'junit']),
    )
    .addOption(
      new Option(
        '--plan',
        'say before any run what the gate can tell: how often it passes a release like this experiment, and how often it finds a loss',
      ).conflicts(['baseline', 'init', 'markdown', 'junit']),
    )
    .option('--cases <n>', 'with --plan: this many cases (default: those of the experiment)')
    .option('--repeats <n>', 'with --plan: this many runs of each case (default: those of the experiment)')
    .option('--loss <points>', 'with --plan: the fall of the mean score that it should find (default: 5)')
    .addHelpText('after', GATE_HELP)
    .exitOverride((error) => {
      // A command line that cannot be parsed is an error, not a decision of the gate.
      throw error.exitCode === 0 ? error : new CommandFailure('', GATE_EXIT.error);
    })
    .action(async (reference: string, flags: GateFlags) => {
      if (flags.init === true) {
        await initGate(terminal, reference, flags.rules ?? USUAL_GATE_FILE, flags).catch(failAsError);
        return;
      }
      if (flags.plan === true) {
        await planOfGate(terminal, reference, flags).catch(failAsError);
        return;
      }
      const { result, gate } = await decide(reference, flags).catch(failAsError);
      await writeReport(flags.markdown, () => gateMarkdown(result), terminal, GATE_EXIT.error);
      await writeReport(flags.junit, () => gateJUnit(result, gate), terminal, GATE_EXIT.error);
      if (flags.json === true) terminal.out(visibleJson(gateJson(result)));
      else if (flags.markdown !== '-' && flags.junit !== '-') printGate(terminal, result, gate);
      const code = mayRelease(result, gate.onNotEnoughEvidence) ? GATE_EXIT.pass : GATE_EXIT[result.decision];
      if (code !== 0) throw new CommandFailure('', code);
    });
}

function failAsError(error: unknown): never {
  throw new CommandFailure(error instanceof Error ? error.message : String(error), GATE_EXIT.error);
}

async function decide(
  reference: string,
  flags: GateFlags,
): Promise<{ readonly result: GateResult; readonly gate: GateFile }> {
  const { settings } = await load(
    { config: flags.config, experiments: flags.experiments },
    { suites: ['default'], secrets: "the store's" },
  );
  const read = (name: string) => readExperiment(findExperiment(settings.experimentsDir, name));
  const candidate = read(reference);
  const baseline = flags.baseline === undefined ? undefined : read(flags.baseline);
  const gated = await gateBetween({ candidate, baseline, rules: flags.rules });
  if (gated.is === 'mistaken') throw new Error(formatMistakes(gated.mistakes));
  if (gated.is === 'undecidable') throw new Error(gated.problems.join('\n'));
  return gated;
}

const WORDS = {
  pass: ['green', 'pass'],
  regression: ['red', 'regression'],
  not_enough_evidence: ['yellow', 'not enough evidence'],
  not_applicable: ['dim', 'not applicable'],
} as const satisfies Record<JudgedRule['decision'], readonly [string, string]>;

const CONCLUSIONS = {
  pass: 'May be released: every rule was shown to be kept.',
  regression: 'A regression: a rule was shown to be broken.',
  not_enough_evidence: 'Not enough evidence: nothing was shown to be broken, and not every rule to be kept.',
} as const satisfies Record<GateDecision, string>;

function printGate(terminal: Terminal, result: GateResult, gate: GateFile): void {
  const { paint, out } = terminal;
  const { candidate, baseline, rules, warnings, about } = result;
  const side = ({ id, name, runs }: GateResult['candidate']) =>
    `${paint('bold', safe(name, 60))} (${id}, ${counted(runs, 'run')})`;
  out(`\n  ${side(candidate)}${baseline === undefined ? '' : ` against ${side(baseline)}`}`);
  if (gate.isDefault) out(paint('dim', `  by the rules that hold where no ${USUAL_GATE_FILE} says otherwise`));
  for (const warning of warnings) out(`  ${paint('yellow', 'note')}  ${safe(warning, 400)}`);
  for (const [suite, rows] of Map.groupBy(rules, (rule) => rule.suite)) {
    out(`\n  ${paint('bold', safe(suite, 80))}`);
    const limit = limitOf(about.get(suite));
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
  const isLetPass = result.decision !== 'pass' && mayRelease(result, gate.onNotEnoughEvidence);
  const style = WORDS[result.decision][0];
  out(`\n  ${paint(style, CONCLUSIONS[result.decision])}${isLetPass ? ' The rules let that pass.' : ''}`);
  const confidence = Number((result.confidence * 100).toFixed(1));
  if (rules.some(({ is }) => is === 'limit'))
    out(paint('dim', `  Limits are decided on intervals at ${confidence} %, all of them together.`));
  if (baseline !== undefined) out(paint('dim', `  In detail: npx assay compare ${baseline.id} ${candidate.id}`));
}

/** A criterion that has the same verdict in each case, compared with a baseline. */
function isUnchanged(rule: JudgedRule): boolean {
  return rule.is === 'limit' && rule.rule.startsWith('criterion.') && rule.figures?.moved === 0;
}

/** The sentence of a count that did not pass, or that left cases out. */
function explained(rule: JudgedRule): readonly string[] {
  if (rule.is !== 'count') return [];
  const leavesOut = Object.values(rule.counted.leftOut).some((count) => count > 0);
  return rule.decision !== 'pass' || leavesOut ? [rule.because] : [];
}

function readWith(rule: JudgedRule): readonly string[] {
  return rule.is === 'count' && rule.readWith !== undefined ? [rule.readWith] : [];
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
  if (rule.is === 'count') return '';
  const { decision, casesNeeded, figures, because } = rule;
  if (decision !== 'not_enough_evidence') return '';
  if (figures === undefined) return safe(because, 200);
  return casesNeeded === undefined ? 'too near the limit to tell' : `about ${casesNeeded} cases would tell`;
}
