import { expect, test } from 'vitest';
import type { Verdict } from '../../src/model/evaluation.ts';
import { compileSuite } from '../../src/score/suite/compile-suite.ts';
import { evaluate } from '../../src/score/suite/evaluate.ts';
import { notApplicable } from '../../src/score/subject/answer.ts';
import type { CheckedCriterion, Criterion, OutcomeRule, Suite } from '../../src/score/suite/suite.ts';
import { aConversation, aTurn, anError, aToolCall, MISSING, ROOT_SPAN, spanId } from './conversations.ts';

function aSuite(criteria: readonly Partial<CheckedCriterion>[], parts: Partial<Suite> = {}) {
  const share = Math.floor(1e6 / criteria.length) / 1e6;
  const full = criteria.map(
    (criterion, index): Criterion => ({
      name: `c${index}`,
      question: `Is ${index} right?`,
      weight: share,
      check: () => true,
      ...criterion,
    }),
  );
  const suite: Suite = { name: 'test', scope: 'conversation', normalize: true, criteria: full, ...parts };
  const compiled = compileSuite(suite, { file: 'test.ts', placeOf: () => ({ line: undefined, column: undefined }) });
  if (compiled.suite === undefined) throw new Error(JSON.stringify(compiled.mistakes));
  return compiled.suite;
}

function evaluateOne(criterion: Partial<CheckedCriterion>, conversation = aConversation()): Verdict {
  const evaluation = evaluate(aSuite([criterion]), { conversation, turnId: undefined, revision: 1 });
  const verdict = evaluation.verdicts.get('c0');
  if (verdict === undefined) throw new Error('there is no verdict');
  return verdict;
}

/** A value that a module written in JavaScript might return. */
function giving(answer: () => unknown): Partial<CheckedCriterion> {
  return { check: answer as CheckedCriterion['check'] };
}

test('true is a pass and false is a fail, with the question as the reason', () => {
  expect(evaluateOne({ check: () => true })).toEqual({ verdict: 'pass', reason: 'Is 0 right? Yes.', evidence: [] });
  expect(evaluateOne({ check: () => false })).toEqual({
    verdict: 'fail',
    reason: 'Is 0 right? No.',
    evidence: [ROOT_SPAN],
  });
});

test('a failure carries its evidence in order, without what is no span id', () => {
  const evidence = [spanId(9), undefined, spanId(3), spanId(9)];

  const verdict = evaluateOne({ check: () => ({ pass: false, reason: 'Both are wrong.', evidence }) });

  expect(verdict).toEqual({ verdict: 'fail', reason: 'Both are wrong.', evidence: [spanId(9), spanId(3)] });
});

test.each<[string, () => unknown, string]>([
  ['a number', () => 1, 'The check gave number instead of a boolean'],
  ['nothing', () => undefined, 'The check gave undefined instead of a boolean'],
  ['null', () => null, 'The check gave null instead of a boolean'],
  ['an object without pass', () => ({}), 'The check gave object instead of a boolean'],
  ['pass that is no boolean', () => ({ pass: 'yes' }), 'The check gave object instead of a boolean'],
  ['a promise', () => Promise.resolve(true), 'checks are synchronous'],
  ['a promise that is rejected', () => Promise.reject(new Error('late')), 'checks are synchronous'],
])('a check that gives %s is an error', (_what, answer, reason) => {
  const verdict = evaluateOne(giving(answer));

  expect(verdict.verdict).toBe('error');
  expect(verdict.reason).toContain(reason);
});

test.each([
  ['an error', new RangeError('too big'), 'The check threw RangeError: too big'],
  ['a text', 'oops', 'The check threw oops.'],
  ['undefined', undefined, 'The check threw undefined.'],
  ['an error of many lines', new Error('one\ntwo'), 'The check threw Error: one'],
  ['a very long error', new Error('x'.repeat(1_000_000)), `The check threw Error: ${'x'.repeat(276)}…`],
])('a check that throws %s is an error with a reason of one bounded line', (_what, thrown, reason) => {
  const verdict = evaluateOne({
    check: () => {
      throw thrown;
    },
  });

  expect(verdict).toEqual({ verdict: 'error', reason });
  expect(reason.length).toBeLessThanOrEqual(300);
});

test('a check that runs out of stack is an error', () => {
  const recurse = (): boolean => recurse() && recurse();

  expect(evaluateOne({ check: recurse }).verdict).toBe('error');
});

test('reasons are one bounded, well-formed line, whatever a check says', () => {
  const { reason } = evaluateOne({
    check: () => ({ pass: false, reason: `a\n\u0000b\u2028\ud800${'c'.repeat(5000)}` }),
  });

  expect(reason).toMatch(/^a b \ufffdc+…$/);
  expect(reason.length).toBe(300);
});

test('needs that were not met and conditions that do not hold make a check not applicable without running it', () => {
  const check = () => {
    throw new Error('must not run');
  };

  expect(evaluateOne({ check, needs: ['truth'] })).toMatchObject({
    verdict: 'not_applicable',
    reason: expect.stringContaining('No truth'),
  });
  expect(evaluateOne({ check, when: () => false })).toMatchObject({ verdict: 'not_applicable' });
  expect(evaluateOne({ check, when: () => notApplicable('It is Sunday.') })).toMatchObject({
    verdict: 'not_applicable',
    reason: 'It is Sunday.',
  });
});

test('a check that was stopped is an error with the given reason, and is not run again', () => {
  const ran: number[] = [];
  const suite = aSuite([
    { check: () => true },
    {
      check: () => {
        throw new Error('must not run');
      },
    },
    { check: () => true },
  ]);

  const evaluation = evaluate(
    suite,
    { conversation: aConversation(), turnId: undefined, revision: 1 },
    { stopped: new Map([['c1', 'It ran past its limit of 1000 ms.']]), onCriterion: (index) => ran.push(index) },
  );

  expect(evaluation.verdicts.get('c1')).toEqual({
    verdict: 'error',
    reason: 'It ran past its limit of 1000 ms.',
  });
  expect(ran).toEqual([0, 2]);
  expect(evaluation.score).toBe(1_000_000);
});

test.each<[string, Partial<CheckedCriterion>, string]>([
  ['of the task', {}, 'graceful_failure'],
  ['of form', { about: 'form' }, 'successful_completion'],
  ['of rules', { about: 'rules' }, 'graceful_failure'],
  ['that the suite excepts', { critical: false }, 'successful_completion'],
  ['without a weight', { weight: 0 }, 'successful_completion'],
])('completed with 0.75 or more, it is no success if a criterion failed %s', (_what, failing, outcome) => {
  const suite = aSuite(
    [
      { weight: 0.75, check: () => true },
      { weight: 0.25, check: () => false, ...failing },
    ],
    { normalize: true },
  );

  const evaluation = evaluate(suite, { conversation: aConversation(), turnId: undefined, revision: 1 });

  expect(evaluation.outcome).toBe(outcome);
  expect(evaluation.explanation.includes('no success because c1 failed')).toBe(outcome === 'graceful_failure');
});

test.each<[string, readonly boolean[], Parameters<typeof aTurn>[0], string]>([
  ['completed with 1', [true, true, true, true], {}, 'successful_completion'],
  ['completed with 0.50', [true, true, false, false], {}, 'graceful_failure'],
  ['completed with 0.25', [true, false, false, false], {}, 'partial_failure'],
  ['completed with 0: the default knows no hard failure there', [false, false, false, false], {}, 'partial_failure'],
  ['failed with 1', [true, true, true, true], { error: anError('boom') }, 'graceful_failure'],
  ['failed with 0', [false, false, false, false], { error: anError('boom') }, 'hard_failure'],
  ['no answer with 0', [false, false, false, false], { answered: MISSING }, 'hard_failure'],
])('by default, %s', (_what, answers, turn, outcome) => {
  const suite = aSuite(answers.map((answer) => ({ weight: 0.25, check: () => answer })));

  expect(evaluate(suite, { conversation: aConversation([aTurn(turn)]), turnId: undefined, revision: 1 }).outcome).toBe(
    outcome,
  );
});

test('the first outcome rule that holds wins, and one that throws does not hold and is told of', () => {
  const outcomes: OutcomeRule[] = [
    {
      outcome: 'hard_failure',
      when: () => {
        throw new Error('no idea');
      },
      because: 'the moon is full',
    },
    { outcome: 'graceful_failure', when: ({ score, verdicts }) => score === 1 && verdicts.get('c0') === 'pass' },
    { outcome: 'partial_failure' },
  ];

  const evaluation = evaluate(aSuite([{}], { outcomes }), {
    conversation: aConversation(),
    turnId: undefined,
    revision: 1,
  });

  expect(evaluation.outcome).toBe('graceful_failure');
  expect(evaluation.explanation).toContain(
    '"the moon is full" could not be worked out (The check threw Error: no idea)',
  );
});

test.each<[string, Criterion['critical'], boolean, string]>([
  ['caps a success at a partial failure', true, false, 'partial_failure'],
  ['caps it at the outcome it names', 'hard_failure', false, 'hard_failure'],
  ['caps nothing where it passes', true, true, 'successful_completion'],
])('a critical criterion %s', (_what, critical, passes, outcome) => {
  const suite = aSuite([{ weight: 0.1, critical: critical ?? false, check: () => passes }, { weight: 0.9 }]);

  expect(evaluate(suite, { conversation: aConversation(), turnId: undefined, revision: 1 }).outcome).toBe(outcome);
});

test('a cap never makes an outcome better', () => {
  const suite = aSuite([{ critical: 'graceful_failure', check: () => false }]);
  const conversation = aConversation([aTurn({ error: anError('boom') })]);

  expect(evaluate(suite, { conversation, turnId: undefined, revision: 1 }).outcome).toBe('hard_failure');
});

test('nothing decidable is unscored, and the explanation says why', () => {
  const suite = aSuite([{ needs: ['truth'] }, { needs: ['truth'] }, giving(() => 5)]);

  const evaluation = evaluate(suite, { conversation: aConversation(), turnId: undefined, revision: 1 });

  expect(evaluation).toMatchObject({ score: undefined, outcome: 'unscored' });
  expect(evaluation.explanation).toMatch(
    /^Unscored, because no criterion could be decided; not applicable: c0 and c1 \(No truth is known.*\); could not be checked: c2 \(.*\)\.$/,
  );
});

test('the explanation is one sentence with the score, the cause, and what failed with its reason', () => {
  const suite = aSuite([
    { name: 'right_time', weight: 0.5, check: () => ({ pass: false, reason: 'Booked 10:00, asked for 11:00.' }) },
    { name: 'right_people', weight: 0.5 },
  ]);

  expect(evaluate(suite, { conversation: aConversation(), turnId: undefined, revision: 1 }).explanation).toBe(
    'Score 0.50 makes this a graceful_failure (score >= 0.50); failed: right_time (Booked 10:00, asked for 11:00).',
  );
});

test('extracts are computed once, when first read, and an extract that throws is the error of its readers alone', () => {
  let computed = 0;
  const suite = aSuite(
    [
      { check: (c) => c.extracts.calls === 1 },
      { check: (c) => c.extracts.calls === 1 },
      { check: (c) => c.extracts.broken === 1 },
    ],
    {
      extract: {
        calls: (c) => {
          computed += 1;
          return c.toolCalls.length;
        },
        broken: () => {
          throw new Error('no');
        },
        unread: () => {
          throw new Error('must not be read');
        },
      },
    },
  );

  const evaluation = evaluate(suite, {
    conversation: aConversation([aTurn({ toolCalls: [aToolCall('a')] })]),
    turnId: undefined,
    revision: 1,
  });

  expect([...evaluation.verdicts.values()].map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'error']);
  expect(computed).toBe(1);
});

test('the same conversation gives the same evaluation', () => {
  const suite = aSuite([{}, { check: () => false }, { needs: ['state'] }]);
  const target = { conversation: aConversation(), turnId: undefined, revision: 2 };

  expect(evaluate(suite, target)).toEqual(evaluate(suite, target));
});
