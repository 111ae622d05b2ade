/** `GET /api/v1/trend`: how a suite's figures went over time, from the history of evaluations. */
import { z } from 'zod';
import { about, count, estimate, kinds, list, outcome, placeFilters, related, share, time } from './shapes.ts';

const TREND_BY = ['none', 'agent_version', 'agent', 'segment', 'environment'] as const;

export const trendQuery = z.strictObject({
  suite: z.string().optional(),
  ...placeFilters,
  by: z.enum(TREND_BY).default('none'),
  bucket: z
    .string()
    .regex(/^\d{1,4}[mhd]$/)
    .optional()
    .meta({ description: 'width of a bucket such as 5m, 1h or 1d; chosen for about 100 buckets unless given' }),
});

const figures = z.strictObject({
  evaluations: count.meta({ description: 'conversations; turns, where the scope of the suite is turn' }),
  scored: count,
  success: estimate.optional().meta({
    description: 'good outcomes among good and bad ones; successes only where `about` is task',
  }),
  tcr: estimate.optional().meta({ description: 'mean score; the task completion rate only where `about` is task' }),
  decided_share: share.optional(),
  outcomes: z.partialRecord(outcome, count),
});
export type TrendFigures = z.infer<typeof figures>;

export const trend = z.strictObject({
  suite: z.string(),
  about: about.optional(),
  scope: z.enum(['conversation', 'turn']).meta({ description: 'whether conversations or turns are counted' }),
  bucket_ms: count,
  related: related.meta({ description: 'among conversations spread over this time, from which intervals are widened' }),
  agents: list(z.string()).meta({ description: 'whose the latest of the evaluations are' }),
  since: time,
  until: time,
  series: list(
    z.strictObject({
      key: z.string().meta({ description: 'empty where by is none' }),
      buckets: list(figures.extend({ at: time })).meta({ description: 'those in which there is anything' }),
      whole: figures,
      because: kinds.meta({
        description: 'kinds of failures among the latest of the evaluations: of all, where there are at most 2,000',
      }),
    }),
  ),
  series_left_out: count.meta({ description: 'the smallest ones, beyond those that are shown' }),
  versions: list(z.strictObject({ agent: z.string(), agent_version: z.string(), at: time })).meta({
    description: 'versions that were first seen within this time',
  }),
});
export type Trend = z.infer<typeof trend>;
