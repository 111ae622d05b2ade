/** Places in an answer where a program should have put a value. */
import { expect, test } from 'vitest';
import { unfilledPlaceIn } from '../../src/score/subject/unfilled-place.ts';
import { aTurn } from './conversations.ts';

const ASKED = 'What is my balance?';

test.each<[string, string]>([
  ['Your balance is {{balance}}.', '{{balance}}'],
  ['Your balance is {{ account.balance }} as of today.', '{{ account.balance }}'],
  ['Dein Kontostand ist {{kontostand}}.', '{{kontostand}}'],
  ['残高は{{残高}}です。', '{{残高}}'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text that a program forgot to fill in
  ['Hello ${name}, your balance is 30.', '${name}'],
  ['Dear {customer_name}, your balance is 30.', '{customer_name}'],
  ['Dear %(name)s, your balance is 30.', '%(name)s'],
  ['Your account: [object Object]', '[object Object]'],
  ['Your balance is $NaN.', '$NaN'],
  ['Your balance is undefined €.', 'undefined €'],
  ['Hi undefined, your balance is 30.', 'Hi undefined'],
])('%s', (answered, place) => {
  expect(unfilledPlaceIn(aTurn({ asked: ASKED, answered }))).toBe(place);
});

test.each<[string, string, string]>([
  ['an ordinary answer', ASKED, 'Your balance is 30 dollars.'],
  ['a set', ASKED, 'The divisors are {1, 2, 3}.'],
  ['JSON', ASKED, '{"balance": 30, "account": {"id": 7}}'],
  ['a word in braces', ASKED, 'Choose one of {red} and {blue}.'],
  ['a path', 'How do I read a user?', 'Send a GET to /users/{user_id} with your token.'],
  ['code', 'How do I greet people?', 'Like this:\n```\nHello {{name}}\n```\nThat is all.'],
  ['code in a line', 'How do I greet people?', 'Write `Hello {{name}}` and save it.'],
  ['a quote', ASKED, 'The page says "Hello {{name}}", which is wrong: your balance is 30.'],
  ['a request for a template', 'Give me a template of a reminder.', 'Dear {{name}}, please pay {{amount}}.'],
  ['a request for a text', 'Write me a letter to a customer.', 'Dear {customer_name}, thank you.'],
  ['a request with such a place', 'What does {{name}} mean?', 'In place of {{name}} stands who reads it.'],
  ['mathematics', 'What is 1 / 0?', 'Division by zero is undefined.'],
  ['a name', 'Who was it?', 'It was Dear None of the above.'],
])('%s has none', (_what, asked, answered) => {
  expect(unfilledPlaceIn(aTurn({ asked, answered }))).toBeUndefined();
});
