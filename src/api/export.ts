/**
 * `GET /api/v1/export`: all conversations that the filters of the list find, or their evaluations, or the verdicts of
 * these: lines of JSON, or a Parquet file. Columns of Parquet have the names and the meaning of the fields of a line.
 */
import { z } from 'zod';
import { UNDECIDED, VERDICTS } from '../model/evaluation.ts';
import { fullEvaluation } from './conversation-detail.ts';
import { conversationFilters, conversationItem } from './conversation-list.ts';
import { about, because, count, ending, isForward, list, NOT_FORWARD, outcome, share, time } from './shapes.ts';

export const EXPORT_TABLES = ['conversations', 'evaluations', 'verdicts'] as const;
export type ExportTable = (typeof EXPORT_TABLES)[number];
export const EXPORT_FORMATS = ['jsonl', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const exportQuery = conversationFilters
  .omit({ order: true, limit: true })
  .extend({
    table: z.enum(EXPORT_TABLES).default('conversations').meta({ description: 'one row for each of these' }),
    format: z.enum(EXPORT_FORMATS).default('jsonl'),
  })
  .refine(isForward, NOT_FORWARD);
export type ExportQuery = z.output<typeof exportQuery>;

export const exportLine = conversationItem
  .omit({ evaluations: true, evaluations_left_out: true })
  .extend({ evaluations: list(fullEvaluation).meta({ description: 'the last ones of live suites' }) });
export type ExportLine = z.infer<typeof exportLine>;

/** Labels under which the evaluation was counted. */
const counted = {
  conversation_id: z.string(),
  agent: z.string(),
  agent_version: z.string(),
  environment: z.string(),
  segment: z.string().nullable(),
  suite: z.string(),
  suite_version: z.string(),
  scope: z.enum(['conversation', 'turn']),
  turn_id: z.string().nullable(),
  revision: count,
  evaluated_at: time,
};

const evaluationLine = z.strictObject({
  ...counted,
  began_at: time.nullable().meta({ description: 'when its conversation or turn began: figures over time go by it' }),
  scored_at: time.nullable().meta({ description: 'log time of the evaluation' }),
  outcome,
  because: because.nullable(),
  success: z.boolean().nullable().meta({
    description:
      'null where the success rate leaves it out: its mean is the rate of good outcomes: successes only where the suite checks the task',
  }),
  score: share
    .nullable()
    .meta({ description: 'its mean is the mean score: the TCR only where the suite checks the task' }),
  decided_share: share.nullable(),
  about: about.nullable(),
  ending: ending.nullable(),
  explanation: z.string(),
  steps: count.nullable(),
  tokens: count.nullable(),
  cost_usd: z.number().nullable(),
  duration_ms: z.number().nullable(),
});
export type EvaluationLine = z.infer<typeof evaluationLine>;

const verdictLine = z.strictObject({
  ...counted,
  criterion: z.string(),
  verdict: z.enum(VERDICTS),
  passed: z.boolean().nullable().meta({ description: 'null where it was not decided: its mean is the pass rate' }),
  reason: z.string(),
  evidence_span_id: z.string().nullable().meta({ description: 'the span that shows it first' }),
  judge: z.string().nullable(),
  judge_version: z.string().nullable(),
  judge_model: z.string().nullable(),
  undecided: z.enum(UNDECIDED).nullable(),
});
export type VerdictLine = z.infer<typeof verdictLine>;

/** A line of any of the tables. */
export const exportedLine = z.union([exportLine, evaluationLine, verdictLine]);

/** A row of the table of conversations in Parquet, where no evaluations are nested. */
export type ConversationLine = Omit<ExportLine, 'evaluations'>;
