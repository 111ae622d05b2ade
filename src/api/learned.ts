/** `GET /api/v1/criteria/learned`: criteria that tell kinds of failure, and what readings say of each. */
import { z } from 'zod';
import { placeOfEstimate } from './estimate.ts';
import { certificateShape } from '../model/certificate.ts';
import { count, list, time } from './shapes.ts';

export const learnedQuery = z.strictObject(placeOfEstimate);

const { readings, fired, precision, bad, ofKind, missed, added, applies, fails, like } = certificateShape.shape;
const certificate = z.strictObject({
  ...{ says: z.string(), certified: z.boolean(), readings, fired, precision, bad },
  ...{ of_kind: ofKind, missed, added, applies, fails, like },
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
