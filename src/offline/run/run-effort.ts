/** Measures what a run took (time, tokens, cost) from its spans. */
import type { Conversation } from '../../model/conversation.ts';
import type { RunEffort } from '../../model/experiment.ts';

export function effortOf(conversations: readonly Conversation[]): RunEffort {
  const turns = conversations.flatMap((conversation) => conversation.turns);
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
  const known = (amounts: readonly (number | undefined)[]) => amounts.filter((amount) => amount !== undefined);
  const total = (amounts: readonly number[]) => (amounts.length === 0 ? undefined : sum(amounts));
  const llmCalls = sum(turns.map((turn) => turn.llmCalls));
  const toolCalls = sum(turns.map((turn) => turn.toolCalls.length));
  return {
    steps: llmCalls + toolCalls,
    llmCalls,
    toolCalls,
    inputTokens: total(known(conversations.map(({ usage }) => usage?.inputTokens))),
    outputTokens: total(known(conversations.map(({ usage }) => usage?.outputTokens))),
    costUsd: total(known(conversations.map(({ costUsd }) => costUsd))),
  };
}
