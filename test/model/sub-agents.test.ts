/** Sub-agents of conversations whose spans nest, hand over, go round in circles, or name nobody. */
import { expect, test } from 'vitest';
import { actorsOf } from '../../src/model/actors.ts';
import { PriceTable } from '../../src/model/cost.ts';
import type { Step } from '../../src/model/step.ts';
import { subAgentsBySpan, subAgentsOf } from '../../src/model/sub-agents.ts';
import type { Turn } from '../../src/model/turn.ts';
import {
  aConversation,
  aFailedCall,
  anError,
  aStep,
  aToolCall,
  aTurn,
  ROOT_SPAN,
  spanId,
} from '../score/conversations.ts';

const USAGE = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
const BILLING = spanId(1);
const CALL = spanId(2);

function named(name: string | undefined): Step['agent'] {
  return { name, id: undefined, version: undefined };
}

function root(): Step {
  return aStep({ kind: 'agent', spanId: ROOT_SPAN, parentSpanId: undefined, agent: named('scheduler') });
}

function agentStep(name: string, parts: Partial<Step> = {}): Step {
  return aStep({ kind: 'agent', spanId: BILLING, name, agent: named(name), ...parts });
}

function callBelow(parentSpanId: Step['parentSpanId'], parts: Partial<Step> = {}): Step {
  return aStep({ spanId: CALL, parentSpanId, ...parts });
}

function handedOver(parts: Partial<Turn> = {}): Turn {
  return aTurn({ steps: [root(), agentStep('billing'), callBelow(BILLING)], ...parts });
}

test('a step is done by the agent that it names, or by the nearest around it', () => {
  const steps = [root(), agentStep('billing'), callBelow(BILLING), aStep({ spanId: spanId(3) })];

  expect([...actorsOf({ steps }).values()]).toEqual(['scheduler', 'billing', 'billing', 'scheduler']);
});

test('steps that are each other’s parents, or whose parent is not there, have no name', () => {
  const [one, other] = [spanId(5), spanId(6)];
  const steps = [
    aStep({ spanId: one, parentSpanId: other }),
    aStep({ spanId: other, parentSpanId: one }),
    aStep({ spanId: spanId(7), parentSpanId: spanId(99) }),
  ];

  expect([...actorsOf({ steps }).values()]).toEqual([undefined, undefined, undefined]);
});

test('a circle of parents takes the name that one of them has', () => {
  const [one, other] = [spanId(5), spanId(6)];
  const steps = [
    aStep({ spanId: one, parentSpanId: other }),
    aStep({ spanId: other, parentSpanId: one, agent: named('billing') }),
  ];

  expect([...actorsOf({ steps }).values()]).toEqual(['billing', 'billing']);
});

test('a node of a graph that is called `agent` acts for the agent around it', () => {
  const steps = [root(), agentStep('billing'), agentStep('agent', { spanId: spanId(3), parentSpanId: BILLING })];

  expect(actorsOf({ steps }).get(spanId(3))).toBe('billing');
});

test('a conversation of one agent has no sub-agents, whether its steps name it or not', () => {
  const conversation = aConversation([aTurn(), aTurn({ steps: [root(), aStep({ agent: named('scheduler') })] })]);

  expect(subAgentsOf(conversation)).toEqual([]);
  expect(subAgentsBySpan(conversation).size).toBe(0);
});

test('a sub-agent has the calls that it made, and the call that called it is its caller’s', () => {
  const turn = handedOver({
    toolCalls: [
      aToolCall('ask_billing', { spanId: ROOT_SPAN }),
      aToolCall('refund', { spanId: undefined, requestedBy: CALL }),
      aFailedCall('refund', 'no such order', { spanId: CALL }),
    ],
    spent: [{ spanId: CALL, model: 'm', usage: USAGE, isInSpans: true }],
    costs: [
      { spanId: CALL, usd: 0.25 },
      { spanId: ROOT_SPAN, usd: 0.5 },
    ],
  });

  expect(subAgentsOf(aConversation([turn]))).toEqual([
    { name: 'billing', modelCalls: 1, toolCalls: 2, errors: 1, tokens: { input: 100, output: 10 }, costUsd: 0.25 },
  ]);
});

test('the agent of an earlier turn is a sub-agent of the conversation that another one ended', () => {
  const first = aTurn({ agent: named('triage'), steps: [agentStep('triage', { parentSpanId: undefined })] });

  expect(subAgentsOf(aConversation([first, aTurn()])).map(({ name }) => name)).toEqual(['triage']);
});

test.each([
  ['its own span failed and no call did', { error: anError('crashed') }, {}, 1],
  ['its own span failed because a call did', { error: anError('crashed') }, { error: anError('refused') }, 1],
  ['a model call failed and it coped', {}, { error: anError('refused') }, 1],
  ['nothing failed', {}, {}, 0],
] as const)('counts errors once: %s', (_, ofAgent, ofCall, errors) => {
  const turn = aTurn({ steps: [root(), agentStep('billing', ofAgent), callBelow(BILLING, ofCall)] });

  expect(subAgentsOf(aConversation([turn]))[0]?.errors).toBe(errors);
});

test('a cost that is not known whole is no cost', () => {
  const spent = ['known', 'unknown'].map((model) => ({ spanId: CALL, model, usage: USAGE, isInSpans: false }));
  const prices = new PriceTable([{ models: 'known', inputPerMillion: 1_000, outputPerMillion: 0 }]);
  const costOf = (of: Turn['spent']) =>
    subAgentsOf(aConversation([handedOver({ spent: of })], { prices })).map(({ costUsd }) => costUsd);

  expect(costOf(spent.slice(0, 1))).toEqual([0.1]);
  expect(costOf(spent)).toEqual([undefined]);
});

test('of a thousand names sixteen are kept, and the rest is counted as `other`', () => {
  const steps = Array.from({ length: 1_000 }, (_, at) =>
    aStep({ spanId: spanId(0x100 + at), agent: named(`agent ${at}`) }),
  );

  const found = subAgentsOf(aConversation([aTurn({ steps: [root(), ...steps] })]));

  expect(found.map(({ name }) => name)).toEqual([...Array.from({ length: 16 }, (_, at) => `agent ${at}`), 'other']);
  expect(found.reduce((sum, { modelCalls }) => sum + modelCalls, 0)).toBe(1_000);
});

test('a name is one visible line of bounded length', () => {
  const turn = aTurn({ steps: [root(), agentStep(`bil\u202eling\n${'x'.repeat(1_000)}`)] });

  const [subAgent] = subAgentsOf(aConversation([turn]));

  expect(subAgent?.name).toBe(`bil ling ${'x'.repeat(91)}`);
});

test('a name that differs from the agent’s only where both are cut is the agent’s own', () => {
  const long = 'x'.repeat(100);
  const turn = aTurn({ agent: named(`${long}1`), steps: [agentStep(`${long}2`)] });

  expect(subAgentsOf(aConversation([turn]))).toEqual([]);
});
