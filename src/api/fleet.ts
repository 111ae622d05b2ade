/** `GET /api/v1/fleet`: one line for each agent, the one that does most harm first. */
import { z } from 'zod';
import { about, anyOf, count, estimate, isForward, list, NOT_FORWARD, related, time, timeAsked } from './shapes.ts';

const AGENTS_MAX = 1_000;
const WORDS = ['better', 'worse', 'fewer_faults', 'more_faults', 'no_difference_shown', 'not_enough_evidence'] as const;

export const fleetQuery = z
  .strictObject({
    environment: anyOf(z.string()),
    suite: z.string().optional().meta({ description: 'the most telling one of each agent unless given' }),
    since: timeAsked.optional().meta({ description: '24h unless given; at most 8 days before until' }),
    until: timeAsked.optional().meta({ description: 'now unless given' }),
    limit: z.coerce.number().int().min(1).max(AGENTS_MAX).default(AGENTS_MAX),
  })
  .refine(isForward, NOT_FORWARD);

const failures = z.strictObject({ failed: count, of: count }).meta({ description: 'among those good or bad' });
const change = z.strictObject({ word: z.enum(WORDS), later: failures, earlier: failures });

const fleetAgent = z.strictObject({
  agent: z.string(),
  sentence: z.string().meta({ description: 'how it stands, for a person' }),
  suite: z.string().meta({ description: 'suite of the figures: one about the task where it has evaluations' }),
  about,
  scope: z.enum(['conversation', 'turn']),
  harm_per_hour: z.number().meta({
    description: 'failures an hour, a graceful one counted once, a partial one twice, a hard one three times',
  }),
  failures_per_hour: estimate.optional().meta({ description: 'absent where it rests on too few' }),
  per_hour: z.number().meta({ description: 'conversations an hour; turns, where the scope is turn' }),
  score: estimate.optional().meta({ description: 'mean score' }),
  change: change.meta({ description: 'against the window before, of the same length' }),
  newest: z
    .strictObject({
      agent_version: z.string(),
      since: time,
      change: change
        .optional()
        .meta({ description: 'against earlier versions; absent if it began before both windows' }),
    })
    .optional()
    .meta({ description: 'its newest version' }),
  alarms: count.meta({ description: 'open detections of a regression' }),
  regressed_since: time.optional().meta({ description: 'when the first of them seems to have begun' }),
});
export type FleetAgent = z.infer<typeof fleetAgent>;

export const fleet = z.strictObject({
  since: time,
  until: time,
  before: time.meta({ description: 'when the window before begins' }),
  agents: list(fleetAgent).meta({ description: 'most harm first' }),
  agents_left_out: count.meta({
    description: 'without a line: those of least harm beyond the limit, and those that are counted together as `other`',
  }),
  alarms_known: z.boolean().meta({ description: 'whether detection has reported here' }),
  related: related.meta({ description: 'of the latest conversations, from which intervals are widened' }),
});
export type Fleet = z.infer<typeof fleet>;
