import { expect, test } from 'vitest';
import { draftGate } from '../../../../src/statistics/compare/gate/draft-gate.ts';
import { asksByChance, countsOf, DEFAULT_GATE, rulesOf } from '../../../../src/statistics/compare/gate/gate-rules.ts';
import { readGate } from '../../../../src/statistics/compare/gate/read-gate.ts';
import type { ExperimentSuite } from '../../../../src/model/experiment.ts';
import { formatMistakes } from '../../../../src/model/mistake.ts';

function suiteOf(name: string, ...criteria: readonly string[]): ExperimentSuite {
  return {
    name,
    version: '1',
    fingerprint: 'f',
    scope: 'conversation',
    criteria: criteria.map((written) => ({
      name: written.replace('!', ''),
      question: 'Is it?',
      weight: 1,
      isCritical: written.endsWith('!'),
      whenNotApplicable: 'exclude',
    })),
  };
}

const SCHEDULING = suiteOf('scheduling', 'time!', 'people', 'polite');
const DEFAULT = suiteOf('default', 'answered');

function rulesIn(text: string, suite = SCHEDULING): readonly string[] {
  const { gate, mistakes } = readGate(text, 'gate.yaml', [SCHEDULING, DEFAULT]);
  if (gate === undefined) throw new Error(formatMistakes(mistakes));
  return rulesOf(gate, suite).map(({ rule, limit, allowed }) => `${rule} ${limit} ${allowed}`);
}

test('rules come to single limits, of which shares may be written in percent', () => {
  const text = `rules:
  tcr: { floor: 0.8, max_drop: 5 points }
  cost_per_success: { max_rise: 10%, ceiling: 0.02 }
  pass_hat: { k: 3, floor: 70% }`;

  expect(rulesIn(text)).toEqual([
    'tcr floor 0.8',
    'tcr max_drop 0.05',
    'cost_per_success ceiling 0.02',
    'cost_per_success max_rise 0.1',
    'pass_hat floor 0.7',
  ]);
});

test.each(['5 points', '5points', '5 pp', '0.05'])('a drop of %s is 0.05 of a share', (written) => {
  expect(rulesIn(`rules: { tcr: { max_drop: ${written} } }`)).toEqual(['tcr max_drop 0.05']);
});

test.each(['5% of baseline', '5 % of the baseline'])('a drop of %s is one of the baseline', (written) => {
  const { gate } = readGate(`rules: { tcr: { max_drop: ${written} } }`, 'gate.yaml', [SCHEDULING]);

  expect(gate && rulesOf(gate, SCHEDULING)).toMatchObject([{ allowed: 0.05, isOfBaseline: true }]);
});

test('what one criterion may lose comes before what each may, in whichever unit', () => {
  const text = 'rules: { criteria: { max_drop: 10 points }, criterion: { people: { max_drop: 5% of baseline } } }';

  expect(rulesIn(text)).toEqual([
    'criterion.time max_drop 0.1',
    'criterion.people max_drop 0.05',
    'criterion.polite max_drop 0.1',
  ]);
});

test('what is spent is a share of the baseline, written or not', () => {
  const text = 'rules: { cost_efficiency: { max_drop: 10% of baseline }, steps_per_success: { max_rise: 10% } }';

  expect(rulesIn(text)).toEqual(['cost_efficiency max_drop 0.1', 'steps_per_success max_rise 0.1']);
});

test('counts of cases are whole numbers, for one suite or for all', () => {
  const text = 'rules: { newly_hard_failing: 0 }\nsuites: { default: { cases_worse: 3, critical_failures: 1 } }';
  const { gate } = readGate(text, 'gate.yaml', [SCHEDULING, DEFAULT]);

  expect(gate && countsOf(gate, SCHEDULING)).toEqual([
    { rule: 'newly_hard_failing', allowed: 0, isImplied: false },
    { rule: 'missing_cases', allowed: 0, isImplied: true },
  ]);
  expect(gate && countsOf(gate, DEFAULT)).toEqual([
    { rule: 'critical_failures', allowed: 1, isImplied: false },
    { rule: 'cases_worse', allowed: 3, isImplied: false },
    { rule: 'missing_cases', allowed: 0, isImplied: true },
  ]);
});

test('cases may be worse by chance, in one suite or in all', () => {
  const read = (text: string) => readGate(text, 'gate.yaml', [SCHEDULING, DEFAULT]).gate ?? DEFAULT_GATE;
  const one = read('rules: { cases_worse: 2 }\nsuites: { default: { cases_worse: by chance } }');

  expect([SCHEDULING, DEFAULT].map((suite) => asksByChance(one, suite))).toEqual([false, true]);
  expect(countsOf(one, DEFAULT).map(({ rule }) => rule)).toEqual(['missing_cases']);
  expect(asksByChance(read('rules: { cases_worse: by chance }'), SCHEDULING)).toBe(true);
});

test('the first file has the rules that hold without one', () => {
  const first = readGate(
    draftGate('a test', [{ name: 'scheduling', hasCritical: true, knowsCost: true }]),
    'gate.yaml',
    [SCHEDULING],
  ).gate;
  if (first === undefined) throw new Error('the first file has mistakes');
  const rules = first.suites.get('scheduling');

  expect(rules).toMatchObject({ ...DEFAULT_GATE.rules, counts: { missing_cases: 0 } });
  expect(rulesOf(first, SCHEDULING)).toEqual(rulesOf(DEFAULT_GATE, SCHEDULING));
  expect(first).toMatchObject({
    confidence: DEFAULT_GATE.confidence,
    onNotEnoughEvidence: DEFAULT_GATE.onNotEnoughEvidence,
  });
});

test('what is said of one criterion comes before what is said of critical ones, and that before what is said of each', () => {
  const text = `rules:
  criteria: { max_drop: 10 points, floor: 0.5 }
  critical: { floor: 0.9 }
  criterion: { people: { floor: 0.7 } }`;

  expect(rulesIn(text)).toEqual([
    'criterion.time floor 0.9',
    'criterion.time max_drop 0.1',
    'criterion.people floor 0.7',
    'criterion.people max_drop 0.1',
    'criterion.polite floor 0.5',
    'criterion.polite max_drop 0.1',
  ]);
});

test('rules of a suite hold instead of those for all', () => {
  const text = 'rules: { tcr: { floor: 0.5 } }\nsuites: { default: { success_rate: { floor: 0.9 } } }';

  expect(rulesIn(text)).toEqual(['tcr floor 0.5']);
  expect(rulesIn(text, DEFAULT)).toEqual(['success_rate floor 0.9']);
});

test.each([
  ['confidence: 0.95', 'rules, or suites with rules'],
  ['rules: {}', 'at least one rule'],
  ['rules: { tcr: {} }', 'floor or max_drop'],
  ['rules: { tcr: { ceiling: 0.8 } }', "unknown field 'ceiling'"],
  ['rules: { tcr: { flor: 0.8 } }', "did you mean 'floor'?"],
  ['rules: { tcr: { floor: 80 } }', 'a share from 0 to 1, or 0% to 100%'],
  ['rules: { tcr: { floor: lots } }', 'a number'],
  ['rules: { tcr: { max_drop: -5% } }', '`5 points`'],
  ['rules: { tcr: { max_drop: 105% of baseline } }', '`5% of baseline`'],
  ['rules: { tcr: { floor: 5% of baseline } }', 'a number'],
  ['rules: { cost_efficiency: { max_drop: 110% } }', 'a share from 0 to 1'],
  ['rules: { tcr: { max_drop: 5% } }', '`5 points` (0.90 to 0.85), 0.05, or `5% of baseline` (0.90 to 0.855)'],
  ['rules: { failed_runs: { max_rise: 5% } }', '`5 points`'],
  ['rules: { cost_per_success: { max_rise: 5 points } }', 'a number'],
  ['rules: { cases_worse: 5% }', 'a number of cases, such as 0 or 3'],
  ['confidence: 1.5\nrules: { cases_worse: 0 }', 'a number from 0.5 to 0.999, such as 0.95'],
  ['rules: { criterion: { __proto__: { floor: 0.9 } } }', 'another name'],
  ['suites: { __proto__: { cases_worse: 0 } }', 'another name'],
  ['rules: { cases_worse: -1 }', 'a number of cases, such as 0 or 3'],
  [
    'rules: { cases_worse: chance }',
    'a number of cases, such as 0 or 3, or `by chance` for as many as chance explains',
  ],
  ['rules: { newly_hard_failing: by chance }', 'a number of cases, such as 0 or 3'],
  ['rules: { newly_hard_failing: 0.5 }', 'a number of cases, such as 0 or 3'],
  ['rules: { newly_hard_failng: 0 }', "did you mean 'newly_hard_failing'?"],
  ['rules: { pass_hat: { floor: 0.8 } }', "'k' is missing"],
  ['rules: { pass_hat: { k: 3 } }', 'floor or max_drop'],
  ['rules: { succes_rate: { floor: 0.8 } }', "did you mean 'success_rate'?"],
  ['rules: { criterion: { tme: { floor: 0.8 } } }', "did you mean 'time'?"],
  ['suites: { schedulin: { tcr: { floor: 0.8 } } }', "did you mean 'scheduling'?"],
  ['suites: { default: { criterion: { time: { floor: 0.8 } } } }', 'one of answered'],
  ['confidence: 95\nrules: { tcr: { floor: 0.8 } }', 'such as 0.95'],
  ['on_not_enough_evidence: warn\nrules: { tcr: { floor: 0.8 } }', 'one of fail, pass'],
  ['rules: { tcr: { floor: 0.8 }', 'valid YAML'],
])('%s is refused, with its place', (text, expected) => {
  const { gate, mistakes } = readGate(text, 'gate.yaml', [SCHEDULING, DEFAULT]);

  expect(gate).toBeUndefined();
  expect(formatMistakes(mistakes)).toContain(expected);
  expect(formatMistakes(mistakes)).toMatch(/gate\.yaml:\d+:\d+/);
});

test('all mistakes come together', () => {
  const { mistakes } = readGate('rules: { tcr: { flor: 1 }, sucess: 1 }\nconfidence: 7', 'gate.yaml', [SCHEDULING]);

  expect(mistakes.length).toBeGreaterThanOrEqual(3);
});
