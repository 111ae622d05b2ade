/** Answers to a person, and texts that a program printed in place of one. */
import { expect, test } from 'vitest';
import { BUILT_IN_CHECKS } from '../../src/score/checks/built-in-checks.ts';
import { subjectOf } from '../../src/score/subject/subject.ts';
import { hasAnswer } from '../../src/score/subject/turn-answer.ts';
import { aConversation, aStep, aToolCall, aTurn, content, MISSING, REDACTED, type TurnParts } from './conversations.ts';

const ASKED = 'Where is my parcel?';
const TRACEBACK = 'Traceback (most recent call last):\n  File "agent.py", line 3, in run\nKeyError: \'eta\'';
const CALL = '{"name": "track_parcel", "arguments": {"id": 7}}';

test.each<[string, TurnParts]>([
  ['nothing', { answered: '' }],
  ['white space', { answered: ' \n\t' }],
  ['None', { answered: 'None' }],
  ['null', { answered: 'null\n' }],
  ['undefined', { answered: ' undefined ' }],
  ['NaN', { answered: 'NaN' }],
  ['an object without a text', { answered: '[object Object]' }],
  ['an empty object', { answered: '{}' }],
  ['an empty object with a space', { answered: '{ }' }],
  ['an empty list', { answered: '[]' }],
  ['an error of a server', { answered: 'Error: 500 Internal Server Error' }],
  ['an error of a server without the word', { answered: '502 Bad Gateway' }],
  ['an error of a server without the code', { answered: 'Internal Server Error' }],
  ['an error of HTTP', { answered: 'HTTP/1.1 503 Service Unavailable' }],
  ['an error with its code alone', { answered: 'HTTP error 429' }],
  ['an error of a client library', { answered: "Error code: 429 - {'error': {'message': 'Rate limit reached'}}" }],
  ['an exception', { answered: "KeyError: 'eta'" }],
  ['an exception of a library', { answered: 'openai.RateLimitError: Error code: 429 - {}' }],
  ['a traceback', { answered: TRACEBACK }],
  ['an exception of a browser', { answered: 'Uncaught TypeError: x is not a function' }],
  ["what a framework says of a tool's exception", { answered: 'Error executing tool: timed out' }],
  ['a call between tags', { answered: `<tool_call>\n${CALL}\n</tool_call>` }],
  ['two of them', { answered: `<tool_call>${CALL}</tool_call>\n<tool_call>${CALL}</tool_call>` }],
  ['a call between other tags', { answered: '<function=track_parcel>{"id": 7}</function>' }],
  ['a call after a mark', { answered: `[TOOL_CALLS] [${CALL}]` }],
  ['a call in Python', { answered: '<|python_tag|>track_parcel(id=7)' }],
  ['a call as JSON', { answered: CALL }],
  ['a list of them', { answered: `[${CALL}, ${CALL}]` }],
  ['a call with parameters', { answered: '{"name": "track_parcel", "parameters": {"id": 7}}' }],
  [
    'a call as OpenAI has it',
    { answered: '{"type": "function", "function": {"name": "track_parcel", "arguments": "{}"}}' },
  ],
  ['the calls of a message', { answered: `{"tool_calls": [${CALL}]}` }],
  ['a call in Python by itself', { answered: 'track_parcel(parcel_id="P-7")' }],
  ['a framework that gave up', { answered: 'Agent stopped due to iteration limit or time limit.' }],
  ['the same of another version', { answered: 'Agent stopped due to max iterations.' }],
  [
    'a step that was not read',
    { answered: 'Thought: I need the parcel.\nAction: track_parcel\nAction Input: {"id": 7}' },
  ],
  [
    'an error page',
    { answered: '<html>\n<head><title>502 Bad Gateway</title></head>\n<body><h1>502 Bad Gateway</h1></body></html>' },
  ],
  ['an action', { answered: '{"action": "track_parcel", "action_input": "7"}' }],
  ['an error as a value', { answered: '{"error": "timeout"}' }],
  ['an error as a value with a code', { answered: '{"status": 504, "error": {"message": "timeout"}}' }],
  ['what a runtime says', { answered: "Error occurred: 'NoneType' object has no attribute 'get'" }],
  ['what another one says', { answered: "An error occurred: Cannot read properties of undefined (reading 'id')" }],
])('%s is no answer to a person', (_what, parts) => {
  expect(hasAnswer(aTurn({ asked: ASKED, ...parts }))).toBe(false);
});

test.each<[string, TurnParts]>([
  ['a sentence', { answered: 'Your parcel is in Graz.' }],
  ['a thought with its answer', { answered: 'Thought: I know it.\nFinal Answer: In Graz.' }],
  ['a thought that is an answer', { answered: 'Thought: a parcel is a small gift.' }],
  [
    'a call that was asked for',
    { asked: 'Which Python function tracks it?', answered: 'track_parcel(parcel_id="P-7")' },
  ],
  ['a name with brackets', { answered: 'Graz(Austria)' }],
  [
    'a page that was asked for',
    { asked: 'Write a page.', answered: '<html><head><title>Parcels</title></head></html>' },
  ],
  [
    'an error page that was asked for',
    { asked: 'Write me an HTML error page.', answered: '<html><title>502</title></html>' },
  ],

  ['a word', { answered: 'Graz' }],
  ['zero', { answered: '0' }],
  ['a number that is a code as well', { answered: '404' }],
  ['no', { answered: 'false' }],
  ['a tick', { answered: '✅' }],
  ['a sentence about nothing', { answered: 'None of them is in Graz.' }],
  ['structured output', { answered: '{"intent": "refund"}' }],
  ['structured output with empty members', { answered: '{"orders": []}' }],
  ['a list of things', { answered: '["Graz", "Linz"]' }],
  ['a list of numbers', { answered: '[1, 2]' }],
  ['a thing with a name', { answered: '{"name": "Ana", "age": 7}' }],
  ['a thing with a name and arguments that are none', { answered: '{"name": "Ana", "arguments": 3}' }],
  ['more than a call', { answered: '{"name": "refund", "arguments": {}, "confidence": 0.9}' }],
  ['an answer handed in by an action', { answered: '{"action": "Final Answer", "action_input": "It is in Graz."}' }],
  ['an empty list, where a list was asked for', { asked: 'List my open orders.', answered: '[]' }],
  ['an empty object, where JSON was asked for', { asked: 'Extract the address as JSON.', answered: '{}' }],
  [
    'an empty list, where the instructions ask for JSON',
    { asked: ASKED, answered: '[]', steps: [aStep({ systemInstructions: 'Answer with JSON only.' })] },
  ],
  [
    'an empty object, where the span says that JSON was asked for',
    { asked: ASKED, answered: '{}', steps: [aStep({ attributes: new Map([['gen_ai.output.type', 'json']]) })] },
  ],
  ['an empty list, where what was asked is not recorded', { asked: MISSING, answered: '[]' }],
  [
    'a call, where the instructions ask for JSON',
    { answered: CALL, steps: [aStep({ systemInstructions: 'Route the request. Answer with JSON.' })] },
  ],
  ['an example of a call', { asked: 'Show me a tool call of your API.', answered: CALL }],
  [
    'an exception, where that was asked for',
    { asked: 'Which exception does d["eta"] raise?', answered: "KeyError: 'eta'" },
  ],
  ['a code, where that was asked for', { asked: 'What does the HTTP status 502 mean?', answered: '502 Bad Gateway' }],
  ['an error in a sentence', { answered: 'Error: your order number has a letter too few. Please send it again.' }],
  ['an error explained', { answered: '500 Internal Server Error means that the server broke.' }],
  ['data with an error', { answered: '{"order": 7, "error": "no stock"}' }],
  ['data without an error', { answered: '{"error": null, "status": "sent"}' }],
  ['an error value, where JSON was asked for', { asked: 'Give me the state as JSON.', answered: '{"error": "none"}' }],
  ['an error in words', { answered: 'An error occurred: your card was declined by the bank.' }],
  ['a sentence with a code', { answered: 'HTTP 404 is what the shop said; I will try again tomorrow.' }],
  ['a traceback explained', { answered: `The tool failed:\n${TRACEBACK}` }],
  ['a call after a remark', { answered: `Let me look. <tool_call>${CALL}</tool_call>` }],
  ['text in brackets', { answered: '[Order 7] is in Graz.' }],
  ['what was cut', { answered: content('{}', 'truncated') }],
  ['what was redacted', { answered: REDACTED }],
])('%s is an answer', (_what, parts) => {
  expect(hasAnswer(aTurn({ asked: ASKED, ...parts }))).toBe(true);
});

test('program text ends a turn without an answer, and the reason shows it', () => {
  const turn = aTurn({ asked: ASKED, answered: '[object Object]' });
  const subject = subjectOf(aConversation([turn]), turn.id);
  const ask = (check: string) => BUILT_IN_CHECKS.get(check)?.make({})(subject);

  expect(subject.ending).toBe('no_answer');
  expect(ask('answered')).toMatchObject({
    pass: false,
    reason: 'The turn ended without an answer: "[object Object]" is none.',
  });
  expect(ask('answer_says_something')).toMatchObject({
    pass: false,
    reason: 'There is no answer but "[object Object]".',
  });
});

test('a hand-over without an answer says nothing, and need not', () => {
  const turn = aTurn({ asked: ASKED, answered: 'None', toolCalls: [aToolCall('transfer_to_human_agents')] });
  const subject = subjectOf(aConversation([turn]), turn.id);

  expect(BUILT_IN_CHECKS.get('answer_says_something')?.make({})(subject)).toHaveProperty('notApplicable');
});
