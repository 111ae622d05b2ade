import { describe, expect, test } from 'vitest';
import { stepOf } from '../support/step-of.ts';

const span = (name: string, attributes: Readonly<Record<string, unknown>> = {}, scope = 'agent_framework') =>
  stepOf(attributes, { name, scope });

describe('a span of a workflow of the Agent Framework', () => {
  test.each([
    ['workflow.run', 'workflow'],
    ['workflow.build', 'other'],
    ['executor.process writer', 'step'],
    ['edge_group.process SingleEdgeGroup', 'step'],
    ['message.send', 'step'],
  ])('%s is a %s', (name, kind) => {
    expect(span(name).kind).toBe(kind);
  });

  test('is nobody else’s of that name', () => {
    expect(span('message.send', {}, 'my-chat').kind).toBe('other');
  });

  test('names the workflow', () => {
    expect(span('workflow.run', { 'workflow.name': 'newsroom' }).agent.name).toBe('newsroom');
  });
});

test.each(['microsoft.session.id', 'azure.ai.agentserver.conversation_id'])('%s is the conversation', (key) => {
  expect(span('chat m', { [key]: 's1' }).conversationId).toBe('s1');
});

test('.NET puts an id behind the name of an agent', () => {
  const step = span('invoke_agent Writer(b41)', {}, 'Experimental.Microsoft.Agents.AI');

  expect([step.kind, step.agent.name]).toEqual(['agent', 'Writer']);
});

test('Semantic Kernel for .NET prints its finish reason in brackets, and has no id', () => {
  const step = span(
    'chat.completions m',
    {
      'gen_ai.operation.name': 'chat.completions',
      'gen_ai.response.finish_reason': '[Stop]',
      'gen_ai.response.id': 'N/A',
    },
    'Microsoft.SemanticKernel.Connectors.OpenAI',
  );

  expect(step.model).toMatchObject({ finishReasons: ['stop'], responseId: undefined });
});
