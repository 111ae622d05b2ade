import { describe, expect, test } from 'vitest';
import { normalize } from '../../src/normalize/normalize.ts';
import { logsOf, type SpanSpec, spanId, traceOf } from './support/otlp.ts';

function stepOf(attributes: Readonly<Record<string, unknown>>, spec: Partial<SpanSpec> = {}) {
  const [step] = normalize(traceOf({ id: 'a1', attributes, ...spec }));
  if (step === undefined) throw new Error('the span gave no step');
  return step;
}

describe('the kind of a step', () => {
  test.each([
    ['chat', 'llm'],
    ['generate_content', 'llm'],
    ['embeddings', 'embedding'],
    ['retrieval', 'retrieval'],
    ['invoke_agent', 'agent'],
    ['invoke_workflow', 'workflow'],
    ['execute_tool', 'tool'],
    ['search_memory', 'memory'],
    ['plan', 'plan'],
    ['create_agent', 'other'],
    ['agent_step', 'step'],
  ])('of operation %s is %s', (operation, kind) => {
    const step = stepOf({ 'gen_ai.operation.name': operation });

    expect([step.kind, step.rules.get('kind')]).toEqual([kind, 'gen_ai.operation.name']);
  });

  test.each<[string, Partial<SpanSpec>, string, string]>([
    ['an MCP tool call', { attributes: { 'mcp.method.name': 'tools/call' } }, 'tool', 'mcp.method.name'],
    ['a tool name alone', { attributes: { 'gen_ai.tool.name': 'f' } }, 'tool', 'gen_ai.tool.name'],
    [
      'a model with usage',
      { attributes: { 'gen_ai.request.model': 'm', 'gen_ai.usage.input_tokens': 3 } },
      'llm',
      'model and usage',
    ],
    ['the name of the span', { name: 'invoke_agent bob' }, 'agent', 'span name'],
    ['nothing', { name: 'GET /' }, 'other', 'none'],
    [
      'the operation, though the model call names the tool it asks for',
      { attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.tool.name': 'f' } },
      'llm',
      'gen_ai.operation.name',
    ],
  ])('is decided by %s', (_what, spec, kind, rule) => {
    const step = stepOf({}, spec);

    expect([step.kind, step.rules.get('kind')]).toEqual([kind, rule]);
  });
});

describe('fields', () => {
  test('take the first name that has a value, and say which it was', () => {
    const step = stepOf({
      'gen_ai.usage.prompt_tokens': 7,
      'gen_ai.usage.completion_tokens': '5',
      'gen_ai.usage.output_tokens': -1,
      'gen_ai.system': 'az.ai.openai',
      'gen_ai.response.id': 'N/A',
      'session.id': 's1',
      'gen_ai.conversation.id': '',
      'gen_ai.request.model': 'm',
      'gen_ai.operation.name': 'chat',
    });

    expect(step.usage).toMatchObject({ inputTokens: 7, outputTokens: 5 });
    expect(step.model).toMatchObject({ provider: 'azure.ai.openai', responseId: undefined, request: 'm' });
    expect(step.conversationId).toBe('s1');
    expect(step.rules.get('inputTokens')).toBe('gen_ai.usage.prompt_tokens');
    expect(step.rules.get('outputTokens')).toBe('gen_ai.usage.completion_tokens');
    expect(step.rules.get('conversationId')).toBe('session.id');
  });

  test('do not depend on the order of the attributes', () => {
    const attributes = {
      'session.id': 's',
      'gen_ai.conversation.id': 'c',
      thread_id: 't',
      metadata: '{"thread_id":"m"}',
    };
    for (const keys of [Object.keys(attributes), Object.keys(attributes).reverse()]) {
      const entries = Object.entries(attributes).sort(([a], [b]) => keys.indexOf(a) - keys.indexOf(b));
      expect(stepOf(Object.fromEntries(entries)).conversationId).toBe('c');
    }
  });

  test.each([
    ['ai.settings.context.sessionId', 'x'],
    ['traceloop.association.properties.thread_id', 'x'],
    ['langfuse.session.id', 'x'],
    ['mastra.metadata.threadId', 'x'],
    ['metadata', '{"session_id":"x"}'],
  ])('find a conversation id in %s', (key, value) => {
    expect(stepOf({ [key]: value }).conversationId).toBe('x');
  });

  test('never take a transport session or a run for a conversation', () => {
    expect(stepOf({ 'mcp.session.id': 'x', 'gen_ai.agent.call.id': 'y' }).conversationId).toBeUndefined();
  });

  test('fall back on the resource for version, environment and service', () => {
    const resource = { 'service.name': 'svc', 'service.version': '1.2', 'deployment.environment': 'prod' };
    const step = stepOf({ 'gen_ai.operation.name': 'invoke_agent' }, { resource, name: 'invoke_agent Bob(7)' });

    expect(step.agent).toEqual({ name: 'Bob', id: undefined, version: '1.2' });
    expect([step.environment, step.serviceName]).toEqual(['prod', 'svc']);
    expect(step.rules.get('environment')).toBe('resource:deployment.environment');
  });

  test.each([
    [
      ['stop', 'tool_calls'],
      ['stop', 'tool_call'],
    ],
    ['["length"]', ['length']],
    ['stop,max_tokens', ['stop', 'length']],
    ['[Stop]', ['stop']],
    ['end_turn', ['stop']],
  ])('read finish reasons %j in one spelling', (written, reasons) => {
    const step = stepOf({ 'gen_ai.operation.name': 'chat', 'gen_ai.response.finish_reasons': written });

    expect(step.model?.finishReasons).toEqual(reasons);
  });

  test('add cached tokens to an input that left them out, and say so', () => {
    const step = stepOf({ 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.cache_read.input_tokens': 500 });

    expect(step.usage).toMatchObject({ inputTokens: 510, cacheReadTokens: 500 });
    expect(step.flags).toContain('usage-adjusted');
  });
});

describe('content of a model call', () => {
  const chat = { 'gen_ai.operation.name': 'chat' };

  test('is read from old events in log records, in time order, each record once', () => {
    const system = { span: 'a1', name: 'gen_ai.system.message', at: 1, body: { content: 'Be brief.' } };
    const user = { span: 'a1', name: 'gen_ai.user.message', at: 2, body: { content: 'Book it.' } };
    const call = { id: 'c1', type: 'function', function: { name: 'book', arguments: '{"at":10}' } };
    const choice = {
      span: 'a1',
      name: 'gen_ai.choice',
      at: 3,
      body: { index: 0, finish_reason: 'tool_calls', message: { tool_calls: [call] } },
    };
    const elsewhere = { span: 'b2', name: 'gen_ai.user.message', at: 2, body: { content: 'Not ours.' } };
    const logs = logsOf(choice, elsewhere, user, system, user, choice);
    const [step] = normalize({ ...traceOf({ id: 'a1', attributes: chat }), logs });

    expect(step?.messagesIn.map(({ role, parts }) => [role, parts])).toEqual([
      ['system', [{ type: 'text', text: 'Be brief.' }]],
      ['user', [{ type: 'text', text: 'Book it.' }]],
    ]);
    expect(step?.messagesOut).toMatchObject([
      { role: 'assistant', finishReason: 'tool_call', parts: [{ type: 'tool_call', id: 'c1', name: 'book' }] },
    ]);
    expect(step?.input.text).toBe('Book it.');
    expect(step?.systemInstructions).toBe('Be brief.');
    expect(step?.rules.get('messagesOut')).toBe('gen_ai.choice events');
    expect(step?.flags).toEqual([]);
  });

  test('is put together from several details events', () => {
    const name = 'gen_ai.client.inference.operation.details';
    const said = (role: string, content: string) => [{ role, parts: [{ type: 'text', content }] }];
    const step = stepOf(chat, {
      events: [
        { name, attributes: { 'gen_ai.input.messages': JSON.stringify(said('user', 'hi')) } },
        { name, attributes: { 'gen_ai.output.messages': said('assistant', 'hello') } },
      ],
    });

    expect([step.input.text, step.output.text]).toEqual(['hi', 'hello']);
  });

  test('is read from the oldest span events, JSON or not', () => {
    const step = stepOf(chat, {
      events: [
        { name: 'gen_ai.content.prompt', attributes: { 'gen_ai.prompt': 'User: hi' } },
        {
          name: 'gen_ai.content.completion',
          attributes: { 'gen_ai.completion': '[{"role":"assistant","content":"yo"}]' },
        },
      ],
    });

    expect([step.input.text, step.output.text]).toEqual(['User: hi', 'yo']);
  });

  test('prefers attributes to events', () => {
    const step = stepOf(
      { ...chat, 'gen_ai.output.messages': 'from the attribute' },
      { events: [{ name: 'gen_ai.choice', attributes: { message: '{"content":"from the event"}' } }] },
    );

    expect(step.output.text).toBe('from the attribute');
  });

  test('that is missing, cut or redacted is flagged', () => {
    const cut = `[{"role":"user","parts":[{"type":"text","content":"${'x'.repeat(400)}`;
    expect(stepOf(chat).flags).toEqual(['content-missing']);
    expect(stepOf({ ...chat, 'gen_ai.input.messages': cut }).flags).toEqual(['truncated-json']);
    expect(stepOf({ ...chat, 'gen_ai.output.messages': '__REDACTED__' }).flags).toEqual(['redacted']);
    expect(stepOf(chat, { dropped: 3 }).flags).toContain('attributes-dropped');
  });

  test('that was cut does not pass for an answer', () => {
    const step = stepOf({ ...chat, 'gen_ai.output.messages': '[{"role":"assistant","content":"yes, b' });

    expect(step.output.state).toBe('truncated');
  });
});

describe('errors', () => {
  const exception = { name: 'exception', attributes: { 'exception.type': 'E', 'exception.message': 'boom' } };

  test.each<[string, Partial<SpanSpec>, unknown]>([
    ['the status', { status: { error: 'bad' } }, { type: '_OTHER', message: 'bad', source: 'status' }],
    [
      'the status, with the type from the exception',
      { status: { error: '' }, events: [exception] },
      { type: 'E', message: 'boom', source: 'status' },
    ],
    ['error.type', { attributes: { 'error.type': '500' } }, { type: '500', message: '', source: 'error.type' }],
    ['an exception', { events: [exception] }, { type: 'E', message: 'boom', source: 'exception' }],
    [
      'a finish reason',
      { attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.response.finish_reasons': ['error'] } },
      expect.objectContaining({ source: 'finish_reasons' }),
    ],
    [
      'an MCP result',
      { attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.result': '{"isError":true}' } },
      expect.objectContaining({ type: 'tool_error', source: 'result' }),
    ],
  ])('are known by %s', (_what, spec, error) => {
    expect(stepOf({}, spec).error).toEqual(error);
  });

  test('that were handled are flagged and are none', () => {
    const step = stepOf({}, { status: 'ok', events: [exception] });

    expect([step.error, step.flags]).toEqual([undefined, ['handled-exception']]);
  });

  test('only suspected are flagged and are none', () => {
    const step = stepOf({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.result': 'Error: no such day' });

    expect([step.error, step.flags]).toEqual([undefined, ['suspected-error']]);
  });
});

describe('marks', () => {
  test('are read as text or as structure', () => {
    const step = stepOf({
      'assay.conversation.end': true,
      'assay.conversation.state': '{"done":true}',
      'assay.truth': { label: 'good' },
    });

    expect(step.marks).toEqual({ ended: true, state: { done: true }, truth: { label: 'good' } });
  });
});

describe('hostile spans', () => {
  test('with an id of zero or an end before the start do no harm', () => {
    const steps = normalize(
      traceOf({ id: '0' }, { id: 'a1', from: 100, to: 50 }, { id: 'a2', parent: 'a2' }, { id: 'a3', parent: '0' }),
    );

    expect(steps.map((step) => step.spanId)).toEqual([spanId('a1'), spanId('a2'), spanId('a3')]);
    expect(steps[0]?.flags).toContain('negative-duration');
    expect(steps[0]?.endedAtMs).toBe(steps[0]?.startedAtMs);
    expect(steps.map((step) => step.parentSpanId)).toEqual([undefined, undefined, undefined]);
  });

  test('with keys of Object.prototype are spans with odd keys', () => {
    const step = stepOf({
      ...JSON.parse('{"__proto__":"x"}'),
      constructor: 'y',
      'gen_ai.operation.name': 'constructor',
      'gen_ai.tool.name': '__proto__',
      'gen_ai.tool.call.arguments': '{"__proto__":{"polluted":1}}',
      'assay.conversation.state': '{"__proto__":{"polluted":1}}',
    });

    expect(step.attributes.get('__proto__')).toBe('x');
    expect(Object.keys(step.marks.state ?? {})).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('with a name made for regular expressions take no time', () => {
    const name = `invoke_agent ${'('.repeat(100_000)}`;
    const began = performance.now();
    const step = stepOf({}, { name });

    expect([step.kind, step.agent.name]).toEqual(['agent', undefined]);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  test('with invalid UTF-8 are read with replacements', () => {
    const { traces } = traceOf({
      id: 'a1',
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.output.messages': 'caf#' },
    });
    const at = Buffer.from(traces).indexOf('caf#');
    const broken = Uint8Array.from(traces);
    broken[at + 3] = 0xff;
    const [step] = normalize({ traces: broken, logs: undefined });

    expect(step?.output.text).toBe('caf\uFFFD');
  });
});

describe('the result of a tool that answers in parts, as MCP does,', () => {
  const parts = [{ type: 'text', text: '{"ok":true}' }];
  const result = (value: unknown) =>
    stepOf({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.result': value }).tool?.result.json;

  test.each<[string, unknown]>([
    ['a list', parts],
    ['an object', { content: parts, isError: false }],
  ])('is what the parts say, in %s, structured or as JSON', (_form, value) => {
    expect([result(value), result(JSON.stringify(value))]).toEqual([{ ok: true }, { ok: true }]);
  });

  test.each<[string, unknown]>([
    ['a picture among the parts', [...parts, { type: 'image', data: 'x' }]],
    ['an object that has a content among other things', { content: parts, title: 'x' }],
    ['a failure', { content: parts, isError: true }],
    ['a list of texts', ['a', 'b']],
  ])('is kept as it is where it is %s', (_what, value) => {
    expect(result(JSON.stringify(value))).toEqual(value);
  });
});
