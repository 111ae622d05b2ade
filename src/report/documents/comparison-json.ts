/** A comparison as JSON. Names that came from spans or suites are values here, never keys. */
import type { ComparedJson, ComparisonJson, FlippedJson, ReliabilityJson } from '../../api/comparison.ts';
import type { Compared, Comparison, FlippedCase, Reliability, SuiteComparison } from '../../model/comparison.ts';
import { changeWords } from '../../model/suite-words.ts';
import type { Experiment } from '../../model/experiment.ts';

export function comparisonJson(comparison: Comparison): ComparisonJson {
  return {
    a: sideJson(comparison.a),
    b: sideJson(comparison.b),
    confidence: comparison.confidence,
    smallest_difference: comparison.smallest,
    warnings: comparison.warnings,
    suites: comparison.suites.map(suiteJson),
  };
}

export function reliabilityJson({ suite, repeats, passes, flakyCases, flakyCriteria }: Reliability): ReliabilityJson {
  return {
    suite,
    repeats,
    passes: passes.map(({ k, cases, passAt, passHat }) => ({ k, cases, pass_at: passAt, pass_hat: passHat })),
    flaky_cases: flakyCases,
    flaky_criteria: flakyCriteria,
  };
}

function sideJson({ id, name, startedAt, endedAt, dataset, agent, git, repeats }: Experiment): ComparisonJson['a'] {
  return {
    id,
    name,
    started_at: startedAt,
    ended_at: endedAt ?? null,
    dataset: { name: dataset.name, version: dataset.version, fingerprint: dataset.fingerprint, cases: dataset.cases },
    agent: { target: agent.target, version: agent.version ?? null },
    commit: git?.commit ?? null,
    repeats,
  };
}

function suiteJson(suite: SuiteComparison): ComparisonJson['suites'][number] {
  return {
    suite: suite.suite,
    warnings: suite.warnings,
    cases: {
      shared: suite.cases.shared,
      changed: suite.cases.changed,
      only_in_a: suite.cases.onlyInA,
      only_in_b: suite.cases.onlyInB,
    },
    about: suite.about ?? null,
    decided_share: suite.decidedShare,
    score: comparedJson(suite.score),
    success: comparedJson(suite.success),
    outcomes: suite.outcomes.map(({ outcome, compared }) => ({ outcome, ...comparedJson(compared) })),
    failed_runs: comparedJson(suite.failedRuns),
    criteria: suite.criteria.map(({ criterion, compared }) => ({ criterion, ...comparedJson(compared) })),
    steps_per_success: comparedJson(suite.stepsPerSuccess),
    tokens_per_success: comparedJson(suite.tokensPerSuccess),
    cost_per_success: comparedJson(suite.costPerSuccess),
    score_split: suite.split ?? null,
    flipped: suite.flipped.map((flipped) => flippedJson(flipped, suite.about)),
    reliability: { a: reliabilityJson(suite.reliability.a), b: reliabilityJson(suite.reliability.b) },
  };
}

export function comparedJson(compared: Compared): ComparedJson {
  if (compared.is === 'not_compared') return { word: null, because: compared.because };
  return {
    word: compared.word ?? null,
    a: compared.a,
    b: compared.b,
    change: compared.change,
    lower: finite(compared.lower),
    upper: finite(compared.upper),
    relative: compared.isRelative,
    paired: compared.isPaired,
    cases: compared.cases,
    p: compared.p,
    adjusted_p: compared.adjustedP,
    test: compared.test,
    cases_needed: compared.casesNeeded ?? null,
    ...(compared.missing === undefined ? {} : { missing: compared.missing }),
    cases_moved: compared.moved ?? null,
    more_cases: Math.max(0, (compared.casesNeeded ?? 0) - compared.cases),
  };
}

/** JSON has no infinity. */
function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function flippedJson(
  { success, score, criteria, conversations, ends, direction, ...flipped }: FlippedCase,
  about: SuiteComparison['about'],
): FlippedJson {
  return {
    case: flipped.case,
    direction: changeWords(about)[direction === 'worse' ? 'bad' : 'good'],
    success: { a: success.a ?? null, b: success.b ?? null },
    score: { a: score.a ?? null, b: score.b ?? null },
    criteria,
    conversations,
    ends,
  };
}
