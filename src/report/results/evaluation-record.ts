/**
 * An evaluation as it goes to the topic of evaluations: what the API says of it, whose agent it was, and an id of its own. The schema
 * is published in docs/reference/evaluation-record.schema.json, made from the one here.
 */
import { visibleJson } from '../../model/visible-text.ts';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Evaluation, FINDINGS, OUTCOMES } from '../../model/evaluation.ts';
import { toEvaluationJson, verdictShape } from '../../model/evaluation-json.ts';

export const evaluationRecordSchema = z
  .object({
    id: z
      .string()
      .length(32)
      .describe(
        'The key of the record. The same for the same evaluation, whoever made it and however often it is sent.',
      ),
    conversation_id: z.string().describe('Chooses the partition: revisions follow one another.'),
    turn_id: z.string().optional().describe('Present where the scope is turn.'),
    suite: z.string(),
    suite_version: z.string(),
    scope: z.enum(['conversation', 'turn']),
    revision: z
      .number()
      .int()
      .min(1)
      .describe(
        '1 the first time; one more each time that late spans changed what was scored. The highest one counts.',
      ),
    score: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe('Passed weight over decided weight; null where it is unscored.'),
    outcome: z.enum(OUTCOMES),
    because: z.string().optional().describe('Kind of the failure, as its suite names it; absent where it is none.'),
    explanation: z.string(),
    agent: z.string(),
    agent_version: z.string(),
    environment: z.string(),
    segment: z
      .string()
      .optional()
      .describe('Which part of the traffic it is, where metrics.segment is configured and spans say so.'),
    verdicts: z.record(z.string(), verdictShape),
    findings: z
      .array(z.object({ finding: z.enum(FINDINGS), reason: z.string(), evidence: z.array(z.string()) }))
      .optional()
      .describe('What is worth knowing beyond the verdicts, where the suite has golden traces.'),
  })
  .describe('One evaluation by Assay: one suite applied to one conversation or turn, at one revision.');

interface WhoseAgent {
  readonly agent: string;
  readonly agentVersion: string;
  readonly environment: string;
  readonly segment?: string | undefined;
}

export function evaluationRecord(
  evaluation: Evaluation,
  { agent, agentVersion, environment, segment }: WhoseAgent,
): Buffer {
  const json = toEvaluationJson(evaluation);
  const record = {
    id: evaluationIdOf(evaluation),
    ...json,
    agent,
    agent_version: agentVersion,
    environment,
    ...(segment === undefined ? {} : { segment }),
  };
  return Buffer.from(visibleJson(record));
}

const ID_LENGTH = 32;

/** Id that depends only on what was evaluated, so that each instance derives the same one. */
export function evaluationIdOf({ conversationId, turnId, suite, suiteVersion, revision }: Evaluation): string {
  const parts = JSON.stringify([conversationId, turnId ?? '', suite, suiteVersion, revision]);
  return createHash('sha256').update(parts).digest('hex').slice(0, ID_LENGTH);
}
