/**
 * The power of a gate: how often it would pass a release that is no worse, and how often it would find one that lost
 * something. Both are counted over simulated experiments of the agent that `decideGate` itself decides, so a plan
 * cannot differ from the gate.
 */
import type { ExperimentResult } from '../../../model/experiment.ts';
import {
  type GateDecision,
  type GateResult,
  isLastLook,
  type JudgedRule,
  type PlannedLook,
  type RuleDecision,
} from '../../../model/gate.ts';
import { randomFrom } from '../../../model/random.ts';
import { lookAt } from '../../../model/until-decided.ts';
import { type Agreement, agreementOf, ASSUMED_AGREEMENT, meanScore, type Trial, tryAgent } from './agent-model.ts';
import { decideGate } from './decide-gate.ts';
import type { GateFile } from './gate-rules.ts';
import { nameOfRule } from './gate-words.ts';
import { planLooks } from './plan-looks.ts';
import { decideAtLook } from './sequential-gate.ts';

interface PlanWanted {
  /** Runs of this agent. */
  readonly seen: ExperimentResult;
  readonly gate: GateFile;
  readonly cases: number;
  readonly repeats: number;
  /** The fall of the mean score that the gate should find. */
  readonly loss: number;
  /** Simulated gates for each figure. */
  readonly trials: number;
  /** Runs of each case for which to search how many cases are needed. */
  readonly searched: readonly number[];
  readonly seed: number;
}

export interface GatePlan {
  readonly cases: number;
  readonly repeats: number;
  readonly loss: number;
  readonly trials: number;
  readonly agreement: Agreement;
  /** All rules together; it passes if each of them does. */
  readonly whole: Chances;
  readonly rules: readonly (Chances & { readonly suite: string; readonly rule: string })[];
  /** Chances of the gate if the runs of a case agree as little, and as much, as the observed runs allow. */
  readonly range: { readonly low: Chances; readonly high: Chances };
  /** The whole gate with `assay run --until-decided`: a release that is no worse, and one that lost `loss`. */
  readonly sequential: { readonly looks: readonly number[]; readonly noWorse: Sequential; readonly lost: Sequential };
  /** The fewest of `SIZES` with which limits pass a release that is no worse in 80 of 100 gates, by repeats. */
  readonly needed: readonly CasesNeeded[];
}

/** Over simulated gates. */
export interface Sequential {
  readonly passes: number;
  readonly regression: number;
  readonly meanCases: number;
}

interface CasesNeeded {
  readonly repeats: number;
  /** All limits together; rules that count cases are left out. Undefined if no size is enough. */
  readonly limits: number | undefined;
  readonly rules: readonly { readonly suite: string; readonly rule: string; readonly cases: number | undefined }[];
}

/** Shares of simulated gates. */
export interface Chances {
  readonly passesIfNoWorse: number;
  readonly regressionIfNoWorse: number;
  readonly passesIfLost: number;
  readonly foundIfLost: number;
  readonly foundIfLostTwice: number;
}

export const SIZES = [30, 60, 100, 150, 200, 300, 400, 600] as const;
/** A size is enough or not, which takes fewer simulated gates than a share. */
const SEARCH_TRIALS_MAX = 40;
const ENOUGH = 0.8;

export function planGate(wanted: PlanWanted): GatePlan {
  const { seen, cases, repeats, loss, trials } = wanted;
  const agreement = agreementOf(seen, randomFrom(wanted.seed)) ?? ASSUMED_AGREEMENT;
  const planned = chancesAt(wanted, agreement.likely);
  return {
    cases,
    repeats,
    loss,
    trials,
    agreement,
    whole: planned.whole,
    rules: planned.rules,
    range: { low: chancesAt(wanted, agreement.low).whole, high: chancesAt(wanted, agreement.high).whole },
    sequential: sequentially(wanted, agreement.likely),
    needed: wanted.searched.map((count) => casesNeededFor({ ...wanted, repeats: count }, agreement.likely)),
  };
}

function sequentially(wanted: PlanWanted, agreement: number): GatePlan['sequential'] {
  const looks = planLooks(wanted.cases);
  const at = (lost: number): Sequential => {
    const random = randomFrom(wanted.seed);
    const ends = Array.from({ length: wanted.trials }, () =>
      untilDecided(
        tryAgent(wanted.seen, { cases: wanted.cases, repeats: wanted.repeats, agreement, lost }, random),
        wanted.gate,
        looks,
      ),
    );
    const shareOf = (decision: GateDecision) => ends.filter((end) => end.decision === decision).length / ends.length;
    return {
      passes: shareOf('pass'),
      regression: shareOf('regression'),
      meanCases: ends.reduce((sum, { look }) => sum + (look?.cases ?? wanted.cases), 0) / ends.length,
    };
  };
  return { looks: looks.map(({ cases }) => cases), noWorse: at(0), lost: at(shareLost(wanted)) };
}

/** A simulated experiment that ends when it is decided. */
export function untilDecided(
  { baseline, candidate }: { readonly baseline: ExperimentResult; readonly candidate: ExperimentResult },
  gate: GateFile,
  looks: readonly PlannedLook[],
): GateResult {
  const ids = new Map(candidate.runs.map((run) => [run.case, run.caseFingerprint]));
  const order = [...ids].map(([id, fingerprint]) => ({ case: id, fingerprint }));
  const plan = { baseline: baseline.experiment.id, rules: undefined, order, looks, answers: [] };
  const planned = { ...candidate, experiment: { ...candidate.experiment, untilDecided: plan } };
  for (const [index] of looks.entries()) {
    const look = lookAt(plan, index);
    if (look === undefined) break;
    const result = decideAtLook(planned, { baseline, gate, look });
    if (result.decision !== 'not_enough_evidence' || isLastLook(look)) return result;
  }
  throw new Error('a sequential gate has at least one look');
}

function shareLost({ loss, seen }: PlanWanted): number {
  return Math.min(1, loss / (meanScore(seen) ?? 1));
}

function chancesAt(wanted: PlanWanted, agreement: number): Pick<GatePlan, 'whole' | 'rules'> {
  const share = shareLost(wanted);
  const at = (lost: number) => decide(wanted, { cases: wanted.cases, repeats: wanted.repeats, agreement, lost });
  const [same, lost, twice] = [at(0), at(share), at(Math.min(1, 2 * share))];
  const chances = (decisionIn: (result: GateResult) => RuleDecision | undefined): Chances => {
    const shareOf = (results: readonly GateResult[], decision: RuleDecision) =>
      results.filter((result) => decisionIn(result) === decision).length / results.length;
    return {
      passesIfNoWorse: shareOf(same, 'pass'),
      regressionIfNoWorse: shareOf(same, 'regression'),
      passesIfLost: shareOf(lost, 'pass'),
      foundIfLost: shareOf(lost, 'regression'),
      foundIfLostTwice: shareOf(twice, 'regression'),
    };
  };
  const rules = (same[0]?.rules ?? []).filter(({ decision }) => decision !== 'not_applicable');
  return {
    whole: chances(({ decision }) => decision),
    rules: rules.map((rule) => ({
      suite: rule.suite,
      rule: nameOfRule(rule),
      ...chances((result) => result.rules.find((one) => isSame(one, rule))?.decision),
    })),
  };
}

function casesNeededFor(wanted: PlanWanted, agreement: number): CasesNeeded {
  const found = new Map<string, number>();
  let limits: number | undefined;
  let rules: readonly JudgedRule[] = [];
  for (const cases of SIZES) {
    const trials = Math.min(wanted.trials, SEARCH_TRIALS_MAX);
    const failed = { whole: 0, rules: new Map<string, number>() };
    const isEnough = (failures: number) => trials - failures >= ENOUGH * trials;
    for (const result of simulated({ ...wanted, trials }, { cases, repeats: wanted.repeats, agreement, lost: 0 })) {
      rules = result.rules.filter(({ is, decision }) => is === 'limit' && decision !== 'not_applicable');
      const kept = new Set(rules.filter(({ decision }) => decision === 'pass').map(keyOf));
      if (kept.size < rules.length) failed.whole += 1;
      for (const key of rules.map(keyOf)) failed.rules.set(key, (failed.rules.get(key) ?? 0) + (kept.has(key) ? 0 : 1));
      // No further trial can change what this size is enough for.
      const isOpen = [...failed.rules].some(([key, failures]) => !found.has(key) && isEnough(failures));
      if (!isOpen && !isEnough(failed.whole)) break;
    }
    for (const [key, failures] of failed.rules) if (isEnough(failures) && !found.has(key)) found.set(key, cases);
    if (!isEnough(failed.whole)) continue;
    limits = cases;
    break;
  }
  return {
    repeats: wanted.repeats,
    limits,
    rules: rules.map((rule) => ({ suite: rule.suite, rule: nameOfRule(rule), cases: found.get(keyOf(rule)) })),
  };
}

function decide(wanted: PlanWanted, trial: Trial): readonly GateResult[] {
  return [...simulated(wanted, trial)];
}

function* simulated({ seen, gate, trials, seed }: PlanWanted, trial: Trial): Generator<GateResult> {
  const random = randomFrom(seed);
  for (let one = 0; one < trials; one += 1) yield decideGate({ ...tryAgent(seen, trial, random), gate, warnings: [] });
}

function keyOf(rule: JudgedRule): string {
  return JSON.stringify([rule.suite, nameOfRule(rule)]);
}

function isSame(one: JudgedRule, other: JudgedRule): boolean {
  return one.suite === other.suite && nameOfRule(one) === nameOfRule(other);
}
