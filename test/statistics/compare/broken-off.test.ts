import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import '../../property-seed.ts';
import { summaryOf } from '../../../src/cli/experiment-summary.ts';
import { compareExperiments } from '../../../src/statistics/compare/compare-experiments.ts';
import { decideGate } from '../../../src/statistics/compare/gate/decide-gate.ts';
import { readGate } from '../../../src/statistics/compare/gate/read-gate.ts';
import { mayRelease } from '../../../src/model/gate.ts';
import type { ExperimentResult } from '../../../src/model/experiment.ts';
import { type EvaluationLine, experimentOf, FAILURE, passing, type RunLine, SUCCESS } from './experiments.ts';

const UNSCORED: EvaluationLine = { outcome: 'unscored', verdicts: { booked: 'not_applicable' } };
const POLITE: EvaluationLine = {
  score: 0.5,
  outcome: 'graceful_failure',
  verdicts: { booked: 'pass', polite: 'fail' },
};
const CRASH: Partial<RunLine> = { end: 'agent_failed', evaluations: [] };

describe('a run that broke off and left nothing to score', () => {
  const crashed = experimentOf('crashed', [...passing([1, 1, 1]), { case: 'case-3', ...CRASH } as RunLine]);

  test('counts as a hard failure with score 0 in what an experiment adds up to, and in a comparison', () => {
    const { tcr, success_rate, outcomes, broke_off } = summaryOf(crashed);
    const [suite] = compareExperiments(experimentOf('well', passing([1, 1, 1, 1])), crashed).suites;

    expect({ tcr, success_rate, broke_off, hard: outcomes.hard_failure }).toEqual({
      tcr: 0.75,
      success_rate: 0.75,
      broke_off: 1,
      hard: 1,
    });
    expect(suite?.score).toMatchObject({ a: 1, b: 0.75 });
    expect(suite?.success).toMatchObject({ a: 1, b: 0.75 });
    expect(suite?.split?.criteria.find(({ criterion }) => criterion === 'hard failures')?.part).toBeCloseTo(-0.25);
    expect(suite?.split?.mix).toBeCloseTo(0);
  });

  test('does not decide that a critical criterion was kept by the repeats that went on', () => {
    const { result, file } = gated('critical_failures: 0', [
      { case: 'a', evaluations: [SUCCESS] },
      { case: 'a', repeat: 2, ...CRASH } as RunLine,
    ]);

    expect(result.decision).toBe('not_enough_evidence');
    expect(mayRelease(result, file.onNotEnoughEvidence)).toBe(false);
  });

  test('does not let a criterion pass that the others keep', () => {
    const failing = Array.from({ length: 60 }, (_, index): RunLine => ({ case: `f-${index}`, evaluations: [FAILURE] }));
    const crashing = failing.map((line): RunLine => ({ ...line, ...CRASH }) as RunLine);
    const rules = 'criterion: { booked: { floor: 60% } }';
    const well = passing(Array(60).fill(1));

    expect(gated(rules, [...well, ...failing]).result.decision).toBe('regression');
    const { result, file } = gated(rules, [...well, ...crashing]);
    expect(result.decision).toBe('not_enough_evidence');
    expect(result.rules[0]?.because).toContain('without the runs that broke off');
    expect(mayRelease(result, file.onNotEnoughEvidence)).toBe(false);
  });
});

function gated(rules: string, lines: readonly RunLine[], baseline?: ExperimentResult) {
  const candidate = withCritical(experimentOf('candidate', lines));
  const text = `on_not_enough_evidence: pass\nrules:\n  ${rules.split('\n').join('\n  ')}\n`;
  const { gate } = readGate(text, 'gate.yaml', candidate.experiment.suites);
  if (gate === undefined) throw new Error('the gate of the test is wrong');
  return { result: decideGate({ candidate, baseline, gate, warnings: [] }), file: gate };
}

function withCritical(result: ExperimentResult): ExperimentResult {
  const suites = result.experiment.suites.map((suite) => ({
    ...suite,
    criteria: suite.criteria.map((criterion) => ({ ...criterion, isCritical: criterion.name === 'booked' })),
  }));
  return { ...result, experiment: { ...result.experiment, suites } };
}

const evaluation = fc.constantFrom(SUCCESS, FAILURE, POLITE);
const runs = (of: fc.Arbitrary<EvaluationLine>) =>
  fc
    .tuple(
      fc.array(fc.array(of, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 24 }),
      fc.constantFrom(1, 2),
    )
    .map(([all, repeats]) =>
      all.map(
        (evaluations, index): RunLine => ({
          case: `case-${Math.floor(index / repeats)}`,
          repeat: 1 + (index % repeats),
          evaluations,
        }),
      ),
    );

describe('making any runs crash', () => {
  const crashing = fc.array(fc.constantFrom<RunLine['end']>(undefined, 'agent_failed', 'timed_out'), {
    minLength: 24,
    maxLength: 24,
  });
  const crash = (lines: readonly RunLine[], ends: readonly RunLine['end'][]) =>
    lines.map((line, index): RunLine => {
      const end = ends[index];
      return end === undefined ? line : { ...line, end, evaluations: [] };
    });

  test('never raises TCR or the rate of successes', () => {
    fc.assert(
      fc.property(runs(fc.oneof(evaluation, fc.constant(UNSCORED))), crashing, (lines, ends) => {
        const before = summaryOf(experimentOf('before', lines));
        const after = summaryOf(experimentOf('after', crash(lines, ends)));
        if (before.tcr !== null) expect(after.tcr).toBeLessThanOrEqual(before.tcr);
        if (before.success_rate !== null) expect(after.success_rate).toBeLessThanOrEqual(before.success_rate);
      }),
    );
  });

  test.each([
    'tcr: { floor: 0.5 }',
    'tcr: { max_drop: 30 points }',
    'success_rate: { floor: 40% }',
    'success_rate: { max_drop: 40% of baseline }',
    'criteria: { floor: 40% }',
    'criteria: { max_drop: 40 points }',
    'failed_runs: { ceiling: 40% }',
    'unscored: { ceiling: 40% }',
    'pass_hat: { k: 1, floor: 40% }',
    'newly_hard_failing: 2',
    'critical_failures: 2',
    'cases_worse: 2',
  ])('never lets a version through a gate that stopped it: %s', (rules) => {
    fc.assert(
      fc.property(runs(evaluation), runs(evaluation), crashing, (baselineLines, lines, ends) => {
        const baseline = withCritical(experimentOf('baseline', baselineLines));
        const before = gated(rules, lines, baseline);
        const after = gated(rules, crash(lines, ends), baseline);
        const may = ({ result, file }: ReturnType<typeof gated>) => mayRelease(result, file.onNotEnoughEvidence);
        if (!may(before)) expect(may(after)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});
