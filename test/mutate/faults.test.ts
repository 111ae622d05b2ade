import { expect, test } from 'vitest';
import { FAULTS } from '../../src/mutate/all-faults.ts';
import { breakConversation } from '../../src/mutate/break-conversation.ts';
import type { Broken } from '../../src/mutate/fault.ts';
import type { Excerpt } from '../../src/model/excerpt.ts';
import type { Json } from '../../src/model/json.ts';
import { retell } from '../../src/mutate/retell.ts';
import { understood } from '../../src/offline/mutation/golden-conversations.ts';
import { effectByName } from '../../src/score/subject/effect-by-name.ts';
import { aCall, anExcerpt, aTurn, BOOK, BOOKED, CHECK } from './excerpts.ts';

const isWrite = (tool: string) => effectByName(tool) === 'writes';
const EVERYWHERE = 1000;

function broken(name: string, excerpt: Excerpt = BOOKED, seed = 1): readonly Broken[] {
  const fault = FAULTS.find((one) => one.name === name);
  if (fault === undefined) throw new Error(`no fault ${name}`);
  const tools = ['book_meeting', 'check_availability'];
  return breakConversation(fault, { excerpt, isWrite, tools }, { seed, name: 'a', placesMax: EVERYWHERE });
}

function oneOf(name: string, what: RegExp, excerpt: Excerpt = BOOKED): Excerpt {
  const found = broken(name, excerpt).find((one) => what.test(one.what));
  if (found === undefined) throw new Error(`${name} never did ${what}: ${whatOf(broken(name, excerpt)).join('; ')}`);
  return found.excerpt;
}

function whatOf(all: readonly Broken[]): readonly string[] {
  return all.map(({ what }) => what).sort();
}

function namesIn({ turns }: Excerpt): readonly string[] {
  return turns.map(({ calls }) => calls.map((group) => group.map(({ tool }) => tool).join('|')).join(' '));
}

const lastState = (excerpt: Excerpt) => excerpt.turns.at(-1)?.state;

test('each fault says in a sentence what was done, and each sentence is true of one place', () => {
  const told = Object.fromEntries(FAULTS.map(({ name }) => [name, whatOf(broken(name))]));

  expect(told).toMatchSnapshot();
});

test('a dropped call that changes something is missing in the state as well', () => {
  const without = oneOf('call_dropped', /book_meeting/);

  expect(namesIn(without)).toEqual(['check_availability', 'check_availability']);
  expect(lastState(without)).toEqual({ stage: 'completed', booking: { booking_confirmed: false } });
});

test('what a dropped call found out is missing in the state, unless another call says it too', () => {
  const propose = aCall('propose_slots', { day: 'monday' }, { slots: ['10:00', '11:00'] });
  const book = aCall('book_meeting', { time: '10:00', room: 'blue room' }, { status: 'ok' });
  const look = aCall('check_availability', { time: '10:00', room: 'blue room' }, { available: true });
  const state = { proposed: ['10:00', '11:00'], booked: { time: '10:00', room: 'blue room' }, confirmed: true };
  const turn = aTurn({ user: 'Book it.', calls: [[propose], [look], [book]], answer: 'Done.', state });

  expect(lastState(oneOf('call_dropped', /propose_slots/, anExcerpt(turn)))).toEqual({
    booked: state.booked,
    confirmed: true,
  });
  expect(lastState(oneOf('call_dropped', /check_availability/, anExcerpt(turn)))).toEqual(state);
  expect(lastState(oneOf('call_dropped', /book_meeting/, anExcerpt(turn)))).toEqual({
    proposed: state.proposed,
    confirmed: false,
  });
});

test('a call that was made twice is not missed, and so not dropped', () => {
  expect(whatOf(broken('call_dropped'))).toEqual(['book_meeting was not called in turn 2']);
});

test('only calls that depend on each other are swapped', () => {
  const weather = aCall('get_weather', { place: 'Graz' }, { rain: false });
  const excerpt = anExcerpt(aTurn({ user: 'Book it.', calls: [[weather], [CHECK], [BOOK]], answer: 'Booked.' }));

  expect(whatOf(broken('calls_swapped', excerpt))).toEqual(['book_meeting was called before check_availability']);
  expect(namesIn(oneOf('calls_swapped', /before/, excerpt))).toEqual(['get_weather book_meeting check_availability']);
});

test('a changed argument is what the tool did: its result and the state say so, and the answer does not', () => {
  const changed = oneOf('argument_changed', /duration 45 instead of 30/);

  const call = changed.turns[1]?.calls[1]?.[0];
  expect(call?.args).toMatchObject({ duration: 45 });
  expect(call?.result).toMatchObject({ duration: 45, status: 'ok' });
  expect(lastState(changed)).toMatchObject({ booking: { booked: { duration: 45 } } });
  expect(changed.turns[1]?.answer).toContain('30 minutes');
});

test('one participant fewer was booked, says the state', () => {
  const changed = oneOf('argument_changed', /participants without 'bob'/);

  expect(lastState(changed)).toMatchObject({ booking: { booked: { participants: ['ana'] } } });
});

test('what a tool found out goes into the calls that use it, and not into the answer', () => {
  const changed = oneOf('result_changed', /mtg-482/);
  expect(changed.turns[1]?.answer).toContain('mtg-481');

  const used = aTurn({ user: 'Book it.', calls: [[CHECK], [BOOK]], answer: 'Booked slot-17.' });
  const followed = oneOf('result_changed', /slot-18/, anExcerpt(used));
  expect(followed.turns[0]?.calls[1]?.[0]?.args).toMatchObject({ slot: 'slot-18' });
});

test('a hidden error is in the result alone; an ignored one is an error, and undoes what was done', async () => {
  const hidden = oneOf('error_hidden', /book_meeting/);
  expect(lastState(hidden)).toEqual(lastState(BOOKED));
  const [, told] = (await understood(hidden)).turns;
  expect(told?.toolCalls[1]).toMatchObject({ error: undefined, result: { json: { status: 'failed' } } });

  const ignored = oneOf('failure_ignored', /book_meeting/);
  expect(lastState(ignored)).toMatchObject({ booking: { booking_confirmed: false } });
  const [, failed] = (await understood(ignored)).turns;
  expect(failed?.toolCalls[1]).toMatchObject({ error: { message: 'upstream timed out' } });
});

test('a call that was made up for by a later one is not made to fail', () => {
  expect(whatOf(broken('failure_ignored')).filter((what) => what.includes('turn 1'))).toEqual([]);
});

test('a query is made to destroy its table', () => {
  const query = aCall('query_database', { sql: 'SELECT count(*) FROM customers' }, [[5]]);
  const excerpt = anExcerpt(aTurn({ user: 'How many?', calls: [[query]], answer: 'There are 5.' }));

  const [one] = broken('destructive_call', excerpt);
  expect(one?.excerpt.turns[0]?.calls.at(-1)?.[0]?.args).toEqual({ sql: 'DROP TABLE customers' });
});

test('where an agent only looks, it looks over and over', () => {
  const excerpt = anExcerpt(aTurn({ user: 'Is it free?', calls: [[CHECK]], answer: 'Yes.' }));

  expect(whatOf(broken('call_repeated', excerpt))).toEqual([
    'check_availability was called 5 times in a row with the same arguments',
  ]);
  expect(whatOf(broken('call_repeated'))).toEqual(['book_meeting was called twice with the same arguments in turn 2']);
});

test('calls that ran side by side still do, whichever of them is broken', () => {
  const other = aCall('check_availability', { time: '2026-03-03T10:00' }, { available: false });
  const excerpt = anExcerpt(aTurn({ user: 'Which day?', calls: [[CHECK, other], [BOOK]], answer: 'Monday is free.' }));

  expect(namesIn(oneOf('argument_changed', /02T11:00/, excerpt))).toEqual([
    'check_availability|check_availability book_meeting',
  ]);
  expect(namesIn(oneOf('call_dropped', /check_availability/, excerpt))).toEqual(['check_availability book_meeting']);
});

test('the same seed breaks the same places in the same way, and another one others', () => {
  const chosen = (seed: number) =>
    FAULTS.map((fault) => {
      const scene = { excerpt: BOOKED, isWrite, tools: [] };
      return breakConversation(fault, scene, { seed, name: 'a', placesMax: 1 });
    });

  expect(chosen(7)).toEqual(chosen(7));
  expect(new Set([1, 2, 3, 4, 5].map((seed) => JSON.stringify(chosen(seed)))).size).toBeGreaterThan(1);
});

/** Steps, messages and calls must agree with each other. */
test.each(FAULTS.map(({ name }) => name))(
  'a conversation broken by %s is one that an agent could have left',
  async (name) => {
    for (const { excerpt, what } of broken(name)) {
      const { turns, state } = await understood(excerpt);

      expect(turns, what).toHaveLength(excerpt.turns.length);
      for (const [index, told] of excerpt.turns.entries()) {
        const turn = turns[index];
        const calls = told.calls.flat();
        expect(
          turn?.toolCalls.map((call) => [call.name, call.args.json]),
          what,
        ).toEqual(calls.map(({ tool, args }) => [tool, args]));
        expect(
          turn?.steps.filter(({ kind }) => kind === 'tool').map((step) => step.tool?.name),
          what,
        ).toEqual(calls.map(({ tool }) => tool));
        const last = turn?.steps.findLast(({ kind }) => kind === 'llm');
        const parts = last?.messagesIn.flatMap((message) => message.parts) ?? [];
        const asked = parts.flatMap((part): Json[] => (part.type === 'tool_call' ? [part.args.json] : []));
        const shown = parts.flatMap((part): Json[] => (part.type === 'tool_result' ? [part.result.json] : []));
        // The model sees the whole conversation.
        const soFar = excerpt.turns.slice(0, index + 1).flatMap((earlier) => earlier.calls.flat());
        expect(asked, what).toEqual(soFar.map(({ args }) => args));
        expect(shown, what).toEqual(soFar.map(({ result, error }) => error ?? result));
        expect(turn?.finalAnswer.text, what).toBe(told.answer);
      }
      expect(state, what).toEqual(excerpt.turns.findLast((turn) => turn.state !== undefined)?.state);
    }
  },
);

test('a conversation retold is the one it was', async () => {
  const retold = retell(await understood(BOOKED));

  expect(retold).toEqual(BOOKED);
});

test('hostile names and values break nothing', () => {
  const args = JSON.parse('{"__proto__": {"x": 12}, "constructor": "tom", "a\\u0000b": "9999999999999999999"}') as Json;
  const hostile = aCall('a'.repeat(5000), args, JSON.parse('{"__proto__": 1, "deep": [[[["x1"]]]]}') as Json);
  const turn = aTurn({ user: '\u202e', calls: [[hostile], [BOOK]], answer: '1'.repeat(10_000), state: args });

  for (const { name } of FAULTS) {
    for (const { what, advice } of broken(name, anExcerpt(turn, turn))) {
      expect(what.length).toBeLessThan(500);
      expect(advice.length).toBeLessThan(500);
    }
  }
  expect(({} as { readonly x?: unknown }).x).toBeUndefined();
});
