/**
 * The table of docs/score/release-gate.md: how often the file that `assay gate --init` writes calls a release a
 * regression. An unchanged agent may be one in at most 5 % of gates; others lost an eighth or a quarter of their cases.
 *
 *     npm run gate:first-file                      100 gates for each figure
 *     npm run gate:first-file -- --trials 1000
 *
 * Each case has an ability, drawn from a Beta distribution whose intraclass correlation is 0.6 (by case), or the same
 * for all (by chance). A run that fails loses one to three of six criteria, and fails hard in a third of the times. A
 * lost case always fails. Ends with 1 if an unchanged agent is called a regression more often than the level and chance
 * allow.
 */
import { parseArgs } from 'node:util';
import { decideGate } from '../src/statistics/compare/gate/decide-gate.ts';
import { draftGate, draftSuites } from '../src/statistics/compare/gate/draft-gate.ts';
import { readGate } from '../src/statistics/compare/gate/read-gate.ts';
import type { ExperimentResult } from '../src/model/experiment.ts';
import { randomFrom } from '../src/model/random.ts';
import { experimentOf, type EvaluationLine, type RunLine } from '../test/statistics/compare/experiments.ts';

const CRITERIA = ['one', 'two', 'three', 'four', 'five', 'six'];
const CORRELATION = 0.6;
const LEVEL = 0.05;

interface World {
  readonly called: string;
  readonly rate: number;
  readonly byCase: boolean;
  /** Share of the cases that always fail in the candidate. */
  readonly lost: number;
}

interface Size {
  readonly cases: number;
  readonly repeats: number;
}

const WORLDS: readonly World[] = [
  { called: '85 % succeed, by case', rate: 0.85, byCase: true, lost: 0 },
  { called: '85 %, by chance', rate: 0.85, byCase: false, lost: 0 },
  { called: '98 %, by case', rate: 0.98, byCase: true, lost: 0 },
  { called: '98 %, by chance', rate: 0.98, byCase: false, lost: 0 },
  { called: 'an eighth lost', rate: 0.85, byCase: true, lost: 1 / 8 },
  { called: 'a quarter lost', rate: 0.85, byCase: true, lost: 1 / 4 },
];
const SIZES = [20, 50].flatMap((cases) => [1, 3, 5].map((repeats): Size => ({ cases, repeats })));

const { values } = parseArgs({
  options: { trials: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } },
});
const trials = Number(values.trials);
const random = randomFrom(Number(values.seed));

// Three standard errors above the level.
const most = LEVEL + 3 * Math.sqrt((LEVEL * (1 - LEVEL)) / trials);

process.stdout.write(`| cases | runs of each | ${WORLDS.map(({ called }) => called).join(' | ')} |\n`);
process.stdout.write(`|---|---|${WORLDS.map(() => '---|').join('')}\n`);
for (const size of SIZES) {
  const shares = WORLDS.map((world) => {
    const found = Array.from({ length: trials }, () => isRegression(world, size)).filter(Boolean).length / trials;
    if (world.lost === 0 && found > most) process.exitCode = 1;
    return `${Number((100 * found).toFixed(1))} %`;
  });
  process.stdout.write(`| ${size.cases} | ${size.repeats} | ${shares.join(' | ')} |\n`);
}

function isRegression({ rate, byCase, lost }: World, { cases, repeats }: Size): boolean {
  const abilities = Array.from({ length: cases }, () => (byCase ? beta(rate) : rate));
  // Abilities are in random order, so the first ones are a random choice.
  const left = abilities.map((ability, index) => (index < Math.floor(lost * cases) ? 0 : ability));
  const [baseline, candidate] = [tried('a', abilities, repeats), tried('b', left, repeats)];
  const text = draftGate('a simulation', draftSuites(baseline));
  const { gate } = readGate(text, 'gate.yaml', candidate.experiment.suites);
  if (gate === undefined) throw new Error('the first file has mistakes');
  return decideGate({ candidate, baseline, gate, warnings: [] }).decision === 'regression';
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
