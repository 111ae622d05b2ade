/** `GET /api/v1/failures`: the kinds of failure of an agent, as people named them in their readings. */
import { z } from 'zod';
import { KIND_STATES } from '../model/named-kinds.ts';
import { count, estimate, list, share, time, timeAsked } from './shapes.ts';

export const failuresQuery = z.strictObject({
  agent: z.string().max(4096),
  since: timeAsked
    .optional()
    .meta({ description: '7d unless given: shares are of conversations that began since then' }),
  until: timeAsked.optional(),
});

const failed = z.strictObject({
  conversation_id: z.string(),
  by: z.string(),
  began_at: time,
  asked: z.string().optional().meta({ description: "the beginning of the user's first words" }),
  note: z.string().optional(),
});
export type FailedConversation = z.infer<typeof failed>;

const kind = z.strictObject({
  name: z.string(),
  state: z.enum([...KIND_STATES, 'back']).meta({
    description: '`back`: a conversation of the kind began after it was called mended',
  }),
  state_at: time
    .optional()
    .meta({ description: 'when a person said so; absent for a kind that is open from the start' }),
  readings: count.meta({ description: 'bad readings that name it, of any time' }),
  conversations: count.meta({ description: '`kind=` of a list finds them; two people may have read one of them' }),
  first_at: time.optional().meta({ description: 'when the first of its conversations began' }),
  last_at: time.optional(),
  examples: list(failed).meta({ description: 'up to five conversations, the newest first' }),
  share: estimate.optional().meta({
    description: 'of all conversations of the window; each interval of 95 % is on its own, and valid at every look',
  }),
});
export type FailureKind = z.infer<typeof kind>;

export const failuresAnswer = z.strictObject({
  agent: z.string(),
  since: time,
  until: time,
  says: z.string().meta({ description: 'the board as a sentence' }),
  next: z.string().meta({ description: 'what to do, as a sentence' }),
  kinds: list(kind).meta({ description: 'those that are back come first, then those with most readings' }),
  without_kind: list(failed).meta({ description: 'bad readings that name no kind, the newest first, up to 200' }),
  without_kind_count: count,
  proposed: list(z.strictObject({ name: z.string(), readings: list(failed) })).meta({
    description: 'groups of readings without a kind whose notes share words, made without a model',
  }),
  unseen: z
    .strictObject({
      says: z.string(),
      kinds: count.meta({ description: 'that people have named' }),
      failures: count.meta({ description: 'in the part of the random sample that the figures rest on' }),
      value: share,
      low: share,
      high: share,
    })
    .optional()
    .meta({
      description:
        'chance that the next failure is of a kind that nobody has named, with an interval of 95 %; absent under 5 failures with a kind',
    }),
});
export type FailuresAnswer = z.infer<typeof failuresAnswer>;
