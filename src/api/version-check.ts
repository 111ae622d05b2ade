/** `POST /api/v1/versions/check`: a question of a rollout, which is answered by the status: 200 is yes, 409 no. */
import { z } from 'zod';

const CHECKS = ['may_go_on', 'may_promote', 'should_roll_back'] as const;

/** Texts alone, as Flagger has them. */
const metadata = z.strictObject({
  agent: z.string().min(1),
  version: z.string().min(1).meta({ description: 'the new one' }),
  against: z.string().min(1).meta({ description: 'the version before' }),
  asks: z.enum(CHECKS).default('may_go_on').meta({ description: 'may_go_on is yes unless it is worse' }),
  suite: z.string().optional(),
  environment: z.string().optional(),
  since: z.string().optional(),
  smallest: z
    .string()
    .optional()
    .meta({ description: 'share of the success rate that it may lose: 0.05 unless given' }),
  cases: z.string().optional().meta({ description: 'kept, open or worse: what the gate found' }),
  evidence: z.string().optional().meta({ description: 'that it is worse on cases, from the gate' }),
});
export type VersionCheck = z.output<typeof metadata>;

/** The body of a webhook of Flagger. */
export const versionCheck = z.object({ metadata });

export const versionChecked = z.strictObject({
  decision: z.enum(['promote', 'hold', 'roll_back']),
  sentence: z.string(),
});
