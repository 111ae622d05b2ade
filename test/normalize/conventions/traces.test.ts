/** Cases 15 to 24 except 21: what arrives, how much of it, and in which form. */
import { describe, expect, test } from 'vitest';
import { encodeTable } from '../../../src/otlp/batch-table.ts';
import { transcodeTraces } from '../../../src/otlp/json-transcoder.ts';
import { indexTraces } from '../../../src/otlp/traces-reader.ts';
import { dialectOf } from '../../../src/normalize/rule-dialect.ts';
import type { RecordedBatch } from '../../../src/engine/recorded/recorded-batch.ts';
import { understandRecorded } from '../../../src/engine/recorded/understand-recording.ts';
import { toInspectionJson } from '../../../src/report/inspect/inspection-json.ts';
import { logsOf, type SpanSpec, traceOf } from '../support/otlp.ts';
import { stepOf } from '../support/step-of.ts';
import {
  ANSWER,
  asked,
  type Attributes,
  inspected,
  json,
  ONE_CALL,
  onlyTurn,
  QUESTION,
  said,
  shown,
  turnOf,
} from './support.ts';

const agent = (id: string, attributes: Attributes = {}, extra: Partial<SpanSpec> = {}): SpanSpec => ({
  id,
  ...extra,
  attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'desk', ...attributes },
});
const chat = (id: string, attributes: Attributes = {}, extra: Partial<SpanSpec> = {}): SpanSpec => ({
  id,
  ...extra,
  attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm', ...attributes },
});
const messages = (input: readonly object[], output: readonly object[]) => ({
  'gen_ai.input.messages': json(input),
  'gen_ai.output.messages': json(output),
});
const FIRST = messages([said('user', QUESTION)], [asked]);
const SECOND = messages([said('user', QUESTION), asked, shown], [said('assistant', ANSWER)]);

describe('case 15: the root never came', () => {
  test('its children are a turn, which says so', () => {
    const turn = turnOf(
      chat('1', FIRST, { parent: 'f00', from: 10, to: 20 }),
      chat('2', SECOND, { parent: 'f00', from: 30, to: 40 }),
    );

    expect(turn).toMatchObject({ ...ONE_CALL, flags: ['root-missing'] });
  });
});

describe('case 16: the root comes after its children, in another request, and the request is sent twice', () => {
  const span = (id: string, parent: string | undefined, attributes: Attributes) => ({
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: id.padStart(16, '0'),
    ...(parent === undefined ? {} : { parentSpanId: parent.padStart(16, '0') }),
    name: id,
    startTimeUnixNano: `17000000000${id}000000`,
    endTimeUnixNano: '1700000000099000000',
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: String(value) } })),
  });
  const children = [
    span('20', '10', { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm', ...FIRST }),
    span('30', '10', { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm', ...SECOND }),
  ];
  const root = span('10', undefined, {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'desk',
    'session.id': 's',
  });

  test('is the same conversation', async () => {
    const whole = await inspectedBatches([batch([root, ...children])]);
    const apart = await inspectedBatches([batch(children), batch(children), batch([root]), batch([root])]);

    expect(apart).toEqual(whole);
    expect(whole).toMatchObject([{ conversation_id: 's', turns: [{ ...ONE_CALL, llm_calls: 2, flags: [] }] }]);
  });
});

function batch(spans: readonly object[]): RecordedBatch {
  const request = { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: 't' }, spans }] }] };
  const index = indexTraces(transcodeTraces(Buffer.from(JSON.stringify(request))));
  return {
    signal: 'traces',
    bytes: index.bytes,
    table: encodeTable(index),
    rows: spans.length,
    rejected: index.rejected,
    logTime: 0,
  };
}

async function inspectedBatches(batches: readonly RecordedBatch[]) {
  return toInspectionJson((await understandRecorded(batches)).conversations, dialectOf);
}

describe('case 17: JSON that was cut', () => {
  test('is shown as far as it goes, and flagged', () => {
    const whole = json([said('user', QUESTION), said('assistant', 'Let me look into the calendar of that room.')]);
    const turn = turnOf(
      agent('a', {
        'gen_ai.input.messages': whole.slice(0, -30),
        'gen_ai.output.messages': json([said('assistant', ANSWER)]),
      }),
    );

    expect(turn).toMatchObject({ user_input: QUESTION, final_answer: ANSWER, flags: ['truncated-json'] });
  });
});

describe('case 18: a conversation id on the root only, and another on a sub-agent', () => {
  test('the root’s is the conversation’s', () => {
    const [conversation] = inspected(
      traceOf(
        agent('a', { 'gen_ai.conversation.id': 'of the root' }),
        chat('1', SECOND, { parent: 'a', from: 1, to: 9 }),
        agent(
          'b',
          { 'gen_ai.conversation.id': 'of the helper', 'gen_ai.agent.name': 'helper' },
          { parent: 'a', from: 2, to: 8 },
        ),
      ),
    );

    expect([conversation?.conversation_id, conversation?.conversation_id_source, conversation?.turns.length]).toEqual([
      'of the root',
      'gen_ai.conversation.id',
      1,
    ]);
  });
});

describe('case 19: tokens on the agent and on its model calls', () => {
  const usage = (input: number, output: number, cached = 0) => ({
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output,
    'gen_ai.usage.cache_read.input_tokens': cached,
  });

  test('count once', () => {
    const turn = turnOf(
      agent('a', usage(30, 10)),
      chat('1', usage(10, 4), { parent: 'a', from: 1, to: 2 }),
      chat('2', usage(20, 6), { parent: 'a', from: 3, to: 4 }),
    );

    expect(turn.tokens).toMatchObject({ input: 30, output: 10 });
  });

  test('cached tokens beyond the input were left out of it', () => {
    expect(stepOf({ 'gen_ai.operation.name': 'chat', ...usage(10, 4, 90) })).toMatchObject({
      usage: { inputTokens: 100, cacheReadTokens: 90 },
      flags: expect.arrayContaining(['usage-adjusted']),
    });
  });
});

describe('case 20: content only in the event with the details, as a log record', () => {
  test('is the content of the span', () => {
    const { traces } = traceOf(agent('a'), chat('1', {}, { parent: 'a', from: 1, to: 9 }));
    const logs = logsOf({
      span: '1',
      name: 'gen_ai.client.inference.operation.details',
      attributes: {
        'gen_ai.system_instructions': [{ type: 'text', content: 'Be brief.' }],
        'gen_ai.input.messages': [said('user', QUESTION)],
        'gen_ai.output.messages': [said('assistant', ANSWER)],
      },
    });

    expect(onlyTurn({ traces, logs })).toMatchObject({ user_input: QUESTION, final_answer: ANSWER, flags: [] });
  });
});

describe('case 22: hostile and odd forms', () => {
  test('__proto__ in keys and values is a word like any other', () => {
    const args = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const step = stepOf({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': '__proto__',
      'gen_ai.tool.call.arguments': args,
      'llm.input_messages.0.message.__proto__': 'x',
      __proto__: 'y',
    });

    expect(step.tool?.name).toBe('__proto__');
    expect(JSON.stringify(step.tool?.args.json)).toBe(args);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  test('a list with a huge number has one member', () => {
    const step = stepOf({
      'openinference.span.kind': 'LLM',
      'llm.input_messages.999999999.message.role': 'user',
      'llm.input_messages.999999999.message.content': QUESTION,
      'llm.output_messages.4294967296.message.role': 'assistant',
      'llm.output_messages.99999999999999999999999.message.content': ANSWER,
    });

    expect(step.messagesIn.length).toBeLessThanOrEqual(1);
    expect(step.messagesOut.length).toBeLessThanOrEqual(2);
  });

  test('ids that are none are left out and counted; names of enums and keys in snake case are read', async () => {
    const span = {
      trace_id: '0AF7651916CD43DD8448EB211C80319C',
      span_id: '00000000000000A1',
      name: 'invoke_agent desk',
      kind: 'SPAN_KIND_SERVER',
      start_time_unix_nano: '1700000000000000000',
      end_time_unix_nano: '1700000000000000009',
      status: { code: 'STATUS_CODE_ERROR', message: 'out of reach' },
      attributes: [{ key: 'gen_ai.operation.name', value: { string_value: 'invoke_agent' } }],
    };
    const bad = [
      { ...span, trace_id: '0'.repeat(32) },
      { ...span, span_id: '0'.repeat(16) },
      { ...span, trace_id: 'abcd' },
    ];
    const request = { resource_spans: [{ scope_spans: [{ spans: [span, ...bad] }] }] };
    const index = indexTraces(transcodeTraces(Buffer.from(JSON.stringify(request))));
    const { conversations } = await understandRecorded([
      {
        signal: 'traces',
        bytes: index.bytes,
        table: encodeTable(index),
        rows: index.spanCount,
        rejected: index.rejected,
        logTime: 0,
      },
    ]);

    expect([index.spanCount, index.rejected]).toEqual([1, 3]);
    expect(conversations.map(({ turns }) => turns.map(({ error }) => error?.message))).toEqual([['out of reach']]);
  });
});

describe('case 23: a record of the Collector’s Kafka exporter', () => {
  test('holds many traces, as protobuf or as JSON, which say the same', async () => {
    const spans = ['a', 'b', 'c'].map((digit) => ({
      traceId: digit.repeat(32),
      spanId: '00000000000000a1',
      name: 'invoke_agent desk',
      startTimeUnixNano: '1700000000000000000',
      endTimeUnixNano: '1700000000000000009',
      attributes: [
        { key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } },
        { key: 'session.id', value: { stringValue: digit } },
      ],
    }));
    const asJson = batch(spans);
    // TracesData and ExportTraceServiceRequest are the same on the wire.
    const index = indexTraces(Uint8Array.from(asJson.bytes));
    const asProtobuf: RecordedBatch = { ...asJson, bytes: index.bytes, table: encodeTable(index) };

    const found = await inspectedBatches([asJson]);

    expect(found.map(({ conversation_id: id }) => id)).toEqual(['a', 'b', 'c']);
    expect(await inspectedBatches([asProtobuf])).toEqual(found);
  });
});

// Case 24, too much after decompression, is the receiver's: test/receive/otlp-http.test.ts.
