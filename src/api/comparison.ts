/** Two experiments side by side: the document of `assay compare --json`, and the answer of `GET /api/v1/experiments/compare`. */
import { z } from 'zod';
import type { ComparisonWord } from '../model/comparison.ts';
import { RUN_ENDS } from '../model/experiment.ts';
import { about, count, list, outcome, time } from './shapes.ts';

const WORDS = [
  'better',
  'worse',
  'fewer_faults',
  'more_faults',
  'no_difference_shown',
  'not_enough_evidence',
] as const satisfies readonly ComparisonWord[];
const TESTS = ['mcnemar', 'sign_flips', 'fisher', 'permutation', 'sequential'] as const;

const side = z.strictObject({
  id: z.string(),
  name: z.string(),
  started_at: time,
  ended_at: time.nullable(),
  dataset: z.strictObject({ name: z.string(), version: z.string(), fingerprint: z.string(), cases: count }),
  agent: z.strictObject({ target: z.string(), version: z.string().nullable() }),
  commit: z.string().nullable(),
  repeats: count,
});

const notCompared = z.strictObject({ word: z.null(), because: z.string() });
const figures = z.strictObject({
  word: z
    .enum(WORDS)
    .nullable()
    .meta({ description: 'null of what is neither good nor bad; of a suite about form or rules, faults are counted' }),
  a: z.number(),
  b: z.number(),
  change: z.number().meta({ description: 'b − a, or b / a − 1 where it is relative' }),
  lower: z.number().nullable().meta({ description: 'null where it has no bound' }),
  upper: z.number().nullable(),
  relative: z.boolean(),
  paired: z.boolean(),
  cases: count,
  p: z.number(),
  adjusted_p: z.number(),
  test: z.enum(TESTS),
  cases_needed: count.nullable(),
  missing: z.string().optional().meta({ description: 'what there is too little of, where that is not cases' }),
  cases_moved: count.nullable(),
  more_cases: count,
});
export const compared = z.union([figures, notCompared]);
export type ComparedJson = z.infer<typeof compared>;
export type ComparedFigures = z.infer<typeof figures>;

const rate = z.number().min(0).max(1);
const interval = z.strictObject({ value: z.number(), lower: z.number(), upper: z.number() });

const reliability = z.strictObject({
  suite: z.string(),
  repeats: count,
  passes: list(z.strictObject({ k: count, cases: count, pass_at: interval, pass_hat: interval })),
  flaky_cases: list(
    z.strictObject({
      case: z.string(),
      passes: count,
      runs: count,
      criteria: list(z.strictObject({ criterion: z.string(), passes: count, runs: count })),
    }),
  ),
  flaky_criteria: list(z.strictObject({ criterion: z.string(), cases: count, of: count })),
});
export type ReliabilityJson = z.infer<typeof reliability>;

const pair = <Item extends z.ZodType>(item: Item) => z.strictObject({ a: item, b: item });

const flipped = z.strictObject({
  case: z.string(),
  direction: z.enum(['worse', 'better', 'more_faults', 'fewer_faults']),
  success: pair(rate.nullable()),
  score: pair(rate.nullable()),
  criteria: list(z.strictObject({ criterion: z.string(), a: rate, b: rate })),
  conversations: pair(list(z.string())),
  ends: pair(list(z.enum(RUN_ENDS))),
});
export type FlippedJson = z.infer<typeof flipped>;

const comparedSuite = z.strictObject({
  suite: z.string(),
  warnings: list(z.string()),
  cases: z.strictObject({ shared: count, changed: count, only_in_a: count, only_in_b: count }),
  about: about.nullable(),
  decided_share: pair(rate.nullable()),
  score: compared,
  success: compared,
  outcomes: list(z.union([figures.extend({ outcome }), notCompared.extend({ outcome })])),
  failed_runs: compared,
  criteria: list(
    z.union([figures.extend({ criterion: z.string() }), notCompared.extend({ criterion: z.string() })]),
  ).meta({ description: "in the suite's order; their p values are adjusted together" }),
  steps_per_success: compared,
  tokens_per_success: compared,
  cost_per_success: compared,
  score_split: z
    .strictObject({
      change: z.number(),
      criteria: list(z.strictObject({ criterion: z.string(), part: z.number() })),
      mix: z.number(),
    })
    .nullable(),
  flipped: list(flipped).meta({ description: 'the most lost first' }),
  reliability: pair(reliability),
});

export type ComparedSuite = z.infer<typeof comparedSuite>;

export const comparison = z.strictObject({
  a: side,
  b: side,
  confidence: z.number(),
  smallest_difference: z.number(),
  warnings: list(z.string()),
  suites: list(comparedSuite).meta({ description: 'suites that scored both' }),
});
export type ComparisonJson = z.infer<typeof comparison>;
