/** The source of each field of a step, as the API gives it and as `assay inspect --why` prints it. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { turnsOfTrace } from '../../../../src/engine/turns-of-trace.ts';
import { stepSources } from '../../../../src/api/step-sources.ts';
import { transcodeTraces } from '../../../../src/otlp/json-transcoder.ts';
import { dialectOf } from '../../../../src/normalize/rule-dialect.ts';
import { readRecording } from '../../../../src/offline/recording.ts';
import { understandRecorded } from '../../../../src/engine/recorded/understand-recording.ts';
import { printInspection } from '../../../../src/cli/print-inspection.ts';
import { sourcesOf } from '../../../../src/serve/api/v1/step-sources.ts';
import { stepIn, transcriptJson } from '../../../../src/serve/api/v1/transcript-json.ts';
import type { Turn } from '../../../../src/model/turn.ts';

interface Span {
  readonly id: number;
  readonly parent?: number;
  readonly attributes: Readonly<Record<string, string>>;
  readonly error?: string;
}

const TRACE = 'ab'.repeat(16);
const idOf = (number: number) => number.toString(16).padStart(16, 'c');

function turnsOf(...spans: readonly Span[]): readonly Turn[] {
  const request = {
    resourceSpans: [
      {
        scopeSpans: [
          {
            scope: { name: 'made.up' },
            spans: spans.map(({ id, parent, attributes, error }) => ({
              traceId: TRACE,
              spanId: idOf(id),
              ...(parent === undefined ? {} : { parentSpanId: idOf(parent) }),
              name: `span ${id}`,
              startTimeUnixNano: String(1_790_000_000_000_000_000n + BigInt(id) * 1_000_000n),
              endTimeUnixNano: String(1_790_000_000_900_000_000n - BigInt(id) * 1_000_000n),
              attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
              ...(error === undefined ? {} : { status: { code: 2, message: error } }),
            })),
          },
        ],
      },
    ],
  };
  return turnsOfTrace({ traces: transcodeTraces(Buffer.from(JSON.stringify(request))), logs: undefined });
}

/** The answer about the step of a span, by field. */
function sources(turns: readonly Turn[], of: string) {
  const listed = stepIn(turns, of);
  if (listed === undefined) throw new Error(`there is no step ${of}`);
  const answer = stepSources.parse(sourcesOf(listed));
  return { ...answer, of: Object.fromEntries(answer.fields.map(({ field, ...rest }) => [field, rest])) };
}

const AGENT = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'helper' };
const TOOL = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'look' };

test('each field names its attribute and dialect; what was redacted or not captured is said', () => {
  const turns = turnsOf(
    { id: 1, attributes: AGENT },
    {
      id: 2,
      parent: 1,
      attributes: {
        ...TOOL,
        'gen_ai.tool.call.arguments': '{"to":"[REDACTED:email]","key":"[REDACTED:api_key]"}',
        'http.request.header.authorization': '[REDACTED:secret]',
      },
      error: 'no such place',
    },
  );
  const { of, redacted_attributes: attributes, instrumentation } = sources(turns, `${TRACE}:${idOf(2)}`);

  expect(of).toEqual({
    name: { value: 'look', state: 'whole', rule: 'gen_ai.tool.name', dialect: 'otel-genai' },
    kind: { value: 'tool', state: 'whole', rule: 'gen_ai.operation.name', dialect: 'otel-genai' },
    toolName: { value: 'look', state: 'whole', rule: 'gen_ai.tool.name', dialect: 'otel-genai' },
    toolArgs: {
      value: '{"to":"[REDACTED:email]","key":"[REDACTED:api_key]"}',
      state: 'whole',
      rule: 'gen_ai.tool.call.arguments',
      dialect: 'otel-genai',
      redacted: ['email', 'api_key'],
    },
    error: { value: 'no such place', state: 'whole', rule: 'status' },
    toolResult: { value: '', state: 'missing' },
  });
  expect(attributes).toEqual([
    { attribute: 'gen_ai.tool.call.arguments', redacted: ['email', 'api_key'] },
    { attribute: 'http.request.header.authorization', redacted: ['secret'] },
  ]);
  expect(instrumentation).toBe('made.up');
});

test('arguments that were withheld whole, or cut, say so', () => {
  const withArguments = (text: string) =>
    sources(
      turnsOf(
        { id: 1, attributes: AGENT },
        { id: 2, parent: 1, attributes: { ...TOOL, 'gen_ai.tool.call.arguments': text } },
      ),
      `${TRACE}:${idOf(2)}`,
    ).of.toolArgs;

  expect(withArguments('[REDACTED:key]')).toMatchObject({ state: 'redacted', redacted: ['key'] });
  expect(withArguments('__REDACTED__')).toMatchObject({ state: 'redacted' });
  expect(withArguments('{"a": [1, 2')).toMatchObject({ state: 'truncated' });
  const long = withArguments(`{"a": "${'x'.repeat(1_000_000)}"}`);
  expect(long?.value).toHaveLength(301);
});

test('a call that is known from messages alone says that it is, and from which', () => {
  const said = (parts: readonly object[]) => JSON.stringify([{ role: 'assistant', parts }]);
  const turns = turnsOf(
    { id: 1, attributes: AGENT },
    {
      id: 2,
      parent: 1,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'm',
        'gen_ai.output.messages': said([{ type: 'tool_call', id: 'x', name: 'look', arguments: { at: 'Graz' } }]),
      },
    },
  );
  const [turn] = transcriptJson(turns, { traces: [], provenance: false }).turns;
  const call = turn?.steps.find(({ kind }) => kind === 'tool')?.step_id ?? '';
  const { of, span_id: span } = sources(turns, call);

  expect(span).toBeUndefined();
  expect(of).toEqual({
    name: { value: 'look', state: 'whole', note: 'from the message of the model call that asked for it' },
    toolArgs: { value: '{"at":"Graz"}', state: 'whole', note: 'from the message of the model call that asked for it' },
  });
  const model = sources(turns, `${TRACE}:${idOf(2)}`).of;
  expect([model.name?.rule, model.messagesIn?.state, model.inputTokens?.state, model.messagesOut?.state]).toEqual([
    'gen_ai.request.model',
    'missing',
    'missing',
    'whole',
  ]);
});

test('of two spans that are one step, each field names the attribute of the span that gave it', () => {
  const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };
  const turns = turnsOf(
    { id: 1, attributes: { ...chat, 'gen_ai.usage.input_tokens': '9', 'gen_ai.usage.output_tokens': '1' } },
    {
      id: 2,
      parent: 1,
      attributes: {
        ...chat,
        'llm.token_count.prompt': '5',
        'llm.token_count.completion': '2',
        'gen_ai.response.id': 'r1',
      },
    },
  );
  const { of, step_id: id } = sources(turns, `${TRACE}:${idOf(1)}`);

  expect(turns[0]?.steps).toHaveLength(1);
  expect([id, of.inputTokens, of.responseId]).toEqual([
    `${TRACE}:${idOf(1)}`,
    { value: '5', state: 'whole', rule: 'llm.token_count.prompt', dialect: 'openinference' },
    { value: 'r1', state: 'whole', rule: 'gen_ai.response.id', dialect: 'otel-genai' },
  ]);
});

const RECORDED = path.resolve(import.meta.dirname, '../../../fixtures');

test.for([
  'genai/ai-sdk-7/meeting_silent_crash.json',
  'genai/mastra-1.71/sql_no_schema_check.json',
  'recorded/openinference-langchain@4.1.1/meeting_silent_crash.json',
  'recorded/traceloop@0.27.0/meeting_silent_crash.json',
])('fields and rules are those of `assay inspect --why`: %s', async (recorded) => {
  const file = path.join(RECORDED, recorded);
  const { conversations } = await understandRecorded(readRecording(file));
  const lines: string[] = [];
  const out = (line: string) => lines.push(line);
  printInspection({ out, paint: (_style: string, text: string) => text, width: 400 } as never, conversations, {
    why: true,
    dialectOf,
  });
  const printed = lines.join('\n');
  let seen = 0;
  for (const { turns } of conversations) {
    for (const { steps } of transcriptJson(turns, { traces: [], provenance: false }).turns) {
      for (const { step_id: id, span_id: span } of steps) {
        if (span === undefined) continue;
        const block = printed.slice(printed.indexOf(`" ${span}`)).split('\n\n')[0] ?? '';
        const told = [...block.matchAll(/^ {6}(\w+) .*← (.*)$/gm)].map(([, field, rule]) => [field, rule?.trim()]);
        const known = sourcesOf(stepIn(turns, id) ?? never()).fields.filter(
          ({ field, rule, state }) => field !== 'name' && rule !== undefined && state !== undefined,
        );
        expect(known.map(({ field, rule }) => [field, rule])).toEqual(told);
        seen += known.length;
      }
    }
  }
  expect(seen).toBeGreaterThan(10);
});

function never(): never {
  throw new Error('a step of the transcript was not found again');
}
