/** Rules that count cases: from the first case on, and never by chance. */
import { expect, test } from 'vitest';
import { compareExperiments } from '../../../../src/statistics/compare/compare-experiments.ts';
import { decideGate } from '../../../../src/statistics/compare/gate/decide-gate.ts';
import { readGate } from '../../../../src/statistics/compare/gate/read-gate.ts';
import type { Experiment, ExperimentResult } from '../../../../src/model/experiment.ts';
import { type GateResult, type JudgedCount, mayRelease } from '../../../../src/model/gate.ts';
import { formatMistakes } from '../../../../src/model/mistake.ts';
import { type EvaluationLine, experimentOf, FAILURE, passing, type RunLine, SUCCESS } from '../experiments.ts';

const HARD: EvaluationLine = { score: 0, outcome: 'hard_failure', verdicts: { booked: 'fail', polite: 'fail' } };
const HANDED_OVER: EvaluationLine = { outcome: 'handed_over', verdicts: { booked: 'not_applicable', polite: 'pass' } };
const NO_FAULT: EvaluationLine = { score: 1, outcome: 'no_fault_found', verdicts: { booked: 'pass' } };

const CRASH: RunLine = { case: 'case-0', end: 'agent_failed', evaluations: [] };
const SILENT: RunLine = { case: 'case-0', end: 'no_spans', evaluations: [] };

function one(evaluation: EvaluationLine, changed: Partial<RunLine> = {}): RunLine {
  return { case: 'case-0', evaluations: [evaluation], ...changed };
}

function gate(rules: string, candidate: ExperimentResult, baseline?: ExperimentResult): GateResult {
  const read = readGate(rules, 'gate.yaml', candidate.experiment.suites);
  if (read.gate === undefined) throw new Error(formatMistakes(read.mistakes));
  return decideGate({ candidate, baseline, gate: read.gate, warnings: [] });
}

function count(rule: string, candidate: ExperimentResult, baseline?: ExperimentResult): JudgedCount {
  const [judged] = gate(`rules: { ${rule} }`, candidate, baseline).rules;
  if (judged?.is !== 'count') throw new Error('it is no count');
  return judged;
}

/** `booked` is critical. */
function withCritical(name: string, lines: readonly RunLine[], changed: Partial<Experiment> = {}): ExperimentResult {
  const { experiment, runs } = experimentOf(name, lines, changed);
  const suites = experiment.suites.map((suite) => ({
    ...suite,
    criteria: suite.criteria.map((criterion) => ({ ...criterion, isCritical: criterion.name === 'booked' })),
  }));
  return { experiment: { ...experiment, suites }, runs };
}

const HARD_RULE = 'newly_hard_failing: 0';

test.each([
  ['passed and passes', one(SUCCESS), one(SUCCESS), 'pass'],
  ['passed and fails hard', one(SUCCESS), one(HARD), 'regression'],
  ['had no fault and fails hard', one(NO_FAULT), one(HARD), 'regression'],
  ['passed and fails, but not hard', one(SUCCESS), one(FAILURE), 'pass'],
  ['failed hard before', one(HARD), one(HARD), 'pass'],
  ['failed a little before', one(FAILURE), one(HARD), 'pass'],
  ['passed and crashes without a span', one(SUCCESS), CRASH, 'regression'],
  ['passed and is out of time', one(SUCCESS), { ...CRASH, end: 'timed_out' }, 'regression'],
  ['passed and crashes, and is scored', one(SUCCESS), one(FAILURE, { end: 'agent_failed' }), 'pass'],
  ['passed and leaves no spans', one(SUCCESS), SILENT, 'not_enough_evidence'],
  ['passed and is unscored', one(SUCCESS), one({}), 'not_enough_evidence'],
  ['passed and waits for a judge', one(SUCCESS), one({ ...HARD, waitsFor: ['q'] }), 'not_enough_evidence'],
  ['passed and is handed over', one(SUCCESS), one(HANDED_OVER), 'pass'],
  ['left no spans before', SILENT, one(HARD), 'not_enough_evidence'],
  ['was handed over before', one(HANDED_OVER), one(HARD), 'not_enough_evidence'],
] as const)('one case is enough: it %s', (_, before, now, expected) => {
  expect(count(HARD_RULE, experimentOf('b', [now]), experimentOf('a', [before])).decision).toBe(expected);
});

function repeats(...lines: readonly RunLine[]): RunLine[] {
  return lines.map((line, index) => ({ ...line, repeat: index + 1 }));
}

test.each([
  ['one of three fails hard', repeats(one(SUCCESS), one(HARD), one(SUCCESS)), 'regression'],
  ['one of three fails a little', repeats(one(SUCCESS), one(FAILURE), one(SUCCESS)), 'pass'],
  ['one of three left no spans', repeats(one(SUCCESS), SILENT, one(SUCCESS)), 'pass'],
  ['one of three left no spans, and one fails hard', repeats(one(SUCCESS), SILENT, one(HARD)), 'regression'],
] as const)('of repeats, each that can be told counts: %s', (_, now, expected) => {
  const before = experimentOf('a', repeats(one(SUCCESS), SILENT, one(SUCCESS)));

  expect(count(HARD_RULE, experimentOf('b', now), before).decision).toBe(expected);
});

test('a case passed only where each of its repeats did', () => {
  const before = experimentOf('a', repeats(one(SUCCESS), one(FAILURE), one(SUCCESS)));

  expect(count(HARD_RULE, experimentOf('b', repeats(one(HARD), one(HARD), one(HARD))), before).decision).toBe('pass');
});

test('as many as are allowed pass, and those that are undecided count as if they were broken', () => {
  const before = experimentOf('a', passing([1, 1, 1, 1]));
  const now = experimentOf('b', [
    { case: 'case-0', evaluations: [HARD] },
    { case: 'case-1', evaluations: [HARD] },
    { case: 'case-2', end: 'no_spans', evaluations: [] },
    { case: 'case-3', evaluations: [SUCCESS] },
  ]);
  const decided = (allowed: number) => count(`newly_hard_failing: ${allowed}`, now, before);

  expect([1, 2, 3].map((allowed) => decided(allowed).decision)).toEqual(['regression', 'not_enough_evidence', 'pass']);
  expect(decided(1).counted).toMatchObject({ broken: ['case-0', 'case-1'], undecided: ['case-2'], cases: 3 });
  expect(decided(2).because).toBe(
    '2 cases that passed in the baseline fail hard now, of 3 cases looked at; 2 are allowed. Not enough is known of 1 case.',
  );
});

test('cases that only one of them ran, or that were changed, are left out, and that is said', () => {
  const before = experimentOf('a', [
    one(SUCCESS),
    one(SUCCESS, { case: 'gone' }),
    one(SUCCESS, { case: 'changed', fingerprint: 'e'.repeat(64) }),
  ]);
  const now = experimentOf('b', [one(SUCCESS), one(HARD, { case: 'new' }), one(HARD, { case: 'changed' })]);

  for (const rule of [HARD_RULE, 'cases_worse: 0']) {
    const judged = count(rule, now, before);
    expect(judged.decision).toBe('pass');
    expect(judged.counted.leftOut).toEqual({ only_in_baseline: 1, only_in_candidate: 1, changed: 1, not_scored: 0 });
    expect(judged.because).toMatch(
      /Left out: 1 only in the baseline, 1 only in the candidate, 1 changed since the baseline\.$/,
    );
  }
});

test('a candidate that left out cases of the baseline does not pass, unless the file allows it', () => {
  const before = experimentOf('a', passing(Array(80).fill(1)));
  const now = experimentOf('b', passing(Array(77).fill(1)));
  const limits = 'rules: { tcr: { max_drop: 10 points }';
  const implied = gate(`${limits} }`, now, before);

  expect(implied.decision).toBe('not_enough_evidence');
  expect(mayRelease(implied, 'pass')).toBe(false);
  expect(implied.rules.find(({ rule }) => rule === 'missing_cases')).toMatchObject({
    decision: 'not_enough_evidence',
    because:
      '3 cases of the baseline were not run as they were, of 80 cases looked at; none is allowed. Missing: 3 (case-77, case-78, case-79).',
    examples: ['case-77', 'case-78', 'case-79'],
  });
  expect(gate(`${limits}, missing_cases: 3 }`, now, before).decision).toBe('pass');
  expect(gate(`${limits}, missing_cases: 2 }`, now, before).decision).toBe('not_enough_evidence');
  expect(gate(`${limits} }`, before, now).rules.map(({ rule }) => rule)).toEqual(['tcr']);
});

test('a case that was changed since the baseline counts as a missing one', () => {
  const lines = passing(Array(10).fill(1));
  const before = experimentOf('a', lines);
  const edited = lines.map((line, index) => (index < 7 ? { ...line, fingerprint: 'e'.repeat(64) } : line));
  const now = experimentOf('b', edited.slice(0, 9));
  const implied = gate(`rules: { ${HARD_RULE} }`, now, before);

  expect(implied.decision).toBe('not_enough_evidence');
  expect(mayRelease(implied, 'pass')).toBe(false);
  expect(implied.rules.find(({ rule }) => rule === 'missing_cases')).toMatchObject({
    because:
      '8 cases of the baseline were not run as they were, of 10 cases looked at; none is allowed. Missing: 1 (case-9). ' +
      'Changed since the baseline: 7 (case-0, case-1, case-2, case-3, case-4, …).',
    examples: ['case-9', 'case-0', 'case-1', 'case-2', 'case-3'],
  });
  expect(count('missing_cases: 7', now, before).decision).toBe('not_enough_evidence');
  expect(count('missing_cases: 8', now, before).decision).toBe('pass');
});

test('a case that the suite scored in the baseline and does not score now is undecided, also where its change is allowed', () => {
  const critical = withCritical('a', [one(SUCCESS), one(SUCCESS, { case: 'blind' })]);
  const blind: RunLine = { case: 'blind', evaluations: [] };
  for (const now of [blind, { ...blind, fingerprint: 'e'.repeat(64) }]) {
    const candidate = withCritical('b', [one(SUCCESS), now]);
    for (const rule of ['critical_failures', 'newly_hard_failing', 'cases_worse']) {
      const judged = count(`${rule}: 0, missing_cases: 1`, candidate, critical);
      expect(judged).toMatchObject({ rule, decision: 'not_enough_evidence', counted: { undecided: ['blind'] } });
      expect(judged.counted.leftOut).toMatchObject({ changed: 0, not_scored: 0 });
    }
    expect(count('critical_failures: 0', candidate, candidate).decision).toBe('pass');
  }
});

test('a case with fewer runs than in the baseline is undecided, unless fewer were planned or it is broken', () => {
  const before = withCritical('a', repeats(one(SUCCESS), one(SUCCESS), one(SUCCESS)));
  const [fewer, planned, broken] = [
    withCritical('b', [one(SUCCESS)], { repeats: 3 }),
    withCritical('b', [one(SUCCESS)]),
    withCritical('b', [one(HARD)], { repeats: 3 }),
  ];
  for (const rule of ['critical_failures: 0', HARD_RULE, 'cases_worse: 0']) {
    expect(count(rule, fewer, before)).toMatchObject({
      decision: 'not_enough_evidence',
      counted: { undecided: ['case-0'] },
    });
    expect(count(rule, planned, before).decision).toBe('pass');
    expect(count(rule, broken, before).decision).toBe('regression');
  }
});

test('where no case can be looked at nothing passes', () => {
  const before = experimentOf('a', [one(SUCCESS, { case: 'other' })]);

  expect(count('newly_hard_failing: 9', experimentOf('b', [one(SUCCESS)]), before)).toMatchObject({
    decision: 'not_enough_evidence',
    because: expect.stringMatching(/^No case could be looked at\./),
  });
  expect(count('cases_worse: 9', experimentOf('b', [one(SUCCESS)]))).toMatchObject({
    decision: 'not_enough_evidence',
    because: expect.stringContaining('there is no baseline'),
  });
});

test('of a candidate that has not ended, cases and repeats that are left may still break a rule', () => {
  const before = experimentOf('a', passing([1, 1, 1]));
  const open = { endedAt: undefined, dataset: { ...before.experiment.dataset, cases: 3 } };
  const judged = count(HARD_RULE, experimentOf('b', passing([1]), open), before);

  expect(judged.decision).toBe('not_enough_evidence');
  expect(judged.counted).toMatchObject({ notRun: 2, cases: 1, leftOut: { only_in_baseline: 0 } });
  expect(judged.because).toContain('The candidate has not ended: 2 cases left to run.');
  const twice = { ...open, repeats: 2, dataset: { ...open.dataset, cases: 1 } };
  expect(count(HARD_RULE, experimentOf('b', passing([1]), twice), before).counted.undecided).toEqual(['case-0']);
  expect(count('critical_failures: 0', withCritical('b', passing([1]), open)).counted.notRun).toBe(2);
});

test('the cases that are worse are those that the comparison lists', () => {
  const before = experimentOf('a', passing([1, 1, 0, 1]));
  const now = experimentOf('b', passing([0, 1, 1, 0]));
  const listed = compareExperiments(before, now).suites[0]?.flipped ?? [];
  const judged = count('cases_worse: 1', now, before);

  expect(judged.counted.broken).toEqual(listed.filter(({ direction }) => direction === 'worse').map((one) => one.case));
  expect(judged.counted.broken).toEqual(['case-0', 'case-3']);
  expect(judged.decision).toBe('regression');
  expect(judged.readWith).toBe('assay compare 2026-11-20-a 2026-11-20-b --transcripts case-0');
  expect(count('cases_worse: 2', now, before)).toMatchObject({ decision: 'pass', examples: [] });
});

test('critical failures are counted without a baseline, in any repeat', () => {
  const judged = count('critical_failures: 0', withCritical('b', repeats(one(SUCCESS), one(FAILURE))));

  expect(judged).toMatchObject({ decision: 'regression', readWith: 'assay show 2026-11-20-b case-0' });
  expect(count('critical_failures: 0', withCritical('b', [one(SUCCESS)])).decision).toBe('pass');
  expect(count('critical_failures: 0', withCritical('b', [one(HANDED_OVER)])).decision).toBe('pass');
  expect(count('critical_failures: 0', withCritical('b', [CRASH])).decision).toBe('not_enough_evidence');
  const broken: EvaluationLine = { ...SUCCESS, verdicts: { booked: 'error', polite: 'pass' } };
  expect(count('critical_failures: 0', withCritical('b', [one(broken)])).decision).toBe('not_enough_evidence');
});

const LIE: EvaluationLine = { ...SUCCESS, verdicts: { booked: 'fail', polite: 'pass' } };

test.each([
  ['passed and fails', SUCCESS, LIE, 'regression'],
  ['failed and fails', LIE, LIE, 'pass'],
  ['passed and passes', SUCCESS, SUCCESS, 'pass'],
  [
    'passed and is an error',
    SUCCESS,
    { ...SUCCESS, verdicts: { booked: 'error', polite: 'pass' } },
    'not_enough_evidence',
  ],
] as const)('a critical criterion that %s: %s', (_, before, now, decision) => {
  const judged = count('newly_critical: 0', withCritical('b', [one(now)]), withCritical('a', [one(before)]));

  expect(judged).toMatchObject({ decision, examples: decision === 'pass' ? [] : ['case-0'] });
});

test('a case that the suite is not for is left out of its critical failures', () => {
  const lines = [one(SUCCESS), { case: 'case-1', evaluations: [] }];

  expect(count('critical_failures: 0', withCritical('b', lines))).toMatchObject({
    decision: 'pass',
    counted: { cases: 1, leftOut: { not_scored: 1 } },
  });
});

test('a suite without critical criteria has no critical failures to count', () => {
  const judged = count('critical_failures: 0', experimentOf('b', [one(HARD)]));

  expect(judged).toMatchObject({ decision: 'not_applicable', because: 'The suite has no critical criterion.' });
});

test('a case id is text where it is pasted into a shell', () => {
  const odd = "it's; rm -rf ~";
  const [before, now] = [SUCCESS, HARD].map((line) => experimentOf('x', [one(line, { case: odd })]));
  if (before === undefined || now === undefined) throw new Error('there are two');

  expect(count(HARD_RULE, now, before).readWith).toMatch(/ --transcripts 'it'\\''s; rm -rf ~'$/);
});

test('counts change nothing for the limits beside them', () => {
  const before = experimentOf('a', passing(Array.from({ length: 60 }, () => 1)));
  const now = experimentOf('b', passing(Array.from({ length: 60 }, (_, index) => (index % 6 === 0 ? 0 : 1))));
  const limits = 'tcr: { max_drop: 5 points }, criteria: { max_drop: 5 points }';
  const alone = gate(`rules: { ${limits} }`, now, before);
  const beside = gate(`rules: { ${limits}, cases_worse: 0, newly_hard_failing: 0 }`, now, before);

  expect(beside.rules.filter(({ is }) => is === 'limit')).toEqual(alone.rules);
});

test.each([
  ['the same suite', {}, 'pass'],
  ['another text under the same version', { fingerprint: 'changed' }, 'not_enough_evidence'],
  ['another version, which is said by itself', { fingerprint: 'changed', version: '2' }, 'pass'],
] as const)('the baseline was scored by %s', (_what, changed, expected) => {
  const baseline = experimentOf('a', passing(Array.from({ length: 200 }, () => 1 as const)));
  const candidate = experimentOf('b', passing(Array.from({ length: 200 }, () => 1 as const)));
  const suites = candidate.experiment.suites.map((suite) => ({ ...suite, ...changed }));
  const now = { ...candidate, experiment: { ...candidate.experiment, suites } };

  const result = gate('rules: { tcr: { max_drop: 5 points }, newly_hard_failing: 0 }', now, baseline);

  expect(result.rules.map(({ decision }) => decision)).toEqual([expected, expected]);
  if (expected !== 'pass')
    expect(result.rules[0]?.because).toContain('without a new version (1), so run the baseline again');
});
