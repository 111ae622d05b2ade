/**
 * `GET /api/v1/export`: conversations that a list finds, each as a line of JSON with the last verdicts of every live suite.
 */
import { z } from 'zod';
import { fullEvaluation } from './conversation-detail.ts';
import { conversationItem, conversationListQuery } from './conversation-list.ts';
import { list } from './shapes.ts';

export const exportQuery = conversationListQuery.omit({ order: true, limit: true }).extend({
  format: z.enum(['jsonl']).default('jsonl'),
});
export type ExportQuery = z.output<typeof exportQuery>;

export const exportLine = conversationItem
  .omit({ evaluations: true, evaluations_left_out: true })
  .extend({ evaluations: list(fullEvaluation).meta({ description: 'the last ones of live suites' }) });
export type ExportLine = z.infer<typeof exportLine>;
