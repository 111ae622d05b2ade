/**
 * Which calls of a conversation came before which others.
 *
 * Most conversations are sequences: by one clock each call was over when the next began, and nothing more has to be
 * known. (A call without a span of its own is taken to have been made when the model call that asked for it ended.) In
 * any other conversation calls have the order that order criteria use, see `../order/precedence.ts`. Parallel calls,
 * and calls that were requested together and have no times, may have happened in either order. The messages that a
 * model was shown take precedence over the clocks of several processes.
 */
import type { ToolCall, Turn } from '../../model/turn.ts';
import { deedsOf, type OrderedSubject } from '../order/ordered-steps.ts';
import { MEMBERS_MAX } from '../order/partial-order.ts';
import { isOneProcess, precedenceOf } from '../order/precedence.ts';

interface CallOrder {
  /** Each came before the next of the list. */
  readonly isSequence: boolean;
  /** Whether the order of two calls, given by their places in the list, is certain. */
  readonly isBefore: (one: number, other: number) => boolean;
}

const SEQUENCE: CallOrder = { isSequence: true, isBefore: (one, other) => one < other };

/**
 * Order of some of the subject's calls, in the order in which its turns list them. Nothing is certain for calls beyond
 * the most that can be ordered.
 */
export function callOrder(calls: readonly ToolCall[], subject: OrderedSubject): CallOrder {
  if (subject.turns.every(isSequence)) return SEQUENCE;
  const places = new Map(deedsOf(subject).map(({ call }, index) => [call, index]));
  const members = calls.slice(0, MEMBERS_MAX).map((call) => places.get(call) ?? -1);
  const order = precedenceOf(subject).among(members);
  const isKnown = (place: number) => place < members.length;
  return {
    isSequence: false,
    isBefore: (one, other) => isKnown(one) && isKnown(other) && order.isBefore(one, other),
  };
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
  // The order is unknown for two calls that took no time in one instant, and for calls requested together if one has no
  // time of its own.
  if (one.startedAtMs === other.startedAtMs && other.endedAtMs <= other.startedAtMs) return false;
  return one.spanId !== undefined || other.requestedBy === undefined || one.requestedBy !== other.requestedBy;
}
