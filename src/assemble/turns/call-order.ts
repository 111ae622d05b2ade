/**
 * The order of a turn's tool calls: that in which they ran. Calls that one model call asked for together and that ran side
 * by side have the order in which they were asked for; which of two threads began a moment sooner says nothing.
 */
import type { SpanId } from '../../model/ids.ts';
import type { ToolCall } from '../../model/turn.ts';
import { compare } from './span-tree.ts';

export interface OrderedCall {
  readonly call: ToolCall;
  /** Position of the request among all requests; beyond the last if no model asked for the call. */
  readonly order: number;
}

export function inOrderOfCalls(calls: readonly OrderedCall[]): readonly ToolCall[] {
  const [only] = calls;
  if (calls.length < 2) return only === undefined ? [] : [only.call];
  const startOf = startsOf(calls);
  const start = (item: OrderedCall) => startOf.get(item) ?? item.call.startedAtMs;
  return calls
    .toSorted(
      (a, b) =>
        start(a) - start(b) ||
        a.order - b.order ||
        a.call.startedAtMs - b.call.startedAtMs ||
        compare(a.call.spanId ?? '', b.call.spanId ?? ''),
    )
    .map(({ call }) => call);
}

/** For calls that ran side by side the start of the first of them. */
function startsOf(calls: readonly OrderedCall[]): ReadonlyMap<OrderedCall, number> {
  const starts = new Map<OrderedCall, number>();
  for (const together of askedTogether(calls)) {
    let from = Number.NEGATIVE_INFINITY;
    let until = Number.NEGATIVE_INFINITY;
    // A call without a span ran nobody knows when.
    const isUnknown = together.some(({ call }) => call.spanId === undefined);
    for (const item of together.toSorted((a, b) => a.call.startedAtMs - b.call.startedAtMs)) {
      const { startedAtMs, endedAtMs } = item.call;
      const isBeside = isUnknown ? until !== Number.NEGATIVE_INFINITY : startedAtMs < until;
      if (!isBeside) from = startedAtMs;
      until = Math.max(until, endedAtMs);
      starts.set(item, from);
    }
  }
  return starts;
}

function askedTogether(calls: readonly OrderedCall[]): readonly (readonly OrderedCall[])[] {
  // Most model calls ask for one tool at a time; their calls come one after the other, and no map is needed to see it.
  if (calls.every(({ call }, at) => at === 0 || call.requestedBy !== calls[at - 1]?.call.requestedBy)) return [];
  const byModelCall = new Map<SpanId, OrderedCall[]>();
  for (const item of calls) {
    const { requestedBy } = item.call;
    if (requestedBy === undefined) continue;
    const there = byModelCall.get(requestedBy);
    if (there === undefined) byModelCall.set(requestedBy, [item]);
    else there.push(item);
  }
  return [...byModelCall.values()].filter((items) => items.length > 1);
}
