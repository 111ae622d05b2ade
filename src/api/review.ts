/**
 * `GET /api/v1/review/queue` and `GET /api/v1/review/agreement`: conversations for people to label, and how far people
 * and the criterion agree.
 */
import { z } from 'zod';
import { count, estimate, list, time, timeAsked } from './shapes.ts';

const criterionQuery = { suite: z.string(), criterion: z.string() };

/**
 * `random` is a sample of what was decided, the same for everybody. `balanced`: as many of what failed as of what passed,
 * while there are both, in an order that does not tell which is which. `disagreed`: people say otherwise. `unsure`: the
 * judge failed. `little_decided`: little of the suite's weight was decided. `feedback`: users say the opposite of what the
 * suite says of the conversation.
 */
const REVIEW_REASONS = ['random', 'balanced', 'disagreed', 'unsure', 'little_decided', 'feedback'] as const;
export type ReviewReason = (typeof REVIEW_REASONS)[number];

export const reviewQueueQuery = z.strictObject({
  ...criterionQuery,
  by: z.string().max(200).optional().meta({ description: 'leaves out what this person has labelled' }),
  because: z.enum(REVIEW_REASONS).default('random'),
  agent: z.string().optional(),
  since: timeAsked.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});

export const reviewQueue = z.strictObject({
  suite: z.string(),
  criterion: z.string(),
  items: list(
    z.strictObject({
      conversation_id: z.string(),
      turn_id: z.string().optional(),
      agent: z.string(),
      agent_version: z.string(),
      asked: z.string().optional(),
      began_at: time,
      people: count.meta({ description: 'people who have labelled it' }),
    }),
  ).meta({ description: 'without the verdicts: people answer first' }),
  looked_at: count.meta({ description: 'evaluations that were looked at: the latest ones of the version that runs' }),
  labelled: count.meta({ description: 'of these, labelled by `by` already' }),
});
export type ReviewQueue = z.infer<typeof reviewQueue>;

export const reviewAgreementQuery = z.strictObject(criterionQuery);

const counts = z.strictObject({
  pass_of_pass: count.meta({ description: 'people say pass, and so does the criterion' }),
  fail_of_pass: count,
  pass_of_fail: count,
  fail_of_fail: count,
});

const sayer = z.strictObject({
  judge: z.string().optional().meta({ description: 'absent where code answers' }),
  version: z.string().meta({ description: "the judge's, or the suite's where code answers" }),
  labelled: count.meta({ description: 'verdicts with a label of pass or fail' }),
  counts,
  agreed: estimate
    .optional()
    .meta({ description: 'labels of each verdict weigh as much as the judge gave that verdict, here and below' }),
  kappa: estimate.optional(),
  corrected_rate: estimate
    .optional()
    .meta({ description: 'share that would pass if people answered everything that the judge did' }),
  not_corrected_because: z
    .string()
    .optional()
    .meta({ description: 'code-answers, nothing-judged, none-of-passed (labelled) or none-of-failed' }),
  not_applicable: count,
  disputed: count.meta({ description: 'people have no majority' }),
  more_labels: count.meta({ description: 'labels worth giving until kappa is known to 0.1 on either side' }),
  missing: list(z.enum(['passed', 'failed'])).meta({
    description: 'too little of what it passed, or failed, is labelled',
  }),
  label_next: z
    .enum(['passed', 'failed'])
    .optional()
    .meta({ description: 'labels of what it passed, or failed, tell more about the pass rate' }),
});

export const reviewAgreement = z.strictObject({
  suite: z.string(),
  criterion: z.string(),
  versions: list(sayer).meta({ description: 'the one that answered last comes first' }),
  labels: count.meta({ description: 'that stand, of the latest that are looked at' }),
  people: z.strictObject({
    labellers: list(z.string()),
    subjects: count.meta({ description: 'that two people answered with pass or fail' }),
    disputed_applies: count,
    agreed: estimate.optional(),
    kappa: estimate.optional(),
  }),
});
export type ReviewAgreement = z.infer<typeof reviewAgreement>;
