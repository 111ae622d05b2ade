/** Truth and feedback of a conversation, from the text of their rows. */
import { byTime, type Feedback } from '../model/feedback.ts';
import type { ConversationId } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import { readFeedback } from './feedback-store.ts';

export function truthFrom(written: string | undefined): Json | undefined {
  // The cast holds because the stores of truths wrote the text.
  return written === undefined ? undefined : (JSON.parse(written) as Json);
}

/** Oldest first. */
export function feedbackFrom(conversation: ConversationId, written: readonly string[]): readonly Feedback[] {
  return written.map((one) => readFeedback(conversation, one)).sort(byTime);
}
