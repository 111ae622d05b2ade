/** Feedback of a conversation as `/api/v1` shows it. */
import type { ShownFeedback } from '../../../api/feedback.ts';
import { countingFeedback, type Feedback } from '../../../model/feedback.ts';
import { isoTime } from './iso-time.ts';

export function shownFeedbackOf(all: readonly Feedback[]): ShownFeedback[] {
  const counting = new Set(countingFeedback(all).map(({ id }) => id));
  return all.map(({ conversationId: _, scale, traceId, spanId, atMs, ...feedback }) => ({
    ...feedback,
    ...(scale === undefined ? {} : { scale: [scale[0], scale[1]] }),
    ...(traceId === undefined ? {} : { trace_id: traceId }),
    ...(spanId === undefined ? {} : { span_id: spanId }),
    at: isoTime(atMs),
    counts: counting.has(feedback.id),
  }));
}
