/**
 * The examples of the published articles on binary weighted evaluation. Their evaluator of the scheduling agent is
 * written out below, as a referee for the example pack; the pack `scheduling` differs where a success would be a false
 * word.
 */
import { describe, expect, test } from 'vitest';
import type { Evaluation, Outcome } from '../../src/model/evaluation.ts';
import type { Json } from '../../src/model/json.ts';
import { bandOf } from '../../src/model/estimate-words.ts';
import { summarize } from '../../src/report/documents/summary.ts';
import { compileSuite } from '../../src/score/suite/compile-suite.ts';
import { notApplicable, type Scored, scored } from '../../src/score/define-suite.ts';
import { evaluate } from '../../src/score/suite/evaluate.ts';
import { aConversation, aTurn, anError, MISSING } from './conversations.ts';
import { loadPack, run } from './packs/packs.ts';

const article = await loadPack('scheduling-article');
const scheduling = await loadPack('scheduling');
const clarity = await loadPack('response-clarity');
const recovery = await loadPack('error-recovery');

const WEIGHTS: Readonly<Record<string, number>> = {
  correct_participants: 0.25,
  correct_time: 0.25,
  correct_duration: 0.1,
  explored_alternatives: 0.2,
  clear_explanation: 0.2,
};

interface Scenario {
  readonly confirmed: boolean;
  readonly participants: boolean;
  readonly time: boolean;
  readonly duration: boolean;
  readonly alternatives: 'no conflict' | 'proposed' | 'none proposed';
  readonly answer: string;
  readonly failed: boolean;
}

const TRUTH = { participants: ['ana', 'bob'], time: '2026-03-02T10:00' };

function stateOf(scenario: Scenario): Json {
  return {
    conversation_stage: scenario.failed ? 'failed' : 'completed',
    scheduling_context: {
      booking_confirmed: scenario.confirmed,
      booked_event: {
        participants: scenario.participants ? ['bob', 'ana'] : ['eve'],
        time: scenario.time ? '2026-03-02T10:00' : '2026-03-02T11:00',
        duration: scenario.duration ? 30 : 60,
      },
      conflicts: scenario.alternatives === 'no conflict' ? [] : ['busy at 9:00'],
      proposed_alternatives: scenario.alternatives === 'proposed' ? ['2026-03-03T10:00'] : [],
    },
  };
}

/** The evaluator of the article: checks, the sum of weights, the ladder of outcomes. */
function referee(scenario: Scenario) {
  const { confirmed, answer, failed } = scenario;
  const checks: Readonly<Record<string, boolean>> = {
    correct_participants: confirmed && scenario.participants,
    correct_time: confirmed && scenario.time,
    correct_duration: confirmed && scenario.duration,
    explored_alternatives: scenario.alternatives !== 'none proposed',
    clear_explanation: !(failed && answer.length < 20) && answer.length > 20,
  };
  const hundredths = Object.entries(checks).reduce((sum, [name, ok]) => sum + (ok ? (WEIGHTS[name] ?? 0) * 100 : 0), 0);
  const score = Math.round(hundredths) / 100;
  return { checks, score, outcome: outcomeOf({ confirmed, failed, score }) };
}

function outcomeOf({
  confirmed,
  failed,
  score,
}: {
  readonly confirmed: boolean;
  readonly failed: boolean;
  readonly score: number;
}): Outcome {
  if (confirmed && score >= 0.75) return 'successful_completion';
  if (failed && score === 0) return 'hard_failure';
  return score >= 0.5 ? 'graceful_failure' : 'partial_failure';
}

const YES_OR_NO = [true, false];
const SCENARIOS: readonly Scenario[] = YES_OR_NO.flatMap((confirmed) =>
  YES_OR_NO.flatMap((participants) =>
    YES_OR_NO.flatMap((time) =>
      YES_OR_NO.flatMap((duration) =>
        (['no conflict', 'proposed', 'none proposed'] as const).flatMap((alternatives) =>
          ['x'.repeat(19), 'x'.repeat(20), 'x'.repeat(21), 'The meeting is booked for Monday at ten.'].flatMap(
            (answer) =>
              YES_OR_NO.map((failed) => ({ confirmed, participants, time, duration, alternatives, answer, failed })),
          ),
        ),
      ),
    ),
  ),
);

function evaluated(scenario: Scenario, suite = article): Evaluation {
  const turn = aTurn({ state: stateOf(scenario), truth: TRUTH, answered: scenario.answer });
  return run(suite, aConversation([turn]));
}

describe('the scheduling agent, as published', () => {
  test('has the weights of the article', () => {
    expect(Object.fromEntries(article.criteria.map(({ name, weight }) => [name, weight / 1e6]))).toEqual(WEIGHTS);
  });

  test('every combination of its checks has the verdicts, the score and the outcome of the article', () => {
    const seen = new Set<string>();
    for (const scenario of SCENARIOS) {
      const expected = referee(scenario);

      const { verdicts, score, outcome } = evaluated(scenario);

      const checks = Object.fromEntries([...verdicts].map(([name, { verdict }]) => [name, verdict === 'pass']));
      expect({ scenario, checks, score: (score ?? Number.NaN) / 1e6, outcome }).toEqual({ scenario, ...expected });
      seen.add(`${outcome} ${expected.score.toFixed(2)}`);
    }
    // The ladder at its boundaries, from both sides.
    expect([...seen]).toEqual(
      expect.arrayContaining([
        'successful_completion 0.75',
        'graceful_failure 0.65',
        'graceful_failure 0.50',
        'partial_failure 0.45',
        'hard_failure 0.00',
        'partial_failure 0.00',
      ]),
    );
  });

  test('a score is enough only of a booking that is confirmed: without one, 0.40 is the most', () => {
    const scores = SCENARIOS.filter(({ confirmed }) => !confirmed).map((scenario) => evaluated(scenario).score ?? 0);

    expect(Math.max(...scores)).toBe(400_000);
  });
});

describe('the pack scheduling', () => {
  test('is the same but where another meeting was booked than asked for, or a success would have failed something', () => {
    for (const scenario of SCENARIOS) {
      const { checks, score, outcome } = referee(scenario);
      const isOther = scenario.confirmed && !(scenario.participants && scenario.time);

      const evaluation = evaluated(scenario, scheduling);

      const { nothing_else_booked: other, ...shared } = Object.fromEntries(
        [...evaluation.verdicts].map(([name, { verdict }]) => [name, verdict === 'pass']),
      );
      expect({ scenario, ...shared }).toEqual({ scenario, ...checks });
      expect({ scenario, other }).toEqual({ scenario, other: scenario.confirmed && !isOther });
      const points = (evaluation.score ?? Number.NaN) / 1e6;
      if (isOther)
        expect({ scenario, points, is: evaluation.outcome }).toEqual({ scenario, points: 0, is: 'hard_failure' });
      else if (
        outcome === 'successful_completion' &&
        Object.entries(checks).some(([name, ok]) => !ok && name !== 'clear_explanation')
      )
        expect({ scenario, points, is: evaluation.outcome }).toEqual({
          scenario,
          points: score,
          is: 'graceful_failure',
        });
      else if (!scenario.confirmed && scenario.alternatives === 'proposed')
        expect({ scenario, is: evaluation.outcome }).toEqual({ scenario, is: 'graceful_failure' });
      else expect({ scenario, points, is: evaluation.outcome }).toEqual({ scenario, points: score, is: outcome });
    }
  });
});

describe('task completion rate', () => {
  const scoring = (score: number): Evaluation => ({ ...evaluated(SCENARIOS[0] as Scenario), score: score * 1e6 });

  test('is the mean of the scores', () => {
    expect(summarize([scoring(1), scoring(0.75), scoring(0.8)])).toMatchObject({ tcr: 0.85 });
    expect(summarize([scoring(0.75), scoring(0.65)])).toMatchObject({ tcr: 0.7 });
    expect(summarize([scoring(0.75), scoring(0.5)])).toMatchObject({ tcr: 0.625 });
  });

  test.each([
    [850_000, 'production ready'],
    [849_999, 'usable'],
    [700_000, 'usable'],
    [699_999, undefined],
    [0, undefined],
  ])(
    '%d millionths is %s, of the lower end of an estimate from readings: a mean score shows no band',
    (lower, band) => {
      expect(bandOf(lower / 1_000_000, 50)).toBe(band);
      expect(bandOf(lower / 1_000_000, 49)).toBeUndefined();
    },
  );

  test('of nothing is nothing, where the article has 0: nobody was found to be bad', () => {
    expect(summarize([])).toMatchObject({ tcr: null, evaluations: 0 });
  });

  test('outcomes are counted by class', () => {
    const evaluations = SCENARIOS.map((scenario) => evaluated(scenario));

    const { outcomes } = summarize(evaluations);

    const expected = Map.groupBy(SCENARIOS, (scenario) => referee(scenario).outcome);
    for (const [outcome, scenarios] of expected)
      expect([outcome, outcomes[outcome]]).toEqual([outcome, scenarios.length]);
  });
});

describe('the same pattern for other things', () => {
  test('clarity has the weights of the article, and fewer than 100 words are concise', () => {
    expect(clarity.criteria.map(({ name, weight }) => [name, weight / 1e6])).toEqual([
      ['addresses_request', 0.3],
      ['provides_next_step', 0.25],
      ['is_concise', 0.2],
      ['no_hallucination', 0.15],
      ['appropriate_tone', 0.1],
    ]);
    const concise = (words: number) =>
      run(clarity, aConversation([aTurn({ answered: 'word '.repeat(words) })])).verdicts.get('is_concise')?.verdict;
    expect([concise(99), concise(100)]).toEqual(['pass', 'fail']);
  });

  test('recovery has the weights of the article, which sum to 0.95 and are normalized', () => {
    expect(recovery.criteria.map(({ name, weight }) => [name, weight / 1e6])).toEqual([
      ['detected_error', 0.3],
      ['requested_clarification', 0.25],
      ['actionable_message', 0.2],
      ['no_hallucination', 0.15],
      ['no_crash', 0.05],
    ]);
    expect(recovery.totalWeight).toBe(950_000);
  });
});

describe('what a check may give', () => {
  const verdictOf = (check: unknown, answered: string | typeof MISSING = 'A short answer.') => {
    const criterion = { name: 'c', question: 'Is it good?', weight: 1, check: check as () => boolean };
    const { suite, mistakes } = compileSuite(
      { name: 's', scope: 'conversation', criteria: [criterion] },
      { file: 's.ts', placeOf: () => ({ line: undefined, column: undefined }) },
    );
    if (suite === undefined) throw new Error(JSON.stringify(mistakes));
    const turn = aTurn({ answered, ...(answered === MISSING && { error: anError('crashed') }) });
    const { verdicts, outcome } = evaluate(suite, {
      conversation: aConversation([turn]),
      turnId: undefined,
      revision: 1,
    });
    const verdict = verdicts.get('c');
    return [verdict?.verdict, verdict?.reason, outcome];
  };
  const lengthScore = ({ finalAnswer }: { readonly finalAnswer: string }): Scored => {
    const { length } = finalAnswer;
    if (length < 100) return { score: 1, comment: 'Response is concise', metadata: { length } };
    return length < 200
      ? { score: 0.7, comment: 'Response is moderately concise', metadata: { length } }
      : { score: 0.3, comment: 'Response is verbose', metadata: { length } };
  };

  test('a boolean', () => {
    const check = (c: { readonly finalAnswer: string }) => c.finalAnswer.length > 0;

    expect(verdictOf(check)).toEqual(['pass', 'Is it good? Yes.', 'successful_completion']);
    expect(verdictOf(check, MISSING)).toEqual(['fail', 'Is it good? No.', 'hard_failure']);
  });

  test('a text in the answer, in whatever case', () => {
    const check = (c: { readonly finalAnswer: string }) => c.finalAnswer.toLowerCase().includes('officeflow');

    expect(verdictOf(check, 'Welcome to OfficeFlow.')[0]).toBe('pass');
    expect(verdictOf(check, 'Welcome.')[0]).toBe('fail');
  });

  test.each([
    [99, 'pass', 'Response is concise: scored 1.00, and at least 0.75 is wanted (length 99).'],
    [100, 'fail', 'Response is moderately concise: scored 0.70, and at least 0.75 is wanted (length 100).'],
    [199, 'fail', 'Response is moderately concise: scored 0.70, and at least 0.75 is wanted (length 199).'],
    [200, 'fail', 'Response is verbose: scored 0.30, and at least 0.75 is wanted (length 200).'],
  ])('a score with a comment and metadata: an answer of %d characters', (length, verdict, reason) => {
    expect(verdictOf(scored(lengthScore, { atLeast: 0.75 }), 'x'.repeat(length)).slice(0, 2)).toEqual([
      verdict,
      reason,
    ]);
  });

  test.each<[string, unknown, number, string, string]>([
    ['at the boundary', 0.75, 0.75, 'pass', 'scored 0.75, and at least 0.75 is wanted.'],
    ['just below it', 0.749999, 0.75, 'fail', 'scored 0.749999, and at least 0.75 is wanted.'],
    ['a sum of decimals', 0.1 + 0.2 + 0.45, 0.75, 'pass', 'scored 0.75, and at least 0.75 is wanted.'],
    ['true', true, 1, 'pass', 'scored 1.00, and at least 1.00 is wanted.'],
    [
      '1 of the article',
      { score: 1, comment: 'Agent checked schema.' },
      1,
      'pass',
      'Agent checked schema: scored 1.00, and at least 1.00 is wanted.',
    ],
    [
      '0 of the article',
      { score: 0, comment: 'No outputs found' },
      0.5,
      'fail',
      'No outputs found: scored 0.00, and at least 0.50 is wanted.',
    ],
    [
      '0.8 of the article',
      { score: 0.8, comment: 'Good response with minor issues', metadata: { length: 15, nested: {} } },
      0.75,
      'pass',
      'Good response with minor issues: scored 0.80, and at least 0.75 is wanted (length 15).',
    ],
    ['not applicable', notApplicable('Nothing to score.'), 0.5, 'not_applicable', 'Nothing to score.'],
    ['a number beyond 1', 5, 0.5, 'error', 'The check gave a score of 5; scores go from 0 to 1.'],
    ['no number', Number.NaN, 0.5, 'error', 'The check gave a score of NaN; scores go from 0 to 1.'],
    ['no score', { comment: 'hm' }, 0.5, 'error', 'The check gave undefined as a score, not a number from 0 to 1.'],
    ['null', null, 0.5, 'error', 'The check gave null as a score, not a number from 0 to 1.'],
    ['a text', { score: '0.9' }, 0.5, 'error', 'The check gave string as a score, not a number from 0 to 1.'],
  ])('a score: %s', (_what, given, atLeast, verdict, reason) => {
    expect(verdictOf(scored(() => given as number, { atLeast })).slice(0, 2)).toEqual([verdict, reason]);
  });

  test.each([0, 1.5, -1, Number.NaN, 0.1234567])('a threshold of %d is refused when the suite is loaded', (atLeast) => {
    expect(() => scored(() => 1, { atLeast })).toThrow(/expected a number above 0, at most 1/);
  });

  test('a score without a threshold is an error that says what to do', () => {
    expect(verdictOf(() => ({ score: 1, comment: 'fine' }))).toEqual([
      'error',
      'The check gave a score; say what is enough: scored(check, { atLeast: 0.75 }).',
      'unscored',
    ]);
  });

  test('an output that is missing or malformed, and a check that breaks on it: an error, where the article has a 0', () => {
    const check = scored(({ finalAnswer }) => ({ score: JSON.parse(finalAnswer).score }), { atLeast: 0.5 });

    expect(verdictOf(check, '{"score": 0.9}')[0]).toBe('pass');
    expect(verdictOf(check, '{"score": ')[0]).toBe('error');
    expect(verdictOf(check, MISSING)[0]).toBe('error');
  });
});
