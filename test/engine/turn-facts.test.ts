import { expect, test } from 'vitest';
import { factsOf } from '../../src/engine/turn-facts.ts';
import type { ToolCall, Turn } from '../../src/model/turn.ts';

function turnOf(tools: readonly string[], attributes: Readonly<Record<string, string>> = {}, failed = -1): Turn {
  const toolCalls = tools.map(
    (name, at) =>
      ({
        name,
        error: at === failed ? { type: 'Timeout', message: `No seat 12A in train ${at}` } : undefined,
        args: said('{}'),
        result: said('{}'),
      }) as ToolCall,
  );
  const turn: Partial<Turn> = {
    toolCalls,
    attributes: new Map(Object.entries(attributes)),
    userInput: { state: 'whole', text: 'Where is it?', json: 'Where is it?' },
    finalAnswer: { state: 'whole', text: 'Done.', json: 'Done.' },
    endedAtMs: 1,
    llmCalls: tools.length + 1,
  };
  // The cast holds for what facts are read from.
  return turn as Turn;
}

test('tools, how they follow each other, which are called again and which fail', () => {
  expect(factsOf([turnOf(['search', 'book', 'search'], {}, 1)], undefined)).toEqual([
    'tool: search',
    'tool: book',
    'then: search, book',
    'failed call: book',
    'then: book, search',
    'again: search',
    'last in a turn: search',
    'calls in a turn: 2 to 3',
    'model calls in a turn: 4 to 7',
    'answer in characters: 4 to 7',
    'error message: No seat # in train #',
    'ended: with an answer',
  ]);
});

test('what kind of request it was: segment, prompt, language and intent', () => {
  const facts = factsOf([turnOf([], { intent: 'refund', locale: 'de' })], 'eu');
  expect(facts).toEqual(
    expect.arrayContaining(['segment: eu', 'intent: refund', 'language: de', 'last in a turn: no call']),
  );
});

test('names are cut, without signs that nobody sees, and on one line', () => {
  const [fact = ''] = factsOf([turnOf([`a\u202eb\n${'x'.repeat(500)}`])], undefined);
  expect(fact).not.toMatch(/[\n\u202e]/);
  expect(fact.length).toBeLessThan(80);
  expect(factsOf([turnOf(['\ud800'])], undefined)[0]).toBe('tool: \ufffd');
});

test('of many calls the first ones are told', () => {
  const facts = factsOf([turnOf(Array.from({ length: 500 }, (_, at) => `tool${at}`))], undefined);
  expect(facts.length).toBeLessThan(40);
  expect(facts).toContain('calls in a turn: 256 to 511');
});

test('a call fails as well where only its result says so', () => {
  const turn = turnOf(['book']);
  const toolCalls = turn.toolCalls.map((call) => ({ ...call, result: said('Error: flight 12 is full') }));

  expect(factsOf([{ ...turn, toolCalls }], undefined)).toEqual(
    expect.arrayContaining(['failed call: book', 'error message: Error: flight # is full']),
  );
});

const FAILURE = { type: 'Timeout', message: 'timed out', source: 'status' };
const said = (text: string) => ({ state: 'whole', text, json: text }) as const;

test.each([
  [{ error: FAILURE }, 'with an error'],
  [{ finalAnswer: said(' ') }, 'without an answer'],
  [{ ...turnOf(['search'], {}, 0) }, 'after a failed call'],
  [{ finalAnswer: said('Which one do you mean?') }, 'with a question of the agent'],
  [{}, 'with an answer'],
] as const)('%o: ended %s, by the turn that ended last, wherever it stands', (changes, end) => {
  const last = { ...turnOf([]), ...changes, endedAtMs: 9 };
  const other = { ...turnOf([]), error: FAILURE, endedAtMs: 5 };
  for (const turns of [
    [other, last],
    [last, other],
  ])
    expect(factsOf(turns, undefined).filter((fact) => fact.startsWith('ended: '))).toEqual([`ended: ${end}`]);
});

test('a user who corrects the agent is a fact, and what was said is none', () => {
  const facts = factsOf([{ ...turnOf([]), userInput: said('No, I meant the blue one.') }], undefined);
  expect(facts).toContain('user: corrects');
  expect(facts.join()).not.toContain('blue');
});
