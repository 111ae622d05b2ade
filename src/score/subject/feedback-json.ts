/** The feedback of a conversation as criteria see it, and those who read a JSON of it. */
import { type Feedback, polarityOfAll } from '../../model/feedback.ts';
import type { Json } from '../../model/json.ts';

export function feedbackJson(feedback: readonly Feedback[]): Json {
  const count = (wanted: Feedback['polarity']) => feedback.filter(({ polarity }) => polarity === wanted).length;
  const scores = feedback.flatMap(({ score }) => score ?? []);
  const last = scores.at(-1);
  return {
    polarity: polarityOfAll(feedback) ?? 'neutral',
    positive: count('positive'),
    negative: count('negative'),
    neutral: count('neutral'),
    // The last score that was given.
    ...(last === undefined ? {} : { score: last }),
    labels: feedback.flatMap(({ label }) => label ?? []),
    comments: feedback.flatMap(({ comment }) => comment ?? []),
  };
}
