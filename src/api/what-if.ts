/** `POST /api/v1/what-if`: scores and outcomes of stored conversations, had a suite other weights. */
import { z } from 'zod';
import { WHY_NOT_WEIGHED } from '../model/what-if.ts';
import { count, estimate, list, outcome, share, timeAsked } from './shapes.ts';

const NAME_MAX = 1000;
const CRITERIA_MAX = 100;
const LIMIT = 100_000;
const LIMIT_MAX = 1_000_000;

const name = z.string('a text').min(1, 'a text that is not empty').max(NAME_MAX, `at most ${NAME_MAX} characters`);

export const whatIfQuestion = z.strictObject({
  suite: name,
  weights: z
    .record(name, z.number('a number above 0, at most 1'))
    .refine((weights) => Object.keys(weights).length <= CRITERIA_MAX, `at most ${CRITERIA_MAX} weights`)
    .default({})
    .meta({ description: 'as the suite writes them; each counts by its share of the sum' }),
  off: z
    .array(name)
    .max(CRITERIA_MAX, `at most ${CRITERIA_MAX} names`)
    .readonly()
    .default([])
    .meta({ description: 'criteria that are asked and counted, and not in the score' }),
  since: timeAsked.optional(),
  agent: name.optional(),
  agent_version: name.optional(),
  limit: z
    .number('a whole number')
    .int('a whole number')
    .min(1, 'at least 1')
    .max(LIMIT_MAX, `at most ${LIMIT_MAX}`)
    .default(LIMIT)
    .meta({ description: 'the latest evaluations to look at' }),
});
export type WhatIfQuestion = z.output<typeof whatIfQuestion>;

const side = z.strictObject({
  tcr: estimate.optional(),
  success: estimate.optional().meta({ description: 'rate of successes among the outcomes that are good or bad' }),
  outcomes: z.record(outcome, count),
});
export type WhatIfSide = z.infer<typeof side>;

const scored = z.strictObject({ score: share.nullable(), outcome });

const moved = z.strictObject({
  conversation_id: z.string(),
  turn_id: z.string().optional(),
  agent: z.string(),
  agent_version: z.string(),
  before: scored,
  after: scored,
  moved_by: list(z.strictObject({ criterion: z.string(), points: z.number().optional() })).meta({
    description: 'parts of the change of its score',
  }),
});

export const whatIf = z.strictObject({
  suite: z.string(),
  version: z.string(),
  scope: z.enum(['conversation', 'turn']).meta({ description: 'whether conversations or turns are counted' }),
  looked_at: count.meta({ description: 'evaluations; if it is the limit, there may be older ones' }),
  compared: count.meta({ description: 'those that all figures are about' }),
  before: side,
  after: side,
  criteria: list(
    z.strictObject({
      criterion: z.string(),
      weight_before: share.optional().meta({ description: "its share of the suite's weight" }),
      weight_after: share.optional(),
      points: z.number().optional().meta({
        description: 'its part of the change of the mean score; absent where the weights before are not known',
      }),
    }),
  ),
  changed: count.meta({ description: 'those with another score or outcome' }),
  moved: list(moved).meta({ description: 'the most changed first, and of those that changed alike the latest' }),
  not_answered: z
    .partialRecord(z.enum(WHY_NOT_WEIGHED), count)
    .optional()
    .meta({ description: 'those that stored verdicts do not answer for, by reason; in no other figure' }),
  yaml: z.string().meta({
    description: "a unified diff of the suite's file, empty where nothing changes, or a sentence that says why not",
  }),
  is_diff: z.boolean().meta({ description: 'whether yaml is a diff' }),
});
export type WhatIf = z.infer<typeof whatIf>;
