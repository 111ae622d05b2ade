import { expect, test } from 'vitest';
import { compileSuite } from '../../src/score/suite/compile-suite.ts';
import { evaluate } from '../../src/score/suite/evaluate.ts';
import { FAILURE_EXPECTED } from '../../src/score/subject/failure-kind.ts';
import { readSuite } from '../../src/score/suite/read-suite.ts';
import type { CheckedCriterion, Suite } from '../../src/score/suite/suite.ts';
import { aConversation, aTurn, anError, MISSING } from './conversations.ts';

type Written = Partial<CheckedCriterion> & { readonly passes: boolean };

const ORIGIN = { file: 'test.ts', placeOf: () => ({ line: undefined, column: undefined }) };

function suiteOf(criteria: readonly Written[], parts: Partial<Suite> = {}): Suite {
  return {
    name: 'test',
    scope: 'conversation',
    normalize: true,
    about: 'form',
    criteria: criteria.map(({ passes, ...criterion }, index) => ({
      name: `c${index}`,
      question: 'Is it right?',
      weight: 0.1,
      check: () => passes,
      ...criterion,
    })),
    ...parts,
  };
}

function kindOf(criteria: readonly Written[], parts?: Partial<Suite>, conversation = aConversation()) {
  const { suite, mistakes } = compileSuite(suiteOf(criteria, parts), ORIGIN);
  if (suite === undefined) throw new Error(JSON.stringify(mistakes));
  const { outcome, because } = evaluate(suite, { conversation, turnId: undefined, revision: 1 });
  return { outcome, because };
}

const HEAVY_PASS = { passes: true, weight: 1 };

test('of several that failed, the one with the greatest weight says what it was', () => {
  const criteria = [
    { passes: false, failsAs: 'same retry' },
    { passes: false, failsAs: 'loop', weight: 0.4 },
    { passes: false, failsAs: 'no next step', weight: 0.4 },
    HEAVY_PASS,
  ];

  expect(kindOf(criteria)).toEqual({ outcome: 'graceful_failure', because: 'loop' });
});

test('a criterion that caps the outcome says it, however little it weighs', () => {
  const criteria = [
    { passes: false, failsAs: 'loop', weight: 0.4 },
    { passes: false, failsAs: 'wrong change', weight: 0.05, critical: 'hard_failure' as const },
    HEAVY_PASS,
  ];

  expect(kindOf(criteria)).toEqual({ outcome: 'hard_failure', because: 'wrong change' });
});

test('a criterion that bars a success says it, however much one about form weighs', () => {
  const criteria = [
    { passes: false, failsAs: 'too long', about: 'form' as const, weight: 0.2 },
    { passes: false, failsAs: 'wrong time' },
    HEAVY_PASS,
  ];

  expect(kindOf(criteria, { about: 'task' })).toEqual({ outcome: 'graceful_failure', because: 'wrong time' });
});

test('a kind that another criterion has to see is not said where it did not', () => {
  const failsAs = [{ kind: 'honest failure', ifPassed: 'told' }, { kind: 'tool failed' }];
  const of = (told: Written) => kindOf([{ passes: false, failsAs }, { name: 'told', ...told }, HEAVY_PASS]).because;

  expect(of({ passes: true })).toBe('honest failure');
  expect(of({ passes: true, needs: ['truth'] })).toBe('tool failed');
});

test('without words the name of the criterion stands for them', () => {
  expect(kindOf([{ passes: false }, HEAVY_PASS]).because).toBe('c0');
});

test('a success, a hand-over and what has no score have no kind', () => {
  expect(kindOf([HEAVY_PASS])).toEqual({ outcome: 'no_fault_found', because: undefined });
  expect(kindOf([{ passes: true, needs: ['truth'] }])).toEqual({ outcome: 'unscored', because: undefined });
  const handedOver = { outcomes: [{ outcome: 'handed_over' as const }] };
  expect(kindOf([{ passes: false, failsAs: 'loop' }, HEAVY_PASS], handedOver).because).toBeUndefined();
});

test('a conversation that broke off says how', () => {
  const broken = aConversation([aTurn({ answered: MISSING, error: anError('it crashed') })]);

  expect(kindOf([HEAVY_PASS], {}, broken)).toEqual({ outcome: 'hard_failure', because: 'no answer' });
});

test.each(['__proto__', '<b>loop</b>', 'l'.repeat(41), ' ', 'a\u202eb'])(
  'the kind %j is refused with its place',
  (failsAs) => {
    const { mistakes } = compileSuite(suiteOf([{ passes: false, failsAs }]), ORIGIN);

    expect(mistakes).toMatchObject([{ path: 'criteria[0].fails_as', expected: expect.stringContaining('40 letters') }]);
  },
);

test.each(['success', 'Passed', 'successful_completion', 'successful completion', 'no-fault-found', 'unscored'])(
  '%j is no kind of failure, and is refused with its place',
  (failsAs) => {
    const { mistakes } = compileSuite(suiteOf([{ passes: false, failsAs }]), ORIGIN);

    expect(mistakes).toMatchObject([
      { path: 'criteria[0].fails_as', problem: `'${failsAs}' is no kind of failure`, expected: FAILURE_EXPECTED },
    ]);
  },
);

test.each(['false success', 'not passed', 'handed over too early', 'hard failure'])(
  '%j is a kind of failure',
  (failsAs) => {
    expect(compileSuite(suiteOf([{ passes: false, failsAs }]), ORIGIN).mistakes).toEqual([]);
  },
);

test('a condition on a criterion that is not there is a mistake, in YAML as in code', () => {
  const written = `
suite: test
scope: conversation
criteria:
  - { name: a, question: Is it?, weight: 1, check: 'true', fails_as: [{ kind: loop, if_passed: b }] }
`;

  expect(readSuite(written, 'test.yaml').mistakes).toMatchObject([
    { path: 'criteria[0].fails_as[0]', problem: "there is no criterion 'b'" },
  ]);
});
