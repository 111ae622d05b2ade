/** Every pack gives each criterion one verdict, quickly and reproducibly, for any spans. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VERDICTS } from '../../src/model/evaluation.ts';
import type { Json } from '../../src/model/json.ts';
import { evaluate } from '../../src/score/suite/evaluate.ts';
import { aConversation, aStep, aToolCall, aTurn, anError, content } from './conversations.ts';
import { loadPack } from './packs/packs.ts';
import { rounds } from '../rounds.ts';

const packs = await Promise.all(
  ['default', 'scheduling', 'response-clarity', 'error-recovery', 'honesty', 'sql-agent'].map(loadPack),
);

const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'scheduling_context',
  'booking_confirmed',
  'booked_event',
  'participants',
  'time',
  'duration',
  'conflicts',
  'proposed_alternatives',
  'conversation_stage',
  'available',
];

const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false, 0, -1, 1e300, 30, '', 'ana', '10:00', 'failed', '\ud800', '🙂'),
    fc.string(),
    fc.array(tie('json'), { maxLength: 4 }),
    fc
      .array(
        fc.tuple(
          fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...KEYS) }, { weight: 1, arbitrary: fc.string() }),
          tie('json'),
        ),
        { maxLength: 5 },
      )
      .map((entries) => {
        const object: Record<string, Json> = Object.create(null);
        for (const [key, value] of entries) object[key] = value;
        return object;
      }),
  ),
}));

const anyConversation = fc
  .record({
    state: json,
    truth: json,
    args: json,
    result: json,
    answer: fc.string({ unit: 'binary' }),
    fails: fc.boolean(),
  })
  .map(({ state, truth, args, result, answer, fails }) => {
    const error = fails ? anError(answer) : undefined;
    const call = aToolCall('book_meeting', { args: content(args), result: content(result), error });
    const other = aToolCall('check_availability', { args: content(result), result: content(args) });
    return aConversation([
      aTurn({ state, truth, answered: answer, toolCalls: [other, call], steps: [aStep({ error })] }),
    ]);
  });

test('any state, truth, arguments, results and answers', () => {
  fc.assert(
    fc.property(anyConversation, (conversation) => {
      for (const suite of packs) {
        suite.whyNot(conversation);
        const target = { conversation, turnId: undefined, revision: 1 };
        const evaluation = evaluate(suite, target);

        expect([...evaluation.verdicts.keys()]).toEqual(suite.criteria.map(({ name }) => name));
        for (const { verdict, reason } of evaluation.verdicts.values()) {
          expect(VERDICTS).toContain(verdict);
          expect(reason.length).toBeGreaterThan(0);
          expect(reason.length).toBeLessThanOrEqual(300);
          expect(reason.isWellFormed()).toBe(true);
        }
        expect(evaluate(suite, target)).toEqual(evaluation);
      }
    }),
    { numRuns: rounds(300) },
  );
});

test('a state that is not what the scheduling pack expects is no error, unless it is of the wrong type', () => {
  const [, scheduling] = packs;
  if (scheduling === undefined) throw new Error('there is no scheduling pack');
  const strange: readonly Json[] = [
    { scheduling_context: { conflicts: 3 } },
    { scheduling_context: { conflicts: ['x'], proposed_alternatives: null } },
    { scheduling_context: { booked_event: 'x', booking_confirmed: 'yes', conflicts: null } },
    { scheduling_context: 5 },
    null,
    [],
    'x',
    5,
  ];

  const verdicts = strange.flatMap((state) => {
    const evaluation = evaluate(scheduling, {
      conversation: aConversation([aTurn({ state, truth: { participants: 'ana', time: 5 } })]),
      turnId: undefined,
      revision: 1,
    });
    return [...evaluation.verdicts].map(
      ([name, { verdict, reason }]) => `${JSON.stringify(state)} ${name}: ${verdict} ${reason}`,
    );
  });

  expect(verdicts.filter((line) => line.includes(': error '))).toEqual([
    '{"scheduling_context":{"conflicts":3}} explored_alternatives: error The expression failed: found no matching overload for \'size(double)\', in size(conflicts)',
  ]);
});

test('long texts and many calls take no more than their share of time', () => {
  const calls = Array.from({ length: 2000 }, (_, at) =>
    aToolCall(`tool_${at % 7}`, { args: content({ at: at % 13, text: 'x'.repeat(200) }) }),
  );
  const conversation = aConversation([
    aTurn({ answered: `${"sorry, but I can't. ".repeat(10_000)}`, asked: 'book '.repeat(20_000), toolCalls: calls }),
  ]);
  const startedAt = performance.now();

  for (const suite of packs) evaluate(suite, { conversation, turnId: undefined, revision: 1 });

  expect(performance.now() - startedAt).toBeLessThan(3000);
});
