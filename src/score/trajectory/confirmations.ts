/**
 * Which calls can have confirmed a later one: those that ended well and were certainly over when it began. A call that
 * encloses another came before it and was not over, so it confirms nothing.
 */
import type { SpanId } from '../../model/ids.ts';
import type { ToolCall } from '../../model/turn.ts';
import type { OrderedSubject } from '../order/ordered-steps.ts';
import { callOrder } from './call-order.ts';
import { callSpan } from './call-span.ts';

/** Among the calls that confirmation is about, those to be confirmed and those that confirm, in the order in which the turns list them. */
export class Confirmations {
  readonly #calls: readonly ToolCall[];
  readonly #places: ReadonlyMap<ToolCall, number>;
  readonly #isBefore: (one: number, other: number) => boolean;
  readonly #parents: ReadonlyMap<SpanId, SpanId | undefined>;

  constructor(calls: readonly ToolCall[], subject: OrderedSubject) {
    this.#calls = calls;
    this.#places = new Map(calls.map((call, place) => [call, place]));
    this.#isBefore = callOrder(calls, subject).isBefore;
    const steps = subject.turns.flatMap((turn) => turn.steps);
    this.#parents = new Map(steps.map(({ spanId, parentSpanId }) => [spanId, parentSpanId]));
  }

  has(call: ToolCall, confirms: (tool: string) => boolean): boolean {
    const place = this.#places.get(call);
    if (place === undefined) return false;
    let around: ReadonlySet<SpanId> | undefined;
    return this.#calls.some((other, at) => {
      if (!endedWell(other) || !confirms(other.name) || !this.#isBefore(at, place)) return false;
      around ??= this.#around(call);
      return other.spanId === undefined || !around.has(other.spanId);
    });
  }

  /** The spans that the call is part of; one without a span of its own is where the model call is that asked for it. */
  #around(call: ToolCall): ReadonlySet<SpanId> {
    const around = new Set<SpanId>();
    let span = callSpan(call);
    for (span &&= this.#parents.get(span); span !== undefined && !around.has(span); span = this.#parents.get(span)) {
      around.add(span);
    }
    return around;
  }
}

function endedWell({ answered, error }: ToolCall): boolean {
  return answered && error === undefined;
}
