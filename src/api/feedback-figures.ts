/** `GET /api/v1/feedback`: feedback of users beside what a suite says of the same conversations. */
import { z } from 'zod';
import { count, estimate, timeAsked } from './shapes.ts';

export const feedbackQuery = z.strictObject({
  suite: z.string().optional(),
  agent: z.string().optional(),
  since: timeAsked.optional(),
});

export const feedbackFigures = z.strictObject({
  suite: z.string(),
  conversations: z
    .strictObject({ positive: count, neutral: count, negative: count })
    .meta({ description: 'conversations with feedback, by its polarity' }),
  counts: z.strictObject({
    positive_of_success: count.meta({ description: 'users are positive, and the suite says success' }),
    negative_of_success: count,
    positive_of_failure: count,
    negative_of_failure: count,
  }),
  undecided: count.meta({ description: 'positive or negative, and the suite says neither success nor failure' }),
  agreement: estimate
    .optional()
    .meta({ description: 'share in which both say the same; absent where nothing can be compared' }),
  cut: z.boolean().meta({ description: 'there are more conversations with feedback than were read' }),
});
export type FeedbackFigures = z.infer<typeof feedbackFigures>;
