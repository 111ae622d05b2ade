/** `cases_worse: by chance`: no more cases get worse than chance explains. */
import { expect, test } from 'vitest';
import { decideGate } from '../../../../src/statistics/compare/gate/decide-gate.ts';
import { readGate } from '../../../../src/statistics/compare/gate/read-gate.ts';
import type { ExperimentResult } from '../../../../src/model/experiment.ts';
import { type GateResult, type JudgedByChance, mayRelease } from '../../../../src/model/gate.ts';
import { formatMistakes } from '../../../../src/model/mistake.ts';
import { experimentOf, FAILURE, passing, type RunLine, SUCCESS } from '../experiments.ts';

const RULE = 'rules: { cases_worse: by chance }';

function gate(text: string, candidate: ExperimentResult, baseline?: ExperimentResult): GateResult {
  const read = readGate(text, 'gate.yaml', candidate.experiment.suites);
  if (read.gate === undefined) throw new Error(formatMistakes(read.mistakes));
  return decideGate({ candidate, baseline, gate: read.gate, warnings: [] });
}

function worse(candidate: ExperimentResult, baseline?: ExperimentResult, text = RULE): JudgedByChance {
  const rule = gate(text, candidate, baseline).rules.find(({ is }) => is === 'by_chance');
  if (rule?.is !== 'by_chance') throw new Error('it is not by chance');
  return rule;
}

/** Runs of each case, as `110`: 1 for a success. */
function runs(name: string, ...cases: readonly string[]): ExperimentResult {
  return experimentOf(
    name,
    cases.flatMap((ofCase, index) =>
      [...ofCase].map(
        (run, repeat): RunLine => ({
          case: `case-${index}`,
          repeat: repeat + 1,
          evaluations: [run === '1' ? SUCCESS : FAILURE],
        }),
      ),
    ),
  );
}

const times = (count: number, run: string) => Array.from({ length: count }, () => run);

test.each([
  ['seven of seven lost', times(7, '1'), times(7, '0'), 2 ** -7, 'regression'],
  ['four of ten lost', times(10, '1'), [...times(4, '0'), ...times(6, '1')], 2 ** -4, 'pass'],
  ['as many won as lost', ['1', '0', ...times(8, '1')], ['0', '1', ...times(8, '1')], 3 / 4, 'pass'],
  ['nothing changed', times(10, '1'), times(10, '1'), 1, 'pass'],
  ['two cases, all of three runs lost', ['111', '111'], ['000', '000'], 1 / 400, 'regression'],
  ['one of three runs lost in each of two cases', ['111', '111'], ['110', '011'], 1 / 4, 'pass'],
  ['four of four lost', times(4, '1'), times(4, '0'), 2 ** -4, 'not_enough_evidence'],
  ['no case ever passed', times(9, '0'), times(9, '0'), 1, 'not_enough_evidence'],
] as const)('%s', (_, before, now, p, decision) => {
  const rule = worse(runs('b', ...now), runs('a', ...before));

  expect(rule.decision).toBe(decision);
  expect(rule.tests.find(({ criterion }) => criterion === undefined)?.p).toBeCloseTo(p, 12);
});

test('it names its figures, and the cases that the comparison lists as worse', () => {
  const rule = worse(runs('b', '000', '000', '111'), runs('a', '111', '111', '111'));

  expect(rule).toMatchObject({
    decision: 'regression',
    examples: ['case-0', 'case-1'],
    readWith: 'assay compare 2026-11-20-a 2026-11-20-b --transcripts case-0',
    shown: {
      allowed: 'what chance explains',
      value: '2 of 3 cases',
      interval: 'p = 0.0025, and up to 0.033 is a regression',
    },
  });
  expect(rule.because).toMatch(
    /^2 cases of 3 lost something, more than chance explains: 3 of 9 runs pass, 9 of 9 before \(p = 0\.0025, and up to 0\.0\d+ is a regression\)\.$/,
  );
});

test('success has half of the error, all criteria a quarter, and limits a quarter', () => {
  const [before, now] = [runs('a', ...times(10, '1')), runs('b', ...times(3, '0'), ...times(7, '1'))];
  const rule = worse(now, before, 'rules: { cases_worse: by chance, tcr: { max_drop: 5 points } }');

  expect(rule.tests).toMatchObject([
    { criterion: undefined, p: 1 / 8, baseline: { passes: 10, of: 10 }, candidate: { passes: 7, of: 10 } },
    { criterion: 'booked', p: 1 / 8 },
  ]);
  expect(rule.tests.map(({ level }) => level / 0.05)).toEqual([expect.closeTo(1 / 2, 9), expect.closeTo(1 / 4, 9)]);
});

test('a criterion that is lost is a regression where success is as before', () => {
  const lost: RunLine['evaluations'] = [{ ...SUCCESS, score: 0.75, verdicts: { booked: 'pass', polite: 'fail' } }];
  const lines = passing(Array(12).fill(1));
  const now = experimentOf(
    'b',
    lines.map((line) => ({ ...line, evaluations: lost })),
  );
  const rule = worse(now, experimentOf('a', lines));

  expect(rule.decision).toBe('regression');
  expect(rule.tests.filter(({ isBroken }) => isBroken).map(({ criterion }) => criterion)).toEqual(['polite']);
  expect(rule.because).toContain('0 of 12 runs pass polite, 12 of 12 before');
});

test.each([
  ['a run without spans', { end: 'no_spans', evaluations: [] }],
  ['a run that waits for a judge', { evaluations: [{ ...FAILURE, waitsFor: ['q'] }] }],
] as const)('%s is not known, and stops only what it could break', (_, unknown) => {
  const lines = passing(Array(20).fill(1));
  const lost = (count: number) =>
    experimentOf(
      'b',
      lines.map((line, index) => (index < count ? { ...line, ...unknown } : line)),
    );
  const before = experimentOf('a', lines);
  const many = gate(RULE, lost(10), before);

  expect(many.decision).toBe('not_enough_evidence');
  expect(mayRelease(many, 'pass')).toBe(false);
  expect(many.rules[0]?.because).toContain('Not enough is known of 10 cases.');
  expect(gate(RULE, lost(2), before).decision).toBe('pass');
});

test('a crash without a score is a failure', () => {
  const lines = passing(Array(20).fill(1));
  const crash = lines.map(
    (line, index): RunLine => (index < 8 ? { ...line, end: 'agent_failed', evaluations: [] } : line),
  );

  expect(worse(experimentOf('b', crash), experimentOf('a', lines)).decision).toBe('regression');
});

test.each([
  ['there is no baseline', undefined],
  ['no case is the same', experimentOf('a', [{ case: 'other', evaluations: [SUCCESS] }])],
])('nothing passes where %s', (_, baseline) => {
  const result = gate(`${RULE}\non_not_enough_evidence: pass`, runs('b', '1', '1'), baseline);

  expect(result.decision).toBe('not_enough_evidence');
  expect(mayRelease(result, 'pass')).toBe(false);
});

test('a candidate that has not ended can be a regression, and does not pass', () => {
  const before = runs('a', ...times(20, '1'));
  const open = { endedAt: undefined, dataset: { ...before.experiment.dataset, cases: 20 } };
  const part = (run: string) => experimentOf('b', lines(8, run), open);

  expect(worse(part('0'), before).decision).toBe('regression');
  expect(worse(part('1'), before)).toMatchObject({ decision: 'not_enough_evidence', isBrokenAtWorst: true });
});

function lines(count: number, run: string): RunLine[] {
  return passing(Array.from({ length: count }, () => (run === '1' ? 1 : 0)));
}

test('a number of cases keeps meaning that number', () => {
  const [before, now] = [runs('a', ...times(10, '1')), runs('b', ...times(3, '0'), ...times(7, '1'))];
  const allowed = (count: number) => gate(`rules: { cases_worse: ${count} }`, now, before);

  expect([2, 3].map((count) => allowed(count).decision)).toEqual(['regression', 'pass']);
  expect(allowed(2).rules).toMatchObject([{ is: 'count', rule: 'cases_worse', allowed: 2 }]);
});
