/**
 * `cases_worse: by chance`: success and each criterion are tested for passing less often than chance explains
 * (`worse-tests.ts`).
 *
 *     regression              one of the tests is broken, at its share of the gate's error
 *     not_enough_evidence     one would be if all that is not known had failed; or no result could be a regression
 *     pass                    chance explains what got worse. This does not show that nothing did: limits show that
 *
 * The tests share the error of the gate with its limits (`decide-gate.ts`). A criterion with the same result in all runs
 * of each case has no share.
 */
import { counted } from '../../../model/counted.ts';
import type { CountedCases, JudgedByChance, PassedRuns, RuleDecision, WorseTest } from '../../../model/gate.ts';
import { casesAgainstBaseline } from './counted-cases.ts';
import { EXAMPLES_MAX, leftOutText, NO_CASES, notRunText } from './decide-count.ts';
import { caseCommand } from './gate-commands.ts';
import { formatCases, formatP } from './gate-words.ts';
import type { Sides } from './sides.ts';
import { type AskedTest, worseTests } from './worse-tests.ts';

interface AskedByChance {
  readonly sides: Sides;
  /** Why nothing can be told, as a clause. */
  readonly untold: string | undefined;
  readonly counted: CountedCases;
  readonly tests: readonly AskedTest[];
}

/** `open` says why the suite cannot be decided at this look. */
export function askByChance(sides: Sides, open: string | undefined): AskedByChance {
  const { candidate, baseline, noBaseline } = sides;
  const untold = baseline === undefined ? noBaseline : open;
  if (baseline === undefined || untold !== undefined) return { sides, untold, counted: NO_CASES, tests: [] };
  const counted = casesAgainstBaseline('cases_worse', candidate, baseline);
  const tests = worseTests({ sides: { ...sides, baseline }, undecided: new Set(counted.undecided) });
  return { sides, untold, counted, tests };
}

/** Rounding must not decide where p is the level itself, as one of 20 orders is at 5 %. */
export function isAtMost(p: number, level: number): boolean {
  return p <= level * (1 + 1e-9);
}

interface At {
  readonly isBroken: boolean;
  readonly tail: number;
}

/** `at` has the tail of each test. Before the last look, cases that are left may break the rule. */
export function judgeByChance(
  { sides, untold, counted, tests: asked }: AskedByChance,
  at: (test: AskedTest) => At,
): JudgedByChance {
  const isUnknown = counted.cases === 0 || counted.notRun > 0;
  const isBrokenAtWorst = isUnknown || asked.some((test) => isAtMost(test.pAtWorst, at(test).tail));
  const isTooFew = !asked.some((test) => isAtMost(test.pAtLeast, at(test).tail));
  const tests = asked
    .map((test): WorseTest => {
      const { criterion, p, log, baseline, candidate, correlation } = test;
      const { tail: level, isBroken } = at(test);
      return { criterion, p, evidence: Math.exp(log), level, isBroken, baseline, candidate, correlation };
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
    because:
      untold === undefined ? because(decision, { counted, tests, isTooFew, sides }) : `It can't be told: ${untold}.`,
    counted,
    tests,
    isBrokenAtWorst: decision !== 'regression' && isBrokenAtWorst,
    shown: {
      allowed: 'what chance explains',
      value: counted.cases === 0 ? 'unknown' : `${counted.broken.length} of ${formatCases(counted.cases)}`,
      interval: first === undefined ? '' : pText(first),
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
  if (counted.cases === 0 && counted.undecided.length === 0) return 'No case could be looked at.';
  const { broken, cases, undecided, notRun } = counted;
  const worse = `${broken.length === 0 ? 'No case' : formatCases(broken.length)} of ${cases} lost something`;
  const told = tests.filter((test) => (decision === 'regression' ? test.isBroken : true)).slice(0, 1);
  const sentences = [
    `${worse}${decision === 'regression' ? ', more than chance explains' : ''}${told.map((test) => `: ${testText(test)}`).join('')}.`,
    ...(decision === 'not_enough_evidence' && isTooFew && cases > 0
      ? [
          'No result could be a regression, because too few runs passed in the baseline: run more cases, or each several times (`--repeats 3`).',
        ]
      : []),
    ...(sides.earlier.length === 0 ? [] : [earlierText(sides.earlier.length, told[0] ?? tests[0])]),
    ...(undecided.length === 0 ? [] : [`Not enough is known of ${formatCases(undecided.length)}.`]),
    ...(notRun === 0 ? [] : [notRunText('cases_worse', notRun, sides)]),
    ...leftOutText(counted),
  ];
  return sentences.join(' ');
}

function earlierText(builds: number, test: WorseTest | undefined): string {
  const alike = test?.correlation;
  const said =
    alike === undefined
      ? 'too few to say whether runs of one build are alike'
      : `whose runs are alike by ${formatLevel(alike)}`;
  return `${counted(builds, 'earlier build')} ${builds === 1 ? 'says' : 'say'} which cases are flaky, ${said}.`;
}

function testText({ criterion, baseline, candidate, p, level }: WorseTest): string {
  const passes = criterion === undefined ? 'pass' : `pass ${criterion}`;
  const share = ({ passes: count, of }: PassedRuns) => `${count} of ${of}`;
  return `${share(candidate)} runs ${passes}, ${share(baseline)} before (${pText({ p, level })})`;
}

/** Beside the level: .031 is no regression where up to .025 is one. */
function pText({ p, level }: Pick<WorseTest, 'p' | 'level'>): string {
  return `${formatP(p)}, and up to ${formatLevel(level)} is a regression`;
}

function formatLevel(level: number): string {
  return String(Number(level.toPrecision(2)));
}
