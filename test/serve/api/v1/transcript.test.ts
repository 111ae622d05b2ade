/** The transcript of a conversation that is large, deep or says impossible things. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { turnsOfTrace } from '../../../../src/engine/turns-of-trace.ts';
import { conversationDetail } from '../../../../src/api/conversation-detail.ts';
import { transcodeTraces } from '../../../../src/otlp/json-transcoder.ts';
import { textIn, transcriptJson } from '../../../../src/serve/api/v1/transcript-json.ts';

const TRACE = 'ab'.repeat(16);
const turnList = z.object({ turns: conversationDetail.shape.turn_list, stepsLeftOut: z.number() });

interface Call {
  readonly name?: string;
  readonly args?: string;
  readonly result: string;
}

/** A turn with these tool calls, under one agent span. */
function turnsWith(calls: readonly Call[], more: Readonly<Record<string, string>> = {}) {
  const idOf = (number: number) => `c${number.toString(16).padStart(15, '0')}`;
  const span = (number: number, attributes: Readonly<Record<string, string>>) => ({
    traceId: TRACE,
    spanId: idOf(number),
    ...(number === 0 ? {} : { parentSpanId: idOf(0) }),
    name: 'span',
    startTimeUnixNano: String(1_790_000_000_000_000_000n + BigInt(number) * 1_000_000n),
    endTimeUnixNano: String(1_790_000_000_000_000_000n + BigInt(number + 1) * 1_000_000n),
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  });
  const spans = [
    span(0, { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'helper', ...more }),
    ...calls.map(({ name = 'look', args = '{}', result }, index) =>
      span(index + 1, {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': name,
        'gen_ai.tool.call.arguments': args,
        'gen_ai.tool.call.result': result,
      }),
    ),
  ];
  const request = { resourceSpans: [{ scopeSpans: [{ scope: { name: 'made.up' }, spans }] }] };
  return turnsOfTrace({ traces: transcodeTraces(Buffer.from(JSON.stringify(request))), logs: undefined });
}

function shown(turns: ReturnType<typeof turnsWith>) {
  const transcript = transcriptJson(turns, { traces: [], provenance: false });
  const json = JSON.stringify(transcript);
  return { ...turnList.parse(JSON.parse(json)), bytes: json.length };
}

test('of six thousand steps with long texts the first five thousand are shown, and their texts share the room', () => {
  const result = 'y'.repeat(2_000);
  const turns = turnsWith(Array.from({ length: 6_000 }, (_, n) => ({ result, args: `{"n":${n}}` })));

  const {
    turns: [turn],
    stepsLeftOut,
    bytes,
  } = shown(turns);

  expect(stepsLeftOut).toBe(1_001);
  expect(turn?.steps).toHaveLength(5_000);
  expect(bytes).toBeLessThan(4_500_000);
  const tools = turn?.steps.filter(({ kind }) => kind === 'tool') ?? [];
  expect(tools.every(({ cut }) => cut === true)).toBe(true);
  // Two million characters for 4999 results, beside their arguments of up to ten characters.
  expect(String(tools[0]?.result)).toMatch(/^y+…$/);
  expect(String(tools[0]?.result)).toHaveLength(391);
  expect(tools.at(-1)?.result).toBe(tools[0]?.result);
  expect(tools.at(-1)?.arguments).toEqual({ n: 4_998 });
  expect(textIn(turns, tools.at(-1)?.step_id ?? '', 'result')).toBe(result);
});

test('pictures that a user sends are named with their address, and bytes are no address', () => {
  const parts = [
    { type: 'text', content: 'What is this?' },
    { type: 'uri', modality: 'image', mime_type: 'image/png', uri: 'https://example.com/a.png' },
    { type: 'image_url', image_url: { url: 'https://example.com/b.png' } },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } },
    { fileData: { mimeType: 'video/mp4', fileUri: `gs://x/${'y'.repeat(400)}` } },
  ];
  const before = { role: 'user', parts: [{ type: 'uri', modality: 'image', uri: 'https://example.com/earlier.png' }] };
  const attachedTo = (messages: readonly object[]) =>
    shown(turnsWith([], { 'gen_ai.input.messages': JSON.stringify(messages) })).turns[0]?.attached;

  expect(attachedTo([before, { role: 'user', parts }])).toEqual([
    'image (image/png): https://example.com/a.png',
    'image: https://example.com/b.png',
    'image',
    'file (application/pdf)',
    expect.stringMatching(/^file \(video\/mp4\): gs:\/\/x\/y{290,293}…$/),
  ]);
  expect(attachedTo([before, { role: 'user', parts: parts.slice(0, 1) }])).toBeUndefined();
});

test('a call whose result says that it failed is told so, whatever its status', () => {
  const results = ['Error: flight HAT030 is not available', '{"status":"booked"}', '{"error":"no such order"}'];
  const steps = shown(turnsWith(results.map((result) => ({ name: 'book', result })))).turns[0]?.steps ?? [];

  expect(steps.slice(1).map(({ status, says_failed: says }) => [status, says])).toEqual([
    ['ok', true],
    ['ok', undefined],
    ['error', undefined],
  ]);
});

test('a short text beside one of megabytes is whole', () => {
  const turns = turnsWith([{ result: 'z'.repeat(9_000_000) }, { result: 'short' }]);

  const {
    turns: [turn],
    bytes,
  } = shown(turns);

  expect(bytes).toBeLessThan(50_000);
  expect(turn?.steps.map(({ result, cut }) => [String(result).length, cut])).toContainEqual([20_001, true]);
  expect(turn?.steps.find(({ result }) => result === 'short')).not.toHaveProperty('cut');
});

test('JSON that is nested deeply is text, and what is no JSON value is what it says', () => {
  const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
  const turns = turnsWith([
    { result: deep, args: '{"__proto__":{"polluted":true},"n":[1,null]}' },
    { result: 'half \ud83d of a pair', name: 'n'.repeat(1_000) },
  ]);

  const {
    turns: [turn],
  } = shown(turns);
  const [first, second] = turn?.steps.filter(({ kind }) => kind === 'tool') ?? [];

  expect(first?.result).toBe(deep);
  expect(JSON.stringify(first?.arguments)).toBe('{"__proto__":{"polluted":true},"n":[1,null]}');
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  expect(second?.name).toHaveLength(301);
  expect(JSON.stringify(second?.result)).not.toContain('\\ud83d');
});

test('a tool call that only the messages show is a step without a span, under the model call that asked for it', () => {
  const messages = (...all: readonly object[]) => JSON.stringify(all);
  const asked = { role: 'user', parts: [{ type: 'text', content: 'Where?' }] };
  const call = { role: 'assistant', parts: [{ type: 'tool_call', id: 'k', name: 'look', arguments: { at: 7 } }] };
  const answered = { role: 'tool', parts: [{ type: 'tool_call_response', id: 'k', response: { place: 'Graz' } }] };
  const said = { role: 'assistant', parts: [{ type: 'text', content: 'In Graz.' }] };
  const span = (number: number, attributes: Readonly<Record<string, string>>) => ({
    traceId: TRACE,
    spanId: `${number}`.padStart(16, 'd'),
    ...(number === 0 ? {} : { parentSpanId: '0'.padStart(16, 'd') }),
    name: 'span',
    startTimeUnixNano: `179000000${number}000000000`,
    endTimeUnixNano: `179000000${number + 1}000000000`,
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  });
  const chat = (input: string, output: string) => ({
    'gen_ai.operation.name': 'chat',
    'gen_ai.input.messages': input,
    'gen_ai.output.messages': output,
  });
  const spans = [
    span(0, { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'helper' }),
    span(1, chat(messages(asked), messages(call))),
    span(3, chat(messages(asked, call, answered), messages(said))),
  ];
  const request = { resourceSpans: [{ scopeSpans: [{ spans }] }] };
  const turns = turnsOfTrace({ traces: transcodeTraces(Buffer.from(JSON.stringify(request))), logs: undefined });

  const {
    turns: [turn],
  } = shown(turns);
  const tool = turn?.steps.find(({ kind }) => kind === 'tool');

  expect(tool).toMatchObject({ name: 'look', arguments: { at: 7 }, result: { place: 'Graz' }, status: 'ok' });
  expect(tool).not.toHaveProperty('span_id');
  expect(turn?.steps.find(({ step_id }) => step_id === tool?.parent)?.kind).toBe('llm');
  expect(textIn(turns, tool?.step_id ?? '', 'result')).toBe('{"place":"Graz"}');
  expect(turn).toMatchObject({ asked: 'Where?', answered: 'In Graz.', dialects: [] });
});
