/** How conversations end, and what that does to a score: a crash always counts, and a hand-over is no failure. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defineSuite } from '../../src/score/define-suite.ts';
import { handsOverBy, handsOverByDefault } from '../../src/score/subject/hand-over.ts';
import { subjectOf } from '../../src/score/subject/subject.ts';
import { compileSuite } from '../../src/score/suite/compile-suite.ts';
import { evaluate } from '../../src/score/suite/evaluate.ts';
import type { CompiledSuite } from '../../src/score/suite/suite.ts';
import { weighAgain } from '../../src/score/suite/weigh-again.ts';
import type { TurnId } from '../../src/model/ids.ts';
import type { VerdictKind } from '../../src/model/evaluation.ts';
import { aConversation, anError, aToolCall, aTurn, content, MISSING, REDACTED } from './conversations.ts';

type TurnParts = Parameters<typeof aTurn>[0];

const HANDED = aToolCall('transfer_to_human_agents', { result: content('ok') });
const NOWHERE = { file: 'test.ts', placeOf: () => ({ line: undefined, column: undefined }) };

function compiled(suite: Parameters<typeof defineSuite>[0]): CompiledSuite {
  const { suite: made, mistakes } = compileSuite(defineSuite(suite), NOWHERE);
  if (made === undefined) throw new Error(JSON.stringify(mistakes));
  return made;
}

function endingOf(turn: TurnParts, turnId?: TurnId) {
  return subjectOf(aConversation([aTurn(turn)]), turnId).ending;
}

describe('the ending of a conversation', () => {
  test.each([
    ['answered', { answered: 'Your order arrives on Thursday.' }],
    ['answered', { answered: 'Your refund is done. Is there anything else I can help you with?' }],
    ['abandoned', { answered: 'Which of the two orders do you mean?', ended: false }],
    ['refused', { answered: "I'm sorry, but I can't help with that." }],
    ['handed_over', { answered: MISSING, toolCalls: [HANDED] }],
    ['handed_over', { answered: 'A colleague takes over.', toolCalls: [HANDED] }],
    ['no_answer', { answered: MISSING, error: anError('boom') }],
    ['no_answer', { answered: '   ' }],
    ['error', { answered: 'That did not work.', error: anError('boom') }],
    ['answered', { answered: REDACTED }],
  ] as const)('%s', (ending, turn) => {
    expect(endingOf(turn)).toBe(ending);
  });

  test('a hand-over that failed is none', () => {
    const failed = aToolCall('transfer_to_human_agents', { error: anError('nobody is there') });
    expect(endingOf({ answered: MISSING, toolCalls: [failed] })).toBe('no_answer');
  });

  test('a turn by itself asks, and so does a conversation whose end is marked; else the user left', () => {
    const turn = { answered: 'Which one?', ended: false };
    expect(endingOf(turn, 't1' as TurnId)).toBe('asked');
    expect(subjectOf(aConversation([{ ...aTurn(turn), ended: true }]), undefined).ending).toBe('asked');
    expect(endingOf(turn)).toBe('abandoned');
  });
});

describe('tools that hand over', () => {
  test.each([
    'transfer_to_human_agents',
    'transferToHuman',
    'handoff-to-human',
    'escalate_to_human',
    'escalate',
    'support.live_agent.request',
    'request_human_help',
  ])('%s does', (name) => {
    expect(handsOverByDefault(name)).toBe(true);
  });

  test.each(['transfer_to_billing_agent', 'transfer_money', 'format_human_readable', 'de_escalation_tips', 'handoff'])(
    '%s does not',
    (name) => {
      expect(handsOverByDefault(name)).toBe(false);
    },
  );

  test('which ones can be configured', () => {
    const handsOver = handsOverBy(['callFrontDesk*']);
    expect([handsOver('call-front-desk-now'), handsOver('transfer_to_human')]).toEqual([true, false]);
  });
});

const TASK = {
  name: 'task',
  scope: 'conversation' as const,
  criteria: [
    { name: 'a', question: 'A?', weight: 0.5, check: () => true },
    { name: 'b', question: 'B?', weight: 0.5, needs: ['truth' as const], check: () => true },
  ],
};

describe('what an ending does', () => {
  const run = (suite: CompiledSuite, turn: TurnParts) =>
    evaluate(suite, { conversation: aConversation([aTurn(turn)]), turnId: undefined, revision: 1 });

  test('a conversation that was handed over is neither a success nor a failure where only its form is known', () => {
    for (const check of [() => true, () => false]) {
      const criteria = TASK.criteria.map((criterion) => ({ ...criterion, about: 'form' as const, check }));
      const evaluation = run(compiled({ ...TASK, criteria }), { answered: MISSING, toolCalls: [HANDED] });
      expect(evaluation).toMatchObject({ outcome: 'handed_over', decidedShare: 500_000 });
      expect(evaluation.explanation).toContain('a person was asked to take over');
    }
  });

  test.each<[string, boolean, TurnParts, string]>([
    ['a success where the task was done', true, {}, 'successful_completion'],
    ['handed over where it was not', false, {}, 'handed_over'],
    ['handed over where the agent broke beside it', true, { error: anError('boom') }, 'handed_over'],
  ])('by decided evidence of the task, a hand-over is %s', (_what, isDone, parts, outcome) => {
    const [a, b] = TASK.criteria;
    const suite = compiled({ ...TASK, criteria: [{ ...a, check: () => isDone }, b] as never });
    const evaluation = run(suite, { answered: MISSING, toolCalls: [HANDED], ...parts });

    expect(evaluation.outcome).toBe(outcome);
    const { verdicts, basis, ending } = evaluation;
    const kinds = new Map([...verdicts].map(([name, { verdict }]) => [name, verdict]));
    expect(weighAgain(suite, { verdicts: kinds, conditions: basis?.conditions, ending })).toMatchObject({ outcome });
  });

  test('a hand-over of which a part of the task was not done stays one, whatever the score', () => {
    const [a, b] = TASK.criteria;
    const criteria = [
      { ...a, weight: 0.8 },
      { ...b, weight: 0.2, needs: [], check: () => false },
    ] as never;
    const evaluation = run(compiled({ ...TASK, criteria }), { answered: MISSING, toolCalls: [HANDED] });
    expect(evaluation).toMatchObject({ outcome: 'handed_over', score: 800_000 });
  });

  test('a suite that has its own end of the task, and did not come to it, is no success', () => {
    const suite = compiled({ ...TASK, completed: () => false });
    expect(run(suite, { answered: MISSING, toolCalls: [HANDED] }).outcome).toBe('handed_over');
  });

  test('rules of its own are asked in their order', () => {
    const outcomes = [
      { outcome: 'handed_over' as const, when: ({ ending }: { readonly ending: string }) => ending === 'handed_over' },
      { outcome: 'successful_completion' as const },
    ];
    expect(run(compiled({ ...TASK, outcomes }), { answered: MISSING, toolCalls: [HANDED] }).outcome).toBe(
      'handed_over',
    );
  });

  test('one of which too little was decided is handed over too, without a score, unless the suite has other outcomes', () => {
    const little = { ...TASK, minDecided: 0.9 };
    const handedOver = { answered: MISSING, toolCalls: [HANDED] };
    const evaluation = run(compiled(little), handedOver);
    expect(evaluation).toMatchObject({ outcome: 'handed_over', score: undefined, decidedShare: 500_000 });
    expect(evaluation.explanation).toContain('handed_over (a person was asked to take over) without a score');
    const { verdicts, basis, ending } = evaluation;
    const kinds = new Map([...verdicts].map(([name, { verdict }]) => [name, verdict]));
    expect(weighAgain(compiled(little), { verdicts: kinds, conditions: basis?.conditions, ending })).toEqual({
      score: undefined,
      outcome: 'handed_over',
    });
    const outcomes = [{ outcome: 'successful_completion' as const, when: () => true }];
    expect(run(compiled({ ...little, outcomes }), handedOver).outcome).toBe('unscored');
    expect(run(compiled(little), {}).outcome).toBe('unscored');
  });

  test('a criterion that is critical makes a failure of it all the same', () => {
    const [a, b] = TASK.criteria;
    const suite = compiled({ ...TASK, criteria: [{ ...a, check: () => false, critical: 'hard_failure' }, b] as never });
    expect(run(suite, { answered: MISSING, toolCalls: [HANDED] })).toMatchObject({ outcome: 'hard_failure', score: 0 });
  });

  test('a crash is a hard failure with score 0, even where too little can be decided, and says so', () => {
    const evaluation = run(compiled({ ...TASK, minDecided: 0.9 }), { answered: MISSING, error: anError('boom') });
    expect(evaluation).toMatchObject({ outcome: 'hard_failure', score: 0 });
    expect(evaluation.explanation).toContain('ended without an answer');
  });

  test('a suite may leave a crash to its criteria', () => {
    const suite = compiled({ ...TASK, crash: 'by_criteria', minDecided: 0.9 });
    expect(run(suite, { answered: MISSING, error: anError('boom') })).toMatchObject({ outcome: 'unscored' });
  });

  test('an honest answer beside an error is for the criteria', () => {
    const evaluation = run(compiled(TASK), { answered: 'Our order system is down.', error: anError('boom') });
    expect(evaluation).toMatchObject({ score: 1_000_000, outcome: 'graceful_failure' });
  });

  test('an answer that was not recorded is no crash', () => {
    expect(run(compiled(TASK), { answered: REDACTED })).toMatchObject({ score: 1_000_000 });
  });
});

test('success takes evidence of the task: what only looks at form, or for broken rules, finds no fault', () => {
  const turn = { answered: 'Here is a full answer to what you asked for.' };
  const run = (suite: CompiledSuite) =>
    evaluate(suite, { conversation: aConversation([aTurn(turn)]), turnId: undefined, revision: 1 });

  expect(run(compiled(TASK))).toMatchObject({ outcome: 'successful_completion', about: 'task' });
  expect(run(compiled({ ...TASK, about: 'rules' }))).toMatchObject({ outcome: 'no_fault_found', about: 'rules' });
  // A criterion about the task that could not be decided is no evidence.
  const [, b] = TASK.criteria;
  const rules = { name: 'r', question: 'R?', weight: 0.5, check: () => true };
  const undecided = compiled({ ...TASK, about: 'rules', criteria: [rules, b] as never });
  expect(run(undecided)).toMatchObject({ outcome: 'no_fault_found', about: 'rules' });
});

/** The mean over what is scored. */
function tcrOf(evaluations: readonly { readonly score: number | undefined }[]): number {
  const scored = evaluations.flatMap(({ score }) => (score === undefined ? [] : [score]));
  return scored.reduce((sum, score) => sum + score, 0) / Math.max(1, scored.length);
}

const anyCriterion = fc.record({
  verdict: fc.constantFrom('pass' as const, 'fail' as const, 'not_applicable' as const, 'error' as const),
  critical: fc.constantFrom(undefined, true as const, 'hard_failure' as const, 'graceful_failure' as const),
  weight: fc.integer({ min: 1, max: 5 }),
});

function suiteWhoseChecksSay(
  criteria: readonly {
    readonly critical: true | 'hard_failure' | 'graceful_failure' | undefined;
    readonly weight: number;
  }[],
  minDecided: number,
  says: (conversation: string, criterion: number) => VerdictKind,
): CompiledSuite {
  return compiled({
    name: 'any',
    scope: 'conversation',
    normalize: true,
    minDecided,
    criteria: criteria.map(({ critical, weight }, index) => ({
      name: `c${index}`,
      question: `C${index}?`,
      weight: weight / 10,
      ...(critical !== undefined && { critical }),
      check: ({ conversation }: { readonly conversation: { readonly id: string } }) => {
        const said = says(conversation.id, index);
        if (said === 'error') throw new Error('broken');
        return said === 'not_applicable' ? { notApplicable: 'it is not' } : said === 'pass';
      },
    })) as never,
  });
}

test('the TCR of a version that crashes more never rises for it', () => {
  fc.assert(
    fc.property(
      fc.array(anyCriterion, { minLength: 1, maxLength: 4 }),
      fc.array(fc.record({ crashes: fc.boolean(), said: fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }) }), {
        minLength: 1,
        maxLength: 8,
      }),
      fc.constantFrom(0, 0.5, 0.9),
      (criteria, conversations, minDecided) => {
        const kinds = ['pass', 'fail', 'not_applicable', 'error'] as const;
        const suite = suiteWhoseChecksSay(criteria, minDecided, (id, index) => {
          const said = conversations[Number(id.slice(1))]?.said[index] ?? 0;
          return kinds[said] ?? 'error';
        });
        const scoreAll = (crashes: boolean) =>
          conversations.map((one, index) => {
            const turn: TurnParts =
              crashes && one.crashes
                ? { answered: MISSING, error: anError('boom') }
                : { answered: 'Done, as you asked.' };
            const conversation = { ...aConversation([aTurn(turn)]), id: `k${index}` as never };
            return evaluate(suite, { conversation, turnId: undefined, revision: 1 });
          });
        const [without, withCrashes] = [scoreAll(false), scoreAll(true)];
        // A conversation that would be unscored without the crash counts as 0 with it.
        expect(withCrashes.filter(({ score }) => score === undefined).length).toBeLessThanOrEqual(
          without.filter(({ score }) => score === undefined).length,
        );
        expect(tcrOf(withCrashes)).toBeLessThanOrEqual(tcrOf(without));
        for (const [index, { outcome }] of withCrashes.entries())
          if (conversations[index]?.crashes === true) expect(outcome).toBe('hard_failure');
      },
    ),
  );
});

test('what was stored can be weighed again to the same score and outcome, without the conversation', () => {
  fc.assert(
    fc.property(
      fc.array(anyCriterion, { minLength: 1, maxLength: 4 }),
      fc.constantFrom<TurnParts>(
        { answered: 'Done, as you asked.' },
        { answered: MISSING, error: anError('boom') },
        { answered: 'Sorry.', error: anError('boom') },
        { answered: MISSING, toolCalls: [HANDED] },
      ),
      (criteria, turn) => {
        const suite = suiteWhoseChecksSay(criteria, 0.5, (_, index) => criteria[index]?.verdict ?? 'error');
        const evaluated = evaluate(suite, {
          conversation: aConversation([aTurn(turn)]),
          turnId: undefined,
          revision: 1,
        });
        const verdicts = new Map([...evaluated.verdicts].map(([name, { verdict }]) => [name, verdict]));

        expect(
          weighAgain(suite, { verdicts, conditions: evaluated.basis?.conditions, ending: evaluated.ending }),
        ).toEqual({
          score: evaluated.score,
          outcome: evaluated.outcome,
        });
      },
    ),
  );
});
