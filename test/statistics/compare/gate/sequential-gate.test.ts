import { expect, test } from 'vitest';
import { tryAgent } from '../../../../src/statistics/compare/gate/agent-model.ts';
import { gateBetween } from '../../../../src/statistics/compare/gate/gate-between.ts';
import type { GateFile } from '../../../../src/statistics/compare/gate/gate-rules.ts';
import { planLooks } from '../../../../src/statistics/compare/gate/plan-looks.ts';
import { untilDecided } from '../../../../src/statistics/compare/gate/plan-gate.ts';
import { readGate } from '../../../../src/statistics/compare/gate/read-gate.ts';
import { decideAtLook, keptOnlyAtTheEnd } from '../../../../src/statistics/compare/gate/sequential-gate.ts';
import { levelOfEffort } from '../../../../src/statistics/compare/level.ts';
import type { ExperimentResult } from '../../../../src/model/experiment.ts';
import { type GateDecision, type GateResult, mayRelease, type PlannedLook } from '../../../../src/model/gate.ts';
import { formatMistakes } from '../../../../src/model/mistake.ts';
import { lookAt, type UntilDecided } from '../../../../src/model/until-decided.ts';
import { randomFrom } from '../../../random.ts';
import { mostOf } from '../../../rounds.ts';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { tempDirectory } from '../../../temp-directory.ts';
import { experimentOf, FAILURE, passing, type RunLine, SUCCESS } from '../experiments.ts';
import { agentOf } from './seen-agent.ts';

/** All of them each time: fewer do not tell how often peeking errs. */
const TRIALS = 300;
const MOST = mostOf(TRIALS, 0.05);

function gateOf(text: string, { experiment }: ExperimentResult): GateFile {
  const { gate, mistakes } = readGate(text, 'gate.yaml', experiment.suites);
  if (gate === undefined) throw new Error(formatMistakes(mistakes));
  return gate;
}

/** Simulated experiments that come to the decision, with these looks. */
function ending(
  decision: GateDecision,
  { rules, rate, lost, looks }: { rules: string; rate: number; lost: number; looks: readonly PlannedLook[] },
): number {
  const seen = agentOf({ cases: 1000, repeats: 1, rate, sure: 1 });
  const gate = gateOf(rules, seen);
  const random = randomFrom(11);
  const trial = { cases: looks.at(-1)?.cases ?? 0, repeats: 1, agreement: 0, lost };
  let count = 0;
  for (let one = 0; one < TRIALS; one += 1)
    if (untilDecided(tryAgent(seen, trial, random), gate, looks).decision === decision) count += 1;
  return count;
}

const everyLookAtFullLevel = (looks: readonly PlannedLook[]) => looks.map((look) => ({ ...look, share: 1 }));

test.each([
  [20, [20]],
  [35, [35]],
  [36, [30, 36]],
  [200, [30, 45, 68, 102, 153, 200]],
])('%i cases have looks at %j, whose shares of the error sum to 1', (cases, sizes) => {
  const looks = planLooks(cases);

  expect(looks.map((look) => look.cases)).toEqual(sizes);
  expect(looks.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
  expect(looks.at(-1)?.share).toBe(sizes.length === 1 ? 1 : 0.5);
});

test('a release that is no worse is called a regression no more often than the level, where peeking does so', () => {
  const asked = { rules: 'rules: { tcr: { max_drop: 0 points } }', rate: 0.5, lost: 0 };
  const looks = planLooks(200);

  expect(ending('regression', { ...asked, looks })).toBeLessThanOrEqual(MOST);
  expect(ending('regression', { ...asked, looks: everyLookAtFullLevel(looks) })).toBeGreaterThan(MOST);
});

test('a release that lost what is allowed passes no more often than the level, where peeking lets it', () => {
  // Failed runs score 0.
  const asked = { rules: 'rules: { tcr: { max_drop: 20 points } }', rate: 1, lost: 0.2 };
  const looks = planLooks(200);

  expect(ending('pass', { ...asked, looks })).toBeLessThanOrEqual(MOST);
  expect(ending('pass', { ...asked, looks: everyLookAtFullLevel(looks) })).toBeGreaterThan(MOST);
});

const IDS = Array.from({ length: 120 }, (_, index) => `case-${index}`);
const BASELINE = experimentOf('a', passing(IDS.map(() => 1 as const)));

interface Tried {
  /** Cases that were run, from the first in order. */
  readonly cases: number;
  readonly answers?: readonly GateDecision[];
  readonly change?: (line: RunLine, index: number) => RunLine;
  readonly rules?: UntilDecided['rules'];
  readonly order?: UntilDecided['order'];
}

/** The candidate of which so many cases were run, with looks at 30, 45, 68 and 120 of them. */
function tried({ cases, answers = [], change = (line) => line, rules, order }: Tried): ExperimentResult {
  const lines = passing(IDS.map(() => 1 as const)).map(change);
  const { experiment } = BASELINE;
  const plan: UntilDecided = {
    baseline: experiment.id,
    rules,
    order: order ?? IDS.map((id) => ({ case: id, fingerprint: 'c'.repeat(64) })),
    looks: planLooks(IDS.length),
    answers,
  };
  return experimentOf('b', lines.slice(0, cases), {
    dataset: { ...experiment.dataset, cases: IDS.length },
    endedAt: answers.some((answer) => answer !== 'not_enough_evidence') ? experiment.endedAt : undefined,
    untilDecided: plan,
  });
}

function atLook(text: string, candidate: ExperimentResult, index: number, baseline = BASELINE): GateResult {
  const plan = candidate.experiment.untilDecided;
  const look = plan && lookAt(plan, index);
  if (look === undefined) throw new Error('no such look');
  return decideAtLook(candidate, { baseline, gate: gateOf(text, candidate), look });
}

function words({ rules }: GateResult): readonly string[] {
  return rules.map((rule) => `${rule.rule}: ${rule.decision}`);
}

test('a look counts its own cases only, at its own share of the error', () => {
  const rules = 'rules: { tcr: { max_drop: 10 points } }';
  // Runs beyond the look, as an interruption leaves them, are all failures.
  const candidate = tried({
    cases: 60,
    change: (line, index) => (index < 45 ? line : { ...line, evaluations: [FAILURE] }),
  });
  const [first, second] = [atLook(rules, candidate, 0), atLook(rules, candidate, 1)];

  expect([first, second].map(({ decision, candidate: { runs } }) => [decision, runs])).toEqual([
    ['not_enough_evidence', 30],
    ['not_enough_evidence', 45],
  ]);
  // Cases that are all equal: the bound is 1 − tail^(1/n).
  const [rule] = second.rules;
  const share = planLooks(120)[1]?.share ?? 0;
  expect(rule?.is === 'limit' ? rule.figures?.lower : 0).toBeCloseTo(-(1 - (0.05 * share) ** (1 / 45)), 6);
  expect(atLook(rules, tried({ cases: 68 }), 2).decision).toBe('pass');
});

test('a rule that counts cases is broken at any look, and is known to be kept when no case is left', () => {
  const rules = 'rules: { newly_hard_failing: 0, tcr: { max_drop: 20 points } }';
  const crash = (line: RunLine, index: number): RunLine =>
    index === 7 ? { case: line.case, end: 'agent_failed', evaluations: [] } : line;

  const kept = atLook(rules, tried({ cases: 68 }), 2);
  expect(words(kept)).toEqual(['newly_hard_failing: not_enough_evidence', 'tcr: pass']);
  expect(kept.rules[0]?.because).toBe(
    'No case that passed in the baseline fails hard now, of 68 cases looked at; none is allowed. 52 cases were not run at this look.',
  );
  expect(atLook(rules, tried({ cases: 120 }), 3).decision).toBe('pass');
  expect(atLook(rules, tried({ cases: 30, change: crash }), 0).decision).toBe('regression');
});

test('cases that got worse than chance explains are a regression at any look, at its share of the error', () => {
  const rules = 'rules: { cases_worse: by chance, tcr: { max_drop: 20 points } }';
  const lost = (count: number) => (line: RunLine, index: number) =>
    index < count ? { ...line, evaluations: [FAILURE] } : line;
  const share = planLooks(120)[0]?.share ?? 0;

  const kept = atLook(rules, tried({ cases: 68 }), 2);
  expect(words(kept)).toEqual(['cases_worse: not_enough_evidence', 'tcr: pass']);
  expect(kept.rules[0]?.because).toContain('52 cases were not run at this look.');
  expect(atLook(rules, tried({ cases: 120 }), 3).decision).toBe('pass');
  // Six cases lost are 2^-6 = 0.016, and the look has less than half of that.
  expect(2 ** -6).toBeGreaterThan(0.05 * share);
  expect(words(atLook(rules, tried({ cases: 30, change: lost(6) }), 0))[0]).toBe('cases_worse: not_enough_evidence');
  expect(words(atLook(rules, tried({ cases: 30, change: lost(12) }), 0))[0]).toBe('cases_worse: regression');
});

test('where a judge has not answered, cases that got worse are open before the last look', () => {
  const rules = 'rules: { cases_worse: by chance }';
  const change = (line: RunLine, index: number): RunLine => ({
    ...line,
    evaluations: [index === 0 ? { ...SUCCESS, waitsFor: ['polite'] } : FAILURE],
  });

  expect(atLook(rules, tried({ cases: 30, change }), 0)).toMatchObject({
    decision: 'not_enough_evidence',
    rules: [{ because: "It can't be told: 1 run waits for judges at this look." }],
  });
  expect(atLook(rules, tried({ cases: 120, change }), 3).decision).toBe('regression');
});

test('which rules keep a gate from passing early is known before the first run', () => {
  const { suites } = BASELINE.experiment;
  const asked = (text: string) => keptOnlyAtTheEnd(gateOf(text, BASELINE), suites, planLooks(120));

  // There is no critical criterion, and 60 cases may get worse of the 52 that are left.
  expect(asked('rules: { cases_worse: 60, critical_failures: 0, missing_cases: 0, tcr: { floor: 0.5 } }')).toEqual([]);
  expect(asked('rules: { cases_worse: 51, newly_hard_failing: 0 }')).toEqual(['newly_hard_failing', 'cases_worse']);
  expect(asked('rules: { cases_worse: by chance }')).toEqual(['cases_worse']);
});

test('cases after the look are not missing; those of another dataset or content are', () => {
  const rules = 'rules: { missing_cases: 0, tcr: { max_drop: 10 points } }';
  const order = IDS.map((id) => ({ case: id, fingerprint: 'c'.repeat(64) }));
  const changed = order.map((one) => (one.case === 'case-100' ? { ...one, fingerprint: 'e'.repeat(64) } : one));
  const [whole] = atLook(rules, tried({ cases: 68 }), 2).rules;
  const [without] = atLook(rules, tried({ cases: 68, order: order.slice(0, 118) }), 2).rules;
  const [other] = atLook(rules, tried({ cases: 68, order: changed }), 2).rules;
  const all = tried({ cases: 68 });
  const [forgotten] = atLook(rules, { ...all, runs: all.runs.filter((run) => run.case !== 'case-5') }, 2).rules;

  expect(whole).toMatchObject({ decision: 'pass', counted: { broken: [], notRun: 52 } });
  expect(whole?.because).toContain('52 cases were not run at this look, and are not missing.');
  expect(without).toMatchObject({
    decision: 'not_enough_evidence',
    counted: { broken: ['case-118', 'case-119'], changed: [], notRun: 50 },
  });
  expect(forgotten).toMatchObject({ decision: 'not_enough_evidence', counted: { broken: ['case-5'], notRun: 52 } });
  expect(other).toMatchObject({ decision: 'not_enough_evidence', counted: { changed: ['case-100'], notRun: 51 } });
});

test('where a judge has not answered, limits are open before the last look', () => {
  const rules = 'rules: { tcr: { max_drop: 10 points } }';
  const waits = (line: RunLine, index: number): RunLine =>
    index === 3 ? { ...line, evaluations: [{ ...SUCCESS, waitsFor: ['polite'] }] } : line;
  const early = atLook(rules, tried({ cases: 68, change: waits }), 2);

  expect(early.decision).toBe('not_enough_evidence');
  expect(early.rules[0]?.because).toBe("It can't be told: 1 run waits for judges at this look.");
  expect(atLook(rules, tried({ cases: 120, change: waits }), 3).decision).toBe('pass');
});

test('a bound that is drawn is open where its tail is finer than the draws', () => {
  const level = levelOfEffort(Array.from({ length: 40 }, (_, index) => ({ effort: 1 + (index % 3), success: 1 })));
  if ('because' in level) throw new Error(level.because);

  expect([level.lower(1e-5), level.upper(1e-5)]).toEqual([0, Number.POSITIVE_INFINITY]);
  expect(level.lower(1e-4)).toBeGreaterThan(0);
  expect(level.upper(1e-4)).toBeLessThan(10);
});

const UNDECIDED = ['not_enough_evidence', 'not_enough_evidence'] as const;

async function later(candidate: ExperimentResult, text: string, baseline = BASELINE) {
  const rules = path.join(tempDirectory(), 'gate.yaml');
  writeFileSync(rules, text);
  const gated = await gateBetween({ candidate, baseline, rules });
  if (gated.is !== 'decided') return gated;
  return { ...gated, mayRelease: mayRelease(gated.result, gated.gate.onNotEnoughEvidence) };
}

const TEXT = 'rules: { tcr: { max_drop: 10 points } }\n';
const ENDED = { cases: 68, answers: [...UNDECIDED, 'pass'], rules: { file: 'gate.yaml', text: TEXT } } as const;

test('the gate gives the same answer later, however the file of rules is laid out', async () => {
  const gated = await later(tried(ENDED), `# as before\nrules:\n  tcr:\n    max_drop: 10 points\n`);

  expect(gated).toMatchObject({
    result: { decision: 'pass', warnings: [], look: { number: 3, cases: 68, ofCases: 120, isEnd: true } },
    mayRelease: true,
  });
});

test('other rules and another baseline are decided at the same look and share, and the gate says so', async () => {
  const other = { ...BASELINE, experiment: { ...BASELINE.experiment, id: 'another' } };
  const rules = await later(tried(ENDED), 'rules: { tcr: { max_drop: 6 points } }\n');
  const baseline = await later(tried(ENDED), TEXT, other);

  // At the whole error, 68 cases would show a limit of 6 points to be kept.
  expect(rules).toMatchObject({ result: { decision: 'not_enough_evidence', look: { number: 3 } } });
  expect(rules.is === 'decided' && rules.result.warnings).toEqual([
    '2026-11-20-b ended early for another question: by gate.yaml as it was then. This one is decided at the same look, by the share of the error that the look has',
  ]);
  expect(baseline.is === 'decided' && baseline.result.warnings[0]).toContain('another question: against 2026-11-20-a.');
});

test('an interrupted experiment is decided at its last look, is not let pass there, and not before the first', async () => {
  const text = `on_not_enough_evidence: pass\n${TEXT}`;
  const rules = { file: 'gate.yaml', text };
  const between = await later(tried({ cases: 100, answers: UNDECIDED, rules }), text);

  expect(between).toMatchObject({
    result: { decision: 'not_enough_evidence', look: { number: 2, isEnd: false }, candidate: { runs: 45 } },
    mayRelease: false,
  });
  expect(await later(tried({ cases: 12, rules }), text)).toMatchObject({
    is: 'undecidable',
    problems: [expect.stringContaining('has not come to its first look at 30 cases (12 runs are known)')],
  });
});

test('a baseline that ended early is told of, because its figures lean to the side that ended it', async () => {
  const ended = tried(ENDED);
  const candidate = experimentOf('c', passing(IDS.map(() => 1 as const)));
  const gated = await later(candidate, TEXT, ended);

  expect(gated.is === 'decided' && gated.result.look).toBeUndefined();
  expect(gated.is === 'decided' && gated.result.warnings).toEqual([
    '2026-11-20-b ended early, after 68 of 120 cases, because the gate against 2026-11-20-a was decided: a pass. Its figures lean to that side, and intervals do not allow for it',
  ]);
});

test('an answer that is another than when the look was held is told', async () => {
  const gated = await later(tried({ ...ENDED, answers: [...UNDECIDED, 'regression'] }), TEXT);

  expect(gated.is === 'decided' && gated.result.warnings).toEqual([
    'at look 3 the answer was regression when it was held, and is not now: the runs of the candidate or of the baseline were changed since, or another version of Assay decides',
  ]);
});
