/**
 * Shapes that the answers and queries of `/api/v1` share. The schemas are the API's contract: types are inferred from
 * them, `GET /api/v1/openapi.json` is made from them, and tests hold real answers against them.
 */
import { z } from 'zod';
import { ENDINGS } from '../model/ending.ts';
import { ABOUTS, OUTCOMES } from '../model/evaluation.ts';
import { timeSince } from '../model/since.ts';

/** Half a character can't be stored, and nobody means one. */
export const text = (max: number) =>
  z
    .string('a text')
    .min(1, 'a text that is not empty')
    .max(max, `at most ${max} characters`)
    .transform((given) => given.toWellFormed());

/** A list that nobody changes. */
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

export const outcome = z.enum(OUTCOMES);
export const because = z.string().meta({ description: 'kind of the failure, as its suite names it' });
export const about = z.enum(ABOUTS);
export const ending = z.enum(ENDINGS);

export const count = z.number().int().min(0);
export const kinds = z
  .partialRecord(outcome, z.record(z.string(), count))
  .meta({ description: 'how often each kind of failure came, by its outcome' });
export const share = z.number().min(0).max(1);
export const time = z.string().meta({ format: 'date-time', description: 'ISO 8601, UTC' });

export const estimate = z
  .strictObject({
    value: z.number(),
    low: z.number(),
    high: z.number(),
    n: count.meta({ description: 'observations that it rests on' }),
  })
  .meta({
    description: 'a figure from a sample, with its interval of 95 %; of many figures, one in twenty misses by chance',
  });
export type ApiEstimate = z.infer<typeof estimate>;

export const related = z
  .strictObject({
    users: count.meta({ description: 'different users among the conversations' }),
    unnamed_share: share.meta({ description: 'share of the conversations that name no user' }),
    note: z.string().optional().meta({ description: 'why intervals may be too narrow, a sentence to be shown' }),
  })
  .meta({ description: 'conversations of one user are alike, and intervals allow for it as far as users are named' });
export type Related = z.infer<typeof related>;

export const tokens = z.strictObject({ input: count, output: count });

/** `24h`, `7d`, or a time such as 2026-11-21T08:00:00Z; milliseconds once it is read. */
export const timeAsked = z
  .string()
  .meta({ description: 'a duration before now such as 24h or 7d, or an ISO time' })
  .transform((text, context) => {
    const read = timeSince(text, Date.now());
    if (read !== undefined) return read;
    context.addIssue({
      code: 'custom',
      message: 'expected a time such as 2026-11-21T08:00:00Z or a duration such as 24h',
    });
    return z.NEVER;
  });

interface TimesAsked {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** For the refinement of a query: a time that ends before it begins would find nothing, without a word. */
export const isForward = ({ since, until }: TimesAsked): boolean =>
  since === undefined || until === undefined || until > since;
export const NOT_FORWARD = { path: ['until'], message: 'it has to be after since' };

/** A filter that may be given several times: one of the values has to match. */
export const anyOf = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(50).readonly().optional();

/** Where and when an evaluation was counted, as filters. */
export const placeFilters = {
  agent: anyOf(z.string()),
  agent_version: anyOf(z.string()),
  environment: anyOf(z.string()),
  segment: anyOf(z.string()),
  since: timeAsked.optional(),
  until: timeAsked.optional(),
};

export const failure = z
  .strictObject({ error: z.string(), problems: list(z.string()).optional() })
  .meta({ description: 'why there is no answer' });
