/** `GET /api/v1/golden-comparison/{conversation...}`: a conversation beside the golden traces that are meant for it. */
import { z } from 'zod';
import { DIFF_KINDS } from '../model/golden-diff.ts';
import { list, share } from './shapes.ts';

const step = z.strictObject({
  kind: z.enum(DIFF_KINDS),
  step: z.number().int().optional().meta({ description: 'as the trace numbers it; absent for a call that is no step' }),
  expected: z.string().optional().meta({ description: 'the call as the trace writes it' }),
  call: z.number().int().optional().meta({ description: 'its place among the calls, from 1' }),
  text: z.string().meta({ description: 'the call that was made, or that none was' }),
  notes: list(z.string()),
  wrong: z.boolean().meta({ description: 'keeps the run from following the trace' }),
  span_id: z.string().optional(),
});
export type ComparedStepJson = z.infer<typeof step>;

const golden = z.strictObject({
  id: z.string(),
  description: z.string(),
  mode: z.string(),
  file: z.string(),
});

const result = z.strictObject({
  follows: z.boolean(),
  trajectory_score: share,
  steps: list(step).meta({ description: 'steps in the order of the trace, other calls between them' }),
  output: z.enum(['as_expected', 'wrong', 'unknown', 'not_said']),
  output_mistake: z.string().nullable(),
  over_budget: z.string().nullable(),
  is_optimal: z.boolean().meta({ description: 'false where a better alignment may exist: the search stopped' }),
});

const comparison = z.strictObject({
  suite: z.string(),
  suite_version: z.string(),
  scope: z.enum(['conversation', 'turn']),
  turn_id: z.string().optional(),
  because: z.string().meta({ description: 'why this trace, or why none' }),
  golden: golden.optional(),
  result: result.optional().meta({ description: 'absent where there is nothing to compare with' }),
});
export type GoldenComparison = z.infer<typeof comparison>;

export const goldenComparisons = z.strictObject({
  conversation_id: z.string(),
  comparisons: list(comparison).meta({ description: 'for each live suite that is for it and has golden traces' }),
});
export type GoldenComparisons = z.infer<typeof goldenComparisons>;
