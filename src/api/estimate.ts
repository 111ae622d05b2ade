/**
 * `GET /api/v1/estimate` and `GET /api/v1/readings/queue`: the success rate that readings support, and which
 * conversations to read next.
 */
import { z } from 'zod';
import { count, estimate, list, share, time, timeAsked } from './shapes.ts';

export const placeOfEstimate = {
  agent: z.string().max(4096),
  agent_version: z.string().max(4096).optional(),
  environment: z.string().max(4096).optional(),
  segment: z.string().max(4096).optional(),
  since: timeAsked.optional().meta({ description: '7d unless given: conversations that began since then' }),
  until: timeAsked.optional(),
};

export const estimateQuery = z.strictObject({
  ...placeOfEstimate,
  explain: z.enum(['true', 'false']).default('false').meta({ description: 'adds what the figures are computed from' }),
});

const worth = z.strictObject({
  readings: count.meta({ description: 'in all' }),
  minutes: count.meta({ description: 'that the new ones take' }),
  plus_minus: share.meta({ description: "half of the interval's width then, if they say what is believed now" }),
});

const explained = z
  .strictObject({
    cells: list(
      z.strictObject({
        group: z.string(),
        called_fine: z.boolean(),
        predicted: share.optional().meta({ description: 'chance that a prediction gave them, where it may speak' }),
        rate: z.number().meta({ description: 'relative chance of one of its conversations to be drawn next' }),
        size: count.meta({ description: 'conversations before the first draw' }),
      }),
    ),
    draws: list(
      z.strictObject({
        cell: count,
        answer: z.enum(['good', 'bad', 'unclear']),
        beliefs: list(z.number()).meta({ description: 'by cell, before it was read; unclear ones taken for bad' }),
        beliefs_if_good: list(z.number()).optional().meta({
          description: 'the same for the upper end, which counts unclear ones as good; absent if none is',
        }),
      }),
    ),
    certain: z.strictObject({ good: count, bad: count, bad_called_fine: count }),
    prediction: z
      .strictObject({
        hash: z.string(),
        readings: count,
        taught_before: time.meta({ description: 'readings of conversations that began before it taught it' }),
        weights: list(z.strictObject({ fact: z.string(), log_odds: z.number() })).meta({
          description: 'the facts that move it most: what each adds to the log-odds of going well',
        }),
      })
      .optional()
      .meta({ description: 'as it is today; absent where too little was read' }),
    widened_by: share.meta({ description: 'at either end, because readers disagree' }),
    against: z.number().meta({ description: 'a value is in the interval while its evidence, a logarithm, is less' }),
  })
  .meta({ description: 'docs/score/estimate.md has the formula; examples/estimate recomputes the interval from this' });

export const estimateAnswer = z.strictObject({
  agent: z.string(),
  since: time,
  until: time,
  says: z.string().meta({ description: 'the headline as a sentence' }),
  next: z.string().meta({ description: 'what to do, as a sentence' }),
  success: estimate.optional().meta({ description: 'of the conversations spoken for; absent while nothing was read' }),
  band: z.enum(['production ready', 'usable']).optional().meta({
    description: 'the lower end of `success` is from 0.85, or from 0.70; absent where it is lower',
  }),
  missed: estimate.optional().meta({ description: 'share of all that went badly and that the suites call fine' }),
  miss_rate: estimate.optional().meta({ description: 'the same, as a share of all that went badly' }),
  conversations: z.strictObject({
    spoken_for: count,
    later: count.meta({ description: 'not spoken for: they began later, and some of them come first to be read' }),
    unreadable: count.meta({ description: 'not spoken for: no words were recorded' }),
    called_fine: count,
    unscored: count,
  }),
  readings: z.strictObject({
    sample: count.meta({ description: 'read in the order of their lots, without a gap' }),
    out_of_turn: count.meta({ description: 'read by choice, before their turn, or certain since; not in the sample' }),
    certain: count.meta({ description: 'known by outcomes that are certain' }),
    unclear: count,
    by_two: count,
    disagreed: count.meta({ description: 'of those that two people read' }),
  }),
  outcomes: z
    .strictObject({ good: count, bad: count, bad_called_fine: count })
    .meta({ description: 'conversations of the time by their outcomes in the world, certain or not' }),
  worth: list(worth),
  enough: z.boolean().meta({ description: 'ten more readings would hardly narrow the interval' }),
  explained: explained.optional(),
});
export type EstimateAnswer = z.infer<typeof estimateAnswer>;

export const readingQueueQuery = z.strictObject({
  ...placeOfEstimate,
  by: z.string().max(200).optional().meta({ description: 'leaves out what this person has read' }),
  part: z
    .string()
    .regex(/^[1-9]\/[2-9]$/, 'a part such as 1/2, of at most 9')
    .refine((part) => Number(part[0]) <= Number(part[2]), 'a part such as 2/2: the first number is at most the second')
    .optional()
    .meta({ description: '1/2: what comes first is shared out among two, so that they do not read the same' }),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});

export const readingQueue = z.strictObject({
  items: list(
    z.strictObject({
      conversation_id: z.string(),
      agent: z.string(),
      agent_version: z.string(),
      asked: z.string().optional(),
      began_at: time,
      people: count.meta({ description: 'people who have read it' }),
    }),
  ).meta({ description: 'without what was said of them: people read first' }),
  read: count.meta({ description: 'in the sample so far' }),
});
export type ReadingQueue = z.infer<typeof readingQueue>;

export const readingListQuery = z.strictObject({
  ...placeOfEstimate,
  limit: z.coerce.number().int().min(1).max(2000).default(500),
});

export const readingList = z.strictObject({
  items: list(
    z.strictObject({
      conversation_id: z.string(),
      answer: z.enum(['good', 'bad', 'unclear']).meta({ description: 'what most of its readers say' }),
      chance: share.optional().meta({
        description: 'with which lots chose it; absent where it was read out of turn',
      }),
      called_fine: z.boolean(),
      failed: list(z.string()).meta({ description: 'criteria that failed, as suite/criterion' }),
      kind: z.string().optional().meta({ description: 'name of the kind of failure' }),
      notes: list(z.string()),
    }),
  ),
});
export type ReadingList = z.infer<typeof readingList>;
