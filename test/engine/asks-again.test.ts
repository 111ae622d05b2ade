import { expect, test } from 'vitest';
import { asksAgain } from '../../src/engine/asks-again.ts';
import type { Turn } from '../../src/model/turn.ts';

function turnsOf(...asked: readonly string[]): readonly Turn[] {
  // The cast holds for what is read.
  return asked.map((text) => ({ userInput: { state: 'whole', text, json: text } }) as unknown as Turn);
}

const FIRST = 'Where is my order from last Monday please?';

test.each([
  ['So where is my order from last Monday?', true],
  ['WHERE IS MY ORDER, FROM LAST MONDAY!!', true],
  ['Yes.', false],
  ['Can you cancel the other parcel instead today?', false],
])('after the first question and a short reply, "%s" asks the same: %s', (asked, isAgain) => {
  expect(asksAgain(turnsOf(FIRST, 'Yes.', asked))).toBe(isAgain);
});

test('scripts without blanks are compared as well', () => {
  expect(asksAgain(turnsOf('昨天的订单什么时候到货', '请问昨天的订单什么时候到货'))).toBe(true);
  expect(asksAgain(turnsOf('昨天的订单什么时候到货', '请帮我取消会员'))).toBe(false);
});

test('a short reply that is given twice asks nothing, nor does a conversation of one turn or none', () => {
  expect(asksAgain(turnsOf('Yes, please.', 'Yes, please.'))).toBe(false);
  expect(asksAgain(turnsOf(FIRST))).toBe(false);
  expect(asksAgain([])).toBe(false);
});

test('hostile texts and thousands of turns take bounded time', () => {
  const turns = Array.from({ length: 3_000 }, (_, at) => `${at} ${'(a+)+$ \u202e\n'.repeat(2_000)}`);
  expect(asksAgain(turnsOf(...turns))).toBe(false);
});
