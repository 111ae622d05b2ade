import { expect, test } from 'vitest';
import { decideGate } from '../../../../src/statistics/compare/gate/decide-gate.ts';
import { compareExperiments } from '../../../../src/statistics/compare/compare-experiments.ts';
import { DEFAULT_GATE, type GateFile } from '../../../../src/statistics/compare/gate/gate-rules.ts';
import { readGate } from '../../../../src/statistics/compare/gate/read-gate.ts';
import type { ExperimentResult } from '../../../../src/model/experiment.ts';
import type { GateResult, JudgedLimit } from '../../../../src/model/gate.ts';
import { formatMistakes } from '../../../../src/model/mistake.ts';
import { randomFrom } from '../../../random.ts';
import { mostOf, rounds } from '../../../rounds.ts';
import { experimentOf, passing, type RunLine } from '../experiments.ts';

interface AgentOf {
  readonly cases?: number;
  readonly repeats?: number;
  /** How often `booked` passes; `polite` always does. */
  readonly booked?: number;
  readonly cost?: number;
  readonly seed?: number;
  /** Runs that crash before there is anything to score. */
  readonly crashes?: number;
}

function tried(name: string, { cases = 100, repeats = 1, booked = 1, cost, seed = 1, crashes = 0 }: AgentOf) {
  const random = randomFrom(seed);
  const lines = Array.from({ length: cases * repeats }, (_, index): RunLine => {
    const passes = random() < booked;
    const common = { case: `case-${index % cases}`, repeat: 1 + Math.floor(index / cases) };
    const effort = cost === undefined ? {} : { costUsd: cost * (0.8 + 0.4 * random()) };
    if (random() < crashes) return { ...common, end: 'agent_failed', evaluations: [] };
    return {
      ...common,
      effort,
      evaluations: [
        {
          score: passes ? 1 : 0.25,
          outcome: passes ? 'successful_completion' : 'partial_failure',
          verdicts: { booked: passes ? 'pass' : 'fail', polite: 'pass' },
        },
      ],
    };
  });
  return experimentOf(name, lines);
}

function gateOf(text: string, { experiment }: ExperimentResult): GateFile {
  const { gate, mistakes } = readGate(text, 'gate.yaml', experiment.suites);
  if (gate === undefined) throw new Error(formatMistakes(mistakes));
  return gate;
}

function decided(text: string, candidate: ExperimentResult, baseline?: ExperimentResult): GateResult {
  return decideGate({ candidate, baseline, gate: gateOf(text, candidate), warnings: [] });
}

function limitsOf({ rules }: GateResult): readonly JudgedLimit[] {
  return rules.filter((rule) => rule.is === 'limit');
}

function words(result: GateResult): readonly string[] {
  return limitsOf(result).map(({ rule, limit, decision }) => `${rule} ${limit}: ${decision}`);
}

test('a level is passed, broken, or can not be told, by where its whole interval lies', () => {
  const agent = tried('a', { cases: 100, booked: 0.9, seed: 3 });

  expect(words(decided('rules: { success_rate: { floor: 0.7 } }', agent))).toEqual(['success_rate floor: pass']);
  expect(words(decided('rules: { success_rate: { floor: 0.99 } }', agent))).toEqual(['success_rate floor: regression']);
  const open = decided('rules: { success_rate: { floor: 0.88 } }', agent);
  expect(words(open)).toEqual(['success_rate floor: not_enough_evidence']);
  expect(open.decision).toBe('not_enough_evidence');
});

test('a fall beyond what is allowed is a regression, names the criterion and cases, and what did not fall passes', () => {
  const result = decided(
    'rules: { tcr: { max_drop: 5 points }, criteria: { max_drop: 5 points } }',
    tried('b', { booked: 0.6, seed: 2 }),
    tried('a', { booked: 1 }),
  );

  expect(result.decision).toBe('regression');
  expect(words(result)).toEqual([
    'tcr max_drop: regression',
    'criterion.booked max_drop: regression',
    'criterion.polite max_drop: pass',
  ]);
  const [, booked] = limitsOf(result);
  expect(booked?.figures).toMatchObject({ baseline: 1, isPaired: true, cases: 100 });
  expect(booked?.figures?.upper).toBeLessThan(-0.05);
  expect(booked?.examples).toHaveLength(5);
  expect(booked?.because).toMatch(
    /^It is beyond the limit: \u2212\d+(\.\d)? points \(.+\), and at most 5 points down is allowed\.$/,
  );
});

test('only cases that are in the figure are named beside it', () => {
  const lines = passing([1, 1, 1, 0, 0, 0]);
  const edited = passing([0, 1, 1, 0, 0, 0]).map((line, index) =>
    index < 3 ? line : { ...line, fingerprint: 'e'.repeat(64) },
  );
  const rules = 'rules: { tcr: { max_drop: 5 points } }';
  const [tcr] = limitsOf(decided(rules, experimentOf('b', edited), experimentOf('a', lines)));
  const others = lines.map((line) => ({ ...line, case: `new-${line.case}` }));
  const [unpaired] = limitsOf(decided(rules, experimentOf('b', others), experimentOf('a', lines)));

  expect(tcr?.examples).toEqual(['case-0']);
  expect(unpaired?.examples).toEqual(['new-case-3', 'new-case-4', 'new-case-5']);
});

test('what can not be told says how many cases would tell, and with as many it is told', () => {
  const rules = 'rules: { success_rate: { floor: 0.9 } }';
  const oneOf20Fails = (cases: number) =>
    experimentOf('a', passing(Array.from({ length: cases }, (_, index) => (index % 20 === 7 ? 0 : 1))));
  const few = decided(rules, oneOf20Fails(40));
  const needed = limitsOf(few)[0]?.casesNeeded ?? 0;

  expect(few.decision).toBe('not_enough_evidence');
  expect(needed).toBeGreaterThan(40);
  expect(decided(rules, oneOf20Fails(Math.ceil(needed * 1.2))).decision).toBe('pass');
});

test.each([
  ['unchanged', [1, 1, 1, 1, 1, 1, 1]],
  ['all lost', [0, 0, 0]],
  ['one of eight lost', [1, 1, 1, 0, 1, 1, 1, 1]],
] as const)('says the number of cases that the comparison says: %s', (_, now) => {
  const [before, after] = [experimentOf('a', passing(now.map(() => 1))), experimentOf('b', passing(now))];
  const rules = 'rules: { tcr: { max_drop: 0.05 }, success_rate: { max_drop: 0.05 }, criteria: { max_drop: 0.05 } }';
  const gate = limitsOf(decided(rules, after, before)).map((rule) => rule.casesNeeded);
  const [suite] = compareExperiments(before, after).suites;
  const compared = [suite?.score, suite?.success, ...(suite?.criteria.map((one) => one.compared) ?? [])];

  expect(gate.some((cases) => cases !== undefined)).toBe(true);
  expect(compared.map((one) => (one?.is === 'compared' ? one.casesNeeded : 'none'))).toEqual(gate);
});

test('what is nearly at its limit asks for no number of cases that nobody has', () => {
  const result = decided('rules: { success_rate: { floor: 0.9 } }', tried('a', { cases: 50, booked: 0.9, seed: 4 }));
  const [rule] = limitsOf(result);

  expect(rule?.decision).toBe('not_enough_evidence');
  if (rule?.casesNeeded === undefined) expect(rule?.because).toContain('more cases are unlikely to tell');
  else expect(rule.casesNeeded).toBeLessThanOrEqual(1000);
});

test('costs are relative to the baseline, and a rise of them is a regression', () => {
  const rules = 'rules: { cost_per_success: { max_rise: 10% } }';
  const before = tried('a', { cost: 0.01 });

  expect(decided(rules, tried('b', { cost: 0.015, seed: 2 }), before).decision).toBe('regression');
  expect(decided(rules, tried('c', { cost: 0.0101, seed: 2 }), before).decision).toBe('pass');
  const silent = decided(rules, tried('d', { seed: 2 }), before);
  expect(silent.decision).toBe('not_enough_evidence');
  expect(silent.rules[0]?.because).toMatch(/^It can't be told: /);
});

test('a drop may be a share of the baseline: 0.90 to 0.855 is 5 % of it, and 4.5 points', () => {
  const of = (passes: number) =>
    experimentOf('x', passing(Array.from({ length: 1000 }, (_, index) => (index < passes ? 1 : 0))));
  const [before, after] = [of(900), of(855)];
  const ruled = (allowed: string) =>
    limitsOf(decided(`rules: { success_rate: { max_drop: ${allowed} } }`, after, before))[0];
  const share = ruled('5% of baseline');

  expect(share?.figures?.value).toBeCloseTo(-0.05, 12);
  expect(share?.figures).toMatchObject({ isRelative: true, isPaired: true, moved: 45 });
  expect(share?.shown).toMatchObject({ allowed: 'at most 5 % of the baseline down', value: '\u22125 %' });
  expect(ruled('5 points')?.figures?.value).toBeCloseTo(-0.045, 12);
  expect(ruled('8% of baseline')?.decision).toBe('pass');
  expect(ruled('2% of baseline')?.decision).toBe('regression');
  expect(ruled('5% of baseline')?.decision).toBe('not_enough_evidence');
});

test('cost efficiency is what a dollar buys: a tenth less of it is a ninth more a success', () => {
  const costing = (costUsd: number) =>
    experimentOf(
      'x',
      passing(Array.from({ length: 100 }, () => 1)).map((line) => ({ ...line, effort: { costUsd } })),
    );
  const before = costing(0.09);
  const drop = (now: number) =>
    limitsOf(decided('rules: { cost_efficiency: { max_drop: 10% } }', costing(now), before))[0];

  expect(drop(0.1)?.figures?.value).toBeCloseTo(-0.1, 12);
  expect(drop(0.1)?.figures?.baseline).toBeCloseTo(1 / 0.09, 9);
  expect(drop(0.12)?.decision).toBe('regression');
  expect(drop(0.091)?.decision).toBe('pass');
  const floor = limitsOf(decided('rules: { cost_efficiency: { floor: 8 } }', costing(0.1)))[0];
  expect(floor).toMatchObject({ decision: 'pass' });
  expect(floor?.figures?.value).toBeCloseTo(10, 9);
  expect(limitsOf(decided('rules: { cost_efficiency: { floor: 12 } }', costing(0.1)))[0]?.decision).toBe('regression');
});

test('an agent that crashes before it leaves a span does not pass for want of evidence against it', () => {
  const result = decideGate({
    candidate: tried('b', { crashes: 0.4, seed: 9 }),
    baseline: tried('a', {}),
    gate: DEFAULT_GATE,
    warnings: [],
  });
  const byRule = new Map(result.rules.map(({ rule, decision }) => [rule, decision]));

  expect(result.decision).toBe('regression');
  expect(byRule.get('failed_runs')).toBe('regression');
  expect(byRule.get('success_rate')).toBe('regression');
});

test('rules that nobody wrote are not about what the agent does not tell', () => {
  const result = decideGate({
    candidate: tried('b', { seed: 2 }),
    baseline: tried('a', {}),
    gate: DEFAULT_GATE,
    warnings: [],
  });

  expect(result.rules.find(({ rule }) => rule === 'cost_efficiency')?.decision).toBe('not_applicable');
  expect(result.decision).toBe('pass');
});

test('a version of which the suite can tell nothing any more does not pass', () => {
  const lines = Array.from({ length: 100 }, (_, index) => ({ case: `case-${index}`, evaluations: [] }));
  const result = decideGate({
    candidate: experimentOf('b', lines),
    baseline: tried('a', {}),
    gate: DEFAULT_GATE,
    warnings: [],
  });

  expect(words(result)).toContain('tcr max_drop: not_enough_evidence');
  expect(words(result)).toContain('criterion.booked max_drop: not_enough_evidence');
  expect(words(result)).toContain('cost_efficiency max_drop: not_applicable');
  expect(result.decision).toBe('not_enough_evidence');
});

test('repeats ask whether all of k succeed', () => {
  const rules = 'rules: { pass_hat: { k: 3, floor: 0.6 } }';

  expect(decided(rules, tried('a', { repeats: 3, booked: 0.98, seed: 2 })).decision).toBe('pass');
  expect(decided(rules, tried('a', { repeats: 3, booked: 0.6, seed: 2 })).decision).toBe('regression');
  expect(decided(rules, tried('a', { repeats: 2 })).decision).toBe('not_enough_evidence');
});

/**
 * If an agent is as good as before, at most 5 % of gates may find a regression, whatever its rate and however many
 * rules there are.
 */
test.each([
  { booked: 0.5, cases: 60, repeats: 1 },
  { booked: 0.8, cases: 60, repeats: 1 },
  { booked: 0.95, cases: 30, repeats: 3 },
])(
  'an agent held against itself is seldom called a regression: %j',
  ({ booked, cases, repeats }) => {
    const rules = `rules:
  tcr: { max_drop: 0 points }
  success_rate: { max_drop: 0 points }
  criteria: { max_drop: 0 points }
  failed_runs: { max_rise: 0 points }`;
    const pairs = rounds(200, 40);
    let regressions = 0;
    for (let pair = 0; pair < pairs; pair += 1) {
      const [a, b] = [0, 1].map((side) => tried('x', { booked, cases, repeats, seed: 1000 + 2 * pair + side }));
      if (a !== undefined && b !== undefined && decided(rules, b, a).decision === 'regression') regressions += 1;
    }

    // No drop is allowed, which is the hardest case.
    expect(regressions).toBeLessThanOrEqual(mostOf(pairs, 0.05));
  },
  120_000,
);

/** 100 cases that passed, the first of which are now as given. */
function afterwards(count: number, changed: Partial<RunLine>): ExperimentResult {
  const lines = passing(Array.from({ length: 100 }, () => 1 as const));
  return experimentOf(
    'b',
    lines.map((line, index) => (index < count ? { ...line, ...changed } : line)),
  );
}

test.each([
  ['are unscored', 20, { evaluations: [{}] }, 'not_enough_evidence'],
  ['wait for a judge', 20, { evaluations: [{ waitsFor: ['polite'] }] }, 'not_enough_evidence'],
  ['left the scope of the suite', 20, { evaluations: [] }, 'not_enough_evidence'],
  ['are handed over', 20, { evaluations: [{ outcome: 'handed_over' }] }, 'pass'],
  ['are unscored, one of them', 1, { evaluations: [{}] }, 'pass'],
] as const)('limits count cases that were scored in the baseline and now %s', (_, count, changed, expected) => {
  const result = decided('rules: { tcr: { max_drop: 10 points } }', afterwards(count, changed), afterwards(0, {}));

  expect(words(result)).toEqual([`tcr max_drop: ${expected}`]);
  if (expected === 'pass') return;
  expect(limitsOf(result)[0]?.because).toContain('within the limit without 20 cases that are no longer scored');
  expect(limitsOf(result)[0]?.isBrokenAtWorst).toBe(true);
});

test('cases that the baseline did not score either say nothing', () => {
  const unscored = { evaluations: [{}] };

  const result = decided('rules: { tcr: { max_drop: 10 points } }', afterwards(20, unscored), afterwards(20, unscored));

  expect(words(result)).toEqual(['tcr max_drop: pass']);
});
