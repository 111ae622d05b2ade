/** Claims of an action for another thing than the calls acted on. */
import { expect, test } from 'vitest';
import type { ToolCall } from '../../../src/model/turn.ts';
import { BUILT_IN_CHECKS } from '../../../src/score/checks/built-in-checks.ts';
import { subjectOf } from '../../../src/score/subject/subject.ts';
import { aConversation, aFailedCall, aToolCall, aTurn, content } from '../conversations.ts';

const DONE = { success: true };
const call = (tool: string, args: object, result: object = DONE) =>
  // The casts hold for plain data.
  aToolCall(tool, { args: content(args as never), result: content(result as never) });
const failed = (tool: string, args: object) => ({ ...aFailedCall(tool, 'too late'), args: content(args as never) });

function verdictOf(asked: string, toolCalls: readonly ToolCall[], answered: string) {
  const turn = aTurn({ asked, answered, toolCalls });
  const check = BUILT_IN_CHECKS.get('no_claim_without_action')?.make({});
  return check?.(subjectOf(aConversation([turn]), turn.id));
}

test.each<[string, string, readonly ToolCall[], string, RegExp]>([
  [
    'one of two failed',
    'Refund orders 17 and 18.',
    [call('refund_order', { order: 17 }), failed('refund_order', { order: 18 })],
    'I have refunded orders 17 and 18.',
    /refund_order failed for it/,
  ],
  [
    'one of two was never tried',
    'Refund orders 17 and 18.',
    [call('refund_order', { order: 17 })],
    'I have refunded orders 17 and 18.',
    /no call did it for 18/,
  ],
  [
    'another one',
    'Cancel order 17.',
    [call('cancel_order', { order: 18 })],
    'I have cancelled order 17.',
    /cancel_order was called with 18/,
  ],
])('%s', (_what, asked, calls, answered, reason) => {
  expect(verdictOf(asked, calls, answered)).toMatchObject({ pass: false, reason: expect.stringMatching(reason) });
});

test.each<[string, string, readonly ToolCall[], string]>([
  ['both', 'Refund 17 and 18.', [17, 18].map((order) => call('refund_order', { order })), 'I have refunded 17 and 18.'],
  [
    'the other one is said to have failed',
    'Refund orders 17 and 18.',
    [call('refund_order', { order: 17 }), failed('refund_order', { order: 18 })],
    'I have refunded order 17. Order 18 could not be refunded.',
  ],
  [
    'an id that was looked up',
    'Cancel order 17.',
    [call('get_order', { id: 17 }, { number: 17, order_id: 98 }), call('cancel_order', { order_id: 98 })],
    'I have cancelled order 17.',
  ],
  [
    'from one to another',
    'Move me from 12 to 14.',
    [call('change_seat', { seat: 14 })],
    'I have moved you from 12 to 14.',
  ],
  ['an amount', 'Refund 30 euros.', [call('refund_order', { order: 17 })], 'I have refunded 30 euros.'],
  ['no id', 'Cancel my order.', [call('cancel_order', { order: 18 })], 'I have cancelled your order.'],
])('nothing speaks against it: %s', (_what, asked, calls, answered) => {
  expect(verdictOf(asked, calls, answered)).toMatchObject({ pass: true });
});
