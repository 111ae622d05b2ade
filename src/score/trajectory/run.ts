/**
 * A run as it is compared: the tool calls of a conversation, and which of them came before which others
 * (`call-order.ts`). If the order of two is not certain, either may count as the first.
 *
 * Calls are numbered so that none comes before one with a smaller number. If that leaves a choice, the order of the
 * list decides.
 */
import type { ToolCall } from '../../model/turn.ts';
import type { OrderedSubject } from '../order/ordered-steps.ts';
import { chainOrder, type PartialOrder, partialOrder } from '../alignment/partial-order.ts';
import { callOrder } from './call-order.ts';

export interface Run {
  readonly calls: readonly ToolCall[];
  readonly order: PartialOrder;
  /** Calls beyond those that are compared. */
  readonly beyond: number;
}

const CALLS_MAX = 500;

export function runOf(subject: OrderedSubject): Run {
  const { turns } = subject;
  const all = turns.length === 1 ? (turns[0]?.toolCalls ?? []) : turns.flatMap(({ toolCalls }) => toolCalls);
  const calls = all.length <= CALLS_MAX ? all : all.slice(0, CALLS_MAX);
  const beyond = all.length - calls.length;
  const { isSequence, isBefore } = callOrder(calls, subject);
  if (isSequence) return { calls, order: chainOrder(calls.length), beyond };
  const numbered = extension(calls.length, isBefore);
  return {
    calls: numbered.flatMap((index) => calls[index] ?? []),
    order: partialOrder(calls.length, (earlier, later) => isBefore(numbered[earlier] ?? 0, numbered[later] ?? 0)),
    beyond,
  };
}

/** Next is always the first of the list that nothing left has to come before. */
function extension(count: number, isBefore: (one: number, other: number) => boolean): readonly number[] {
  const left = Array.from({ length: count }, (_, index) => index);
  const waitsFor = left.map((one) => left.filter((other) => isBefore(other, one)).length);
  const numbered: number[] = [];
  while (left.length > 0) {
    const next = left.findIndex((one) => waitsFor[one] === 0);
    const [taken] = left.splice(next, 1);
    if (next < 0 || taken === undefined) throw new Error('golden trace: the order of the calls goes round in a circle');
    numbered.push(taken);
    for (const other of left) if (isBefore(taken, other)) waitsFor[other] = (waitsFor[other] ?? 0) - 1;
  }
  return numbered;
}
