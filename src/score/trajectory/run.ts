/**
 * A run as it is compared: the tool calls of a conversation, and which of them came before which others. One came before another
 * if it had ended when the other began, or was in an earlier turn; calls that overlap ran side by side, and either may count
 * as the first. Calls of which only messages tell have no times of their own, and come as they are listed.
 */
import type { ToolCall, Turn } from '../../model/turn.ts';
import { type PartialOrder, partialOrder } from './alignment/partial-order.ts';

export interface Run {
  readonly calls: readonly ToolCall[];
  readonly order: PartialOrder;
  /** Calls beyond those that are compared. */
  readonly beyond: number;
}

export const CALLS_MAX = 500;

export function runOf(turns: readonly Pick<Turn, 'toolCalls'>[]): Run {
  const all = turns.length === 1 ? (turns[0]?.toolCalls ?? []) : turns.flatMap(({ toolCalls }) => toolCalls);
  const calls = all.length <= CALLS_MAX ? all : all.slice(0, CALLS_MAX);
  let order: PartialOrder | undefined;
  return {
    calls,
    // Most runs can be told to follow their trace without it.
    get order() {
      order ??= orderOf(calls, turns);
      return order;
    },
    beyond: all.length - calls.length,
  };
}

function orderOf(calls: readonly ToolCall[], turns: readonly Pick<Turn, 'toolCalls'>[]): PartialOrder {
  const turnOf = turns.length > 1 ? turns.flatMap(({ toolCalls }, turn) => toolCalls.map(() => turn)) : undefined;
  return partialOrder(calls.length, (earlier, later) => {
    const [one, other] = [calls[earlier], calls[later]];
    if (one === undefined || other === undefined) return false;
    if (turnOf !== undefined && turnOf[earlier] !== turnOf[later]) return true;
    return Math.max(one.startedAtMs, one.endedAtMs) <= other.startedAtMs;
  });
}
