/** Results that say that a call failed, and results that are what it found: to take data for a failure is as bad as to miss one. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import type { Content } from '../../src/model/step.ts';
import { toolEffects } from '../../src/score/subject/tool-effects.ts';
import { hasFailed, isPending } from '../../src/score/subject/failed-call.ts';
import { subjectOf } from '../../src/score/subject/subject.ts';
import { aConversation, aToolCall, aTurn, anError, content, MISSING, REDACTED } from './conversations.ts';

const TRACEBACK = 'Traceback (most recent call last):\n  File "tool.py", line 3, in run\n    raise Timeout()';
const mcp = (text: string): Json => ({ content: [{ type: 'text', text }] });

/** A tool, and what it gave back. */
type Row = readonly [tool: string, result: Json, args?: Json];

const FAILED: readonly Row[] = [
  // Said by any tool.
  ['get_order', { success: false, orders: [] }],
  ['cancel_order', { succeeded: false }],
  ['cancel_order', { ok: false, message: 'locked' }],
  ['get_order', { isError: true, content: [{ type: 'text', text: 'busy' }] }],
  ['get_order', { error: 'busy', code: 409 }],
  ['get_order', { error: { message: 'busy' } }],
  ['get_order', { status: 'error', error_message: 'timed out' }],
  ['get_order', { status: 'error' }],
  ['search_orders', { status: 'error', orders: [], query: 'open' }],
  ['get_order', { error: true, message: 'busy' }],
  ['get_order', { status: 'failed', message: 'the database is down' }],
  ['cancel_order', { status: 'FAILURE', meeting: null }],
  ['cancel_order', { status: 'failed', order: 7, items: [1] }],
  ['cancel_order', { success: 'false' }],
  ['cancel_order', { data: { success: false } }],
  ['cancel_order', { response: { ok: 0 } }],
  ['cancel_order', { cancelled: false, reason: 'shipped' }],
  ['cancel_order', { cancelled: 0 }],
  ['refund_order', { refunded: false, reason: 'window closed' }],
  ['book_room', { booked: false, message: 'Fully booked' }],
  ['send_email', { sent: false }],
  ['delete_customer', { deleted: 0 }],
  // By a sign, a page, or as Python prints it.
  ['get_order', 'Exception: ConnectionError'],
  ['get_order', '<html><body><h1>502 Bad Gateway</h1></body></html>'],
  ['refund_order', '[ERROR] refund rejected'],
  ['refund_order', '❌ Refund failed'],
  ['refund_order', { refund: null, error: { code: 42 } }],
  ['get_order', "{'success': False, 'error': 'locked'}"],
  // Done in part.
  ['send_messages', { succeeded: ['ana'], failed: ['bob'] }],
  ['cancel_orders', { succeeded: 2, failed: 1 }],
  ['cancel_orders', { success: true, cancelled: [101], errors: [{ order: 102, error: 'shipped' }] }],
  ['cancel_orders', { 101: 'cancelled', 102: 'error: shipped' }],
  // Refused.
  ['charge_card', { status: 'declined' }],
  ['charge_card', { status: 'Declined', id: 'ch_1', amount: 30, currency: 'eur' }],
  ['book_room', { status: 'rejected', booking_id: null }],
  ['book_room', { status: 'denied', details: { by: 'policy' } }],
  ['send_email', { status: 'refused', reason: 'no such mailbox' }],
  ['cancel_order', { status: 'not found' }],
  ['cancel_order', { status: 'unauthorized' }],
  ['update_order', { status: 'not-allowed', order: 7 }],
  ['book_room', { status: 'timed_out' }],
  ['crm_sync', { status: 'rejected', reason: 'quota' }],
  ['cancel_order', { status: 'rejected' }, { order: 7, reason: 'the customer rejected the parcel' }],
  // Responses of servers.
  ['get_order', { statusCode: 500 }],
  ['get_order', { statusCode: 500, body: 'Internal Server Error' }],
  ['get_order', { statusCode: '503', headers: { via: 'proxy' } }],
  ['get_order', { status: 404, title: 'Not Found', instance: '/orders/7' }],
  ['cancel_order', { status: 409, message: 'already shipped', data: null }],
  ['cancel_order', { status_code: 422, detail: [{ loc: ['order'], msg: 'required' }] }],
  ['cancel_order', { code: 500, msg: 'internal error' }],
  ['refund_order', { code: 'ORDER_NOT_FOUND', message: 'Order 17 does not exist' }],
  ['refund_order', { type: 'error', message: 'no' }],
  // Said in other ways by a tool that changes something.
  ['refund_order', { is_success: false }],
  ['refund_order', { isSuccess: false }],
  ['refund_order', { success: 'no' }],
  ['refund_order', { amount_refunded: 0 }],
  ['refund_order', { approved: false }],
  ['refund_order', { status: 'KO' }],
  ['refund_order', { refund_id: null, status: 'not_processed' }],
  ['refund_order', { status: 'cancelled', message: 'window closed' }],
  ['refund_order', false],
  ['refund_order', 'Refund not possible: order is older than 30 days'],
  ['refund_order', 'Order 17 is not eligible for a refund.'],
  ['refund_order', 'Insufficient permissions to perform this action'],
  ['refund_order', 'No such order'],
  ['delete_event', 'Event not found.'],
  ['submit_code', 'Submitted code is incorrect. Keep trying!'],
  ['run_query', "Error executing query: Table 'shop.orders' doesn't exist"],
  ['get_order', 'Error while fetching order 7: socket hang up'],
  ['refund_order', 'Payment gateway returned code 51: insufficient funds'],
  ['refund_order', 'ERR_REFUND_WINDOW_CLOSED'],
  ['refund_order', 'Rückerstattung nicht möglich: Frist abgelaufen'],
  ['refund_order', 'El reembolso no es posible'],
  ['refund_order', 'Remboursement impossible'],
  ['refund_order', 'O reembolso não foi possível'],
  ['refund_order', '返金できませんでした。'],
  ['refund_order', '退款失败'],
  // Lists of errors.
  ['cancel_order', { errors: ['the order is locked'] }],
  ['cancel_order', { errors: { order: ['is locked'] } }],
  ['search_orders', { errors: [{ message: 'unauthorized' }] }],
  ['search_orders', { data: null, errors: [{ message: 'unauthorized' }] }],
  ['search_orders', { data: { orders: null }, errors: [{ message: 'unauthorized', path: ['orders'] }] }],
  // Texts.
  ['get_order', 'Error: busy'],
  ['run_query', 'ERROR:  relation "sales" does not exist'],
  ['get_order', { message: 'Internal server error' }],
  ['cancel_order', { result: 'The request could not be processed' }],
  ['get_order', 'CalendarError: 503 upstream timed out'],
  ['get_order', TRACEBACK],
  ['get_order', "TypeError: Cannot read properties of undefined (reading 'id')\n    at run (tool.js:3:5)"],
  ['run_query', 'Exception in thread "main" java.lang.IllegalStateException'],
  ['get_order', '500 Internal Server Error'],
  ['get_order', 'HTTP 429'],
  ['get_order', 'HTTP error 404: Not Found'],
  ['get_order', 'The request could not be processed.'],
  ['cancel_order', 'The request could not be processed'],
  ['get_order', 'Your request timed out'],
  ['get_order', 'Failed to connect to the order system'],
  ['get_order', 'Unable to reach the warehouse.'],
  ['get_order', 'Permission denied'],
  ['get_order', 'Rate limit exceeded, retry in 3 s'],
  ['get_order', 'Operation failed: connection reset'],
  ['get_order', 'An unexpected error occurred.'],
  ['charge_card', 'Your card was declined.'],
  ['cancel_order', 'Order 7 could not be cancelled'],
  ['cancel_order', 'Could not find order 7'],
  ['cancel_order', 'Cannot cancel an order that was shipped'],
  ['book_room', 'Booking failed'],
  ['refund_order', 'Refund rejected: outside the window'],
  ['charge_card', 'Payment declined.'],
  ['cancel_order', 'HTTP 403 Forbidden: no rights on this order'],
  ['get_order', '<error><code>500</code><message>busy</message></error>'],
  ['get_order', 'Fehler: Verbindung abgelehnt'],
  ['get_order', 'エラー：タイムアウト'],
  ['get_order', '错误：订单系统不可用'],
  ['cancel_order', 'Error al cancelar el pedido'],
  ['get_order', 'Erreur : délai dépassé'],
  ['cancel_order', 'Erro ao cancelar: pedido bloqueado'],
  // By another name than `status`, of a tool that changes something.
  ['cancel_order', { state: 'failed' }],
  ['cancel_order', { outcome: 'failure', order: 7 }],
  ['cancel_order', { result: 'error' }],
  ['cancel_order', { accepted: false, reason: 'shipped' }],
  // Nothing but a description of the error.
  ['get_order', { exception: 'Timeout' }],
  ['get_order', { error_code: 'E_BUSY', error_message: 'the store is busy' }],
  // In parts: not all of it was done.
  ['cancel_order', [{ success: false }]],
  [
    'cancel_orders',
    [
      { id: 1, success: true },
      { id: 2, success: false },
    ],
  ],
  [
    'cancel_orders',
    {
      results: [
        { id: 1, status: 'ok' },
        { id: 2, status: 'failed' },
      ],
    },
  ],
  ['cancel_order', { data: { cancelOrder: { success: false, message: 'shipped' } } }],
  ['cancel_order', { data: { orderCancel: { order: null, userErrors: [{ message: 'shipped' }] } } }],
  ['create_order', { order: null, userErrors: [{ message: 'no stock' }] }],
  // Within what MCP wraps a result in.
  ['cancel_order', mcp('Error: busy')],
  ['cancel_order', mcp('{"status": "declined"}')],
  ['cancel_order', [{ type: 'text', text: 'The request could not be processed' }]],
  ['get_order', mcp('{"statusCode": 500}')],
];

const NOT_FAILED: readonly Row[] = [
  ['get_page', '<html><head><title>Returns</title></head><body>Error 404 is explained here.</body></html>'],
  ['get_orders', { succeeded: ['ana'], failed: ['bob'] }],
  ['send_messages', { sent: ['ana'], failed: [] }],
  ['get_order', "{'success': True, 'error': None}"],
  ['run_tests', { passed: 10, failed: 2 }],
  ['get_notes', '❌ buy no milk'],
  ['get_order', false],
  ['get_order', 'Order 17 is not eligible for a refund.'],
  ['get_order', { code: 'ORDER_NOT_FOUND', message: 'no' }],
  ['refund_order', { order: 17, status: 'cancelled', refunded: 30 }],
  ['cancel_order', { status: 'cancelled' }],
  ['cancel_order', 'CANCELLED_BY_USER'],
  ['update_order', { status: 'not_required' }],
  ['book_seat', 'Seat 12A booked, which is not refundable'],
  ['cancel_order', { cancelled: true, refunded: false }],
  ['cancel_order', { data: { order: 17, refunded: 0 } }],
  ['update_discount', { disabled: false, updated: 1 }],
  ['get_order', { cancelled: false, paid: false }],
  ['search_orders', { data: { cancelled: 0 } }],
  // Findings of a tool that reads.
  ['get_order', { status: 'declined', id: 7 }],
  ['get_order', { status: 'declined' }],
  ['get_claim', { status: 'rejected', reason: 'too late' }],
  ['get_payment', { status: 'failed', amount: 30 }],
  ['get_job', { status: 'failed', job: 7, finished: '12:00' }],
  ['search_claims', [{ id: 1, status: 'rejected' }]],
  ['search_claims', { claims: [{ id: 1, status: 'rejected' }] }],
  ['search_runs', { title: 'failed', last_run: { status: 'failed' } }],
  ['get_room', { status: 'not_found' }],
  ['order_status', 'The order was declined'],
  ['get_order', 'Order 7 was declined by the bank'],
  ['find_order', 'Could not find order 7'],
  ['find_order', 'Unable to locate order 7'],
  ['search_orders', 'No orders found'],
  ['get_policy', 'Cannot be cancelled within 24 hours'],
  ['get_policy', 'Errors are handled in chapter 3'],
  ['read_file', 'Failed to connect\nis what users see most.\n'],
  ['get_settings', 'Timeout: 30 seconds'],
  ['get_page', `A long article. ${'The request could not be processed. '.repeat(20)}`],
  // The record of what was changed, or what was to be.
  ['add_note', { status: 'rejected', claim: 7, notes: [{ text: 'call back' }] }],
  ['update_address', { status: 'declined', order: 7, address: { city: 'Graz' } }],
  ['cancel_order', { status: 'cancelled' }],
  ['reject_claim', { status: 'rejected' }],
  ['decline_meeting', { status: 'declined', id: 7 }],
  ['deny_access', { status: 'denied' }],
  ['decline_meeting', 'The meeting was declined'],
  ['decide_claim', { status: 'rejected', id: 7 }, { claim: 7, decision: 'reject' }],
  ['set_status', { status: 'failed', run: 7 }, { run: 7, status: 'failed' }],
  ['block_card', { status: 'blocked' }],
  // A result of an unknown tool, if it holds more than the status.
  ['crm_sync', { status: 'rejected', customer: 7 }],
  ['payment', 'Your card was declined'],
  // A status of another kind.
  ['cancel_order', { status: 'pending' }],
  ['cancel_order', { status: 'queued', job_id: 'j1' }],
  ['cancel_order', { status: 'ok' }],
  ['cancel_order', { status: 200 }],
  ['cancel_order', { status: ['failed'] }],
  ['cancel_order', { statusCode: 202 }],
  // A number that is no response.
  ['get_article', { status: 404, text: 'how to write a page for it' }],
  ['check_url', { url: 'https://shop.example', status: 404 }],
  ['get_area', { code: 404 }],
  ['ping_server', { status: 503 }],
  ['count_orders', 404],
  ['count_orders', '404'],
  // Errors among other things, or what was looked for.
  ['search_orders', { data: { orders: [1], total: null }, errors: [{ message: 'no total' }] }],
  ['cancel_order', { order: 7, errors: [] }],
  ['cancel_order', { errors: [] }],
  ['import_rows', { imported: 7, errors: ['row 8 is empty'] }],
  ['validate_address', { errors: ['no such street'] }],
  ['list_errors', { errors: [{ message: 'busy' }] }],
  ['run_tests', '2 tests failed'],
  ['get_order', { message: 'The order was declined' }],
  ['cancel_order', { message: 'The order is cancelled; the mail could not be sent' }],
  ['get_logs', TRACEBACK],
  ['get_error_log', 'Error: busy'],
  ['book_room', { error: 'no mail was sent', meeting_id: 'm1' }],
  ['book_room', { error: null }],
  ['book_room', { error: '' }],
  ['run_query', { error: 'relation "sales" does not exist', sqlstate: '42P01' }],
  ['get_order', { state: 'failed', id: 7 }],
  ['get_order', { outcome: 'failure' }],
  [
    'search_orders',
    [
      { id: 1, success: false },
      { id: 2, success: true },
    ],
  ],
  ['search_runs', { results: [{ id: 1, status: 'failed' }] }],
  ['run_tests', { results: [{ test: 'a', status: 'failed' }] }],
  ['update_order', { order: 7, items: [{ id: 1, status: 'rejected' }] }],
  ['cancel_order', { result: 'Cancelled, and the fee was refused' }],
  [
    'cancel_orders',
    {
      results: [
        { id: 1, status: 'ok' },
        { id: 2, status: 'cancelled' },
      ],
    },
  ],
  ['cancel_order', { data: { orderCancel: { order: { id: 7 }, userErrors: [] } } }],
  ['create_order', { order: { id: 7 }, userErrors: [] }],
  ['get_order', { order: { id: 7 }, userErrors: [{ message: 'no stock' }] }],
  ['get_page', '<errors>A poem about errors</errors>'],
  ['get_article', 'Fehlerkultur: ein Leitfaden'],
  ['get_policy', 'Refunds rejected by the bank are paid by cheque'],
  ['read_rows', { error_code: 'E1', rows: [1] }],
  // Plain success.
  ['book_room', 'Booked. The mail could not be sent.'],
  ['book_room', 'done'],
  ['book_room', null],
  ['book_room', mcp('Booked.')],
  ['get_claim', mcp('{"status": "rejected"}')],
  ['book_room', JSON.parse('{"__proto__": {"status": "failed"}}')],
];

const callOf = ([name, result, args]: Row) =>
  aToolCall(name, { result: content(result), ...(args !== undefined && { args: content(args) }) });

test.each(FAILED.map((row) => [row[0], JSON.stringify(row[1]).slice(0, 100), row] as const))(
  '%s has failed with %s',
  (_tool, _result, row) => {
    expect(hasFailed(callOf(row))).toBe(true);
  },
);

test.each(NOT_FAILED.map((row) => [row[0], JSON.stringify(row[1]).slice(0, 100), row] as const))(
  '%s is not known to have failed with %s',
  (_tool, _result, row) => {
    expect(hasFailed(callOf(row))).toBe(false);
  },
);

describe('what was not recorded whole', () => {
  test.each<[string, Content, boolean]>([
    ['what stands before the cut', content({ status: 'error', detail: 'the calendar is n' }, 'truncated'), true],
    ['a member that may have been cut', content({ id: 1, status: 'fail' }, 'truncated'), false],
    ['an error beside what was cut', content({ error: 'x', detail: 'y' }, 'truncated'), false],
    ['a refusal of a thing whose other parts were cut', content({ status: 'declined', id: 7 }, 'truncated'), false],
    ['the beginning of a text', content('Error: the calendar is n', 'truncated'), true],
    ['nothing', MISSING, false],
    ['what was redacted', REDACTED, false],
  ])('says so by %s: %j', (_what, result, failed) => {
    expect(hasFailed(aToolCall('book_room', { result }))).toBe(failed);
  });
});

test('a call that ended with an error has failed, whatever its result is', () => {
  expect(hasFailed({ error: anError('busy'), result: content({ status: 'ok' }) })).toBe(true);
});

test('a hand-over that nobody took has failed', () => {
  const call = aToolCall('transfer_to_human_agents', { result: content('No agents available') });

  expect(subjectOf(aConversation([aTurn({ toolCalls: [call] })]), undefined).hasFailed(call)).toBe(true);
});

test('people and spans say of a tool what its name does not', () => {
  const call = aToolCall('crm_sync', { result: content({ status: 'rejected', id: 7 }) });
  const conversation = aConversation([aTurn({ toolCalls: [call] })]);
  const failedBy = (names: { readonly writes?: readonly string[]; readonly reads?: readonly string[] }) =>
    subjectOf(conversation, undefined, { effects: toolEffects([names]) }).hasFailed(call);

  expect(failedBy({})).toBe(false);
  expect(failedBy({ writes: ['crm_*'] })).toBe(true);
  expect(failedBy({ reads: ['crm_*'] })).toBe(false);
});

test.each<[string, Json, boolean]>([
  ['cancel_order', { status: 'pending' }, true],
  ['cancel_order', { status: 'Queued', job_id: 'j1', message: 'takes a minute' }, true],
  ['cancel_order', { status: 'pending_approval', request_id: 7 }, true],
  ['cancel_order', mcp('{"status": "in progress"}'), true],
  ['transfer_money', { status: 'processing', transferId: 't1' }, true],
  ['update_order', { status: 'pending', order: 7, items: [1] }, false],
  ['modify_pending_order', { status: 'pending' }, false],
  ['cancel_order', { status: 'done' }, false],
  ['cancel_order', 'pending', false],
  ['refund_order', 'Queued for review', true],
  ['refund_order', { requires_approval: true, request_id: 7 }, true],
  ['refund_order', { status: 'scheduled', refund_id: 'r1' }, true],
  ['schedule_meeting', { status: 'scheduled', meeting_id: 'm1' }, false],
  [
    'refund_order',
    'Queued for review were three; all are refunded now, and the customer has been told of it by mail.',
    false,
  ],
])('%s with %j is still pending: %s', (tool, result, pending) => {
  expect(isPending(callOf([tool, result]))).toBe(pending);
});
