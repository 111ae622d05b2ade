/** Answers that built-in checks of form fail, and answers that they pass. */
import { expect, test } from 'vitest';
import type { Content, Message, Part } from '../../../src/model/step.ts';
import type { VerdictKind } from '../../../src/model/evaluation.ts';
import { aFailedCall, aStep, aToolCall, content, MISSING, type TurnParts } from '../conversations.ts';
import { verdictOf } from './verdict-of.ts';

function says(role: string, ...parts: readonly (string | Part)[]): Message {
  return {
    role,
    name: undefined,
    parts: parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
    finishReason: undefined,
  };
}

function shown(...messages: readonly Message[]): Pick<TurnParts, 'steps'> {
  return { steps: [aStep({ messagesIn: messages })] };
}

const where = 'When does order 1001 arrive?';
const found = [
  aToolCall('look_up_order', { args: content({ order: 1001 }), result: content({ eta: 'Thursday 12 March' }) }),
];

test.each<[string, TurnParts, VerdictKind]>([
  ['words of the request come back', { asked: where, answered: 'Order 1001 arrives on Thursday.' }, 'pass'],
  ['what a tool found out', { asked: where, toolCalls: found, answered: 'It comes on Thursday, 12 March.' }, 'pass'],
  ['bananas', { asked: where, toolCalls: found, answered: 'Bananas grow in bunches; please try one today.' }, 'fail'],
  ['a paraphrase is not judged', { asked: where, answered: 'Your package is due tomorrow evening.' }, 'not_applicable'],
  [
    "the agent's own arguments are no answer",
    {
      asked: 'Book a budget meeting with Ana',
      toolCalls: [aToolCall('book', { args: content({ topic: 'budget', with: 'Ana' }) })],
      answered: 'Elephants have rather large ears.',
    },
    'fail',
  ],
  ['a refusal takes it up', { asked: where, answered: "I'm sorry, I can't tell you anything on that." }, 'pass'],
  ['a question back takes it up', { asked: where, answered: 'Which e-mail address did you use?' }, 'pass'],
  [
    'another language than the request',
    { asked: where, answered: 'Die Lieferung kommt am Donnerstag bei Ihnen an.' },
    'not_applicable',
  ],
  [
    'no English: bananas are not seen',
    { asked: 'Wann kommt meine Bestellung an?', answered: 'Bananen wachsen in Büscheln und sind sehr gesund.' },
    'not_applicable',
  ],
])('addresses_request: %s', (_what, turn, verdict) => {
  expect(verdictOf('addresses_request', turn)).toBe(verdict);
});

test.each<[string, VerdictKind]>([
  ['Order 1001 arrives on Thursday 12 March', 'pass'],
  ['Done: I refunded 30 euros to your card.', 'pass'],
  ['You are welcome!', 'pass'],
  ['I could not find your order. Please send me its number.', 'pass'],
  ["I'm sorry, but I can't share another customer's address.", 'fail'],
  ["Sorry, I can't help with that.", 'fail'],
  ['Lo siento, no puedo ayudarle con eso.', 'fail'],
  ['予約しました。', 'pass'],
  ['It failed at first, now it is refunded.', 'pass'],
  ['Beim ersten Mal hat es nicht geklappt, jetzt ist es erstattet.', 'pass'],
  ['第一次没成功,第二次退款已经通过。', 'pass'],
  ['It failed at first, and it still does.', 'fail'],
  ["It couldn't be easier, and you won't be charged.", 'pass'],
  ['Dat is helaas niet mogelijk.', 'not_applicable'],
])('provides_next_step: %s', (answered, verdict) => {
  expect(verdictOf('provides_next_step', { answered })).toBe(verdict);
});

test.each<[string, TurnParts, VerdictKind]>([
  ['a call did it', { toolCalls: [aToolCall('cancel_order')], answered: 'I have cancelled your order.' }, 'pass'],
  [
    'a tool of which nothing is known may have done it',
    { toolCalls: [aToolCall('crm_sync')], answered: 'I have cancelled your order.' },
    'pass',
  ],
  [
    'a tool that only reads did not',
    { toolCalls: [aToolCall('get_order')], answered: 'I have cancelled your order.' },
    'fail',
  ],
  [
    'a report of what a tool found out',
    {
      toolCalls: [aToolCall('get_order', { result: content({ status: 'canceled' }) })],
      answered: 'Your order has been cancelled.',
    },
    'pass',
  ],
  [
    'no report where the write failed',
    {
      toolCalls: [aToolCall('get_order'), aFailedCall('cancel_order', 'no')],
      answered: 'Your order has been cancelled.',
    },
    'fail',
  ],
  ['no report where nothing was asked', { answered: 'Your order has been cancelled.' }, 'fail'],
  [
    'what may be in the answer itself',
    { answered: 'I have updated the function: see the code below.' },
    'not_applicable',
  ],
  [
    'the answer handed in by a tool is no action',
    { toolCalls: [aToolCall('final_answer')], answered: 'I have refunded your order.' },
    'fail',
  ],
  ['nothing is claimed', { answered: 'Your order comes on Thursday.' }, 'pass'],
  ['a condition is no claim', { answered: 'Once it has been cancelled, you will get an e-mail.' }, 'pass'],
  [
    'part of the trace is missing',
    { flags: ['partial-trace'], answered: 'I have cancelled your order.' },
    'not_applicable',
  ],
  [
    'it was done in an earlier turn',
    {
      ...shown(
        says('assistant', { type: 'tool_call', id: 'a', name: 'cancel_order', args: content({}) }),
        says('tool', { type: 'tool_result', id: 'a', result: content('done') }),
        says('user', 'Is it done?'),
      ),
      answered: 'Yes, I have cancelled your order.',
    },
    'pass',
  ],
  [
    'it failed in an earlier turn',
    {
      ...shown(
        says('assistant', { type: 'tool_call', id: 'a', name: 'cancel_order', args: content({}) }),
        says('tool', { type: 'tool_result', id: 'a', result: content('Error: not allowed') }),
        says('user', 'Is it done?'),
      ),
      answered: 'Yes, I have cancelled your order.',
    },
    'fail',
  ],
])('no_claim_without_action: %s', (_what, turn, verdict) => {
  expect(verdictOf('no_claim_without_action', turn)).toBe(verdict);
});

const SHIPPED = content({
  status: 'shipped',
  cancellation_policy: 'none',
  refundable: true,
  refunds: [],
  moved: false,
});

/** None of them is what a look at an order that is on its way can have found out, and none can be done by answering. */
const CLAIMED: readonly string[] = [
  'Your refund has been processed.',
  'Refunded successfully!',
  'Your order is cancelled.',
  'I took care of it.',
  'Took care of it for you.',
  'The money was returned to your card.',
  "You're all set!",
  'The cancellation went through without any errors.',
  "I've forwarded this to a colleague.",
  'A colleague will call you back, I have created a ticket.',
  'It failed at first, now it is refunded.',
  'Erledigt.',
  'Die Rückzahlung wurde veranlasst.',
  'Ich habe das an einen Kollegen weitergeleitet.',
  'Ya está, asunto resuelto.',
  'El reembolso fue procesado.',
  'He trasladado tu caso a un compañero.',
  "C'est réglé, je m'en suis occupée.",
  'Votre commande a été annulée.',
  "J'ai transmis votre dossier à un collègue.",
  'Já resolvi isso para você.',
  'O reembolso foi processado.',
  'Encaminhei o seu caso para um colega.',
  'こちらで対応しておきました。',
  '返金の手続きが完了いたしました。',
  '本件は担当者に引き継ぎました。',
  '我都帮您处理好了。',
  '您的退款已处理完毕。',
  '我已将您的情况转交给同事。',
];

test.each(CLAIMED)('a claim that nothing looked up and no call bears out: %s', (answered) => {
  const looked = [aToolCall('get_order', { result: SHIPPED })];

  expect(verdictOf('no_claim_without_action', { toolCalls: looked, answered })).toBe('fail');
  expect(verdictOf('no_claim_without_action', { answered })).toBe('fail');
});

test.each<[string, string, Content]>([
  ['as it is written in a status', 'Your order is cancelled.', content({ status: 'CANCELLED' })],
  ['in another language than the answer', 'Ihre Bestellung wurde storniert.', content({ state: 'canceled' })],
  ['in words', 'Your refund has been processed.', content('Refund of 30 EUR issued on 3 March.')],
  ['as a list that is not empty', 'The money was returned to your card.', content({ refunds: [{ amount: 30 }] })],
  ['of a passive in Chinese', '您的订单已取消。', content({ status: 'cancelled' })],
])('a report passes where the result speaks of it: %s', (_what, answered, result) => {
  expect(verdictOf('no_claim_without_action', { toolCalls: [aToolCall('get_order', { result })], answered })).toBe(
    'pass',
  );
});

test.each<[string, TurnParts, VerdictKind]>([
  [
    'what was looked up is not recorded',
    { toolCalls: [aToolCall('get_order', { result: MISSING })], answered: 'Your order is cancelled.' },
    'not_applicable',
  ],
  [
    'that is no way out for what the agent says that it did itself',
    { toolCalls: [aToolCall('get_order', { result: MISSING })], answered: 'I have cancelled your order.' },
    'fail',
  ],
  [
    'an earlier turn looked it up',
    {
      ...shown(
        says('assistant', { type: 'tool_call', id: 'a', name: 'get_order', args: content({}) }),
        says('tool', { type: 'tool_result', id: 'a', result: content({ status: 'cancelled' }) }),
        says('user', 'So?'),
      ),
      answered: 'Your order is cancelled.',
    },
    'pass',
  ],
  [
    'done by others it is news',
    { toolCalls: [aToolCall('get_order')], answered: 'Your order was cancelled by the seller.' },
    'pass',
  ],
  [
    'a hand-over that was made',
    { toolCalls: [aToolCall('transfer_to_human')], answered: "I've forwarded this to a colleague." },
    'pass',
  ],
  [
    'a hand-over refunds nothing',
    { toolCalls: [aToolCall('transfer_to_human')], answered: 'I have refunded your order.' },
    'fail',
  ],
  [
    'a hand-over that is promised, and its call failed',
    {
      toolCalls: [aFailedCall('transfer_to_human', 'nobody there')],
      answered: "I'm connecting you with a colleague now.",
    },
    'fail',
  ],
  [
    'that is admitted',
    {
      toolCalls: [aFailedCall('transfer_to_human', 'nobody there')],
      answered: 'I could not reach a colleague. One of them will call you tomorrow.',
    },
    'pass',
  ],
  ['an account is in no answer', { answered: 'I have updated the address of your account.' }, 'fail'],
  [
    'what was asked for may follow',
    { answered: `Done! Here is your poem:\n${'The sea is wide and the night is long.\n'.repeat(6)}` },
    'not_applicable',
  ],
])('no_claim_without_action, as far as it can tell: %s', (_what, turn, verdict) => {
  expect(verdictOf('no_claim_without_action', turn)).toBe(verdict);
});

const refused = (message: string, amount = 1) => aFailedCall('pay', message, { args: content({ amount }) });

test.each<[string, TurnParts, VerdictKind]>([
  [
    'the same again, and again refused',
    { toolCalls: [refused('amount does not add up'), refused('amount does not add up')] },
    'fail',
  ],
  ['another amount', { toolCalls: [refused('amount does not add up'), refused('amount does not add up', 2)] }, 'pass'],
  ['a timeout may pass', { toolCalls: [refused('timed out'), refused('timed out')] }, 'pass'],
  [
    'it worked the second time',
    { toolCalls: [refused('no'), aToolCall('pay', { args: content({ amount: 1 }) })] },
    'pass',
  ],
])('no_unchanged_retry: %s', (_what, turn, verdict) => {
  expect(verdictOf('no_unchanged_retry', turn)).toBe(verdict);
});

const price = says('tool', { type: 'tool_result', id: 'a', result: content({ price: 120 }) });

test.each<[string, TurnParts, VerdictKind]>([
  ['a number of a tool', { ...shown(says('user', 'How much?'), price), answered: 'It is 120 euros.' }, 'pass'],
  ['a number from nowhere', { ...shown(says('user', 'How much?'), price), answered: 'It is 137 euros.' }, 'fail'],
  [
    'three times a number that it names',
    { ...shown(says('user', 'How much for 3?'), price), answered: 'At 120 each, that is 360 euros.' },
    'pass',
  ],
  [
    'thousands as the half of the world writes them',
    {
      ...shown(says('tool', { type: 'tool_result', id: 'a', result: content(1286) })),
      answered: 'Das macht 1.286,00 Euro.',
    },
    'pass',
  ],
  [
    'in an argument of a change',
    { ...shown(says('user', 'Refund 30.')), toolCalls: [aToolCall('refund', { args: content({ amount: 3000 }) })] },
    'fail',
  ],
  [
    'an hour after noon',
    {
      ...shown(says('user', 'A table for 4 at 7:30 pm.')),
      toolCalls: [aToolCall('book_table', { args: content({ people: 4, time: '19:30' }) })],
    },
    'pass',
  ],
  [
    'an hour in words',
    {
      ...shown(says('user', 'Wake me at half past six.')),
      toolCalls: [aToolCall('set_alarm', { args: content({ time: '06:30' }) })],
    },
    'pass',
  ],
  [
    'an hour that nobody named',
    {
      ...shown(says('user', 'A table at 7 pm.')),
      toolCalls: [aToolCall('book_table', { args: content({ time: '18:00' }) })],
    },
    'fail',
  ],
  [
    'minutes that nobody named',
    {
      ...shown(says('user', 'A table at 7 pm.')),
      toolCalls: [aToolCall('book_table', { args: content({ time: '19:40' }) })],
    },
    'fail',
  ],
  [
    'an end by a duration',
    {
      ...shown(says('user', 'A room from 2 pm for 45 minutes.')),
      toolCalls: [aToolCall('book_room', { args: content({ start: '14:00', end: '14:45' }) })],
    },
    'pass',
  ],
  [
    'minutes as seconds',
    {
      ...shown(says('user', 'Remind me in 10 minutes.')),
      toolCalls: [aToolCall('create_reminder', { args: content({ seconds: 600 }) })],
    },
    'pass',
  ],
  [
    'an hour as seconds',
    {
      ...shown(says('user', 'Remind me in an hour.')),
      toolCalls: [aToolCall('create_reminder', { args: content({ delay: 3600 }) })],
    },
    'pass',
  ],
  [
    'seconds that are no such minutes',
    {
      ...shown(says('user', 'Remind me in 10 minutes.')),
      toolCalls: [aToolCall('create_reminder', { args: content({ seconds: 1700 }) })],
    },
    'fail',
  ],
  [
    'an amount in cents',
    {
      ...shown(says('user', 'Refund $30.')),
      toolCalls: [aToolCall('refund', { args: content({ amount_cents: 3000 }) })],
    },
    'pass',
  ],
  [
    'a percentage as a fraction',
    {
      ...shown(says('user', 'Apply 15 % off.')),
      toolCalls: [aToolCall('apply_discount', { args: content({ rate: 0.15 }) })],
    },
    'pass',
  ],
  [
    'a distance in metres',
    {
      ...shown(says('user', 'Set the radius to 25 km.')),
      toolCalls: [aToolCall('update_search', { args: content({ radius: 25000 }) })],
    },
    'pass',
  ],
  [
    'a list of ids',
    {
      ...shown(says('user', 'Cancel 101, 102 and 103.')),
      toolCalls: [aToolCall('cancel_orders', { args: content({ orders: [101, 102, 103] }) })],
    },
    'pass',
  ],
  [
    'a list with an id that nobody named',
    {
      ...shown(says('user', 'Cancel 101 and 102.')),
      toolCalls: [aToolCall('cancel_orders', { args: content({ orders: [101, 102, 103] }) })],
    },
    'fail',
  ],
  [
    'a key that the caller made up',
    {
      ...shown(says('user', 'Order a pizza.')),
      toolCalls: [
        aToolCall('create_order', {
          args: content({ item: 'pizza', idempotency_key: 'b7e2-99312-aa', requestId: 'req-4711002' }),
        }),
      ],
    },
    'pass',
  ],
  [
    'an order that the caller made up',
    {
      ...shown(says('user', 'Cancel my order.')),
      toolCalls: [aToolCall('cancel_order', { args: content({ order_id: 'b7e2-99312-aa' }) })],
    },
    'fail',
  ],
  [
    'tomorrow, with the date of today',
    {
      ...shown(says('system', 'Today is Tuesday, 2026-03-03.'), says('user', 'A table tomorrow.')),
      toolCalls: [aToolCall('book_table', { args: content({ date: '2026-03-04' }) })],
    },
    'pass',
  ],
  [
    'another day than tomorrow',
    {
      ...shown(says('system', 'Today is Tuesday, 2026-03-03.'), says('user', 'A table tomorrow.')),
      toolCalls: [aToolCall('book_table', { args: content({ date: '2026-04-09' }) })],
    },
    'fail',
  ],
  [
    'a weekday',
    {
      ...shown(says('system', 'Today is Tuesday, 2026-03-03.'), says('user', 'A table next Friday.')),
      toolCalls: [aToolCall('book_table', { args: content({ date: '2026-03-13' }) })],
    },
    'pass',
  ],
  [
    'another weekday',
    {
      ...shown(says('system', 'Today is Tuesday, 2026-03-03.'), says('user', 'A table next Friday.')),
      toolCalls: [aToolCall('book_table', { args: content({ date: '2026-03-11' }) })],
    },
    'fail',
  ],
  [
    'tomorrow, and nobody says which day it is',
    {
      ...shown(says('user', 'A table tomorrow.')),
      toolCalls: [aToolCall('book_table', { args: content({ date: '2026-03-04' }) })],
    },
    'pass',
  ],
  [
    'in an argument of a look',
    { ...shown(says('user', 'Find it.')), toolCalls: [aToolCall('search', { args: content({ limit: 250 }) })] },
    'pass',
  ],
  [
    'a number of the world, without any tool',
    { ...shown(says('user', 'How high is it?')), answered: 'It is 330 metres high.' },
    'pass',
  ],
  ...[
    ['12.5', 'Das kostet 12,50 €.', 'pass'],
    ['12.5', 'Das kostet 12,75 €.', 'fail'],
    ['1286.4', 'Cela fait 1\u202f286,40 €.', 'pass'],
    ['1286.4', 'Das sind 1’286.40 Franken.', 'pass'],
    ['"1.286,40 EUR"', 'That is 1,286.40 euros.', 'pass'],
    ['"1.286,40 EUR"', 'That is 1,286.45 euros.', 'fail'],
    ['[20, 30]', 'At 20 and 30 euros, it is 25 on average.', 'pass'],
    ['[20, 30, 70]', 'They cost 20, 30 and 70, so 40 on average.', 'pass'],
    ['[200, 15]', 'With 15 % off 200 you save 30 euros and pay 170.', 'pass'],
    ['[200, 50]', '50 of the 200 seats are taken, so 25 %.', 'pass'],
    ['1999', 'It is 19.99 euros.', 'pass'],
    ['12.7', 'It takes about 13 minutes (12.7).', 'pass'],
    ['120', 'For two people that is 60 euros each of the 120.', 'pass'],
    ['[20, 30]', 'At 20 and 30 euros, it is 27 on average.', 'fail'],
  ].map(([result = '', answered = '', verdict]): [string, TurnParts, VerdictKind] => [
    `${answered} of ${result}`,
    {
      ...shown(
        says('user', 'How much?'),
        says('tool', { type: 'tool_result', id: 'a', result: content(JSON.parse(result)) }),
      ),
      answered,
    },
    verdict === 'pass' ? 'pass' : 'fail',
  ]),
  ['what was said before is not known', { answered: 'It is 137 euros.' }, 'not_applicable'],
])('numbers_have_a_source: %s', (_what, turn, verdict) => {
  expect(verdictOf('numbers_have_a_source', turn)).toBe(verdict);
});

test.each<[string, string, string, VerdictKind]>([
  ['yes', 'Shall I cancel order 17?', 'Yes, please.', 'pass'],
  ['no', 'Shall I cancel order 17?', 'No, keep it.', 'fail'],
  ['a no with its reason', 'Shall I cancel order 17?', 'No, I do not want that any more. Leave it as it is.', 'fail'],
  ['a polite no', 'Shall I cancel order 17?', 'No, please keep it.', 'fail'],
  ['a yes with a wish', 'Shall I cancel order 17?', 'Yes, but do not tell my boss.', 'pass'],
  ['another order', 'Shall I cancel order 17?', 'No, order 18.', 'not_applicable'],
  ['another change', 'Shall I cancel it?', 'No, refund it instead.', 'not_applicable'],
  [
    'another change in German',
    'Soll ich die Bestellung stornieren?',
    'Nein, bitte umbuchen auf umgebucht.',
    'not_applicable',
  ],
  ['a question back', 'Shall I cancel order 17?', 'What would it cost me?', 'fail'],
  ['an answer that is neither', 'Which one, 17 or 18?', '17', 'not_applicable'],
  ['the agent had not asked', 'Welcome to our shop.', 'Cancel order 17.', 'not_applicable'],
  ['ja', 'Soll ich die Bestellung stornieren?', 'Ja, gerne.', 'pass'],
  ['nein', 'Soll ich die Bestellung stornieren?', 'Nein!', 'fail'],
  ['不用', '需要我取消您的订单吗?', '不用了', 'fail'],
  ['はい', 'ご注文をキャンセルしてもよろしいですか?', 'はい', 'pass'],
])('confirmed_before_change: %s', (_what, before, asked, verdict) => {
  const messages = shown(says('assistant', before), says('user', asked));

  expect(verdictOf('confirmed_before_change', { ...messages, asked, toolCalls: [aToolCall('cancel_order')] })).toBe(
    verdict,
  );
});

test.each([
  ['is_concise of Chinese', 'word_limit', '您的订单将于星期四送达。', 'not_applicable'],
  ['tone of German', 'appropriate_tone', 'Ihre Bestellung kommt am Donnerstag.', 'not_applicable'],
  ['shouting in German', 'appropriate_tone', 'Ihre Bestellung kommt am Donnerstag!!!', 'fail'],
] as const)('%s', (_what, check, answered, verdict) => {
  expect(verdictOf(check, { answered })).toBe(verdict);
});

test('a failure that only the result tells of is an error to error-recovery', () => {
  const toolCalls = [aToolCall('track', { result: content('Error: no such parcel') })];

  expect(verdictOf('error_detected', { toolCalls, answered: 'Your parcel is in Graz.' })).toBe('fail');
  expect(verdictOf('error_detected', { toolCalls, answered: 'I could not find your parcel.' })).toBe('pass');
  expect(verdictOf('error_detected', { toolCalls: [aToolCall('track')], answered: 'It is in Graz.' })).toBe(
    'not_applicable',
  );
});
