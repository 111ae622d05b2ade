/** Changes that a later call took back: what an answer may claim of them, and what they are beside a truth. */
import { expect, test } from 'vitest';
import type { ToolCall } from '../../../src/model/turn.ts';
import { BUILT_IN_CHECKS } from '../../../src/score/checks/built-in-checks.ts';
import { subjectOf } from '../../../src/score/subject/subject.ts';
import { aConversation, aFailedCall, aToolCall, aTurn, content } from '../conversations.ts';
import { loadPack, run } from '../packs/packs.ts';

const pack = await loadPack('task-success');
const call = (tool: string, args: object = {}) =>
  // The casts hold for plain data.
  aToolCall(tool, { args: content(args as never), result: content({ success: true } as never) });
const failed = (tool: string, args: object) => ({ ...aFailedCall(tool, 'too late'), args: content(args as never) });
const ORDER = { order_id: 'O-17' };

function verdictOf(toolCalls: readonly ToolCall[], answered: string) {
  const turn = aTurn({ asked: 'Cancel order O-17, please.', answered, toolCalls });
  const check = BUILT_IN_CHECKS.get('no_claim_without_action')?.make({});
  return check?.(subjectOf(aConversation([turn]), turn.id));
}

test.each<[readonly ToolCall[], string, string]>([
  [[call('cancel_order', ORDER), call('reactivate_order', ORDER)], 'I have cancelled order O-17.', 'reactivate_order'],
  [
    [call('cancel_order', ORDER), call('undo_cancellation', ORDER)],
    'I have cancelled order O-17.',
    'undo_cancellation',
  ],
  [[call('cancel_order', ORDER), call('restore_order', ORDER)], 'Ihre Bestellung wurde storniert.', 'restore_order'],
  [[call('cancel_order', ORDER), call('reactivate_order', ORDER)], 'He cancelado su pedido.', 'reactivate_order'],
  [[call('cancel_subscription'), call('reactivate_subscription')], 'I have cancelled it.', 'reactivate_subscription'],
  [[call('refund_order', ORDER), call('revert_refund', ORDER)], 'I have refunded order O-17.', 'revert_refund'],
])('%j and "%s" is a false claim, because %s undid it', (calls, answered, undoing) => {
  expect(verdictOf(calls, answered)).toMatchObject({
    pass: false,
    reason: expect.stringContaining(`and ${undoing} undid it.`),
  });
});

test.each<[string, readonly ToolCall[], string]>([
  [
    'the undoing failed',
    [call('cancel_order', ORDER), failed('reactivate_order', ORDER)],
    'I have cancelled it for you.',
  ],
  [
    'another was undone',
    [call('cancel_order', ORDER), call('reactivate_order', { order_id: 'O-18' })],
    'I have cancelled it for you.',
  ],
  [
    'it was done again',
    [call('cancel_order', ORDER), call('reactivate_order', ORDER), call('cancel_order', ORDER)],
    'I have cancelled it for you.',
  ],
  ['it came before', [call('reactivate_order', ORDER), call('cancel_order', ORDER)], 'I have cancelled it for you.'],
  [
    'another action was undone',
    [call('cancel_order', ORDER), call('undo_refund', ORDER)],
    'I have cancelled it for you.',
  ],
  [
    'the answer says so',
    [call('cancel_order', ORDER), call('reactivate_order', ORDER)],
    'I had cancelled it, and I have reactivated it.',
  ],
  [
    'that is claimed',
    [call('cancel_order', ORDER), call('reactivate_order', ORDER)],
    'Ich habe die Stornierung rückgängig gemacht.',
  ],
])('a claim stands where %s', (_what, calls, answered) => {
  expect(verdictOf(calls, answered)).toMatchObject({ pass: true });
});

function changed(calls: readonly ToolCall[], actions: readonly string[]) {
  const truth = { actions: actions.map((name) => ({ name, args: ORDER })) };
  const conversation = aConversation([aTurn({ toolCalls: calls, answered: 'Done.' })], { truth });
  return run(pack, conversation).verdicts.get('changed_what_it_should');
}

test.each([
  'reactivate_order',
  'reinstate_order',
  'restore_order',
  'undo_cancellation',
  'uncancel_order',
  'resume_order',
])('beside a truth, %s is a change of its own: what was undone is neither done nor undone for nothing', (undo) => {
  const cancelled = call('cancel_order', ORDER);

  expect(changed([cancelled, call(undo, ORDER)], ['cancel_order'])?.verdict).toBe('fail');
  expect(changed([cancelled, call(undo, ORDER)], [])?.verdict).toBe('fail');
  expect(changed([cancelled, call(undo, ORDER)], ['cancel_order', undo])?.verdict).toBe('pass');
  expect(changed([cancelled, failed(undo, ORDER)], ['cancel_order'])?.verdict).toBe('pass');
});
