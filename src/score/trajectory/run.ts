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
  const placed = turns.flatMap(({ toolCalls }, turn) => toolCalls.map((call) => ({ call, turn })));
  const kept = placed.slice(0, CALLS_MAX);
  return {
    calls: kept.map(({ call }) => call),
    order: partialOrder(kept.length, (earlier, later) => {
      const [one, other] = [kept[earlier], kept[later]];
      if (one === undefined || other === undefined) return false;
      return one.turn < other.turn || Math.max(one.call.startedAtMs, one.call.endedAtMs) <= other.call.startedAtMs;
    }),
    beyond: placed.length - kept.length,
  };
}
