import { expect, test } from 'vitest';
import type { Content } from '../../src/model/step.ts';
import { hasFailed } from '../../src/score/failed-call.ts';
import { anError, content, MISSING, REDACTED } from './conversations.ts';

test.each<[string, Content]>([
  ['its status', content({ status: 'failed', detail: 'no room' })],
  ['its status, in capitals', content({ status: 'FAILURE', meeting: null })],
  ['that it was no success', content({ success: false, booked: [] })],
  ['that it is not ok', content({ ok: false })],
  ['nothing but an error', content({ error: 'busy', code: 409 })],
  ['nothing but an error that is an object', content({ error: { message: 'busy' } })],
  ['MCP', content({ isError: true, content: [{ type: 'text', text: 'busy' }] })],
  ['a text', content('Error: busy')],
  ['an exception in print', content('CalendarError: 503 upstream timed out')],
  ['what stands before the cut', content({ status: 'error', detail: 'the calendar is n' }, 'truncated')],
])('a call has failed whose result says so: %s', (_what, result) => {
  expect(hasFailed({ error: undefined, result })).toBe(true);
});

test.each<[string, Content]>([
  ['a status that is another', content({ status: 'pending' })],
  ['a status that is no text', content({ status: ['failed'] })],
  ['the word elsewhere', content({ title: 'failed', last_run: { status: 'failed' } })],
  ['an error that is null', content({ error: null })],
  ['an error that is empty', content({ error: '' })],
  ['an error beside what was done', content({ error: 'no mail was sent', meeting_id: 'm1' })],
  ['a success that is no yes or no', content({ success: 'false' })],
  ['a list', content([{ status: 'failed' }])],
  ['a text about errors', content('Errors are handled in chapter 3')],
  ['null', content(null)],
  ['a member that may have been cut', content({ id: 1, status: 'fail' }, 'truncated')],
  ['an error beside what was cut', content({ error: 'x', detail: 'y' }, 'truncated')],
  ['nothing', MISSING],
  ['what was redacted', REDACTED],
  ['names of no meaning', content(JSON.parse('{"__proto__": {"status": "failed"}}'))],
])('a call is not known to have failed by %s', (_what, result) => {
  expect(hasFailed({ error: undefined, result })).toBe(false);
});

test('a call that ended with an error has failed, whatever its result is', () => {
  expect(hasFailed({ error: anError('busy'), result: content({ status: 'ok' }) })).toBe(true);
});
