/**
 * May this version be released? Each rule is decided on an interval, never on the figure alone:
 *
 *     regression              the whole interval is beyond what is allowed
 *     pass                    the whole interval is within it
 *     not_enough_evidence     the limit lies inside
 *
 * With several rules, chance alone would find one of them broken more often than one rule is. All limits and the tests of `cases_worse: by chance` therefore share the
 * error (`test-together.ts`): of all gates on an agent that is no worse than allowed, at most 1 − confidence find any regression at all. To pass, each limit has to be
 * shown by itself, at the confidence as it is written. Rules with a number of cases are about the cases that there are, and no chance is in them: they stand outside
 * the procedure (`decide-count.ts`).
 */
import { counted } from '../../../model/counted.ts';
import type { ExperimentResult } from '../../../model/experiment.ts';
import {
  type GateDecision,
  type GateLook,
  type GateResult,
  type GateSide,
  isLastLook,
  neededWords,
  type JudgedLimit,
  type JudgedRule,
  type RuleDecision,
} from '../../../model/gate.ts';
import { aboutOf } from '../../../model/known-share.ts';
import { casesNeeded } from '../cases-needed.ts';
import { type ChangeOptions, changeOf, relativeChangeOf } from '../change.ts';
import { changeOnCases } from '../change-on-cases.ts';
import type { Estimated, EstimatedChange, NotEstimable } from '../../../model/estimated.ts';
import { intervalOf } from '../interval.ts';
import { levelOf } from '../level.ts';
import { effortsOf, isEffort, valuesOf } from '../measure.ts';
import { casesAgainst } from './cases-against.ts';
import { askByChance, isAtMost, judgeByChance } from './decide-by-chance.ts';
import { decideCount } from './decide-count.ts';
import { correlationIn } from './earlier-builds.ts';
import { asksByChance, countsOf, type GateFile, needsBaseline, rulesOf, type SingleRule } from './gate-rules.ts';
import { gateSentence } from './gate-sentence.ts';
import { formatAllowed, formatFigure, formatInterval, unitOf } from './gate-words.ts';
import { lostCases } from './lost-cases.ts';
import { type Experiments, type Sides, sidesOf } from './sides.ts';
import { sharing, testTogether } from './test-together.ts';
import { type SuiteRuns, waitingOf } from '../suite-runs.ts';

interface ToGate extends Experiments {
  readonly gate: GateFile;
  readonly warnings: readonly string[];
  /** The candidate is cut to its cases (`sequential-gate.ts`), and the look's share of the error decides. */
  readonly look?: GateLook | undefined;
}

/** A rule with the figure that it is about, before it is decided. */
interface Asked extends Sides {
  readonly rule: SingleRule;
  readonly figure: Figure;
  /**
   * The figure with everything that is not known counted as a failure: cases that are no longer scored and, of a
   * criterion, runs that broke off before it was decided.
   */
  readonly atWorst: Figure;
  /** How many cases are no longer scored. */
  readonly lost: number;
}
type Figure = Estimated | EstimatedChange | NotEstimable;
type Answerable = Asked & { readonly figure: Estimated };

/** Parts of the error. A release that breaks cases mostly loses success, and limits allow a drop, so they hardly err for an unchanged agent. */
const WEIGHTS = { success: 2, criteria: 1, limits: 1 } as const;

export function decideGate({ candidate, baseline, earlier, gate, warnings, look }: ToGate): GateResult {
  const tail = (1 - gate.confidence) * (look?.share ?? 1);
  const suites = candidate.experiment.suites.map((suite) => ({
    suite,
    sides: sidesOf({ candidate, baseline, earlier }, suite.name),
  }));
  const asked = suites.flatMap(({ suite, sides }) =>
    rulesOf(gate, suite)
      .filter(({ limit }) => baseline !== undefined || !(gate.isDefault && needsBaseline(limit)))
      .map((rule): Asked => ({ ...sides, rule, ...(openFigures(sides, look) ?? figuresOf(rule, sides)) })),
  );
  const byChance = suites
    .filter(({ suite }) => asksByChance(gate, suite))
    .map(({ sides }) => askByChance(sides, openFigures(sides, look)?.figure.because));
  const tests = byChance.flatMap((rule) => rule.tests);
  const ofSuccess = tests.filter(({ criterion }) => criterion === undefined);
  const ofCriteria = tests.filter(({ criterion }) => criterion !== undefined);
  const answerable = asked.filter(isAnswerable);
  const isTestBroken = ({ p }: { readonly p: number }, at: number) => isAtMost(p, at);
  const tested = [
    ...sharing(WEIGHTS.success, ofSuccess, isTestBroken),
    ...sharing(WEIGHTS.criteria, ofCriteria, isTestBroken),
    ...sharing(WEIGHTS.limits, answerable, isBroken),
  ];
  const foundAt = testTogether(tested, tail);
  const limits = asked.map((one) => judged(one, { ...foundAt(one), whole: tail, isDefault: gate.isDefault }));
  const rules = suites.flatMap(({ suite, sides }): readonly JudgedRule[] => [
    ...byChance.filter((rule) => rule.sides === sides).map((rule) => judgeByChance(rule, foundAt)),
    ...countsOf(gate, suite)
      .map((count) => ({ count, rule: decideCount(count, sides) }))
      .filter(({ count, rule }) => !count.isImplied || (sides.baseline !== undefined && rule.decision !== 'pass'))
      .map(({ rule }) => rule),
    ...limits.filter((rule) => rule.suite === suite.name),
  ]);
  const decided = { decision: decisionOf(rules), rules, look };
  return {
    ...decided,
    sentence: gateSentence(decided, { suites: suites.map(({ sides }) => sides), gate }),
    confidence: gate.confidence,
    candidate: told(candidate),
    baseline: baseline === undefined ? undefined : told(baseline),
    about: new Map(
      suites.flatMap(({ suite: { name } }) => {
        const about = aboutOf(candidate.runs.flatMap((run) => run.evaluations.filter(({ suite }) => suite === name)));
        return about === undefined ? [] : [[name, about] as const];
      }),
    ),
    warnings,
  };
}

/**
 * Before the last look, a suite whose judges have not answered yet is not decided: the runs with an answer are not a
 * random part of all.
 */
function openFigures({ candidate }: Sides, look: GateLook | undefined) {
  if (look === undefined || isLastLook(look)) return undefined;
  const waiting = waitingOf(candidate);
  if (waiting === 0) return undefined;
  const figure = { because: `${counted(waiting, 'run')} ${waiting === 1 ? 'waits' : 'wait'} for judges at this look` };
  return { figure, atWorst: figure, lost: 0 };
}

function figuresOf(rule: SingleRule, sides: Sides): Pick<Asked, 'figure' | 'atWorst' | 'lost'> {
  const { measure } = rule;
  const figure = figureOf(rule, sides);
  const lost = needsBaseline(rule.limit) ? lostCases(measure, sides) : [];
  const isOpen = measure.is === 'criterion' && hasBrokenOff(sides.candidate);
  if (!isOpen && lost.length === 0) return { figure, atWorst: figure, lost: 0 };
  const worst = isOpen ? { ...rule, measure: { ...measure, brokenOff: 'fails' as const } } : rule;
  const unknownInB = new Map(lost.map((key) => [key, 0]));
  return { figure, atWorst: figureOf(worst, sides, { unknownInB }), lost: lost.length };
}

function hasBrokenOff({ cases }: SuiteRuns): boolean {
  return [...cases.values()].some(({ runs }) => runs.some(({ run }) => run.end !== 'completed'));
}

function figureOf(
  { measure, limit, isOfBaseline, isOnCases }: SingleRule,
  sides: Sides,
  options: ChangeOptions = {},
): Figure {
  const { candidate, baseline, noBaseline } = sides;
  if (!needsBaseline(limit)) return levelOf(candidate, measure);
  if (baseline === undefined) return { because: noBaseline };
  if (isOnCases && !isEffort(measure)) {
    const criterion = measure.is === 'criterion' ? measure.name : undefined;
    return changeOnCases(baseline, candidate, measure, { ...options, correlation: correlationIn(sides, criterion) });
  }
  return (isOfBaseline ? relativeChangeOf : changeOf)(baseline, candidate, measure, options);
}

function isAnswerable(asked: Asked): asked is Answerable {
  return !('because' in asked.figure);
}

/** The limit of the figure. */
function boundary({ limit, allowed }: SingleRule): number {
  return limit === 'max_drop' ? -allowed : allowed;
}

function isMoreBetter({ limit }: SingleRule): boolean {
  return limit === 'floor' || limit === 'max_drop';
}

function isBroken({ rule, figure }: Answerable, tail: number): boolean {
  return isMoreBetter(rule) ? figure.upper(tail) < boundary(rule) : figure.lower(tail) > boundary(rule);
}

/** Kept also if everything unknown had failed: neither a crash nor a case without a score may let a version pass. */
function isKept(asked: Answerable, tail: number): boolean {
  return isWithinAt(asked, tail) && isWithinAt(atWorstOf(asked), tail);
}

function isWithinAt({ rule, figure }: Pick<Asked, 'rule' | 'figure'>, tail: number): boolean {
  if ('because' in figure) return false;
  return isMoreBetter(rule) ? figure.lower(tail) >= boundary(rule) : figure.upper(tail) <= boundary(rule);
}

function atWorstOf(asked: Asked): Asked {
  return { ...asked, figure: asked.atWorst };
}

function isBrokenAtWorst(asked: Asked, tail: number): boolean {
  const worst = atWorstOf(asked);
  return isAnswerable(worst) && isBroken(worst, tail);
}

/** A version that has ceased to tell something is not the same as an agent that never told it. */
function wasNeverKnown({ rule: { measure }, baseline }: Asked): boolean {
  if (!isEffort(measure) && measure.is !== 'criterion') return false;
  if (baseline === undefined) return true;
  return (isEffort(measure) ? effortsOf(baseline, measure) : valuesOf(baseline, measure)).size === 0;
}

/** Compares the figure itself, without its interval. */
function isWithin({ rule, figure }: Answerable): boolean {
  return isMoreBetter(rule) ? figure.value >= boundary(rule) : figure.value <= boundary(rule);
}

function judged(
  asked: Asked,
  at: {
    readonly isBroken: boolean;
    /** Share of the error that this rule may use. */
    readonly tail: number;
    /** All of the error. */
    readonly whole: number;
    readonly isDefault: boolean;
  },
): JudgedLimit {
  const { rule, candidate, baseline } = asked;
  const unit = unitOf(rule);
  const allowed = formatAllowed(rule, unit);
  const common = {
    is: 'limit' as const,
    suite: candidate.suite,
    rule: rule.rule,
    limit: rule.limit,
    allowed: rule.allowed,
    isOnCases: rule.isOnCases,
    isBrokenAtWorst: isBrokenAtWorst(asked, at.whole),
  };
  if (!isAnswerable(asked)) {
    // The cast holds for what is not answerable.
    const { because } = asked.figure as NotEstimable;
    const isUnknown = at.isDefault && wasNeverKnown(asked);
    const decision: RuleDecision = isUnknown ? 'not_applicable' : 'not_enough_evidence';
    const shown = { allowed, value: 'unknown', interval: '' };
    return {
      ...common,
      decision,
      because: `It can't be told: ${because}.`,
      shown,
      figures: undefined,
      casesNeeded: undefined,
      runsNeeded: undefined,
      examples: [],
    };
  }
  const { figure } = asked;
  const { whole } = at;
  const decision = at.isBroken ? 'regression' : isKept(asked, whole) ? 'pass' : 'not_enough_evidence';
  // The interval that is shown is the one that decided, or could not.
  const { lower, upper } = intervalOf(figure, !at.isBroken && isWithin(asked) ? whole : at.tail);
  const isOpen = decision === 'not_enough_evidence' && !isWithinAt(asked, whole);
  const needed = isOpen ? neededFor(asked, whole) : NOTHING_NEEDED;
  const shown = { allowed, value: formatFigure(figure.value, unit), interval: formatInterval(lower, upper, unit) };
  const change = 'isPaired' in figure ? figure : undefined;
  const against = needsBaseline(rule.limit) ? baseline : undefined;
  return {
    ...common,
    decision,
    because: sentence(decision, { shown, needed, isKeptAsDecided: isWithinAt(asked, whole), lost: asked.lost }),
    shown,
    figures: {
      value: figure.value,
      lower,
      upper,
      baseline: change?.a,
      candidate: change?.b ?? figure.value,
      cases: figure.cases,
      moved: change?.moved,
      isPaired: change?.isPaired ?? false,
      isRelative: change?.isRelative ?? false,
    },
    ...needed,
    examples: decision === 'pass' ? [] : casesAgainst(rule.measure, candidate, against),
  };
}

type Needed = Pick<JudgedLimit, 'casesNeeded' | 'runsNeeded'>;
const NOTHING_NEEDED: Needed = { casesNeeded: undefined, runsNeeded: undefined };

/** Cases needed, the number that `assay compare` gives for the same change and limit; runs of each where no others count. */
function neededFor({ rule, figure, candidate }: Answerable, tail: number): Needed {
  const runs = 'runs' in figure ? figure.runs : undefined;
  const units = figure.cases * (runs ?? 1);
  const limited = { limit: boundary(rule), isMoreBetter: isMoreBetter(rule), confidence: 1 - tail };
  const needed = casesNeeded({ ...limited, figure: { ...figure, cases: units }, lookedAt: candidate.criteria.length });
  if (needed === undefined) return NOTHING_NEEDED;
  return {
    casesNeeded: Math.max(Math.ceil(needed / (runs ?? 1)), figure.cases + 1),
    runsNeeded: runs === undefined ? undefined : Math.max(Math.ceil(needed / figure.cases), runs + 1),
  };
}

function sentence(
  decision: RuleDecision,
  {
    shown: { allowed, value, interval },
    needed,
    isKeptAsDecided,
    lost,
  }: {
    readonly shown: JudgedLimit['shown'];
    readonly needed: Needed;
    readonly isKeptAsDecided: boolean;
    readonly lost: number;
  },
): string {
  const figure = `${value} (${interval}), and ${allowed} is allowed`;
  switch (decision) {
    case 'regression':
      return `It is beyond the limit: ${figure}.`;
    case 'pass':
      return `It is within the limit: ${figure}.`;
    case 'not_enough_evidence':
    case 'not_applicable':
      if (isKeptAsDecided)
        return `It is within the limit without ${lost === 0 ? 'the runs that broke off' : `${counted(lost, 'case')} that ${lost === 1 ? 'is' : 'are'} no longer scored`}, and need not be with them: ${figure}.`;
      return needed === NOTHING_NEEDED
        ? `The limit lies inside the interval, and near the middle: ${figure}; more cases are unlikely to tell.`
        : `The limit lies inside the interval: ${figure}; ${neededWords(needed)}.`;
  }
}

function decisionOf(rules: readonly JudgedRule[]): GateDecision {
  if (rules.some(({ decision }) => decision === 'regression')) return 'regression';
  const asked = rules.filter(({ decision }) => decision !== 'not_applicable');
  return asked.length === 0 || asked.some(({ decision }) => decision === 'not_enough_evidence')
    ? 'not_enough_evidence'
    : 'pass';
}

function told({ experiment, runs }: ExperimentResult): GateSide {
  const { id, name, startedAt, agent, git } = experiment;
  return { id, name, startedAt, agentVersion: agent.version, commit: git?.commit, runs: runs.length };
}
