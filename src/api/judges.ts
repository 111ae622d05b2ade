/** `GET /api/v1/judges`: the judges of the configuration, and how far people agree with them. */
import { z } from 'zod';
import { count, estimate, list, share, time } from './shapes.ts';

const calibrated = z.strictObject({
  suite: z.string(),
  criterion: z.string(),
  judge_version: z.string(),
  labels: count.meta({ description: 'subjects that people and the judge have both decided' }),
  disputed: count.meta({ description: 'subjects that as many people pass as fail' }),
  kappa: estimate.optional().meta({ description: 'agreement with people beyond chance' }),
  sensitivity: estimate.optional().meta({ description: 'share of those passed by people that the judge passes too' }),
  specificity: estimate.optional().meta({ description: 'share of those failed by people that the judge fails too' }),
});

const judge = z.strictObject({
  name: z.string(),
  provider: z.string(),
  model: z.string(),
  votes: count,
  sample: share.meta({ description: 'share of the conversations that are judged' }),
  requests_per_minute_max: count,
  criteria: list(calibrated).meta({ description: 'those that people have labelled, by version of the judge' }),
});

export const judging = z
  .strictObject({
    spent: z.strictObject({ last_hour: z.number(), last_day: z.number() }).meta({
      description: 'in the currency of the prices, with what calls that are under way can cost at most',
    }),
    waiting: list(z.strictObject({ judge: z.string(), questions: count, oldest_at: time })),
  })
  .meta({ description: 'of all instances that share the store' });
export type Judging = z.infer<typeof judging>;

export const judges = z.strictObject({
  judges: list(judge),
  budget: z
    .strictObject({ per_hour: z.number().optional(), per_day: z.number().optional() })
    .meta({ description: 'in the currency of the prices; absent where there is no limit' }),
  calibrates_here: z.boolean().meta({ description: 'false where another instance compares judges with people' }),
});
export type Judges = z.infer<typeof judges>;
