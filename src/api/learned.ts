/** `GET /api/v1/criteria/learned`: criteria that tell kinds of failure, and what readings say of each. */
import { z } from 'zod';
import { placeOfEstimate } from './estimate.ts';
import { count, list, share, time } from './shapes.ts';

export const learnedQuery = z.strictObject(placeOfEstimate);

const certificate = z.strictObject({
  says: z.string(),
  certified: z.boolean(),
  readings: count.meta({ description: 'that measure it, and did not choose it' }),
  fired: count,
  precision: z.strictObject({ value: share, lower: share, upper: share }),
  bad: share.meta({ description: 'of all that were read' }),
  of_kind: z
    .strictObject({ fired: z.strictObject({ value: share, lower: share, upper: share }), all: share })
    .optional()
    .meta({ description: 'among the bad ones, the share of the kind: of those that fail it, and of all' }),
  missed: count.meta({ description: 'failures that the suites call fine' }),
  added: count.meta({ description: 'of these, those on which it fails' }),
  applies: share,
  fails: share,
  like: z.strictObject({ criterion: z.string(), share }).optional(),
});

const criterion = z.strictObject({
  name: z.string(),
  question: z.string(),
  when: z.string().optional(),
  check: z.string(),
  found_in: count.meta({ description: 'parts of the readings, of five, without which it is found as well' }),
  certificate: certificate.optional(),
  conversations: list(z.string()).meta({ description: 'up to five on which it fails' }),
});

export const learnedCriteria = z.strictObject({
  agent: z.string(),
  since: time,
  until: time,
  readings: count,
  bad: count,
  says: z.string(),
  kinds: list(
    z.strictObject({
      kind: z.string().optional().meta({ description: 'absent for other failures that the suites call fine' }),
      readings: count,
      criteria: list(criterion),
      suite: z.string().optional().meta({ description: 'the best one as a suite, in YAML' }),
    }),
  ),
});
export type LearnedCriteria = z.infer<typeof learnedCriteria>;
