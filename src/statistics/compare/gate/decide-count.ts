/**
 * A rule that counts cases, decided on the cases that there are:
 *
 *     regression              more are broken than are allowed; of cases that were not run, it is not enough evidence
 *     not_enough_evidence     they may be, with those that are undecided; or nothing could be looked at
 *     pass                    they cannot be
 */
import {
  type CountedCases,
  type CountRule,
  type JudgedCount,
  LEFT_OUT,
  type RuleDecision,
} from '../../../model/gate.ts';
import { casesAgainstBaseline, criticalFailures, criticalNames, missingCases } from './counted-cases.ts';
import { caseCommand } from './gate-commands.ts';
import type { SingleCount } from './gate-rules.ts';
import { formatCases, formatLeftOut } from './gate-words.ts';
import type { Sides } from './sides.ts';

/** The first few; JSON has all. */
export const EXAMPLES_MAX = 5;
export const NO_CASES: CountedCases = {
  broken: [],
  changed: [],
  undecided: [],
  notRun: 0,
  cases: 0,
  leftOut: { only_in_baseline: 0, only_in_candidate: 0, changed: 0, not_scored: 0 },
};

export function decideCount({ rule, allowed }: SingleCount, sides: Sides): JudgedCount {
  const found = countedBy(rule, sides);
  const counted = 'decision' in found ? NO_CASES : found;
  const { decision, because } = 'decision' in found ? found : decided({ rule, allowed }, found, sides);
  const open = openOf(rule, counted);
  const isKnown = !('decision' in found) && counted.cases + open > 0;
  const shown = decision === 'not_enough_evidence' ? [...counted.broken, ...counted.undecided] : counted.broken;
  return {
    is: 'count',
    suite: sides.candidate.suite,
    rule,
    allowed,
    decision,
    because,
    counted,
    shown: {
      allowed: allowed === 0 ? 'no case' : `at most ${formatCases(allowed)}`,
      value: isKnown ? `${counted.broken.length} of ${formatCases(counted.cases)}` : 'unknown',
      interval: open === 0 ? '' : `${open} undecided`,
    },
    examples: decision === 'pass' ? [] : shown.slice(0, EXAMPLES_MAX),
    readWith: caseCommand(decision === 'pass' ? undefined : shown[0], sides),
  };
}

type Undecidable = Pick<JudgedCount, 'decision' | 'because'>;

function countedBy(rule: CountRule, { candidate, baseline, noBaseline }: Sides): CountedCases | Undecidable {
  if (rule === 'critical_failures') {
    const counted = criticalFailures(candidate, baseline);
    return counted ?? { decision: 'not_applicable', because: 'The suite has no critical criterion.' };
  }
  if (rule === 'newly_critical' && criticalNames(candidate).length === 0)
    return { decision: 'not_applicable', because: 'The suite has no critical criterion.' };
  if (baseline !== undefined)
    return rule === 'missing_cases'
      ? missingCases(candidate, baseline)
      : casesAgainstBaseline(rule, candidate, baseline);
  return { decision: 'not_enough_evidence', because: `It can't be told: ${noBaseline}.` };
}

/** Cases that may break the rule yet. */
function openOf(rule: CountRule, { undecided, notRun }: CountedCases): number {
  return undecided.length + (rule === 'missing_cases' ? 0 : notRun);
}

export function notRunText(rule: CountRule, notRun: number, { candidate }: Pick<Sides, 'candidate'>): string {
  const cases = formatCases(notRun);
  if (candidate.experiment.untilDecided === undefined) return `The candidate has not ended: ${cases} left to run.`;
  const isMissing = rule === 'missing_cases' ? `, and ${notRun === 1 ? 'is' : 'are'} not missing` : '';
  return `${cases} ${notRun === 1 ? 'was' : 'were'} not run at this look${isMissing}.`;
}

function decided(
  { rule, allowed }: Pick<SingleCount, 'rule' | 'allowed'>,
  counted: CountedCases,
  sides: Pick<Sides, 'candidate'>,
): Undecidable {
  const { broken, undecided, cases } = counted;
  const open = openOf(rule, counted);
  const beyond = rule === 'missing_cases' ? 'not_enough_evidence' : 'regression';
  const decision = decisionOf({ broken: broken.length, open, cases, allowed, beyond });
  const outOf = `, of ${formatCases(cases)} looked at`;
  const sentences = [
    cases + open === 0 ? 'No case could be looked at.' : `${claimOf(rule, broken.length)}${outOf}; ${mayBe(allowed)}.`,
    ...(rule === 'missing_cases' ? missingAndChanged(counted) : []),
    ...(undecided.length === 0 ? [] : [`Not enough is known of ${formatCases(undecided.length)}.`]),
    ...(counted.notRun === 0 ? [] : [notRunText(rule, counted.notRun, sides)]),
    ...leftOutText(counted),
  ];
  return { decision, because: sentences.join(' ') };
}

export function leftOutText({ leftOut }: CountedCases): readonly string[] {
  const left = LEFT_OUT.flatMap((reason) => formatLeftOut(reason, leftOut[reason]));
  return left.length === 0 ? [] : [`Left out: ${left.join(', ')}.`];
}

interface Numbers {
  readonly broken: number;
  readonly open: number;
  readonly cases: number;
  readonly allowed: number;
  /** The decision where more are broken than are allowed. */
  readonly beyond: RuleDecision;
}

function decisionOf({ broken, open, cases, allowed, beyond }: Numbers): RuleDecision {
  if (broken > allowed) return beyond;
  return broken + open > allowed || cases === 0 ? 'not_enough_evidence' : 'pass';
}

function claimOf(rule: CountRule, count: number): string {
  const [subject, one, many] = {
    newly_hard_failing: ['that passed in the baseline', 'fails hard now', 'fail hard now'],
    newly_critical: ['', 'newly fails a critical criterion', 'newly fail a critical criterion'],
    critical_failures: ['', 'fails a critical criterion', 'fail a critical criterion'],
    cases_worse: ['', 'lost something', 'lost something'],
    missing_cases: ['of the baseline', 'was not run as it was', 'were not run as they were'],
  }[rule];
  const who = count === 0 ? 'No case' : formatCases(count);
  return [who, subject, count > 1 ? many : one].filter((part) => part !== '').join(' ');
}

/** Two lists, because a reader mends them differently: run the cases, or take their change back. */
function missingAndChanged({ broken, changed }: CountedCases): readonly string[] {
  const missing = broken.filter((id) => !changed.includes(id));
  return [
    ...(missing.length === 0 ? [] : [`Missing: ${named(missing)}.`]),
    ...(changed.length === 0 ? [] : [`Changed since the baseline: ${named(changed)}.`]),
  ];
}

function named(ids: readonly string[]): string {
  return `${ids.length} (${ids.slice(0, EXAMPLES_MAX).join(', ')}${ids.length > EXAMPLES_MAX ? ', …' : ''})`;
}

function mayBe(allowed: number): string {
  return allowed === 0 ? 'none is allowed' : `${allowed} ${allowed === 1 ? 'is' : 'are'} allowed`;
}
