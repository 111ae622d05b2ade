/** `GET /api/v1/moved`: the criteria that moved the mean score between two periods or two versions. */
import { z } from 'zod';
import { anyOf, count, estimate, list, related, time, timeAsked } from './shapes.ts';

export const movedQuery = z
  .strictObject({
    suite: z.string().optional(),
    agent: anyOf(z.string()),
    environment: anyOf(z.string()),
    since: timeAsked.optional(),
    until: timeAsked.optional(),
    against_since: timeAsked.optional(),
    against_until: timeAsked.optional(),
    version: z.string().optional(),
    against_version: z.string().optional(),
  })
  .refine(({ version, against_version }) => version !== undefined || against_version === undefined, {
    path: ['version'],
    message: 'against_version needs version',
  });
export type MovedQuery = z.output<typeof movedQuery>;

const side = z.strictObject({
  since: time,
  until: time,
  agent_version: z.string().optional(),
  evaluations: count.meta({ description: 'scored ones of the version of the suite that runs' }),
  tcr: estimate.optional(),
  success: estimate.optional(),
});

const part = z.strictObject({
  kind: z.enum(['criterion', 'hard_failures', 'mix']),
  name: z.string(),
  criterion: z.string().optional(),
  points: z.number().meta({ description: 'of the mean score; all parts add up to the difference, to a millionth' }),
  evaluations: count.optional().meta({ description: 'evaluations after the change in which the criterion failed' }),
  clear: z.boolean().optional().meta({
    description: 'of a criterion: hardly chance, also with regard to how many criteria there are and to repeated looks',
  }),
});

export const moved = z.strictObject({
  suite: z.string(),
  before: side,
  after: side,
  difference: estimate.optional().meta({
    description: 'mean score after less before; its interval holds however often one looks',
  }),
  related,
  parts: list(part).meta({ description: 'the largest first' }),
  unchanged: count.meta({ description: 'criteria with a weight whose part is nothing' }),
  other_versions: count.meta({ description: 'evaluations by other versions of the suite, which are in no figure' }),
  looked_at: count,
  cut: z.boolean().meta({ description: 'there are more than were looked at, which are spread over each period' }),
  too_early: z.string().optional().meta({ description: 'why there is no difference yet' }),
});
export type Moved = z.infer<typeof moved>;
