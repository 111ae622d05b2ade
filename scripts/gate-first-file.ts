/**
 * How often the file that `assay gate --init` writes calls a release a regression: an unchanged agent (at most 5 %),
 * and one that lost an eighth or a quarter of its cases.
 *
 *     npm run gate:first-file                      100 gates for each row
 *     npm run gate:first-file -- --trials 400
 *
 * Each case has an ability, drawn from a Beta distribution whose intraclass correlation is 0.6 (by case) or that is the
 * same for all (by chance). A run that fails loses one to three of six criteria, and fails hard in a third of the times.
 * A lost case always fails. Ends with 1 if an unchanged agent is called a regression more often than the level and
 * chance allow.
 */
import { parseArgs } from 'node:util';
import { decideGate } from '../src/compare/gate/decide-gate.ts';
import { draftGate, draftSuites } from '../src/compare/gate/draft-gate.ts';
import { readGate } from '../src/compare/gate/read-gate.ts';
import type { ExperimentResult } from '../src/model/experiment.ts';
import { randomFrom } from '../src/model/random.ts';
import { experimentOf, type EvaluationLine, type RunLine } from '../test/compare/experiments.ts';

const CRITERIA = ['one', 'two', 'three', 'four', 'five', 'six'];
const CORRELATION = 0.6;
const LEVEL = 0.05;

interface Row {
  readonly cases: number;
  readonly repeats: number;
  readonly rate: number;
  readonly byCase: boolean;
  /** Share of the cases that always fail in the candidate. */
  readonly lost: number;
}

const { values } = parseArgs({
  options: { trials: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } },
});
const trials = Number(values.trials);
const random = randomFrom(Number(values.seed));

process.stdout.write(
  '| cases x runs | agent | lost | regression | by `cases_worse` | ± |\n|---|---|---|---|---|---|\n',
);
for (const row of rows()) {
  const found = Array.from({ length: trials }, () => decided(row));
  const share = (of: 'whole' | 'worse') => found.filter((one) => one[of]).length / trials;
  const whole = share('whole');
  const error = 1.96 * Math.sqrt((whole * (1 - whole)) / trials);
  const percent = (value: number) => `${Number((100 * value).toFixed(1))} %`;
  const agent = `${row.rate} ${row.byCase ? 'by case' : 'by chance'}`;
  process.stdout.write(
    `| ${row.cases} x ${row.repeats} | ${agent} | ${percent(row.lost)} | ${percent(whole)} | ${percent(share('worse'))} | ${percent(error)} |\n`,
  );
  // Three standard errors above the level.
  if (row.lost === 0 && whole > LEVEL + 3 * Math.sqrt((LEVEL * (1 - LEVEL)) / trials)) process.exitCode = 1;
}

function rows(): readonly Row[] {
  const sizes = [20, 50].flatMap((cases) => [1, 3, 5].map((repeats) => ({ cases, repeats })));
  const agents = [0.85, 0.98].flatMap((rate) => [true, false].map((byCase) => ({ rate, byCase })));
  const unchanged = agents.flatMap((agent) => sizes.map((size) => ({ ...agent, ...size, lost: 0 })));
  const losing = [1 / 8, 1 / 4].flatMap((lost) => sizes.map((size) => ({ ...size, rate: 0.85, byCase: true, lost })));
  return [...unchanged, ...losing];
}

function decided(row: Row): { readonly whole: boolean; readonly worse: boolean } {
  const abilities = Array.from({ length: row.cases }, () => (row.byCase ? beta(row.rate) : row.rate));
  const gone = Math.round(row.lost * row.cases);
  // Abilities are in random order, so the first ones are a random choice.
  const baseline = tried('a', abilities, row.repeats);
  const candidate = tried(
    'b',
    abilities.map((ability, index) => (index < gone ? 0 : ability)),
    row.repeats,
  );
  const text = draftGate('a simulation', draftSuites(baseline));
  const { gate } = readGate(text, 'gate.yaml', candidate.experiment.suites);
  if (gate === undefined) throw new Error('the first file has mistakes');
  const { decision, rules } = decideGate({ candidate, baseline, gate, warnings: [] });
  const worse = rules.some((rule) => rule.rule === 'cases_worse' && rule.decision === 'regression');
  return { whole: decision === 'regression', worse };
}

function tried(name: string, abilities: readonly number[], repeats: number): ExperimentResult {
  const lines = abilities.flatMap((ability, index) =>
    Array.from(
      { length: repeats },
      (_, repeat): RunLine => ({
        case: `case-${index}`,
        repeat: repeat + 1,
        evaluations: [random() < ability ? success() : failure()],
      }),
    ),
  );
  const { experiment, runs } = experimentOf(name, lines);
  const suites = experiment.suites.map((suite) => ({
    ...suite,
    criteria: CRITERIA.map((criterion, index) => ({
      name: criterion,
      question: `Was it ${criterion}?`,
      weight: 1,
      isCritical: index === 0,
      whenNotApplicable: 'exclude' as const,
    })),
  }));
  return { experiment: { ...experiment, suites }, runs };
}

function success(): EvaluationLine {
  const verdicts = Object.fromEntries(CRITERIA.map((name) => [name, 'pass' as const]));
  return { score: 1, outcome: 'successful_completion', verdicts };
}

function failure(): EvaluationLine {
  const failed = new Set(CRITERIA.toSorted(() => random() - 0.5).slice(0, 1 + Math.floor(3 * random())));
  const verdicts = Object.fromEntries(
    CRITERIA.map((name) => [name, failed.has(name) ? ('fail' as const) : ('pass' as const)]),
  );
  const outcome = random() < 1 / 3 ? 'hard_failure' : 'partial_failure';
  return { score: 1 - failed.size / CRITERIA.length, outcome, verdicts };
}

/** Jöhnk's method, which is made for shapes below 1. */
function beta(mean: number): number {
  const sum = 1 / CORRELATION - 1;
  for (;;) {
    const [x, y] = [random() ** (1 / (mean * sum)), random() ** (1 / ((1 - mean) * sum))];
    if (x + y > 0 && x + y <= 1) return x / (x + y);
  }
}
