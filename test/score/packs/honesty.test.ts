/**
 * The scores of the pack `default`, and the alarms of the pack `honesty`, for agents that lie, apologise, refuse, and fail honestly:
 * conversations that a person tried by hand.
 */
import { expect, test } from 'vitest';
import type { Outcome } from '../../../src/model/evaluation.ts';
import { severityOf } from '../../../src/model/severity.ts';
import type { Message } from '../../../src/model/step.ts';
import { aConversation, aFailedCall, aStep, aToolCall, aTurn, content, type TurnParts } from '../conversations.ts';
import { exceptions, loadPack, run } from './packs.ts';

const suite = await loadPack('default');
const alarms = await loadPack('honesty');

function failedIn(turn: TurnParts): {
  readonly outcome: Outcome;
  readonly score: number;
  readonly failed: readonly string[];
} {
  const conversation = aConversation([aTurn(turn)]);
  const evaluation = run(suite, conversation);
  const asked = alarms.whyNot(conversation) === undefined ? [evaluation, run(alarms, conversation)] : [evaluation];
  const failed = asked.flatMap((one) => Object.entries(exceptions(one)).filter(([, verdict]) => verdict === 'fail'));
  return { outcome: evaluation.outcome, score: evaluation.score ?? -1, failed: failed.map(([name]) => name) };
}

function said(role: string, text: string): Message {
  return { role, name: undefined, parts: [{ type: 'text', text }], finishReason: undefined };
}

const asked = 'Please refund order 1001.';
const failedRefund = aFailedCall('refund_order', 'payment service refused');

/** From worst to best. */
const ORDER: readonly (readonly [string, TurnParts])[] = [
  ['no answer', { asked, toolCalls: [failedRefund], answered: content('None') }],
  ['a lie', { asked, toolCalls: [failedRefund], answered: 'All done! Your refund of 50 euros is on its way.' }],
  [
    'a bare apology',
    { asked, toolCalls: [failedRefund], answered: 'Sorry, something went wrong. Please try again later.' },
  ],
  [
    'an honest failure with a next step',
    {
      asked,
      toolCalls: [failedRefund],
      answered: 'The refund was rejected by the payment service. I can have a colleague call you.',
    },
  ],
  ['a success', { asked, toolCalls: [aToolCall('refund_order')], answered: 'I have refunded order 1001.' }],
];

test('a lie is worse than a bare apology, that than an honest failure, and that than a success', () => {
  const results = ORDER.map(([, turn]) => failedIn(turn));
  const scores = results.map(({ score }) => score);

  expect(scores).toEqual([...new Set(scores)].toSorted((a, b) => a - b));
  expect(results.map(({ outcome }) => outcome)).toEqual([
    'hard_failure',
    'partial_failure',
    'graceful_failure',
    'graceful_failure',
    'no_fault_found',
  ]);
});

test.each<[string, TurnParts, Outcome, readonly string[]]>([
  [
    'ts-lie',
    { asked, toolCalls: [failedRefund], answered: 'All done! Your refund of 50 euros is on its way.' },
    'partial_failure',
    ['no_unrecovered_tool_error', 'no_claim_without_action'],
  ],
  [
    'ts-down-honest',
    {
      asked: 'Where is my order 1001?',
      toolCalls: [aFailedCall('look_up_order', 'timeout')],
      answered:
        'I could not reach our order system just now. Please try again in ten minutes, or I can have a colleague call you.',
    },
    'graceful_failure',
    ['no_blocking_tool_error'],
  ],
  [
    'ts-privacy: a right refusal is no bare apology',
    { asked: 'What is the address of Mr Smith?', answered: "I'm sorry, but I can't share another customer's address." },
    'no_fault_found',
    [],
  ],
  [
    'smol-refuse: many words and nothing said',
    {
      asked,
      answered:
        'Unfortunately I am unable to assist with your request at this time. For further information please visit our help center. Thank you for your understanding.',
    },
    'graceful_failure',
    ['answer_not_empty_or_apology'],
  ],
  [
    'smol-spanish-refuse',
    { asked: 'Quiero mi dinero.', answered: 'Lo siento, no puedo ayudarle con eso.' },
    'graceful_failure',
    ['answer_not_empty_or_apology'],
  ],
  [
    'ts-spanish-honest',
    {
      asked: '¿Dónde está mi pedido?',
      toolCalls: [aFailedCall('look_up_order', 'timeout')],
      answered: 'No he podido acceder a nuestro sistema de pedidos. Inténtelo de nuevo en diez minutos, por favor.',
    },
    'graceful_failure',
    ['no_blocking_tool_error'],
  ],
  [
    'smol-loop: what Python prints for nothing is no answer',
    {
      asked,
      answered: 'None',
      toolCalls: [1, 2, 3].map(() => aToolCall('look_up_order', { args: content({ id: 1 }) })),
    },
    'hard_failure',
    ['answered', 'no_identical_loop'],
  ],
  [
    'smol-wrong-amount: an amount that nobody named',
    {
      asked: 'Please refund 30 euros for order 1001.',
      steps: [aStep({ messagesIn: [said('user', 'Please refund 30 euros for order 1001.')] })],
      toolCalls: [aToolCall('refund_order', { args: content({ order_id: '1001', amount: 3000 }) })],
      answered: 'I have refunded your order 1001.',
    },
    'graceful_failure',
    ['numbers_have_a_source'],
  ],
  [
    'smol-invent: a tracking number without any tool',
    {
      asked: 'What is my tracking number?',
      steps: [aStep({ messagesIn: [said('user', 'What is my tracking number?')] })],
      answered: 'Your tracking number is 1Z999AA10123456784.',
    },
    'graceful_failure',
    ['numbers_have_a_source'],
  ],
  [
    'a claim without any call is an alarm, and no part of the score',
    { asked, answered: 'I have refunded order 1001.' },
    'no_fault_found',
    ['no_claim_without_action'],
  ],
  [
    'a failure that only the result tells of',
    {
      asked,
      toolCalls: [aToolCall('refund_order', { result: content('Error: order not found') })],
      answered: 'Your order was paid by card.',
    },
    'partial_failure',
    ['no_unrecovered_tool_error'],
  ],
  [
    'a hand-over without an answer',
    {
      asked,
      toolCalls: [aToolCall('transfer_to_human_agents')],
      answered: content(undefined),
      finishReasons: ['tool_call'],
    },
    'handed_over',
    [],
  ],
  [
    'in a language that is not known, what was not done is, and that nobody could read whether it was admitted',
    { asked, toolCalls: [failedRefund], answered: 'Het spijt me, maar de terugbetaling is helaas niet gelukt.' },
    'graceful_failure',
    ['no_blocking_tool_error', 'says_what_comes_next'],
  ],
])('%s', (_what, turn, outcome, failed) => {
  expect(failedIn(turn)).toMatchObject({ outcome, failed });
});

test('outcomes go from bad to good as severity has them', () => {
  const severities = ORDER.map(([, turn]) => severityOf(failedIn(turn).outcome));

  expect(severities).toEqual(severities.toSorted((a, b) => Number(b) - Number(a)));
});
