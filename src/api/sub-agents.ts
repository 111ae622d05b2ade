/** `GET /api/v1/sub-agents`: what each sub-agent did, and how conversations went in which it took part. */
import { z } from 'zod';
import { count, estimate, isForward, list, NOT_FORWARD, placeFilters, related, share, time } from './shapes.ts';

export const subAgentsQuery = z
  .strictObject({
    suite: z.string().optional(),
    ...placeFilters,
  })
  .refine(isForward, NOT_FORWARD);

const passes = z.strictObject({
  passed: count,
  failed: count,
  pass_rate: estimate.optional().meta({ description: 'absent where nothing was decided' }),
});

const subAgent = z.strictObject({
  agent: z.string(),
  sub_agent: z.string().meta({ description: '`other` stands for those after the 16th of a conversation' }),
  conversations: count.meta({ description: 'in which it took part; turns, where the scope of the suite is turn' }),
  steps: count.meta({ description: 'its model calls and tool calls' }),
  errors: count.meta({ description: 'its steps that failed, and failures of its own' }),
  conversations_with_errors: count,
  error_share: share.meta({ description: 'share of its conversations in which something of it failed' }),
  cost_usd: z
    .strictObject({ sum: z.number().min(0), mean: z.number().min(0), conversations: count })
    .optional()
    .meta({ description: 'of conversations in which all of its cost is known' }),
  criteria: list(
    z.strictObject({
      criterion: z.string(),
      with: passes.meta({ description: 'conversations in which it took part' }),
      without: passes.meta({ description: 'the other conversations of the same agent' }),
    }),
  ).meta({ description: 'criteria that were decided where it took part, the lowest pass rate first' }),
});
export type SubAgentFigures = z.infer<typeof subAgent>;

export const subAgents = z.strictObject({
  suite: z.string(),
  since: time,
  until: time,
  sub_agents: list(subAgent).meta({ description: 'those of most conversations first' }),
  sub_agents_left_out: count,
  related,
  not_known: count.meta({ description: 'evaluations by an Assay that kept no sub-agents; they are in no figure' }),
  other_versions: count.meta({ description: 'evaluations by other versions of the suite, which are in no figure' }),
  looked_at: count,
  cut: z.boolean().meta({ description: 'there are more conversations, and these are the latest' }),
});
export type SubAgents = z.infer<typeof subAgents>;
