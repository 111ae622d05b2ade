/** `GET /api/v1/excerpts/{conversation...}`: where a conversation has the words of a search. */
import { z } from 'zod';
import { count } from './shapes.ts';

export const excerptQuery = z.strictObject({ words: z.string().min(1).max(200) });

export const excerptAnswer = z.strictObject({
  excerpt: z
    .strictObject({
      turn: count,
      by: z.enum(['user', 'agent', 'tool']),
      tool: z.string().optional().meta({ description: 'whose arguments or result it is of' }),
      text: z.string().meta({ description: 'the first of the words with what stands around it' }),
    })
    .optional()
    .meta({ description: 'absent where the words are in the id alone, or the spans are not kept' }),
});
export type ExcerptAnswer = z.infer<typeof excerptAnswer>;
