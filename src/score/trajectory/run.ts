/**
 * A run as it is compared: the tool calls of a conversation, and which of them came before which others.
 *
 * Most runs are sequences: by one clock each call was over when the next began, and nothing more has to be known. (A call without a
 * span of its own is taken to have been made when the model call that asked for it ended.) Calls of any other run are in the order
 * that order criteria go by, see `../order/precedence.ts`: what ran side by side, or was asked for at once and left no time, may have been
 * in either order, and what a model was shown is believed before the clocks of several processes.
 *
 * Calls are numbered so that none comes before one with a smaller number. Where that leaves a choice, it is the order of the list.
 */
import type { ToolCall, Turn } from '../../model/turn.ts';
import { deedsOf, type OrderedSubject } from '../order/deeds.ts';
import { isOneProcess, precedenceOf } from '../order/precedence.ts';
import { chainOrder, type PartialOrder, partialOrder } from './alignment/partial-order.ts';

export interface Run {
  readonly calls: readonly ToolCall[];
  readonly order: PartialOrder;
  /** Calls beyond those that are compared. */
  readonly beyond: number;
}

export const CALLS_MAX = 500;

export function runOf(subject: OrderedSubject): Run {
  const { turns } = subject;
  const all = turns.length === 1 ? (turns[0]?.toolCalls ?? []) : turns.flatMap(({ toolCalls }) => toolCalls);
  const calls = all.length <= CALLS_MAX ? all : all.slice(0, CALLS_MAX);
  const beyond = all.length - calls.length;
  if (turns.every(isSequence)) return { calls, order: chainOrder(calls.length), beyond };
  return { ...inOrder(calls, subject), beyond };
}

function isSequence({ steps, toolCalls }: Pick<Turn, 'steps' | 'toolCalls'>): boolean {
  for (let at = 1; at < toolCalls.length; at += 1) {
    const [one, other] = [toolCalls[at - 1], toolCalls[at]];
    if (one === undefined || other === undefined || !isOverBefore(one, other)) return false;
  }
  return toolCalls.length < 2 || isOneProcess(steps);
}

function isOverBefore(one: ToolCall, other: ToolCall): boolean {
  const end = Math.max(one.startedAtMs, one.endedAtMs);
  if (end > other.startedAtMs) return false;
  // Of two that took no time, in one instant, nobody knows; nor of what was asked for at once, where one has no time of its own.
  if (one.startedAtMs === other.startedAtMs && other.endedAtMs <= other.startedAtMs) return false;
  return one.spanId !== undefined || other.requestedBy === undefined || one.requestedBy !== other.requestedBy;
}

function inOrder(calls: readonly ToolCall[], subject: OrderedSubject): Pick<Run, 'calls' | 'order'> {
  const places = new Map(deedsOf(subject).map(({ call }, index) => [call, index]));
  const order = precedenceOf(subject).among(calls.map((call) => places.get(call) ?? -1));
  const numbered = extension(calls.length, (one, other) => order.isBefore(one, other));
  return {
    calls: numbered.flatMap((index) => calls[index] ?? []),
    order: partialOrder(calls.length, (earlier, later) => order.isBefore(numbered[earlier] ?? 0, numbered[later] ?? 0)),
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
