/** The agent of the golden trace gt_001, and suites over it. */
import type { Conversation } from '../../../src/model/conversation.ts';
import type { Evaluation } from '../../../src/model/evaluation.ts';
import type { Json } from '../../../src/model/json.ts';
import { formatMistakes } from '../../../src/model/mistake.ts';
import type { ToolCall } from '../../../src/model/turn.ts';
import { evaluate } from '../../../src/score/suite/evaluate.ts';
import type { CompiledSuite } from '../../../src/score/suite/suite.ts';
import { readGolden } from '../../../src/score/trajectory/read-golden.ts';
import { readSuite } from '../../../src/score/suite/read-suite.ts';
import { aConversation, aToolCall, aTurn, content } from '../conversations.ts';

export const GT_001 = `
id: gt_001
description: Look up and summarize recent tickets for a customer account
input: Show me the last 3 support tickets for account ACC-4821
steps:
  - tool: search_tickets
    args: { account_id: ACC-4821, limit: 3 }
    observation: list
  - tool: get_ticket_detail
    args: { ticket_id: TKT-* }
    observation: text
    required: false
output: { contains: [ACC-4821, ticket] }
max_steps: 5
tags: [account-lookup, read-only]
`;

export const ANSWER = 'Account ACC-4821 has three tickets: TKT-1, TKT-2 and TKT-3.';

export function call(name: string, args: Json, parts: Partial<ToolCall> = {}): ToolCall {
  return aToolCall(name, { args: content(args), ...parts });
}

export const SEARCH = () =>
  call('search_tickets', { account_id: 'ACC-4821', limit: 3 }, { result: content([{ id: 'TKT-1' }]) });
export const DETAIL = (id = 'TKT-1') =>
  call('get_ticket_detail', { ticket_id: id }, { result: content('Printer on fire.') });

export function aRun(
  toolCalls: readonly ToolCall[],
  { asked = 'Show me the last 3 support tickets for account ACC-4821', answered = ANSWER, ...parts } = {} as {
    readonly asked?: string;
    readonly answered?: string;
    readonly attributes?: ReadonlyMap<string, string>;
  },
): Conversation {
  return aConversation([aTurn({ asked, answered, toolCalls, ...parts })]);
}

const CRITERIA = ['follows_golden_path', 'trajectory_score', 'within_step_budget', 'output_contains'];

/** A suite with a criterion for each of the golden checks, which is named after it. */
export function goldenSuite(traces: string, { more = '', golden = '' } = {}): CompiledSuite {
  return compiled(
    `suite: golden
scope: conversation
normalize: true
golden:
  files: golden.yaml
${golden}
criteria:
${CRITERIA.map((name) => `  - { name: ${name}, question: Is it?, weight: 0.2, uses: ${name} }`).join('\n')}
${more}`,
    traces,
  );
}

export function compiled(text: string, traces: string): CompiledSuite {
  const files = () => ({ ...readGolden(traces, 'golden.yaml'), unread: new Map<number, string>(), fingerprint: '' });
  const { suite, mistakes } = readSuite(text, 'suite.yaml', { files });
  if (suite === undefined) throw new Error(formatMistakes(mistakes));
  return suite;
}

export function evaluateRun(suite: CompiledSuite, conversation: Conversation): Evaluation {
  return evaluate(suite, { conversation, turnId: undefined, revision: 1 });
}

export function verdictsOf({ verdicts }: Evaluation): Record<string, string> {
  return Object.fromEntries([...verdicts].map(([name, { verdict }]) => [name, verdict]));
}

export function reasonsOf({ verdicts }: Evaluation): Record<string, string> {
  return Object.fromEntries([...verdicts].map(([name, { reason }]) => [name, reason]));
}
