import { expect, test } from 'vitest';
import type { VerdictKind } from '../../../src/model/evaluation.ts';
import { aConversation, anError, aStep, aToolCall, aTurn, content, MISSING, type TurnParts } from '../conversations.ts';
import { exceptions, loadPack, run } from './packs.ts';

const suite = await loadPack('response-clarity');
const asked = 'Please book a meeting with Ana about the budget on Tuesday.';

test.each<[string, TurnParts, Readonly<Record<string, VerdictKind>>]>([
  ['an answer to the point', { asked, answered: 'The budget meeting with Ana is booked for Tuesday.' }, {}],
  [
    'one that talks of something else',
    { asked, answered: 'The weather was lovely yesterday.' },
    { addresses_request: 'fail' },
  ],
  [
    'one whose tool call did what was asked counts as taking it up',
    {
      asked,
      answered: 'All set!',
      toolCalls: [aToolCall('book_meeting', { args: content({ with: 'Ana', topic: 'budget' }) })],
    },
    {},
  ],
  ['99 words are concise', { asked, answered: `Ana budget meeting booked ${'word '.repeat(95)}` }, {}],
  ['100 are not', { asked, answered: `Ana budget meeting booked ${'word '.repeat(96)}` }, { is_concise: 'fail' }],
  [
    'a room number from nowhere',
    { asked, answered: 'The budget meeting with Ana is booked in room 4711.' },
    { no_hallucination: 'fail' },
  ],
  ['an insult', { asked, answered: 'The budget meeting with Ana is booked, you idiot.' }, { appropriate_tone: 'fail' }],
  ['shouting', { asked, answered: 'THE BUDGET MEETING WITH EVERYONE HERE BOOKED' }, { appropriate_tone: 'fail' }],
  [
    'a request too short to compare with',
    { asked: 'Yes, please.', answered: 'It has been booked.' },
    { addresses_request: 'not_applicable' },
  ],
  [
    'a request in a script without spaces',
    { asked: '火曜日に会議を予約してください', answered: '予約しました。' },
    { addresses_request: 'not_applicable', is_concise: 'not_applicable', appropriate_tone: 'not_applicable' },
  ],
])('%s', (_what, turn, but) => {
  expect(exceptions(run(suite, aConversation([aTurn(turn)])))).toEqual(but);
});

test.each<[string, TurnParts]>([
  ['came empty', { answered: content('') }],
  ['is white space', { answered: ' \n\t ' }],
  ['never came', { answered: MISSING }],
  ['never came, because the agent crashed', { answered: MISSING, error: anError('boom') }],
  [
    'is empty after the work was done',
    { answered: ' ', toolCalls: [aToolCall('book_meeting', { args: content(asked) })] },
  ],
  ['is what a program prints for nothing', { answered: 'None' }],
  ['is an empty object', { answered: '{}' }],
  ['is an error of a server', { answered: '502 Bad Gateway' }],
])('an answer that %s is not clear: nothing of it can be', (_what, turn) => {
  const evaluation = run(suite, aConversation([aTurn({ asked, ...turn })]));

  expect(exceptions(evaluation)).toEqual({
    addresses_request: 'fail',
    provides_next_step: 'fail',
    is_concise: 'not_applicable',
    no_hallucination: 'not_applicable',
    appropriate_tone: 'not_applicable',
  });
  expect(evaluation.score).toBe(0);
  expect(evaluation.outcome).toBe('hard_failure');
  expect(evaluation.verdicts.get('provides_next_step')?.reason).toMatch(
    /^(The answer is empty|There is no answer but)/,
  );
});

test.each([MISSING, content(' '), content('None')])(
  'a hand-over to a person without a text is no unclear answer',
  (answered) => {
    const toolCalls = [aToolCall('transfer_to_human_agents')];

    const evaluation = run(suite, aConversation([aTurn({ asked, answered, toolCalls })]));

    expect(Object.values(exceptions(evaluation))).toEqual(Array.from({ length: 5 }, () => 'not_applicable'));
    expect(evaluation).toMatchObject({ outcome: 'handed_over', score: undefined });
  },
);

test('a hand-over with a text is as clear as the text', () => {
  const toolCalls = [aToolCall('transfer_to_human_agents')];
  const answered = 'I am passing you on to a colleague, who will book the budget meeting with Ana.';

  expect(exceptions(run(suite, aConversation([aTurn({ asked, answered, toolCalls })])))).toEqual({});
});

test('an answer that was not recorded may have been clear', () => {
  const steps = [aStep({ flags: ['content-missing'] })];

  const evaluation = run(suite, aConversation([aTurn({ asked, answered: MISSING, steps })]));

  expect(evaluation.outcome).toBe('unscored');
  expect([...evaluation.verdicts.values()].map(({ verdict }) => verdict)).not.toContain('fail');
});

test('a trace that is one model call which asked for a tool has its answer elsewhere', () => {
  const steps = [aStep({ parentSpanId: undefined })];
  const fragment = aTurn({ asked, answered: MISSING, finishReasons: ['tool_call'], steps });

  expect(suite.whyNot(aConversation([fragment]))).toMatch(/^The suite is for conversations where/);
  expect(suite.matches(aConversation([{ ...fragment, finishReasons: ['stop'] }]))).toBe(true);
});
