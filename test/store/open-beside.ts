/** The turns that were open when another of their conversation closed, found by examining all of them. */
import { conversationHash } from '../../src/model/conversation-id.ts';
import type { FiledArrival, NamingTurn, WaitingArrival } from '../../src/store/cluster-store.ts';

export function openBeside(
  closed: FiledArrival,
  { arrivals, naming = [] }: { readonly arrivals: readonly FiledArrival[]; readonly naming?: readonly NamingTurn[] },
): WaitingArrival['openBeside'] {
  if (closed.conversationId === undefined) return [];
  const conversation = conversationHash(closed.conversationId);
  const times = [
    ...arrivals
      .filter((other) => other.traceId !== closed.traceId && other.closedAt > closed.closedAt)
      .filter(({ conversationId }) => conversationId === closed.conversationId)
      .flatMap(({ named = [] }) => named),
    ...naming.filter(({ traceId }) => traceId !== closed.traceId),
  ].flatMap((named) => (named.conversation === conversation && named.at <= closed.closedAt ? named.at : []));
  return times.length === 0 ? [] : [{ conversation, at: Math.min(...times) }];
}
