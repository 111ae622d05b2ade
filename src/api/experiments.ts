/** `/api/v1/experiments`: the experiments of the folder that `experiments` names, one of them, and two side by side. */
import { z } from 'zod';
import { RUN_ENDS } from '../model/experiment.ts';
import { fullEvaluation, turn } from './conversation-detail.ts';
import { gateResult } from './gate.ts';
import { about, anyOf, count, estimate, kinds, list, outcome, time } from './shapes.ts';

const LIST_MAX = 200;

export const experimentListQuery = z.strictObject({
  dataset: z.string().optional().meta({ description: 'name of the dataset' }),
  limit: z.coerce.number().int().min(1).max(LIST_MAX).default(50),
  cursor: z.string().optional(),
});

const experimentItem = z.strictObject({
  id: z.string(),
  name: z.string(),
  started_at: time,
  ended_at: time.nullable(),
  state: z.enum(['ended', 'running', 'interrupted']),
  dataset: z.strictObject({ name: z.string(), version: z.string(), fingerprint: z.string(), cases: count }),
  agent_version: z.string().nullable(),
  commit: z.string().nullable(),
  suites: list(z.string()),
  repeats: count,
  runs: count.meta({ description: 'runs that are kept' }),
});
export type ExperimentItem = z.infer<typeof experimentItem>;

export const experimentList = z.strictObject({
  experiments: list(experimentItem).meta({ description: 'the latest first' }),
  next: z.string().nullable(),
  has_folder: z.boolean().meta({ description: 'the folder of the experiments is there' }),
  unreadable: list(z.string()).meta({ description: 'experiments that are damaged, and why they cannot be read' }),
});
export type ExperimentList = z.infer<typeof experimentList>;

/** An experiment by its id, its name (the last one of that name), or `latest`. */
const reference = z.string().min(1).max(300);

export const experimentQuery = z.strictObject({});

export const experimentDetail = experimentItem.extend({
  ends: z.record(z.enum(RUN_ENDS), count).meta({ description: 'how runs ended' }),
  figures: list(
    z.strictObject({
      suite: z.string(),
      about: about.optional(),
      cases: count,
      tcr: estimate.optional(),
      success: estimate.optional(),
      outcomes: z.partialRecord(outcome, count).meta({ description: 'runs; turns, where its scope is turn' }),
      because: kinds,
      criteria: list(z.strictObject({ criterion: z.string(), pass_rate: estimate.optional() })),
    }),
  ).meta({ description: 'means over cases; n counts cases' }),
});
export type ExperimentDetail = z.infer<typeof experimentDetail>;

const fraction = z.coerce.number().gt(0).lt(1);

export const comparisonQuery = z.strictObject({
  a: reference.meta({ description: 'the experiment before: its id, its name, or latest' }),
  b: reference.meta({ description: 'the experiment after' }),
  suite: anyOf(z.string()),
  confidence: fraction.default(0.95),
  smallest: fraction.default(0.05).meta({ description: 'the smallest difference that matters' }),
});

export const comparedCaseQuery = z.strictObject({
  a: reference,
  b: reference,
  case: z.string().min(1).max(1_000),
  suite: anyOf(z.string()),
});

const caseRun = z.strictObject({
  experiment: z.string(),
  name: z.string(),
  repeat: count,
  repeats: count,
  conversation_id: z.string(),
  end: z.enum(RUN_ENDS),
  problem: z.string().optional(),
  turn_list: list(turn),
  steps_left_out: count,
  no_transcript: z.string().optional().meta({ description: 'why there is none' }),
  evaluations: list(fullEvaluation),
});
export type CaseRunJson = z.infer<typeof caseRun>;

export const comparedCase = z.strictObject({
  case: z.string(),
  a: caseRun.nullable().meta({ description: 'null where it did not run the case' }),
  b: caseRun.nullable(),
});
export type ComparedCase = z.infer<typeof comparedCase>;

export const gateQuery = z.strictObject({ candidate: reference, baseline: reference });

export const gateAnswer = z.strictObject({
  rules: z
    .enum(['file', 'default'])
    .meta({ description: 'gate.yaml of the folder where the service was started, or those without a file' }),
  may_release: z.boolean(),
  result: gateResult,
});
export type GateAnswer = z.infer<typeof gateAnswer>;
