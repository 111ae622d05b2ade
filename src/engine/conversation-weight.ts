/**
 * How heavy a conversation is for a check: bytes of its spans, and an allowance for each. Whether a check gets to its end
 * in time depends on that first of all. No text is decoded for it.
 */
import type { Conversation } from '../model/conversation.ts';

const SPAN_WEIGHT = 200;

export function weightOf({ turns }: Conversation): number {
  let weight = 0;
  for (const { steps } of turns) for (const { bytes } of steps) weight += SPAN_WEIGHT + bytes;
  return weight;
}
