/**
 * Which part of the traffic a conversation is: a plan, a language, a channel. Comparing an agent with itself needs like
 * with like. Otherwise a day with more hard questions looks like a worse agent.
 *
 * The rule: the first turn, in the order of their starts, that has one of the keys. In a turn its root is asked first,
 * then its other spans in the order of their starts; of one span the first key of the list that it has. A span's own
 * attributes win over its resource's. So the segment depends on the spans alone, and not on the order in which they
 * came.
 */
import type { Conversation } from '../model/conversation.ts';
import type { Step } from '../model/step.ts';

export function segmentOf(conversation: Conversation, keys: readonly string[]): string | undefined {
  if (keys.length === 0) return undefined;
  for (const turn of conversation.turns) {
    const found = presentValue(turn.attributes, keys) ?? firstOf(turn.steps, keys);
    if (found !== undefined) return found;
  }
  return undefined;
}

function firstOf(steps: readonly Step[], keys: readonly string[]): string | undefined {
  for (const step of steps) {
    const found = presentValue(step.attributes, keys);
    if (found !== undefined) return found;
  }
  return undefined;
}

function presentValue(attributes: Step['attributes'], keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = attributes.get(key);
    if (value !== undefined && value !== '') return String(value);
  }
  return undefined;
}
