/** `GET /api/v1/live`: server-sent events about conversations that were evaluated. */
import { z } from 'zod';
import { count, list, outcome, time } from './shapes.ts';

/** Data of the event `conversation`. */
export const liveConversations = z.strictObject({
  at: time,
  conversations: list(
    z.strictObject({ conversation_id: z.string(), suite: z.string(), at: time, outcome: outcome.optional() }),
  ),
  left_out: count.meta({ description: 'evaluations of the same second beyond those that are named' }),
});
export type LiveConversations = z.infer<typeof liveConversations>;
