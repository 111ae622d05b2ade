import { expect, test } from 'vitest';
import { adviceFor } from '../../src/report/inspect/advice.ts';
import { CAPTURE_SWITCHES, captureSwitchOf } from '../../src/report/inspect/capture-switches.ts';
import { toInspectionJson } from '../../src/report/inspect/inspection-json.ts';
import { aConversation, aFailedCall, aStep, aToolCall, aTurn, anError, MISSING } from '../score/conversations.ts';

const MODEL_WITHOUT_CONTENT = aStep({ scopeName: 'gcp.vertex.agent', flags: ['content-missing'] });

test('content that was not captured: which spans, and the switch of the framework that wrote them', () => {
  const advice = adviceFor(aConversation([aTurn({ steps: [MODEL_WITHOUT_CONTENT, MODEL_WITHOUT_CONTENT] })]));

  expect(advice).toEqual([
    {
      what: expect.stringContaining('2 model calls (scope gcp.vertex.agent)'),
      remedy: expect.stringContaining('Google ADK: set ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true'),
    },
  ]);
});

test('nothing is advised where nothing is missing', () => {
  expect(adviceFor(aConversation())).toEqual([]);
});

test.each([
  ['root-missing', /forceFlush/],
  ['truncated-json', /VALUE_LENGTH_LIMIT/],
  ['attributes-dropped', /ATTRIBUTE_COUNT_LIMIT/],
  ['partial-trace', /sampling/],
] as const)('the flag %s comes with a remedy and says how many turns have it', (flag, remedy) => {
  const [advice] = adviceFor(aConversation([aTurn(), aTurn({ flags: [flag] })]));

  expect(advice?.what).toContain('1 of 2 turns');
  expect(advice?.remedy).toMatch(remedy);
});

test('a conversation without an id, a version and tokens is told how to have them', () => {
  const turn = aTurn({
    conversationId: undefined,
    conversationIdSource: 'synthetic',
    agent: { name: 'a', id: undefined, version: undefined },
    usage: undefined,
  });
  const parts = { idSource: 'synthetic', agent: turn.agent };

  expect(adviceFor(aConversation([turn], parts)).map(({ remedy }) => remedy)).toEqual([
    expect.stringContaining('conversation.id_keys'),
    expect.stringContaining('service.version'),
    expect.stringContaining('include_usage'),
  ]);
});

test.each([
  ['@opentelemetry/instrumentation-openai', 'OpenTelemetry instrumentation'],
  ['opentelemetry.instrumentation.openai_v2', 'OpenTelemetry instrumentation'],
  ['opentelemetry.instrumentation.langchain', 'OpenLLMetry'],
  ['@arizeai/openinference-instrumentation-langchain', 'OpenInference'],
  ['openinference.instrumentation.crewai', 'OpenInference'],
  ['ai', 'Vercel AI SDK'],
  ['aid', 'this instrumentation'],
])('scope %s is of %s', (scope, framework) => {
  expect(captureSwitchOf(scope).framework).toBe(framework);
});

test('every switch can be reached: none is hidden by one before it', () => {
  const reached = [
    'gcp.vertex.agent',
    'com.anthropic.claude_code.tracing',
    'codex_cli_rs',
    'agent_framework',
    'Microsoft.SemanticKernel.Diagnostics',
    'openinference-core',
    '@traceloop/instrumentation-openai',
    'opentelemetry.instrumentation.ag2',
    'haystack',
    'litellm',
    'openlit',
    '@mastra/otel-exporter',
    'langfuse-sdk',
    'langsmith',
    'pydantic-ai',
    'ai',
    'opentelemetry.instrumentation.openai_v2',
  ].map((scope) => captureSwitchOf(scope));

  expect(new Set(reached)).toEqual(new Set(CAPTURE_SWITCHES));
});

test('an error is put in words once, and what is not known is null', () => {
  const failed = aFailedCall('book', 'CalendarError: busy');
  const turn = aTurn({
    toolCalls: [
      aToolCall('look', { result: MISSING }),
      { ...failed, error: anError('CalendarError: busy', 'CalendarError') },
    ],
    error: anError('timed out', 'ModelError'),
    usage: undefined,
    answered: MISSING,
  });

  const [found] = toInspectionJson([aConversation([turn])], () => 'otel-genai');

  expect(found?.turns[0]).toMatchObject({
    final_answer: null,
    error: 'ModelError: timed out',
    tokens: { input: null, output: null, cached_input: null, reasoning: null },
    tool_calls: [
      { name: 'look', result: null, error: null },
      { name: 'book', error: 'CalendarError: busy' },
    ],
  });
});
