/**
 * Evaluations as JSON: in `assay score --json`, in the API, in experiments. The same bytes for the same evaluation, and the same evaluation
 * when they are read again.
 */
import { z } from 'zod';
import { ENDINGS } from './ending.ts';
import {
  ABOUTS,
  type Evaluation,
  FINDINGS,
  type GradedStep,
  OUTCOMES,
  UNDECIDED,
  type Verdict,
  VERDICTS,
} from './evaluation.ts';
import type { ConversationId, SpanId, TurnId } from './ids.ts';
import { isMapping } from './json.ts';
import { present } from './present.ts';
import { partsOf, verdictFrom } from './verdict-parts.ts';

const grade = { score: z.union([z.literal(1), z.literal(0.5), z.literal(0)]), reason: z.string() };
const stepShape = z.object({
  step: z.number().int().describe('From 1, in the golden trace.'),
  tool: z.string(),
  ...grade,
  span_id: z.string().optional().describe('Of the call that was made for it; absent where none was.'),
  other_votes: z.array(z.object(grade)).optional(),
});

export const verdictShape = z.object({
  verdict: z.enum(VERDICTS),
  reason: z.string(),
  evidence: z.array(z.string()).describe('Span ids, the one that made the criterion fail first.'),
  judged_by: z
    .object({
      judge: z.string().describe('Its name in the configuration.'),
      version: z
        .string()
        .describe('Another one whenever the question, what is shown, the model or its parameters are.'),
      model: z.string().exactOptional().describe('As the provider names it.'),
    })
    .optional()
    .describe('Absent where no model was asked.'),
  steps: z
    .array(stepShape)

    .optional()
    .describe('The grade of each step of the golden trace, where a judge graded steps.'),
  undecided: z
    .enum(UNDECIDED)
    .optional()
    .describe('Why a question that was asked has no answer; absent where it has one or does not arise.'),
});
type VerdictJson = z.output<typeof verdictShape>;

const evaluationShape = z.object({
  conversation_id: z.string(),
  turn_id: z.string().optional(),
  suite: z.string(),
  suite_version: z.string(),
  scope: z.enum(['conversation', 'turn']),
  revision: z.int().min(1),
  score: z.number().min(0).max(1).nullable(),
  outcome: z.enum(OUTCOMES),
  /** Decided share of the weight; absent if it was stored before that was kept. */
  decided_share: z.number().min(0).max(1).optional(),
  /** Subject of the decided criteria: `form`, `rules` or the `task`. */
  about: z.enum(ABOUTS).optional(),
  /** How the conversation, or the turn, ended. */
  ending: z.enum(ENDINGS).optional(),
  /** Kind of the failure. */
  because: z.string().optional(),
  explanation: z.string(),
  // Not a record of verdicts, each of which is parsed on its own: zod leaves a key `__proto__` out of those.
  verdicts: z.custom<Readonly<Record<string, VerdictJson>>>(isMapping),
  findings: z
    .array(z.object({ finding: z.enum(FINDINGS), reason: z.string(), evidence: z.array(z.string()) }))

    .optional(),
  /** Criteria whose verdicts are not in: this is what can be said so far. */
  waits_for: z.array(z.string()).optional(),
});
export type EvaluationJson = Readonly<z.output<typeof evaluationShape>>;

const MILLION = 1_000_000;

export function toEvaluationJson(evaluation: Evaluation): EvaluationJson {
  const { suite, scope, revision, score, outcome, decidedShare, about, ending, because, explanation } = evaluation;
  return {
    conversation_id: evaluation.conversationId,
    ...present({ turn_id: evaluation.turnId }),
    suite,
    suite_version: evaluation.suiteVersion,
    scope,
    revision,
    score: score === undefined ? null : score / MILLION,
    outcome,
    ...(decidedShare !== undefined && { decided_share: decidedShare / MILLION }),
    ...present({ about, ending, because }),
    explanation,
    // `fromEntries` defines properties, so a criterion called `__proto__` would be one more key.
    verdicts: Object.fromEntries(
      [...evaluation.verdicts].map(([criterion, verdict]) => [criterion, toVerdictJson(verdict)]),
    ),
    ...present({
      findings: evaluation.findings?.map((one) => ({ ...one, evidence: [...one.evidence] })),
      waits_for: evaluation.waitsFor && [...evaluation.waitsFor],
    }),
  };
}

/** Throws where it is not what `toEvaluationJson` gives. Fields that a later version may have added are left out. */
export function fromEvaluationJson(json: unknown): Evaluation {
  const read = evaluationShape.parse(json);
  const { suite, scope, revision, score, outcome, decided_share, about, ending, because, explanation } = read;
  return {
    // The casts are the brands: they were written by an Assay.
    conversationId: read.conversation_id as ConversationId,
    turnId: read.turn_id as TurnId | undefined,
    suite,
    suiteVersion: read.suite_version,
    scope,
    revision,
    score: score === null ? undefined : Math.round(score * MILLION),
    outcome,
    ...(decided_share !== undefined && { decidedShare: Math.round(decided_share * MILLION) }),
    ...present({ about, ending, because }),
    explanation,
    verdicts: new Map(
      Object.entries(read.verdicts).map(([criterion, verdict]) => [criterion, toVerdict(verdictShape.parse(verdict))]),
    ),
    ...present({
      findings: read.findings?.map((one) => ({ ...one, evidence: one.evidence as SpanId[] })),
      waitsFor: read.waits_for,
    }),
  };
}

export function toVerdictJson(verdict: Verdict): VerdictJson {
  const { reason, evidence, judgedBy, steps, undecided } = partsOf(verdict);
  const graded = steps?.map(({ spanId, otherVotes, ...step }) => ({
    ...step,
    ...present({ span_id: spanId, other_votes: otherVotes && [...otherVotes] }),
  }));
  const more = present({ judged_by: judgedBy, steps: graded, undecided });
  return { verdict: verdict.verdict, reason, evidence: [...evidence], ...more };
}

function toVerdict({ verdict, reason, evidence, judged_by, steps, undecided }: VerdictJson): Verdict {
  return verdictFrom(verdict, {
    reason,
    evidence: evidence as SpanId[],
    ...present({
      judgedBy: judged_by,
      steps: steps?.map(toStep),
      undecided,
    }),
  });
}

function toStep({ span_id, other_votes, ...step }: z.output<typeof stepShape>): GradedStep {
  return { ...step, spanId: span_id as SpanId | undefined, ...present({ otherVotes: other_votes }) };
}
