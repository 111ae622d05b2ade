import { describe, expect, test } from 'vitest';
import { stepOf } from '../support/step-of.ts';

const CALL = { 'mcp.method.name': 'tools/call' };

describe('a tool call over MCP', () => {
  test('is known by its method, and by its span’s name', () => {
    const step = stepOf(CALL, { name: 'tools/call look_up' });

    expect([step.kind, step.tool?.name, step.rules.get('kind')]).toEqual(['tool', 'look_up', 'mcp.method.name']);
  });

  test('has its arguments and result under the GenAI keys, or under those of early instrumentations', () => {
    const current = stepOf({
      ...CALL,
      'gen_ai.tool.name': 'look_up',
      'gen_ai.tool.call.arguments': '{"a":1}',
      'mcp.request.argument': '{"a":2}',
      'gen_ai.tool.call.result': '"one"',
    });
    const early = stepOf({
      ...CALL,
      'gen_ai.tool.name': 'look_up',
      'mcp.request.argument': '{"a":2}',
      'mcp.response.value': '"two"',
    });

    expect([current.tool?.args.json, current.tool?.result.json]).toEqual([{ a: 1 }, 'one']);
    expect([early.tool?.args.json, early.tool?.result.json]).toEqual([{ a: 2 }, 'two']);
  });

  test('failed where the protocol or the tool’s result says so', () => {
    const protocol = stepOf({ ...CALL, 'error.type': '-32602' });
    const tool = stepOf({ ...CALL, 'error.type': 'tool_error' });
    const result = stepOf({
      ...CALL,
      'gen_ai.tool.call.result': '{"isError":true,"content":[{"type":"text","text":"no such room"}]}',
    });

    expect([protocol, tool, result].map(({ error }) => [error?.type, error?.message])).toEqual([
      ['-32602', ''],
      ['tool_error', ''],
      ['tool_error', 'no such room'],
    ]);
  });
});

test.each(['tools/list', 'prompts/get', 'resources/read', 'initialize'])('%s is no step of an agent', (method) => {
  expect(stepOf({ 'mcp.method.name': method }).kind).toBe('other');
});

test('the session of the transport is no conversation', () => {
  expect(stepOf({ ...CALL, 'mcp.session.id': 'transport' }).conversationId).toBeUndefined();
});
