/**
 * `cases_worse: by chance`: success and each criterion are tested for passing less often than chance explains
 * (`stratified-test.ts`), over the runs of the cases that both sides ran unchanged.
 *
 *     regression              one of the tests is broken, at its share of the gate's error
 *     not_enough_evidence     one would be if all that is not known had failed; or no result could be a regression
 *     pass                    chance explains what got worse. This does not show that nothing did: limits show that
 *
 * Success has half of the error and all criteria of all suites together a quarter, because a release that breaks cases
 * mostly loses success. A criterion with the same result in all runs of each case has no share.
 */
import type { CountedCases, JudgedByChance, PassedRuns, RuleDecision, WorseTest } from '../../model/gate.ts';
import { passRateOf } from '../measure.ts';
import { chanceOfFewer, mayDiffer, type Stratum } from '../stratified-test.ts';
import type { RunsOfCase, SuiteRun, SuiteRuns } from '../suite-runs.ts';
import { casesAgainstBaseline, hasPassed } from './counted-cases.ts';
import { EXAMPLES_MAX, leftOutText, NO_CASES, notRunText } from './decide-count.ts';
import { caseCommand } from './gate-commands.ts';
import { formatCases, formatP } from './gate-words.ts';
import type { Sides } from './sides.ts';

export const SUCCESS_WEIGHT = 2;
export const CRITERIA_WEIGHT = 1;

/** One test, before it is known at which tail it is decided. */
interface AskedTest {
  readonly criterion: string | undefined;
  readonly p: number;
  /** The same with everything that is not known counted as a failure. */
  readonly pAtWorst: number;
  /** The smallest that it could be: with no pass at all in the candidate. */
  readonly pAtLeast: number;
  readonly baseline: PassedRuns;
  readonly candidate: PassedRuns;
}

interface AskedByChance {
  readonly sides: Sides;
  /** Undefined without a baseline. */
  readonly counted: CountedCases | undefined;
  readonly tests: readonly AskedTest[];
}

export function askByChance(sides: Sides): AskedByChance {
  const { candidate, baseline } = sides;
  if (baseline === undefined) return { sides, counted: undefined, tests: [] };
  const counted = casesAgainstBaseline('cases_worse', candidate, baseline);
  const criteria = baseline.criteria.filter((name) => candidate.criteria.includes(name));
  const tests = [undefined, ...criteria].flatMap((criterion) => testOf(criterion, { baseline, candidate, counted }));
  return { sides, counted, tests };
}

/** Rounding must not decide where p is the level itself, as one of 20 orders is at 5 %. */
export function isAtMost(p: number, level: number): boolean {
  return p <= level * (1 + 1e-9);
}

type Compared = Required<{ [side in 'baseline' | 'candidate']: SuiteRuns }> & { readonly counted: CountedCases };

function testOf(criterion: string | undefined, { baseline, candidate, counted }: Compared): readonly AskedTest[] {
  const passed = (run: SuiteRun) => (criterion === undefined ? hasPassed(run) : passesIn(run, criterion));
  const open = new Set(counted.undecided);
  const [strata, atWorst]: [Stratum[], Stratum[]] = [[], []];
  for (const [key, before] of baseline.cases) {
    const now = candidate.cases.get(key);
    if (now === undefined) continue;
    const [a, b] = [passesOf(before, passed), passesOf(now, passed)];
    if (a.of === 0) continue;
    strata.push({ a, b });
    const owed = Math.max(now.runs.length, before.runs.length);
    atWorst.push({ a, b: open.has(now.case) || lacksSpans(now) ? { ...b, of: owed } : b });
  }
  // The test takes the results of both sides together as given, so leaving out a criterion with one result for all costs no level.
  if (strata.length === 0 || (criterion !== undefined && !atWorst.some(mayDiffer))) return [];
  const none = strata.map(({ a, b }) => ({ a, b: { ...b, passes: 0 } }));
  return [
    {
      criterion,
      p: chanceOfFewer(strata),
      pAtWorst: chanceOfFewer(atWorst),
      pAtLeast: chanceOfFewer(none),
      baseline: sumOf(strata.map(({ a }) => a)),
      candidate: sumOf(strata.map(({ b }) => b)),
    },
  ];
}

function lacksSpans({ runs }: RunsOfCase): boolean {
  return runs.some(({ run }) => run.end === 'no_spans');
}

/** A run without spans says nothing of the agent. */
function passesIn(run: SuiteRun, criterion: string): boolean | undefined {
  const rate = run.run.end === 'no_spans' ? undefined : passRateOf(run, criterion);
  return rate === undefined ? undefined : rate === 1;
}

function passesOf({ runs }: RunsOfCase, passed: (run: SuiteRun) => boolean | undefined): PassedRuns {
  const known = runs.map(passed).filter((value) => value !== undefined);
  return { passes: known.filter(Boolean).length, of: known.length };
}

function sumOf(all: readonly PassedRuns[]): PassedRuns {
  const sum = (of: (one: PassedRuns) => number) => all.reduce((total, one) => total + of(one), 0);
  return { passes: sum(({ passes }) => passes), of: sum(({ of }) => of) };
}

interface At {
  readonly isBroken: boolean;
  readonly tail: number;
}

/** `at` has the tail of each test. Before the last look, cases that are left may break the rule. */
export function judgeByChance(
  { sides, counted: found, tests: asked }: AskedByChance,
  at: (test: AskedTest) => At,
): JudgedByChance {
  const counted = found ?? NO_CASES;
  const isUnknown = found === undefined || counted.cases === 0 || counted.notRun > 0;
  const isBrokenAtWorst = isUnknown || asked.some((test) => isAtMost(test.pAtWorst, at(test).tail));
  const isTooFew = !asked.some((test) => isAtMost(test.pAtLeast, at(test).tail));
  const tests = asked
    .map((test): WorseTest => {
      const { criterion, p, baseline, candidate } = test;
      return { criterion, p, level: at(test).tail, isBroken: at(test).isBroken, baseline, candidate };
    })
    .sort((one, other) => one.p / one.level - other.p / other.level);
  const isBroken = tests.some((test) => test.isBroken);
  const decision = isBroken ? 'regression' : isBrokenAtWorst || isTooFew ? 'not_enough_evidence' : 'pass';
  const shown = decision === 'not_enough_evidence' ? [...counted.broken, ...counted.undecided] : counted.broken;
  const [first] = tests;
  return {
    is: 'by_chance',
    suite: sides.candidate.suite,
    rule: 'cases_worse',
    decision,
    because: because(decision, { counted, tests, isTooFew, sides }),
    counted,
    tests,
    isBrokenAtWorst: decision !== 'regression' && isBrokenAtWorst,
    shown: {
      allowed: 'what chance explains',
      value: counted.cases === 0 ? 'unknown' : `${counted.broken.length} of ${formatCases(counted.cases)}`,
      interval: first === undefined ? '' : formatP(first.p),
    },
    examples: decision === 'pass' ? [] : shown.slice(0, EXAMPLES_MAX),
    readWith: caseCommand(decision === 'pass' ? undefined : shown[0], sides),
  };
}

interface Found {
  readonly counted: CountedCases;
  readonly tests: readonly WorseTest[];
  readonly isTooFew: boolean;
  readonly sides: Sides;
}

function because(decision: RuleDecision, { counted, tests, isTooFew, sides }: Found): string {
  if (sides.baseline === undefined) return `It can't be told: ${sides.noBaseline}.`;
  if (counted.cases === 0 && counted.undecided.length === 0) return 'No case could be looked at.';
  const { broken, cases, undecided, notRun } = counted;
  const worse = `${broken.length === 0 ? 'No case' : formatCases(broken.length)} of ${cases} got worse`;
  const told = tests.filter((test) => (decision === 'regression' ? test.isBroken : true)).slice(0, 1);
  const sentences = [
    `${worse}${decision === 'regression' ? ', more than chance explains' : ''}${told.map((test) => `: ${testText(test)}`).join('')}.`,
    ...(decision === 'not_enough_evidence' && isTooFew && cases > 0
      ? [
          'No result could be a regression, because too few runs passed in the baseline: run more cases, or each several times (`--repeats 3`).',
        ]
      : []),
    ...(undecided.length === 0 ? [] : [`Not enough is known of ${formatCases(undecided.length)}.`]),
    ...(notRun === 0 ? [] : [notRunText('cases_worse', notRun, sides)]),
    ...leftOutText(counted),
  ];
  return sentences.join(' ');
}

function testText({ criterion, baseline, candidate, p, level }: WorseTest): string {
  const passes = criterion === undefined ? 'succeed' : `pass ${criterion}`;
  const share = ({ passes: count, of }: PassedRuns) => `${count} of ${of}`;
  return `${share(candidate)} runs ${passes}, ${share(baseline)} before (${formatP(p)}, and up to ${formatLevel(level)} is a regression)`;
}

function formatLevel(level: number): string {
  return String(Number(level.toPrecision(2)));
}
