/** Answers that count as having told the user something. */
import { expect, test } from 'vitest';
import { isNegatedIn, wasTold } from '../../../src/score/expected/told.ts';
import { aTurn, MISSING, REDACTED } from '../conversations.ts';

test.each<[wanted: string | number, answer: string]>([
  ['1286', 'It costs $1,286.00 in all.'],
  [1286, 'It costs 1286.'],
  ['1286', 'In total: **1286**'],
  ['54.04', 'You get $54.04 back.'],
  [10, 'There are 10 options.'],
  [10, 'Book now (10% off)!'],
  [10, 'From 5-10 days.'],
  ['-114', 'The difference is -$114.00'],
  [114, 'Your card is charged −$114'],
  ['10', '共10元'],
  [20, 'It weighs 20kg.'],
  ['1,286', 'It costs 1286 dollars.'],
  ['1286', 'It costs 1’286 francs, or 1\u202f286.'],
  ['Gift Card', 'Refunded to your gift  card.'],
  ['HAT136', 'You fly with hat136.'],
  ['order 17', 'Order 17, shipped.'],
  ['$327', 'It is $327.00.'],
  ['', 'Anything.'],
  ['no', 'No: it is closed.'],
  ['no', 'The answer is "no".'],
  ['Tuesday', 'Tuesday’s flight'],
  ['航班', '您的航班已确认'],
  ['火曜日', '予約は火曜日です。'],
  ['환불', '환불은 3일 걸립니다.'],
  ['ana', 'アナna ana'],
  ['20 kg', 'Up to 20 kg.'],
  ['A-17', 'Your code is A-17.'],
  [12, 'It is not 15 but 12.'],
  [12, 'Not only 12: 15 as well.'],
  ['refundable', 'It is not cheap, and it is refundable.'],
  ['not refundable', 'It is not refundable.'],
  [1286, 'Das kostet 1.286,00 €.'],
  ['12.5', 'Das macht 12,50 Euro.'],
  [1286.4, 'Cela coûte 1\u00a0286,40 €.'],
  [30, 'Your order #30 is on its way.'],
])('%j is told by %j', (wanted, answer) => {
  expect(wasTold(wanted, [aTurn({ answered: answer })])).toBe(true);
});

test.each<[wanted: string | number, answer: string]>([
  ['1286', 'It costs 12860.'],
  ['1286', 'It costs 1286.5.'],
  [10, 'It costs $100 and 110 points.'],
  [136, 'You fly with HAT136.'],
  [10, 'About 10k people.'],
  [1, 'About $1.5k.'],
  [-5, 'It is 5.'],
  ['order 17', 'Order 170, shipped.'],
  ['7 days', '17 days'],
  ['$327', 'It is $327.50.'],
  ['ana', 'Bob'],
  ['no', 'It is available now.'],
  ['no', 'I do know.'],
  ['ana', 'Banana'],
  ['hat', 'You fly with HAT136.'],
  ['12', 'Your code is 1234.'],
  [12, 'It is not 12.'],
  ['12', "It isn't $12."],
  [12, 'It is not 12 but 15.'],
  ['refundable', 'It is not refundable.'],
  ['refundable', 'It is non-refundable and not a refundable fare.'],
  ['30 Euro', 'Es sind nicht 30 Euro.'],
  [30, 'Your order #30-A is on its way.'],
  [12.5, 'Das macht 12,75 Euro.'],
  ['12', '不是12'],
  ['12', '12ではありません。'],
])('%j is not told by %j', (wanted, answer) => {
  expect(wasTold(wanted, [aTurn({ answered: answer })])).toBe(false);
});

test('any answer will do, and what was not recorded may have had it', () => {
  const turns = [aTurn({ answered: 'It is 30.' }), aTurn({ answered: 'Bye.' })];
  const cut = [...turns, aTurn({ answered: REDACTED })];

  expect(wasTold(30, turns)).toBe(true);
  expect(wasTold(30, cut)).toBe(true);
  expect(wasTold(31, cut)).toBe('The final answer is redacted.');
  // It is known that the agent said nothing.
  expect(wasTold(31, [...turns, aTurn({ answered: MISSING })])).toBe(false);
});

test.each<[string | number, string, boolean]>([
  [30, 'The refund is not 30.', true],
  ['refundable', "It isn't refundable.", true],
  [30, 'The refund is not 31.', false],
  [30, 'It is not 30. It is 30.', false],
])('%j in "%s" is only negated: %s', (wanted, answer, isNegated) => {
  expect(isNegatedIn([aTurn({ answered: answer })], wanted)).toBe(isNegated);
});

test('long answers are looked through in time', () => {
  const answer = `${'1,'.repeat(200_000)} ${'a1'.repeat(200_000)}`;

  const startedAt = performance.now();
  expect(wasTold('a1a2', [aTurn({ answered: answer })])).toBe(false);
  expect(wasTold(7, [aTurn({ answered: answer })])).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(2000);
});
