import { expect, test } from 'vitest';
import { failureIn, couldIndicateFailure } from '../../src/model/tool-failure.ts';

test.each([
  [{ isError: true, content: [{ type: 'text', text: 'no such room' }] }, 'no such room'],
  [{ isError: true }, ''],
  [{ status: 'error', error_message: 'timed out' }, 'timed out'],
  [{ error: 'CalendarError: timed out' }, 'CalendarError: timed out'],
  [{ error: { code: 7, message: 'denied' } }, 'denied'],
])('%j says that the tool failed', (result, message) => {
  expect(couldIndicateFailure(JSON.stringify(result))).toBe(true);
  expect(failureIn(result)).toBe(message);
});

test.each([
  [{ error: 'relation "sales" does not exist', sqlstate: '42P01' }],
  [{ error: null, rows: [] }],
  [{ error: '' }],
  [{ isError: false, error: 'x', rows: 1 }],
  [{ status: 'error' }],
  [{ status: 'ok', message: 'error' }],
  [['error']],
  ['error'],
  [null],
])('%j says no such thing', (result) => {
  expect(failureIn(result)).toBeUndefined();
});

test('text that is no object, or has no such member, is not decoded to find out', () => {
  expect(couldIndicateFailure('error: it failed')).toBe(false);
  expect(couldIndicateFailure('{"rows": []}')).toBe(false);
});
