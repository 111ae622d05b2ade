/** The checks for faults that spans show: what each finds, and what it must leave alone. */
import { expect, test } from 'vitest';
import type { VerdictKind } from '../../../src/model/evaluation.ts';
import type { Json } from '../../../src/model/json.ts';
import type { Message } from '../../../src/model/step.ts';
import type { ToolCall } from '../../../src/model/turn.ts';
import { aFailedCall, aStep, aToolCall, content, MISSING, type TurnParts } from '../conversations.ts';
import { verdictOf } from './verdict-of.ts';

function called(name: string, args: Json, result: Json = 'ok'): ToolCall {
  return aToolCall(name, { args: content(args), result: content(result) });
}

/** The model was shown the request, so that its instructions are known: there are none. */
function asks(asked: string, ...toolCalls: readonly ToolCall[]): TurnParts {
  const said: Message = {
    role: 'user',
    name: undefined,
    parts: [{ type: 'text', text: asked }],
    finishReason: undefined,
  };
  return { asked, toolCalls, steps: [aStep({ messagesIn: [said] })] };
}

const refund = (order: number, result: Json = { refund: 'r1' }) => called('refund_order', { order }, result);

test.each<[string, TurnParts, VerdictKind]>([
  ['twice', asks('Refund 17.', refund(17), refund(17, { refund: 'r2' })), 'fail'],
  ['another order', asks('Refund 17 and 18.', refund(17), refund(18)), 'pass'],
  ['both with one id: the tool knew the repetition', asks('Refund 17.', refund(17), refund(17)), 'pass'],
  [
    'as many as the user named',
    asks('Two of them.', called('add_item', { id: 1 }), called('add_item', { id: 1 })),
    'pass',
  ],
  [
    'a number of nights',
    asks('Book 2 nights in Porto.', called('charge_card', { amount: 180 }), called('charge_card', { amount: 180 })),
    'fail',
  ],
  [
    'a number of nights, in words',
    asks('Zwei Nächte, bitte.', called('charge_card', { amount: 180 }), called('charge_card', { amount: 180 })),
    'fail',
  ],
  [
    'a number that is an argument',
    asks('A table for 2.', called('book_table', { people: 2 }), called('book_table', { people: 2 })),
    'fail',
  ],
  [
    'a number of changes beside one of nights',
    asks('2 rooms for 2 nights.', called('book_room', { nights: 2 }), called('book_room', { nights: 2 })),
    'pass',
  ],
  [
    'as many in words as the user named, beside an argument',
    asks('Two tables for two.', called('book_table', { people: 2 }), called('book_table', { people: 2 })),
    'pass',
  ],
  ['again, as the user said', asks('Send it again.', called('send_mail', {}), called('send_mail', {})), 'pass'],
  [
    'neither came to anything',
    asks(
      'Send it.',
      called('send_email', { to: 7 }, 'Recipient not found.'),
      called('send_email', { to: 7 }, 'Recipient not found.'),
    ),
    'pass',
  ],
  ['the first came to nothing', asks('Refund 17.', aFailedCall('refund_order', 'busy'), refund(17)), 'pass'],
  [
    'undone in between',
    asks('Do.', called('book_room', { id: 7 }), called('undo_booking', { id: 7 }), called('book_room', { id: 7 })),
    'pass',
  ],
  [
    'the same state twice',
    asks('Set.', called('set_limit', { to: 5 }), called('set_limit', { to: 5 })),
    'not_applicable',
  ],
  [
    'a noun of that name',
    asks('Cancel.', called('cancel_order', { id: 5 }), called('cancel_order', { id: 5 })),
    'not_applicable',
  ],
  ['nothing changed', asks('Where?', called('get_order', { id: 5 }), called('get_order', { id: 5 })), 'not_applicable'],
])('change_made_once: %s', (_what, turn, verdict) => {
  expect(verdictOf('change_made_once', turn)).toBe(verdict);
});

test.each<[string, TurnParts, VerdictKind]>([
  ['another id', asks('Cancel 4471.', called('cancel_order', { id: '4417' })), 'fail'],
  ['the same id, written otherwise', asks('Cancel #4471.', called('cancel_order', { id: 4471 })), 'pass'],
  [
    'an id that was looked up',
    asks('Cancel order 4471.', called('find', {}, { id: '9917' }), called('cancel_order', { id: '9917' })),
    'pass',
  ],
  [
    'its own result shows nothing',
    asks('Cancel 4471.', called('cancel_order', { id: '4417' }, { id: '4417' })),
    'fail',
  ],
  ['another amount', asks('Refund 25 euros.', called('refund', { amount: 250 })), 'fail'],
  ['in cents', asks('Refund 25 euros.', called('refund', { amount_cents: 2500 })), 'pass'],
  ['the rest of what was paid', asks('Refund 100 euros minus 15.', called('refund', { amount: 85 })), 'pass'],
  ['fewer people', asks('A table for 8 people.', called('book_table', { people: 6 })), 'fail'],
  [
    'a number about something else',
    asks('My son is 8 years old. Book a table.', called('book_table', { people: 2 })),
    'pass',
  ],
  ['another time', asks('At 20:15.', called('book_table', { time: '21:15' })), 'fail'],
  ['the time of the afternoon', asks('At 8:15.', called('book_table', { time: '20:15' })), 'pass'],
  ['another day', asks('On 2026-07-14.', called('book_table', { date: '2026-07-15' })), 'fail'],
  ['a slip in an address', asks('To a.brandt@x.test.', called('send_mail', { to: 'a.brand@x.test' })), 'fail'],
  ['a colleague', asks('Tell kim@x.test.', called('send_mail', { to: 'archive@corp.test' })), 'pass'],
  [
    'a call that failed',
    asks('Cancel 4471.', aFailedCall('cancel_order', 'no', { args: content({ id: '4417' }) })),
    'pass',
  ],
  ['nothing changed', asks('Where is 4471?', called('get_order', { id: '4417' })), 'not_applicable'],
  [
    'earlier messages are not known',
    { asked: 'Cancel 4471.', toolCalls: [called('cancel_order', { id: '4417' })] },
    'not_applicable',
  ],
])('arguments_as_asked: %s', (_what, turn, verdict) => {
  expect(verdictOf('arguments_as_asked', turn)).toBe(verdict);
});

const parcel = (status: string) => [called('track_parcel', { id: 7 }, { status })];

test.each<[string, TurnParts, VerdictKind]>([
  ['the contrary', { toolCalls: parcel('shipped'), answered: 'It has been delivered.' }, 'fail'],
  ['the contrary of a denial', { toolCalls: parcel('lost'), answered: 'It is on its way to you.' }, 'fail'],
  ['denied', { toolCalls: parcel('shipped'), answered: 'It was not delivered so far.' }, 'pass'],
  ['of another time', { toolCalls: parcel('shipped'), answered: 'It should be delivered tomorrow.' }, 'pass'],
  ['asked', { toolCalls: parcel('shipped'), answered: 'Has it been delivered to a neighbour?' }, 'pass'],
  [
    'with the true state beside it',
    { toolCalls: parcel('shipped'), answered: 'Shipped; the last one was delivered.' },
    'pass',
  ],
  ['in German', { toolCalls: parcel('cancelled'), answered: 'Ja, Ihre Reservierung ist bestätigt.' }, 'fail'],
  [
    'several states',
    {
      toolCalls: [...parcel('shipped'), ...parcel('delivered')].map((call, id) => ({ ...call, args: content({ id }) })),
      answered: 'It has been delivered.',
    },
    'not_applicable',
  ],
  [
    'polled to its end',
    { toolCalls: [...parcel('pending'), ...parcel('delivered')], answered: 'It has been delivered.' },
    'pass',
  ],
  [
    'changed since',
    { toolCalls: [...parcel('pending'), called('approve_order', {})], answered: 'It is confirmed.' },
    'not_applicable',
  ],
  [
    'a state that is not known',
    { toolCalls: parcel('frobnicated'), answered: 'It has been delivered.' },
    'not_applicable',
  ],
  ['no tool', { answered: 'It has been delivered.' }, 'not_applicable'],
])('agrees_with_status: %s', (_what, turn, verdict) => {
  expect(verdictOf('agrees_with_status', turn)).toBe(verdict);
});

const ran = (result: Json, command = 'npm test') => [called('bash', { command }, result)];

test.each<[string, TurnParts, VerdictKind]>([
  ['failed tests', { toolCalls: ran('11 passed, 1 failed'), answered: 'All the tests are green now.' }, 'fail'],
  ['counted', { toolCalls: ran({ passed: 8, failed: 4 }), answered: 'All of them pass.' }, 'fail'],
  [
    'an exit code in text',
    { toolCalls: ran('exit code 2: no credentials'), answered: 'The staging system is up to date.' },
    'fail',
  ],
  ['an exit code', { toolCalls: ran({ exit_code: 1, stderr: 'ld: no' }), answered: 'The build went through.' }, 'fail'],
  ['told', { toolCalls: ran('11 passed, 1 failed'), answered: 'One test still fails.' }, 'pass'],
  [
    'told by the number, in any language',
    { toolCalls: ran('18 passed, 2 failed'), answered: '18 testów przeszło, a 2 nie.' },
    'pass',
  ],
  [
    'not readable',
    {
      toolCalls: ran('18 passed, 2 failed'),
      asked: 'Uruchom proszę wszystkie testy i powiedz mi, jaki jest wynik.',
      answered: 'Wszystkie testy przeszły bez problemu i można wdrażać nową wersję.',
    },
    'not_applicable',
  ],
  [
    'mended by the last run',
    { toolCalls: [...ran('1 failed'), ...ran('12 passed, 0 failed')], answered: 'All pass.' },
    'pass',
  ],
  [
    'a search that found nothing',
    { toolCalls: ran({ exit_code: 1, stdout: '' }, 'grep x y'), answered: 'It is not used.' },
    'pass',
  ],
  [
    'a tool that runs nothing',
    { toolCalls: [called('get_log', {}, '1 failed')], answered: 'All is well.' },
    'not_applicable',
  ],
  ['no answer was recorded', { toolCalls: ran('1 failed'), answered: MISSING }, 'not_applicable'],
])('admits_failed_run: %s', (_what, turn, verdict) => {
  expect(verdictOf('admits_failed_run', turn)).toBe(verdict);
});

test.each<[string, TurnParts, VerdictKind]>([
  ['the number', { asked: 'My order number is A5530.', answered: 'What is your order number?' }, 'fail'],
  ['the address', { asked: 'Send it to mia@x.test.', answered: 'Sure. What is your email address?' }, 'fail'],
  ['the date', { asked: 'A flight on 12 May 2026.', answered: 'On what date would you like to fly?' }, 'fail'],
  ['in German', { asked: 'Meine Kundennummer ist 204417.', answered: 'Gerne. Wie lautet Ihre Kundennummer?' }, 'fail'],
  ['something else', { asked: 'My order number is A5530.', answered: 'Which size do you need?' }, 'pass'],
  [
    'another one',
    { asked: 'My order number is A5530.', answered: 'What is the other order number?' },
    'not_applicable',
  ],
  ['it is named in the question', { asked: 'Order number A5530.', answered: 'Is A5530 your order number?' }, 'pass'],
  [
    'it was tried',
    {
      asked: 'My order number is A5530.',
      toolCalls: [called('find', { id: 'A5530' })],
      answered: 'What is your order number?',
    },
    'pass',
  ],
  ['it was not given', { asked: 'I want to return a jacket.', answered: 'What is your order number?' }, 'pass'],
  ['nothing is asked', { asked: 'My order number is A5530.', answered: 'It arrives today.' }, 'not_applicable'],
])('asks_for_what_is_missing: %s', (_what, turn, verdict) => {
  expect(verdictOf('asks_for_what_is_missing', turn)).toBe(verdict);
});

const order = called('get_order', { id: 7 }, { id: 7, item: 'cup', total: 19.8 });
const raw = '{"id": 7, "item": "cup", "total": 19.8}';

test.each<[string, TurnParts, VerdictKind]>([
  ['JSON of a tool', { ...asks('What did I order?', order), answered: raw }, 'fail'],
  ['as Python prints it', { ...asks('What did I order?', order), answered: "{'id': 7, 'item': 'cup'}" }, 'fail'],
  ['XML', { ...asks('What did I order?', order), answered: '<order><item>cup</item></order>' }, 'fail'],
  ['a template', { ...asks('What did I order?', order), answered: 'Dear {{customer}}, it is a cup.' }, 'fail'],
  ['JSON that was asked for', { ...asks('Give me my order as JSON.', order), answered: raw }, 'pass'],
  ['a classifier', { ...asks('My cup is broken.'), answered: '{"intent": "refund"}' }, 'pass'],
  ['prose', { ...asks('What did I order?', order), answered: 'A cup for 19.80.' }, 'pass'],
  ['instructions that are not known', { asked: 'What?', toolCalls: [order], answered: raw }, 'not_applicable'],
])('answer_is_for_a_person: %s', (_what, turn, verdict) => {
  expect(verdictOf('answer_is_for_a_person', turn)).toBe(verdict);
});

const search = (query: string, result: Json = []) => called('search', { query }, result);

test.each<[string, readonly ToolCall[], VerdictKind]>([
  ['differences of writing alone', [search('A1001'), search('a1001 '), search('#A1001')], 'fail'],
  ['other words', [search('parse header'), search('readHeader'), search('header split')], 'pass'],
  ['numbers with and without a point', [search('1.5'), search('15'), search('1.5'), search('15')], 'pass'],
  ['a result that changes', [search('a', 1), search('a', 2), search('a', 3)], 'pass'],
  ['polling that comes to an end', [search('a', 1), search('a', 1), search('a', 1), search('a', 'done')], 'pass'],
  ['polling that goes on', [1, 2, 3].map(() => search('a', { status: 'pending' })), 'pass'],
  [
    'a change between',
    [search('a'), search('a'), called('edit_file', {}), search('a'), search('a'), called('edit_file', {}), search('a')],
    'pass',
  ],
  ['results that were not recorded', [1, 2, 3].map(() => ({ ...search('a'), result: MISSING })), 'not_applicable'],
])('no_identical_loop: %s', (_what, toolCalls, verdict) => {
  expect(verdictOf('no_identical_loop', { toolCalls })).toBe(verdict);
});

const failed = aFailedCall('book_room', 'the room is taken, alternatives are on Friday');

test.each<[string, TurnParts, readonly [VerdictKind, VerdictKind]]>([
  ['with a next step', { answered: 'I could not book it. Shall I try tomorrow?' }, ['pass', 'pass']],
  ['without', { answered: 'I could not book it.' }, ['pass', 'fail']],
  [
    'takes up what the tool said',
    { answered: 'It is taken, so you keep yours. Would Friday suit you?' },
    ['pass', 'pass'],
  ],
  ['silent', { answered: 'Have a good day.' }, ['fail', 'not_applicable']],
  ['not readable', { answered: 'Dat is helaas niet gelukt vandaag, sorry daarvoor.' }, ['not_applicable', 'fail']],
])('a failure that was left standing: %s', (_what, turn, verdicts) => {
  const parts = { asked: 'Book it for Tuesday.', toolCalls: [failed], ...turn };

  expect([verdictOf('no_unrecovered_tool_error', parts), verdictOf('failure_has_next_step', parts)]).toEqual(verdicts);
});

const deletes = (id: string, result: string) => called('delete_event', { event_id: id }, result);
const told = (turn: TurnParts, answered: string): TurnParts => ({ ...turn, answered });

test.each<[string, TurnParts, VerdictKind]>([
  [
    'an id of zeros and a digit, which nobody gave',
    asks('Delete the next event.', deletes('00000001', 'Deleted.')),
    'fail',
  ],
  [
    'although the digit is in a date that a tool gave',
    asks('Delete it.', called('find_events', {}, 'On 2026-01-01: none'), deletes('00000001', 'Deleted.')),
    'fail',
  ],
  [
    'an id that a tool gave',
    asks('Delete it.', called('find_events', {}, [{ event_id: '00000001' }]), deletes('00000001', 'Deleted.')),
    'pass',
  ],
  ['the number that the user gave, with zeros before it', asks('Delete 42.', deletes('00000042', 'Deleted.')), 'pass'],
  [
    'per cents of a series by day',
    told(
      asks(
        'How did it change?',
        called('get_durations', {}, { '2026-03-01': 25, '2026-03-02': 22.5, '2026-03-03': 21.25, '2026-03-04': 20.5 }),
        called('get_users', {}, { '2026-03-01': 2, '2026-03-02': 4, '2026-03-03': 8, '2026-03-04': 5 }),
      ),
      'It fell by 18 %.',
    ),
    'pass',
  ],
  [
    'the price of a journey of two legs, one of many',
    told(
      asks(
        'Find me a flight.',
        called('search', {}, [
          [
            { seats: { eco: 4 }, prices: { eco: 141 } },
            { seats: { eco: 9 }, prices: { eco: 103 } },
          ],
          [
            { seats: { eco: 5 }, prices: { eco: 152 } },
            { seats: { eco: 8 }, prices: { eco: 103 } },
          ],
        ]),
      ),
      'The later one costs $255.',
    ),
    'pass',
  ],
  [
    'the last digits of a card',
    told(asks('Pay.', called('get_user', {}, { cards: ['gift_card_7091239'] })), 'With the card ending in 1239?'),
    'pass',
  ],
  [
    'other last digits',
    told(asks('Pay.', called('get_user', {}, { cards: ['gift_card_7091239'] })), 'With the card ending in 1240?'),
    'fail',
  ],
])('numbers_have_a_source: %s', (_what, turn, verdict) => {
  expect(verdictOf('numbers_have_a_source', turn)).toBe(verdict);
});

test.each<[string, Json, string, VerdictKind]>([
  ['Which order is late?', { order: 9, days: 12 }, 'Order 6 is late.', 'fail'],
  ['Which order is late?', { order: 9, days: 12 }, 'Order 9 is late.', 'pass'],
  ['Which order is late?', { order: 9, days: 12 }, 'It is late, with 6 parts.', 'pass'],
  ['Is order six late?', { order: 9, days: 12 }, 'Order 6 is late.', 'pass'],
  ['Which are late?', { orders: [91, 92] }, 'Order 1: no. 91, Order 2: no. 92.', 'pass'],
  ['How many are late?', { orders: [91, 92] }, 'The order 1 of 2 is late.', 'pass'],
  ['Welcher Tisch?', { tisch: 7 }, 'Tisch Nr. 4 ist frei.', 'fail'],
])('numbers_have_a_source: single digits, "%s", %j, "%s"', (asked, result, answered, verdict) => {
  expect(verdictOf('numbers_have_a_source', told(asks(asked, called('look_up', {}, result)), answered))).toBe(verdict);
});

const inRows = [
  { region: 'North', share: 21.5 },
  { region: 'West', share: 33.2 },
  { region: 'East', share: 12.3 },
];
const byName = { North: 21.5, West: 33.2, East: 12.3 };
const inWords = 'North 21.5 %, West 33.2 %, East 12.3 %';

test.each<[Json, string, VerdictKind]>([
  ...[inRows, byName, inWords].flatMap((shares): readonly [Json, string, VerdictKind][] => [
    [shares, 'Together they have 67 %.', 'pass'],
    [shares, 'On average 22.3 %.', 'pass'],
    [shares, 'On average 22.33 %.', 'pass'],
    [shares, 'North has 21.5 %, West 33.2 %, East 12.3 %: together 67 %, and the others 33 %.', 'pass'],
    [shares, 'North has 21.5 %, and 78.5 % are elsewhere.', 'pass'],
    [shares, 'Together they have 68 %.', 'fail'],
    [shares, 'On average 24.1 %.', 'fail'],
    [shares, 'South has 44 %.', 'fail'],
  ]),
  [inWords, '78.5 % are elsewhere.', 'pass'],
  [{ returned: 67 }, '67 % were returned, and the others, 33 %, were kept.', 'pass'],
  [{ returned: 67 }, '67 parcels came back, and 33 are here.', 'fail'],
  [{ returned: 12 }, '67 % were returned, and the others, 33 %, were kept.', 'fail'],
])('numbers_have_a_source: of %j, "%s"', (result, answered, verdict) => {
  const turn = told(asks('What are the shares?', called('get_shares', {}, result)), answered);

  expect(verdictOf('numbers_have_a_source', turn)).toBe(verdict);
});

test.each<[string, TurnParts, VerdictKind]>([
  ['deleted before', asks('Delete 7.', deletes('7', 'Deleted.'), deletes('7', 'Event not found.')), 'pass'],
  [
    'another one deleted before',
    asks('Delete 7, 8.', deletes('7', 'Deleted.'), deletes('8', 'Event not found.')),
    'fail',
  ],
  ['never deleted', asks('Delete 7.', deletes('7', 'Event not found.')), 'fail'],
])('no_unrecovered_tool_error, of a thing that is not found: %s', (_what, turn, verdict) => {
  expect(verdictOf('no_unrecovered_tool_error', told(turn, 'All your events are deleted.'))).toBe(verdict);
});

const thrice = (...commands: readonly string[]) =>
  asks('Which build?', ...commands.map((command) => called('run_command', { command }, '49')));

test.each<[string, TurnParts, VerdictKind]>([
  [
    'another command, by the case of a letter',
    thrice("awk -f'-' '{print $nf}'", "awk -F'-' '{print $nf}'", "awk -F'-' '{print $NF}'"),
    'pass',
  ],
  [
    'the same command, spaced otherwise',
    thrice('uname -r | cut -c1', 'uname -r|cut -c1', 'uname -r |  cut -c1'),
    'fail',
  ],
])('no_identical_loop: %s', (_what, turn, verdict) => {
  expect(verdictOf('no_identical_loop', turn)).toBe(verdict);
});
