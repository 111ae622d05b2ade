import { expect, test } from 'vitest';
import { errorTemplate } from '../../src/engine/error-template.ts';
import { shownName } from '../../src/engine/detection/traits.ts';

/** Messages of one fault on each line. */
const OF_ONE_FAULT: readonly (readonly string[])[] = [
  ['Order 4711 was not found', 'Order 12 was not found', 'Order ord_9f3A1 was not found'],
  ["No such key: 'anna.b'", "No such key: 'x'", 'No such key: "other"'],
  [
    'connect ECONNREFUSED 127.0.0.1:8080',
    'connect ECONNREFUSED 10.0.0.7:443',
    'connect ECONNREFUSED db-3.internal:5432',
  ],
  [
    'GET https://api.example.com/v1/orders/12?x=1 failed with 503',
    'GET https://api.example.com/v2/users failed with 500',
  ],
  ['user ana@example.com is locked', 'user b.c@example.org is locked'],
  [
    'Request 0af76519-16cd-43dd-8448-eb211c80319c timed out after 30.5s',
    'Request 1bf76519-26cd-43dd-8448-eb211c80319d timed out after 2s',
  ],
  ['{"error": "Card 1234 declined", "code": 7}', '{"code": 9, "message": "Card 9 declined"}', 'Card 55 declined'],
  ['Failed at 2026-11-21T08:00:00Z\n  at foo (a.ts:1:2)', 'Failed at 2026-11-22T09:30:01Z\n  at bar (b.ts:7:9)'],
  ['token eyJhbGciOiJIUzI1NiIsInR5cCI6 expired', 'token abcdefghijklmnopqrstuvwxyzabcdef expired'],
  ["Can't book: seats 1, 2, 3 are gone", "Can't book: seats 14 are gone"],
];

test.each(OF_ONE_FAULT)('%s and its like give one template', (...messages) => {
  const templates = new Set(messages.map((message) => errorTemplate(message)?.replaceAll('…', '#')));
  expect([...templates]).toHaveLength(1);
  expect([...templates][0]).toMatch(/\p{L}{2}/u);
});

test('different faults have different templates, which say the words', () => {
  expect(errorTemplate('Order 4711 was not found')).toBe('Order # was not found');
  expect(errorTemplate('Order 4711 was cancelled')).toBe('Order # was cancelled');
  expect(errorTemplate("Can't book: seats 1, 2, 3 are gone")).toBe("Can't book: seats # are gone");
});

test.each(['', '   ', '404', '{"code": 12}', '"quoted"'])('%s has no words', (message) => {
  expect(errorTemplate(message)).toBeUndefined();
});

test('hostile messages become short names on one line, in bounded time', () => {
  for (const message of [
    'a'.repeat(1_000_000),
    `${"'".repeat(100_000)} x`,
    'x1'.repeat(100_000),
    `${'a.b@'.repeat(100_000)}`,
    `boom\u202e\u0000 at ${'# '.repeat(10_000)}`,
    `h${'+-.'.repeat(50_000)}://`,
  ]) {
    const shown = shownName(errorTemplate(message));
    expect(shown.length).toBeLessThanOrEqual(60);
    expect(shown).not.toMatch(/[\n\0\u202e]/);
  }
});
