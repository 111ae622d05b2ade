/** `GET /api/v1/conversations`: a page of conversations, each with its last evaluations. */
import { z } from 'zod';
import { POLARITIES } from '../model/feedback.ts';
import { LIST_ORDERS } from '../model/list-orders.ts';
import { KIND_CHARACTERS_MAX } from '../model/named-kinds.ts';
import {
  about,
  anyOf,
  count,
  because,
  ending,
  isForward,
  list,
  NOT_FORWARD,
  outcome,
  share,
  time,
  placeFilters,
} from './shapes.ts';

const CONVERSATION_STATES = ['scored', 'open', 'waiting', 'unscored'] as const;

/**
 * `open`: it may go on, or is to be evaluated again. `waiting`: a judge has not answered yet. `unscored`: no evaluation
 * gave an outcome.
 */
const conversationState = z.enum(CONVERSATION_STATES);
export type ConversationState = z.infer<typeof conversationState>;

/** A place in the order of time, and of a list that is sorted the last conversation that was shown. */
export const CURSOR = /^\d{1,16}\.\d{1,15}(?:\.\d{1,15}\.\d{1,15}\.\d{1,15})?$/;

export const conversationFilters = z.strictObject({
  ...placeFilters,
  suite: anyOf(z.string()),
  outcome: anyOf(outcome),
  criterion: anyOf(z.string()).meta({ description: 'a criterion that failed' }),
  sub_agent: anyOf(z.string().min(1)).meta({ description: 'a sub-agent that took part in what was evaluated' }),
  score_below: z.coerce
    .number()
    .gt(0)
    .max(1)
    .optional()
    .meta({ description: 'below 1 something failed, however it ended' }),
  decided_below: z.coerce.number().min(0).max(1).optional(),
  state: anyOf(conversationState),
  labelled: z.enum(['true', 'false']).optional(),
  feedback: anyOf(z.enum(POLARITIES)),
  came_out: anyOf(z.enum(['good', 'bad', 'unknown'])).meta({ description: 'by its outcomes in the world' }),
  read: anyOf(z.enum(['good', 'bad'])).meta({ description: 'a person who read it said so' }),
  kind: anyOf(z.string().min(1).max(KIND_CHARACTERS_MAX)).meta({
    description: 'a kind of failure that a person who read it named',
  }),
  called_fine: z.enum(['true', 'false']).optional().meta({ description: 'the worst that its suites said is no fault' }),
  fact: anyOf(z.string().min(1).max(200)).meta({
    description: 'a fact as `/api/v1/finds` names it; of several all have to be there',
  }),
  conversation_id: anyOf(z.string().max(4096)),
  order: z.enum(LIST_ORDERS).default('latest'),
  words: z.string().min(1).max(200).optional().meta({
    description:
      'words that are all in the id, in what was said, or in what tools were given or gave, in any English form',
  }),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().regex(CURSOR, 'a cursor as `next` gave it').optional(),
});
export const conversationListQuery = conversationFilters.refine(isForward, NOT_FORWARD);
export type ConversationListQuery = z.output<typeof conversationListQuery>;

const failing = z.strictObject({
  criterion: z.string(),
  reason: z.string(),
  lost: share.optional().meta({ description: 'of the score; absent where the version of the suite no longer runs' }),
  critical: z.boolean().optional(),
});

const listedEvaluation = z.strictObject({
  suite: z.string(),
  turn_id: z.string().optional(),
  score: share.nullable(),
  outcome,
  because: because.optional(),
  ending: ending.optional(),
  decided_share: share.optional(),
  about: about.optional(),
  explanation: z.string(),
  waits_for: list(z.string()).optional(),
  failing: list(failing),
});
export type ListedEvaluation = z.infer<typeof listedEvaluation>;

export const conversationItem = z.strictObject({
  conversation_id: z.string(),
  agent: z.string(),
  agent_version: z.string(),
  environment: z.string(),
  segment: z.string().optional(),
  began_at: time.meta({ description: 'the time that lists and figures go by' }),
  clock_wrong: z.literal(true).optional().meta({
    description: 'a time of its spans could not be true, so that of arrival counts',
  }),
  ended_at: time.optional(),
  duration_ms: z.number().min(0).optional(),
  updated_at: time,
  asked: z.string().optional().meta({ description: "the beginning of the user's first words" }),
  answered: z.string().optional().meta({ description: "the beginning of the agent's last answer" }),
  turns: count,
  revision: count,
  tokens: count.optional().meta({ description: 'input and output together, as they were at the last evaluation' }),
  cost_usd: z.number().min(0).optional(),
  state: conversationState,
  unscored_because: z.string().optional(),
  feedback: z
    .enum(POLARITIES)
    .optional()
    .meta({ description: 'of its users, taken together; absent where none said anything' }),
  came_out: z
    .enum(['good', 'bad'])
    .optional()
    .meta({ description: 'by its outcomes in the world; bad where they disagree, absent where none is known' }),
  waiting_for: z.string().optional(),
  evaluations: list(listedEvaluation).meta({ description: 'at most 50, those with the worst outcomes' }),
  evaluations_left_out: count.optional().meta({ description: 'absent where all are listed' }),
});
export type ConversationItem = z.infer<typeof conversationItem>;

export const conversationList = z.strictObject({
  conversations: list(conversationItem),
  next: z.string().nullable().meta({ description: 'the cursor of the next page; null at the end' }),
  total: count.optional().meta({
    description: 'all that match; on a first page whose matches an index names, and absent where they were not counted',
  }),
  looked_at: count.meta({ description: 'conversations that this page looked at, of which it shows those that match' }),
});
export type ConversationList = z.infer<typeof conversationList>;
