/**
 * Which cases break a rule that counts cases, which may, and which say nothing for or against the candidate.
 *
 * A case is told by those of its runs of which something is known. It passed where each of them succeeded; it fails hard, or a critical criterion, where any of them
 * does. A crash that left nothing to score is a hard failure. A run that ended well and left no spans tells nothing: that is a fault of the set-up, not of the agent.
 */
import { isAnswer, undecidedBy } from '../../../model/decision.ts';
import type { ExperimentSuite } from '../../../model/experiment.ts';
import type { CountedCases, LeftOut } from '../../../model/gate.ts';
import { isScored, isWorst } from '../../../model/severity.ts';
import { changedCases } from '../changed-cases.ts';
import { flippedCases } from '../flipped-cases.ts';
import { countedOf, passRateOf, successOf, valueOfCase } from '../measure.ts';
import type { RunsOfCase, SuiteRun, SuiteRuns } from '../suite-runs.ts';
import type { Sides } from './sides.ts';

/** `left_out`: the suite says nothing of the case. */
type CaseState = 'broken' | 'kept' | 'undecided' | 'left_out';

/**
 * Undefined where the suite has no critical criterion. The baseline tells only which cases the suite used to score, and how often they were run: a case without a
 * verdict is out of the suite's scope unless it was in it before.
 */
export function criticalFailures(candidate: SuiteRuns, baseline?: SuiteRuns): CountedCases | undefined {
  const names = criticalNames(candidate);
  if (names.length === 0) return undefined;
  const wasScored = scoredIn(baseline);
  const states = [...candidate.cases.values()].map((ofCase) => {
    const failed = anyOf(ofCase, (run) => failsCritical(run, names));
    if (failed === undefined && isOutOfScope(ofCase, candidate.suite))
      return stateOf(ofCase, wasScored.has(ofCase.case) ? 'undecided' : 'left_out');
    if (failed === true) return stateOf(ofCase, 'broken');
    // The repeats that completed do not show how a run that broke off would have ended.
    const mayFail = ofCase.runs.some((run) => run.run.end !== 'completed' && failsCritical(run, names) === undefined);
    return stateOf(ofCase, failed === undefined || mayFail ? 'undecided' : 'kept');
  });
  const notRun = candidate.experiment.dataset.cases - candidate.cases.size;
  return counted({ candidate, baseline }, states, { notRun, leftOut: {} });
}

export function criticalNames({ definition }: SuiteRuns): readonly string[] {
  return definition === undefined ? [] : criticalNamesOf(definition);
}

export function criticalNamesOf({ criteria }: ExperimentSuite): readonly string[] {
  return criteria.filter(({ isCritical }) => isCritical).map(({ name }) => name);
}

/**
 * Counts the cases that both sides ran unchanged, and changed cases that have no verdict now, because the change may
 * have removed the verdict.
 */
export function casesAgainstBaseline(
  rule: 'newly_hard_failing' | 'newly_critical' | 'cases_worse',
  candidate: SuiteRuns,
  baseline: SuiteRuns,
): CountedCases {
  const stateIn = { newly_hard_failing: hardStates, newly_critical: criticalStates, cases_worse: worseStates }[rule](
    candidate,
    baseline,
  );
  const states = [...baseline.cases].flatMap(([key, before]) => {
    const now = candidate.cases.get(key);
    return now === undefined ? [] : [stateOf(now, stateIn(key, before, now))];
  });
  const ofChanged = changedCases(baseline, candidate)
    .map(({ key, before, now }) => stateOf(now, stateIn(key, before, now)))
    .filter(({ state }) => state === 'undecided');
  const { notRun, leftOut } = oneSided(candidate, baseline);
  return counted({ candidate, baseline }, [...states, ...ofChanged], {
    notRun,
    leftOut: { ...leftOut, changed: leftOut.changed - ofChanged.length },
  });
}

/**
 * Each case of the baseline was looked for: what became of it before is no matter. A changed case is another one under the same id. Cases after the look of a
 * sequential gate are not missing: they would have been run, as they were or changed.
 */
export function missingCases(candidate: SuiteRuns, baseline: SuiteRuns): CountedCases {
  const [before, now] = [idsOf(baseline), idsOf(candidate)];
  const left = candidate.experiment.untilDecided?.order ?? [];
  const planned = new Map(left.map((one) => [one.case, one.fingerprint]));
  const notRun = [...baseline.cases.values()].filter((one) => planned.get(one.case) === one.fingerprint);
  const asBefore = new Set(notRun.map((one) => one.case));
  const notRunChanged = [...before].filter((id) => planned.has(id) && !asBefore.has(id));
  const changed = [...new Set([...changedCases(baseline, candidate).map((one) => one.before.case), ...notRunChanged])];
  return {
    broken: [...[...before].filter((id) => !now.has(id) && !planned.has(id)), ...changed],
    changed,
    undecided: [],
    notRun: asBefore.size,
    cases: before.size,
    leftOut: { only_in_baseline: 0, only_in_candidate: 0, changed: 0, not_scored: 0 },
  };
}

type StateIn = (key: string, before: RunsOfCase, now: RunsOfCase) => CaseState;

function hardStates(): StateIn {
  return (_, before, now) => {
    const passed = everyOf(before, hasPassed);
    if (passed === undefined) return 'left_out';
    if (!passed) return 'kept';
    const failed = anyOf(now, failsHard);
    return failed === undefined ? 'undecided' : failed ? 'broken' : 'kept';
  };
}

/**
 * Each critical criterion for itself: an honest failure that becomes a lie fails another one. It is undecided where one was decided before and cannot be now, such as that
 * of an answer in a language that no rule knows.
 */
function criticalStates(candidate: SuiteRuns): StateIn {
  const names = criticalNames(candidate);
  return (_, before, now) => {
    const told = names.filter((name) => failsIn(before, name) !== true);
    if (told.some((name) => failsIn(now, name) === true)) return 'broken';
    // A criterion that was not decided before either is not lost: the same crash against itself passes.
    const wasKept = told.filter((name) => failsIn(before, name) === false);
    const isCrashed = now.runs.some(({ run }) => run.end !== 'completed');
    const isLost = wasKept.some((name) => isUndecidedIn(now, name) || (isCrashed && failsIn(now, name) === undefined));
    return isLost ? 'undecided' : 'kept';
  };
}

/** Undefined where no run decides it. */
function failsIn(ofCase: RunsOfCase, name: string): boolean | undefined {
  return anyOf(ofCase, (run) => {
    const rate = passRateOf(run, name);
    return rate === undefined ? undefined : rate < 1;
  });
}

/** Asked, and without an answer in each run: not because it does not apply. */
function isUndecidedIn(ofCase: RunsOfCase, name: string): boolean {
  if (failsIn(ofCase, name) !== undefined) return false;
  const verdicts = ofCase.runs.flatMap(({ evaluations }) =>
    evaluations.flatMap(({ verdicts }) => verdicts.get(name) ?? []),
  );
  return verdicts.length === 0 || verdicts.some((verdict) => undecidedBy(verdict) !== undefined);
}

/** The cases that `assay compare` lists as worse. */
function worseStates(candidate: SuiteRuns, baseline: SuiteRuns): StateIn {
  const flipped = flippedCases(baseline, candidate).filter(({ direction }) => direction === 'worse');
  const worse = new Set(flipped.map((one) => one.case));
  const criteria = [...new Set([...baseline.criteria, ...candidate.criteria])];
  return (_, before, now) => {
    if (!isTold(before, criteria)) return 'left_out';
    // The comparison lists a case without spans as worse.
    if (!isTold(now, criteria)) return 'undecided';
    if (worse.has(now.case)) return 'broken';
    return mayBeWorse(before, now, criteria) ? 'undecided' : 'kept';
  };
}

/** Whether a criterion would have flipped if each run that broke off had failed it. */
function mayBeWorse(before: RunsOfCase, now: RunsOfCase, criteria: readonly string[]): boolean {
  if (now.runs.every(({ run }) => run.end === 'completed')) return false;
  return criteria.some((name) => {
    const rate = valueOfCase(before, { is: 'criterion', name }) ?? 0;
    const atWorst = valueOfCase(now, { is: 'criterion', name, brokenOff: 'fails' }) ?? 1;
    return rate >= 0.5 && atWorst < 0.5;
  });
}

/** Undefined where nothing can be told of it. */
function failsHard(run: SuiteRun): boolean | undefined {
  if (run.run.end === 'no_spans') return undefined;
  const counted = countedOf(run);
  if (counted.some(({ outcome }) => isWorst(outcome))) return true;
  return counted.some(({ outcome }) => isScored(outcome)) ? false : undefined;
}

/** Undefined where nothing can be told of it, as of a run without spans. */
export function hasPassed(run: SuiteRun): boolean | undefined {
  const success = run.run.end === 'no_spans' ? undefined : successOf(run);
  return success === undefined ? undefined : success === 1;
}

/** Kept where each of them passed, or was not asked for. */
function failsCritical(run: SuiteRun, names: readonly string[]): boolean | undefined {
  if (names.some((name) => (passRateOf(run, name) ?? 1) < 1)) return true;
  const isAnswered = ({ verdicts }: SuiteRun['evaluations'][number]) =>
    names.every((name) => isAnswer(verdicts.get(name)?.verdict ?? 'skipped'));
  return run.evaluations.length > 0 && run.evaluations.every(isAnswered) ? false : undefined;
}

/** Ids of the cases of which the suite said something. */
function scoredIn(runs: SuiteRuns | undefined): ReadonlySet<string> {
  const scored = [...(runs?.cases.values() ?? [])].filter((ofCase) =>
    ofCase.runs.some(({ evaluations }) => evaluations.length > 0),
  );
  return new Set(scored.map((ofCase) => ofCase.case));
}

/** Each run came to its end, and the suite has nothing to say of it and waits for nothing. */
function isOutOfScope({ runs }: RunsOfCase, suite: string): boolean {
  return runs.every(({ run }) => run.end === 'completed' && !run.evaluations.some((one) => one.suite === suite));
}

function isTold({ runs }: RunsOfCase, criteria: readonly string[]): boolean {
  return runs
    .filter(({ run }) => run.end !== 'no_spans')
    .some((run) => successOf(run) !== undefined || criteria.some((name) => passRateOf(run, name) !== undefined));
}

/** Over the runs that can be told; undefined where there are none. */
function anyOf({ runs }: RunsOfCase, of: (run: SuiteRun) => boolean | undefined): boolean | undefined {
  const known = runs.map(of).filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.includes(true);
}

function everyOf(ofCase: RunsOfCase, of: (run: SuiteRun) => boolean | undefined): boolean | undefined {
  const known = ofCase.runs.map(of).filter((value) => value !== undefined);
  return known.length === 0 ? undefined : !known.includes(false);
}

interface Stated {
  readonly ofCase: RunsOfCase;
  readonly state: CaseState;
}

function stateOf(ofCase: RunsOfCase, state: CaseState): Stated {
  return { ofCase, state };
}

/** Cases that cannot be compared, and the number of cases that the candidate has still to run. */
function oneSided(candidate: SuiteRuns, baseline: SuiteRuns) {
  const [before, now] = [idsOf(baseline), idsOf(candidate)];
  const both = [...before].filter((id) => now.has(id)).length;
  const missing = before.size - both;
  const owed = candidate.experiment.dataset.cases - now.size;
  const notRun = candidate.experiment.endedAt === undefined ? Math.min(missing, Math.max(0, owed)) : 0;
  return {
    notRun,
    leftOut: {
      only_in_baseline: missing - notRun,
      only_in_candidate: now.size - both,
      changed: changedCases(baseline, candidate).length,
    },
  };
}

interface LeftOutOf {
  readonly leftOut: { readonly [reason in LeftOut]?: number };
}

function idsOf({ cases }: SuiteRuns): ReadonlySet<string> {
  return new Set([...cases.values()].map((ofCase) => ofCase.case));
}

function counted(
  { candidate: { experiment }, baseline }: Pick<Sides, 'candidate' | 'baseline'>,
  states: readonly Stated[],
  { notRun, leftOut }: Pick<CountedCases, 'notRun'> & LeftOutOf,
): CountedCases {
  const isEnded = experiment.endedAt !== undefined;
  const runsBefore = new Map([...(baseline?.cases.values() ?? [])].map((one) => [one.case, one.runs.length]));
  // A repeat that is not there may break what the others kept: one still to come, or one that the baseline has and the candidate should have.
  const owed = (id: string) => (isEnded ? Math.min(runsBefore.get(id) ?? 0, experiment.repeats) : experiment.repeats);
  const final = states.map(({ ofCase, state }) => ({
    id: ofCase.case,
    state: state === 'kept' && ofCase.runs.length < owed(ofCase.case) ? 'undecided' : state,
  }));
  const idsIn = (asked: CaseState) => final.filter(({ state }) => state === asked).map(({ id }) => id);
  const broken = idsIn('broken');
  return {
    broken,
    changed: [],
    undecided: idsIn('undecided'),
    notRun: isEnded ? 0 : Math.max(0, notRun),
    cases: broken.length + idsIn('kept').length,
    leftOut: {
      only_in_baseline: 0,
      only_in_candidate: 0,
      changed: 0,
      not_scored: idsIn('left_out').length,
      ...leftOut,
    },
  };
}
