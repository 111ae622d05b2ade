import { expect, test } from 'vitest';
import { defineSuite, isDefinedSuite, notApplicable } from '../../src/score/define-suite.ts';

test('what extracts give is typed in every check', () => {
  const suite = defineSuite({
    name: 'typed',
    scope: 'conversation',
    extract: { calls: (c) => c.tools('refund_*'), sum: () => 12 },
    completed: (c) => c.extracts.sum > 10,
    criteria: [
      {
        name: 'once',
        question: 'Once?',
        weight: 1,
        check: (c) => (c.extracts.calls.length === 0 ? notApplicable('None.') : c.extracts.sum.toFixed(0) === '12'),
        // @ts-expect-error there is no such extract, and that is found when it is written.
        when: (c) => c.extracts.nothing,
      },
    ],
    outcomes: [{ outcome: 'hard_failure', when: ({ score, subject }) => score === 0 && subject.extracts.sum > 1 }],
  });

  expect(isDefinedSuite(suite)).toBe(true);
});

test('a suite without extracts needs no types', () => {
  const suite = defineSuite({
    name: 'plain',
    scope: 'turn',
    criteria: [{ name: 'ok', question: 'OK?', weight: 1, check: (c) => c.finalAnswer.length > 0 }],
  });

  expect(isDefinedSuite(suite)).toBe(true);
  expect(isDefinedSuite({ ...suite, name: 'copied' })).toBe(true);
  expect([undefined, null, 'x', {}, []].some(isDefinedSuite)).toBe(false);
});
