/** Sentences of prompts, and the rules that fixed words show in them: none where a sentence could mean something else. */
import { expect, test } from 'vitest';
import { claimsIn } from '../../../src/offline/draft/prompt-patterns.ts';
import { sentencesOf } from '../../../src/offline/draft/prompt-sentences.ts';
import { readToolSchemas, type ToolSchema } from '../../../src/offline/draft/tool-schemas.ts';

const TOOLS = {
  find_booking: { properties: { booking: { type: 'string' } } },
  book_bike: {
    properties: {
      riders: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
      payments: {
        type: 'array',
        items: {
          type: 'object',
          properties: { id: { type: 'string', description: "such as 'gift_card_12' or 'voucher_9'" } },
        },
      },
    },
  },
  cancel_booking: { properties: { booking: { type: 'string' } } },
  refund: { properties: { booking: { type: 'string' } } },
  export_customers: { properties: {} },
};

const CHANGES = ['book_bike', 'cancel_booking', 'refund'];

function toolsRead(): readonly ToolSchema[] {
  const read = readToolSchemas(JSON.stringify(TOOLS));
  if (typeof read === 'string') throw new Error(read);
  return read.tools;
}

function claims(text: string) {
  const all = toolsRead();
  return claimsIn({ text, line: 1 }, { all, writing: all.filter(({ name }) => CHANGES.includes(name)) });
}

test.each([
  ['Look a booking up before you cancel it.', { is: 'before', first: 'find_booking', later: ['cancel_booking'] }],
  ['Always call find_booking before refund.', { is: 'before', first: 'find_booking', later: ['refund'] }],
  ['Before you call refund, you must call find_booking.', { is: 'before', first: 'find_booking', later: ['refund'] }],
  ['Never call refund without find_booking.', { is: 'before', first: 'find_booking', later: ['refund'] }],
  [
    'Do not use cancel_booking before find_booking.',
    { is: 'before', first: 'find_booking', later: ['cancel_booking'] },
  ],
  ['Call refund only after cancel_booking, always.', { is: 'before', first: 'cancel_booking', later: ['refund'] }],
  ['You must never call export_customers.', { is: 'never', tool: 'export_customers' }],
  ['Call refund at most once.', { is: 'at_most', tool: 'refund', most: 1 }],
  ['You may use find_booking no more than three times.', { is: 'at_most', tool: 'find_booking', most: 3 }],
  ['Ask the customer for confirmation before refund.', { is: 'confirmed', tools: ['refund'] }],
  ['Before you book, cancel or refund, wait for the customer’s yes.', { is: 'confirmed', tools: CHANGES }],
  ['Obtain explicit user approval before any change.', { is: 'confirmed', tools: CHANGES }],
  ['A booking has at most five riders.', { is: 'items', tool: 'book_bike', list: 'riders', most: 5, which: undefined }],
  [
    'Take at most one gift card.',
    { is: 'items', tool: 'book_bike', list: 'payments', most: 1, which: { member: 'id', prefix: 'gift_card' } },
  ],
])('%s', (sentence, claim) => {
  expect(claims(sentence)).toEqual([claim]);
});

test.each([
  ['Never call refund unless the bike was broken.', 'has a condition'],
  ['Do not call refund for stolen bikes.', 'is about some calls'],
  ['Never promise that a refund is on its way.', 'speaks of the word, and not of the tool'],
  ['Never call refund or cancel_booking.', 'names two tools'],
  ['Customers like it if we look before they leap.', 'is about neither tool'],
  ['The booking was confirmed by the user.', 'asks for nothing'],
  ['At most one person answers the phone.', 'counts something else'],
  ['Be friendly and brief.', 'is about tone'],
])('no rule where a sentence %s: it %s', (sentence) => {
  expect(claims(sentence)).toEqual([]);
});

test('a sentence knows its line, without the marks of a list', () => {
  const prompt =
    '# Rules of the house\n\n- Call refund at most once. Be kind to everybody.\n  2. Never shout at a customer.\n';

  expect(sentencesOf(prompt)).toEqual([
    { text: 'Rules of the house', line: 1 },
    { text: 'Call refund at most once.', line: 3 },
    { text: 'Be kind to everybody.', line: 3 },
    { text: 'Never shout at a customer.', line: 4 },
  ]);
});

test('a prompt of a megabyte in one line, or in half a million, is read up to a bound', () => {
  const long = 'never call '.repeat(100_000);
  expect(sentencesOf(long).map(({ text }) => text.length)).toEqual([1000]);
  expect(sentencesOf(`${'You must always obey this.\n'.repeat(40_000)}`)).toHaveLength(3000);
  for (const sentence of sentencesOf(long)) expect(claims(sentence.text)).toEqual([]);
});
