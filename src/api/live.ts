/** `GET /api/v1/live`: server-sent events about conversations that were evaluated. */
import { z } from 'zod';
import { count, list, time } from './shapes.ts';

/** Data of the event `conversation`: the evaluations of a second. */
export const liveConversations = z.strictObject({
  at: time,
  conversations: list(z.strictObject({ conversation_id: z.string(), at: time, revision: count })),
  left_out: count.meta({ description: 'evaluations of the same second beyond those that are named' }),
});
export type LiveConversations = z.infer<typeof liveConversations>;
