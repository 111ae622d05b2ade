/**
 * Handing a turn to another agent looks like a tool call, since that is how a model says that it wants to. It is not one:
 * nothing was looked up or changed, and there is no result to be right or wrong.
 *
 *     handoff to Billing, handoff_to_billing, transfer_to_agent      by name alone
 *     transfer_to_billing      only where an agent of that name is in the turn: a bank's tools are called like this too
 */
import type { ToolCall } from '../../model/turn.ts';
import type { Family } from './span-tree.ts';

const CERTAIN = /^(?:handoff[ _]to[ _]|transfer_to_agent$)/i;
const TRANSFER = /^transfer_(?:back_)?to_(.{1,256})$/i;

export function mayBeHandoff(name: string): boolean {
  return CERTAIN.test(name) || TRANSFER.test(name);
}

export function withoutHandoffs(calls: readonly ToolCall[], family: Family): readonly ToolCall[] {
  const agents = new Set(family.steps.flatMap(({ agent }) => (agent.name === undefined ? [] : plain(agent.name))));
  return calls.filter(({ name }) => {
    const target = TRANSFER.exec(name)?.[1];
    return !CERTAIN.test(name) && (target === undefined || !agents.has(plain(target)));
  });
}

/** Tool names have no blanks and no capitals where names of agents have. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '_');
}
