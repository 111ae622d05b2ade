/** A decision of the release gate: the document of `assay gate --json`, as `GET /api/v1/experiments/gate` has it. */
import { z } from 'zod';
import { COUNT_RULES, LEFT_OUT, LIMIT_KINDS } from '../model/gate.ts';
import { about, count, list, time } from './shapes.ts';

const decision = z.enum(['pass', 'regression', 'not_enough_evidence', 'not_applicable']);

const side = z.strictObject({
  id: z.string(),
  name: z.string(),
  agent_version: z.string().nullable(),
  commit: z.string().nullable(),
  started_at: time,
  runs: count,
});

const judged = z.strictObject({
  suite: z.string(),
  rule: z.string().meta({ description: 'as the file writes it' }),
  decision,
  because: z.string(),
  examples: list(z.string()).meta({ description: 'cases that speak against the candidate' }),
});

const limit = judged.extend({
  limit: z.enum(LIMIT_KINDS),
  allowed: z.number(),
  value: z.number().nullable(),
  lower: z.number().nullable(),
  upper: z.number().nullable(),
  baseline: z.number().nullable(),
  candidate: z.number().nullable(),
  relative: z.boolean().nullable(),
  paired: z.boolean().nullable(),
  cases: count.nullable(),
  cases_moved: count.nullable(),
  cases_needed: count.nullable(),
  on_these_cases: z.boolean().meta({ description: 'about these cases alone; else about cases like these' }),
  runs_needed: count.nullable().meta({ description: 'of each case, for a limit on these cases' }),
});
export type GateLimitJson = z.infer<typeof limit>;

const counted = judged.extend({
  rule: z.enum(COUNT_RULES),
  limit: z.literal('cases'),
  allowed: z.number(),
  value: count.nullable(),
  cases: count,
  changed: list(z.string()),
  undecided: list(z.string()),
  not_run: count,
  left_out: z.record(z.enum(LEFT_OUT), count),
  command: z.string().nullable(),
});

const passedRuns = z.strictObject({ passes: count, of: count });
const byChance = counted.extend({
  rule: z.literal('cases_worse'),
  limit: z.literal('by_chance'),
  allowed: z.null(),
  tests: list(
    z.strictObject({
      of: z.string().meta({ description: '`success`, or `criterion.` and its name' }),
      p: z.number(),
      evidence: z
        .number()
        .nullable()
        .meta({ description: 'how many times likelier the runs are if the candidate got worse' }),
      level: z.number().meta({ description: 'share of the error: p up to it is a regression' }),
      broken: z.boolean(),
      baseline: passedRuns,
      candidate: passedRuns,
      correlation: z
        .number()
        .nullable()
        .meta({ description: 'of the runs of a case in one build; null where it is assumed to be 0' }),
    }),
  ),
});

export const gateResult = z.strictObject({
  decision: decision.exclude(['not_applicable']),
  sentence: z.string().meta({ description: 'the decision and its reason, for a person' }),
  may_release: z.boolean().optional().meta({ description: 'false where it stops the release' }),
  confidence: z.number(),
  look: z
    .strictObject({
      number: count,
      of: count,
      cases: count,
      of_cases: count,
      share_of_error: z.number(),
      ended_early: z.boolean(),
    })
    .nullable()
    .meta({ description: 'where an experiment that ends when it is decided was decided' }),
  candidate: side,
  baseline: side.nullable(),
  warnings: list(z.string()),
  suites: list(z.strictObject({ suite: z.string(), about: about.nullable() })),
  rules: list(z.union([limit, counted, byChance])),
});
export type GateJson = z.infer<typeof gateResult>;
