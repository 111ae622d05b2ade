/** `assay gate --plan`: the power of a gate, before any run is paid for. */
import { ASSUMED_SUCCESS, assumedAgent } from '../statistics/compare/gate/assumed-agent.ts';
import { rulesFor } from '../statistics/compare/gate/gate-between.ts';
import { type Chances, type GatePlan, planGate, type Sequential, SIZES } from '../statistics/compare/gate/plan-gate.ts';
import { counted } from '../model/counted.ts';
import type { ExperimentResult } from '../model/experiment.ts';
import { formatMistakes } from '../model/mistake.ts';
import { experimentSuite } from '../offline/run/experiment-suite.ts';
import { visibleJson } from '../model/visible-text.ts';
import { experimentsIn, findExperiment, readExperiment } from '../store/experiment/read-experiment.ts';
import { load } from './load.ts';
import { headRow, printTable, type TableRow } from './print-table.ts';
import { safe, type Terminal } from './terminal.ts';
import { wholeNumber } from './whole-number.ts';

interface PlanFlags {
  readonly rules?: string | undefined;
  readonly experiments?: string | undefined;
  readonly config?: string | undefined;
  readonly json?: boolean | undefined;
  readonly cases?: string | undefined;
  readonly repeats?: string | undefined;
  readonly loss?: string | undefined;
}

const TRIALS = 100;
const CASES_WITHOUT_ANY = 60;
const LOSS = 5;
/** Largest loss that is planned for, in points; twice as much is looked at, too. */
const LOSS_MAX = 50;
/** Runs of each case for which it says how many cases are needed, besides the planned ones. */
const REPEATS = [1, 3, 5] as const;

export async function planOfGate(terminal: Terminal, reference: string, flags: PlanFlags): Promise<void> {
  const seen = await agentSeen(reference, flags);
  const rules = await rulesFor(seen, flags.rules);
  if ('problem' in rules) throw new Error(rules.problem);
  if (rules.gate === undefined) throw new Error(formatMistakes(rules.mistakes));
  const { dataset, repeats, id } = seen.experiment;
  const isAssumed = id === 'assumed';
  const planned = given('--repeats', flags.repeats, 50) ?? repeats;
  const plan = planGate({
    seen,
    gate: rules.gate,
    cases: given('--cases', flags.cases, 2000) ?? (isAssumed ? CASES_WITHOUT_ANY : dataset.cases),
    repeats: planned,
    searched: [...new Set([...REPEATS, planned])].sort((a, b) => a - b),
    loss: (given('--loss', flags.loss, LOSS_MAX) ?? LOSS) / 100,
    trials: TRIALS,
    seed: 1,
  });
  if (flags.json === true) terminal.out(visibleJson(planJson(plan, isAssumed ? undefined : id)));
  else printPlan(terminal, plan, isAssumed ? undefined : seen.experiment);
}

function given(flag: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = wholeNumber(flag, text);
  if (value < 1 || value > max) throw new Error(`${flag} ${text}: expected a whole number from 1 to ${max}`);
  return value;
}

/** The experiment, or an assumed agent where there is none yet. */
async function agentSeen(reference: string, { config, experiments }: PlanFlags): Promise<ExperimentResult> {
  const { settings } = await load({ config, experiments }, { suites: ['default'], secrets: "the store's" });
  if (reference === 'latest' && experimentsIn(settings.experimentsDir, () => {}).length === 0) {
    const loaded = await load({ config }, { secrets: "the store's" });
    return assumedAgent(loaded.suites.map((suite) => experimentSuite(suite, loaded.suitesBaseDirectory)));
  }
  const seen = readExperiment(findExperiment(settings.experimentsDir, reference));
  if (seen.runs.length === 0) throw new Error(`${seen.experiment.id} has no runs, so nothing is known of the agent`);
  return seen;
}

function printPlan(terminal: Terminal, plan: GatePlan, from: ExperimentResult['experiment'] | undefined): void {
  const { paint, out } = terminal;
  const { agreement } = plan;
  const what = `${counted(plan.cases, 'case')}, ${counted(plan.repeats, 'run')} of each`;
  out(`\n  ${paint('bold', what)}, an agent ${from === undefined ? 'that is assumed' : `as in ${safe(from.id, 200)}`}`);
  const known = `two runs of a case agree by ${agreement.likely.toFixed(2)} (${agreement.low.toFixed(2)} to ${agreement.high.toFixed(2)})`;
  const why =
    (from?.repeats ?? 1) > 1 ? 'all repeats came out the same, or are of too few cases' : 'no case was run twice';
  out(
    paint(
      'dim',
      agreement.from === 'repeats'
        ? `  From its repeats: ${known}, where 0 is chance and 1 always.`
        : `  Assumed, because ${why}: ${known}, where 0 is chance and 1 always.${from === undefined ? ` ${percent(ASSUMED_SUCCESS)} succeed.` : ''}`,
    ),
  );
  out('');
  const row = (name: string, chances: Chances): TableRow => [
    { text: name, max: 80 },
    percent(chances.passesIfNoWorse),
    percent(chances.regressionIfNoWorse),
    percent(chances.passesIfLost),
    percent(chances.foundIfLost),
    percent(chances.foundIfLostTwice),
  ];
  printTable(terminal, [
    headRow(
      '',
      'no worse: pass',
      'regression',
      `−${points(plan.loss)}: pass`,
      'regression',
      `−${points(2 * plan.loss)}: regression`,
    ),
    row('the whole gate', plan.whole),
    ...plan.rules.map((rule) => row(`${safe(rule.suite, 40)} ${safe(rule.rule, 60)}`, rule)),
  ]);
  const { low, high } = plan.range;
  out(
    `\n  A release that is no worse passes the whole gate in ${percent(plan.whole.passesIfNoWorse)} (${percent(Math.min(low.passesIfNoWorse, high.passesIfNoWorse))} to ${percent(Math.max(low.passesIfNoWorse, high.passesIfNoWorse))} as runs agree less or more).`,
  );
  out(`  A loss of ${points(2 * plan.loss)} of the score is found in ${percent(plan.whole.foundIfLostTwice)}.`);
  for (const { repeats, limits } of plan.needed)
    out(
      `  With ${counted(repeats, 'run')} of each case, its limits pass such a release in 80 % from ${limits === undefined ? `more than ${SIZES.at(-1)}` : `about ${limits}`} cases on.`,
    );
  printSequential(terminal, plan);
  out(paint('dim', `  Counted over ${plan.trials} simulated gates, each decided as \`assay gate\` decides.`));
}

/** Prints what `assay run --until-decided` would take for the same agent. */
function printSequential({ out }: Terminal, { cases, loss, sequential: { looks, noWorse, lost } }: GatePlan): void {
  if (looks.length === 1) {
    out('  With `assay run --until-decided` all cases are run: they are too few for a look before the last.');
    return;
  }
  const mean = ({ meanCases }: Sequential) => `${Math.round(meanCases)} of ${cases} cases in the mean`;
  out(
    `  With \`assay run --until-decided\` (looks at ${looks.join(', ')} cases), a release that is no worse takes ${mean(noWorse)}, and passes in ${percent(noWorse.passes)}.`,
  );
  out(
    `  One that lost ${points(loss)} takes ${mean(lost)}, passes in ${percent(lost.passes)}, and is called a regression in ${percent(lost.regression)}.`,
  );
}

function planJson(plan: GatePlan, from: string | undefined): unknown {
  const chances = (one: Chances) => ({
    no_worse: { pass: one.passesIfNoWorse, regression: one.regressionIfNoWorse },
    lost: { pass: one.passesIfLost, regression: one.foundIfLost },
    lost_twice: { regression: one.foundIfLostTwice },
  });
  return {
    from: from ?? null,
    cases: plan.cases,
    repeats: plan.repeats,
    loss: plan.loss,
    simulated_gates: plan.trials,
    agreement: plan.agreement,
    gate: chances(plan.whole),
    gate_if_runs_agree: { less: chances(plan.range.low), more: chances(plan.range.high) },
    until_decided: {
      looks: plan.sequential.looks,
      no_worse: sequentialJson(plan.sequential.noWorse),
      lost: sequentialJson(plan.sequential.lost),
    },
    rules: plan.rules.map((rule) => ({ suite: rule.suite, rule: rule.rule, ...chances(rule) })),
    cases_needed: plan.needed.map(({ repeats, limits, rules }) => ({
      repeats,
      limits: limits ?? null,
      rules: rules.map((rule) => ({ ...rule, cases: rule.cases ?? null })),
    })),
  };
}

function sequentialJson({ passes, regression, meanCases }: Sequential) {
  return { pass: passes, regression, mean_cases: meanCases };
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function points(share: number): string {
  return `${Number((100 * share).toFixed(1))} pt`;
}
