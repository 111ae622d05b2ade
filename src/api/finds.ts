/**
 * `GET /api/v1/finds`: facts that set conversations of an agent that went badly apart from the others, without a reading.
 * `GET /api/v1/common`: the same of the conversations that a list finds.
 */
import { z } from 'zod';
import { FIND_SOURCES } from '../model/find-sources.ts';
import { conversationFilters } from './conversation-list.ts';
import { placeOfEstimate } from './estimate.ts';
import { count, isForward, list, NOT_FORWARD, time } from './shapes.ts';

export const findsQuery = z.strictObject(placeOfEstimate).refine(isForward, NOT_FORWARD);

export const commonQuery = conversationFilters
  .omit({ order: true, limit: true, cursor: true })
  .refine(isForward, NOT_FORWARD);

const counted = z.strictObject({ count, of: count });

const find = z.strictObject({
  fact: z.string().meta({ description: '`fact=` of a list finds it; parts of it come from spans' }),
  says: z.string().meta({ description: 'how often it comes, as a sentence' }),
  within: counted.meta({ description: 'of the conversations that are looked at' }),
  others: counted.meta({ description: 'of those that they are compared with' }),
  lift: z.strictObject({ value: z.number().optional(), low: z.number(), high: z.number().optional() }).meta({
    description: 'how many times as often, with its interval of 95 %; no upper end where none of the others has it',
  }),
  chance: z.number().min(0).max(1).meta({ description: "of so many by chance: Fisher's exact test to one side" }),
  also: list(z.string()).meta({ description: 'facts of nearly the same conversations, which say no more' }),
  conversation_ids: list(z.string()).meta({ description: 'five of them, the latest first' }),
  link: z.string().meta({ description: 'the list of them, a place of the page' }),
});
export type FindJson = z.infer<typeof find>;

const whatWasFound = {
  agent: z.string(),
  since: time,
  until: time,
  conversations: count.meta({ description: 'that have been scored, and whose facts are known' }),
  looked_at: count.meta({ description: 'facts that were tested: of all finds, a tenth is false at most' }),
  cut: z.boolean().meta({ description: 'there are more conversations, and these are the latest' }),
};

export const findsAnswer = z.strictObject({
  ...whatWasFound,
  sources: list(
    z.strictObject({
      source: z.enum(FIND_SOURCES),
      conversations: count,
      others: count.meta({ description: 'those known to be otherwise, if there are 20, or else all others' }),
    }),
  ).meta({ description: 'why conversations were looked at; those of fewer than 8 conversations are absent' }),
  finds: list(find.extend({ source: z.enum(FIND_SOURCES) })).meta({
    description: 'at most 40, the least likely first',
  }),
});
export type FindsAnswer = z.infer<typeof findsAnswer>;

export const commonAnswer = z.strictObject({
  ...whatWasFound,
  agent: z.string().optional().meta({ description: 'of which the list has most; absent where the list is empty' }),
  agents: count.meta({ description: 'of the list, of which one is compared' }),
  says: z.string(),
  within: count.meta({ description: 'conversations of the list, the latest 5,000, that are compared' }),
  others: count.meta({ description: 'of the same agent and time' }),
  troubles: list(z.strictObject({ fact: z.string(), conversations: count })).meta({
    description: 'what went wrong in those that are compared: at most 30, the most frequent first; `fact=` finds them',
  }),
  finds: list(find).meta({ description: 'at most 20, the least likely first' }),
});
export type CommonAnswer = z.infer<typeof commonAnswer>;
