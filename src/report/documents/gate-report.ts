/** Writes the result of a release gate as JSON and as JUnit XML. */
import {
  type GateLook,
  type GateResult,
  type GateSide,
  isWaived,
  mayRelease,
  type JudgedByChance,
  type JudgedCount,
  type JudgedLimit,
  type JudgedRule,
} from '../../model/gate.ts';
import type { GateJson, GateLimitJson } from '../../api/gate.ts';
import { unreachable } from '../../model/unreachable.ts';
import { junitDocument, type JUnitResult } from './junit-document.ts';

/** `onNotEnoughEvidence` says whether it stops the release. */
export function gateJson(result: GateResult, onNotEnoughEvidence?: 'fail' | 'pass'): GateJson {
  const { decision, sentence, confidence, look, candidate, baseline, rules, about, warnings } = result;
  return {
    decision,
    sentence,
    ...(onNotEnoughEvidence && { may_release: mayRelease(result, onNotEnoughEvidence) }),
    confidence,
    look: look === undefined ? null : lookJson(look),
    candidate: sideJson(candidate),
    baseline: baseline === undefined ? null : sideJson(baseline),
    warnings,
    suites: [...new Set(rules.map(({ suite }) => suite))].map((suite) => ({ suite, about: about.get(suite) ?? null })),
    rules: rules.map(ruleJson),
  };
}

function lookJson({ number, of, cases, ofCases, share, isEnd }: GateLook): GateJson['look'] {
  return {
    number,
    of,
    cases,
    of_cases: ofCases,
    share_of_error: share,
    ended_early: cases < ofCases && isEnd,
  };
}

function ruleJson(rule: JudgedRule): GateJson['rules'][number] {
  switch (rule.is) {
    case 'limit':
      return limitJson(rule);
    case 'count':
      return { ...casesJson(rule), rule: rule.rule, limit: 'cases', allowed: rule.allowed };
    case 'by_chance':
      return {
        ...casesJson(rule),
        rule: rule.rule,
        limit: 'by_chance',
        allowed: null,
        tests: rule.tests.map(({ criterion, isBroken, evidence, correlation, ...test }) => ({
          of: criterion === undefined ? 'success' : `criterion.${criterion}`,
          ...test,
          evidence: finite(evidence),
          correlation: correlation ?? null,
          broken: isBroken,
        })),
      };
    default:
      return unreachable(rule);
  }
}

function limitJson(rule: JudgedLimit): GateLimitJson {
  return {
    suite: rule.suite,
    rule: rule.rule,
    limit: rule.limit,
    allowed: rule.allowed,
    decision: rule.decision,
    because: rule.because,
    value: finite(rule.figures?.value),
    lower: finite(rule.figures?.lower),
    upper: finite(rule.figures?.upper),
    baseline: finite(rule.figures?.baseline),
    candidate: finite(rule.figures?.candidate),
    relative: rule.figures?.isRelative ?? null,
    paired: rule.figures?.isPaired ?? null,
    cases: rule.figures?.cases ?? null,
    cases_moved: rule.figures?.moved ?? null,
    cases_needed: rule.casesNeeded ?? null,
    on_these_cases: rule.isOnCases,
    runs_needed: rule.runsNeeded ?? null,
    examples: rule.examples,
  };
}

/** Has every case, where other documents have the first few. */
function casesJson({ suite, decision, because, counted, readWith }: JudgedCount | JudgedByChance) {
  const { broken, changed, undecided, notRun, cases, leftOut } = counted;
  return {
    suite,
    decision,
    because,
    value: cases === 0 && broken.length === 0 ? null : broken.length,
    cases,
    examples: broken,
    changed,
    undecided,
    not_run: notRun,
    left_out: leftOut,
    command: readWith ?? null,
  };
}

/** Open intervals have no bound on one side, which JSON can't say otherwise. */
function finite(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : value;
}

function sideJson({ id, name, agentVersion, commit, startedAt, runs }: GateSide): GateJson['candidate'] {
  return { id, name, agent_version: agentVersion ?? null, commit: commit ?? null, started_at: startedAt, runs };
}

/** The decision and each rule are a test: a regression is a failure, and what can't be told is skipped, unless it counts as a failure. */
export function gateJUnit(
  result: GateResult,
  { onNotEnoughEvidence }: { readonly onNotEnoughEvidence: 'fail' | 'pass' },
): string {
  const { sentence, decision, rules } = result;
  const isStopped = !mayRelease(result, onNotEnoughEvidence);
  const whole: JUnitResult = isStopped
    ? { is: 'failed', type: decision, message: sentence, details: [] }
    : decision === 'pass'
      ? { is: 'passed' }
      : { is: 'skipped', message: sentence };
  return junitDocument([
    { name: 'gate', cases: [{ name: 'decision', result: whole }] },
    ...[...Map.groupBy(rules, ({ suite }) => suite)].map(([suite, rows]) => ({
      name: `gate.${suite}`,
      cases: rows.map((rule) => ({
        name: `${rule.rule} ${rule.shown.allowed}`,
        result: resultOf(rule, onNotEnoughEvidence),
      })),
    })),
  ]);
}

function resultOf(rule: JudgedRule, onNotEnoughEvidence: 'fail' | 'pass'): JUnitResult {
  const { decision, because: message, examples } = rule;
  if (decision === 'pass') return { is: 'passed' };
  if (decision === 'not_applicable' || isWaived(rule, onNotEnoughEvidence)) return { is: 'skipped', message };
  const cases = examples.length === 0 ? [] : [`Cases: ${examples.join(', ')}`];
  return { is: 'failed', type: decision, message, details: [...cases, ...commandOf(rule)] };
}

function commandOf(rule: JudgedRule): readonly string[] {
  return rule.is !== 'limit' && rule.readWith !== undefined ? [rule.readWith] : [];
}
