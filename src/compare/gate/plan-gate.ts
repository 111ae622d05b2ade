/**
 * The power of a gate: how often it would pass a release that is no worse, and how often it would find one that lost
 * something. Both are counted over simulated experiments of the agent that `decideGate` itself decides, so a plan
 * cannot differ from the gate.
 */
import type { ExperimentResult } from '../../model/experiment.ts';
import type { GateResult, JudgedRule, RuleDecision } from '../../model/gate.ts';
import { randomFrom } from '../../model/random.ts';
import { type Agreement, agreementOf, ASSUMED_AGREEMENT, meanScore, type Trial, tryAgent } from './agent-model.ts';
import { decideGate } from './decide-gate.ts';
import type { GateFile } from './gate-rules.ts';

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
  /** The whole gate where runs of a case agree as little, and as much, as they may. */
  readonly range: { readonly low: Chances; readonly high: Chances };
  /** The fewest of `SIZES` with which limits pass a release that is no worse in 80 of 100 gates, by repeats. */
  readonly needed: readonly CasesNeeded[];
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
    needed: wanted.searched.map((count) => casesNeededFor({ ...wanted, repeats: count }, agreement.likely)),
  };
}

function chancesAt(wanted: PlanWanted, agreement: number): Pick<GatePlan, 'whole' | 'rules'> {
  const share = Math.min(1, wanted.loss / (meanScore(wanted.seen) ?? 1));
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
      rule: nameOf(rule),
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
    const results = decide({ ...wanted, trials }, { cases, repeats: wanted.repeats, agreement, lost: 0 });
    rules = (results[0]?.rules ?? []).filter(({ is, decision }) => is === 'limit' && decision !== 'not_applicable');
    const passes = (isIt: (result: GateResult) => boolean) => results.filter(isIt).length >= ENOUGH * results.length;
    for (const rule of rules) {
      const key = keyOf(rule);
      const isEnough = passes((result) => result.rules.find((one) => isSame(one, rule))?.decision === 'pass');
      if (isEnough && !found.has(key)) found.set(key, cases);
    }
    const keepsAll = (result: GateResult) =>
      result.rules.every(({ is, decision }) => is === 'count' || decision === 'pass' || decision === 'not_applicable');
    if (!passes(keepsAll)) continue;
    limits = cases;
    break;
  }
  return {
    repeats: wanted.repeats,
    limits,
    rules: rules.map((rule) => ({ suite: rule.suite, rule: nameOf(rule), cases: found.get(keyOf(rule)) })),
  };
}

function decide({ seen, gate, trials, seed }: PlanWanted, trial: Trial): readonly GateResult[] {
  const random = randomFrom(seed);
  return Array.from({ length: trials }, () => decideGate({ ...tryAgent(seen, trial, random), gate, warnings: [] }));
}

function nameOf(rule: JudgedRule): string {
  return rule.is === 'limit' ? `${rule.rule} ${rule.limit}` : rule.rule;
}

function keyOf(rule: JudgedRule): string {
  return JSON.stringify([rule.suite, nameOf(rule)]);
}

function isSame(one: JudgedRule, other: JudgedRule): boolean {
  return one.suite === other.suite && nameOf(one) === nameOf(other);
}
