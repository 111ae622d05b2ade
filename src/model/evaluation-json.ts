/**
 * Evaluations as JSON: in `assay score --json`, in the API, in experiments. The same bytes for the same evaluation, and the same evaluation
 * when they are read again.
 */
import { z } from 'zod';
import { type Ending, ENDINGS } from './ending.ts';
import {
  type About,
  ABOUTS,
  type Evaluation,
  type FindingKind,
  FINDINGS,
  type GradedStep,
  type Outcome,
  OUTCOMES,
  UNDECIDED,
  type UndecidedReason,
  type Verdict,
  type VerdictKind,
  VERDICTS,
} from './evaluation.ts';
import type { ConversationId, SpanId, TurnId } from './ids.ts';
import { isMapping } from './json.ts';
import { partsOf, verdictFrom } from './verdict-parts.ts';

export interface EvaluationJson {
  readonly conversation_id: string;
  readonly turn_id?: string;
  readonly suite: string;
  readonly suite_version: string;
  readonly scope: string;
  readonly revision: number;
  readonly score: number | null;
  readonly outcome: Outcome;
  /** Decided share of the weight; absent if it was stored before that was kept. */
  readonly decided_share?: number;
  /** Subject of the decided criteria: `form`, `rules` or the `task`. */
  readonly about?: About;
  /** How the conversation, or the turn, ended. */
  readonly ending?: Ending;
  /** Kind of the failure. */
  readonly because?: string;
  readonly explanation: string;
  readonly verdicts: { readonly [criterion: string]: VerdictJson };
  readonly findings?: readonly FindingJson[];
  /** Criteria whose verdicts are not in: this is what can be said so far. */
  readonly waits_for?: readonly string[];
}

interface VerdictJson {
  readonly verdict: VerdictKind;
  readonly reason: string;
  readonly evidence: readonly string[];
  /** Absent where no model was asked. */
  readonly judged_by?: { readonly judge: string; readonly version: string; readonly model?: string };
  /** Absent where no steps were graded. */
  readonly steps?: readonly GradedStepJson[];
  /** Why a question that was asked has no answer. */
  readonly undecided?: UndecidedReason;
}

interface GradedStepJson {
  readonly step: number;
  readonly tool: string;
  readonly score: number;
  readonly reason: string;
  /** Absent where the step was not made. */
  readonly span_id?: string;
  readonly other_votes?: readonly { readonly score: number; readonly reason: string }[];
}

interface FindingJson {
  readonly finding: FindingKind;
  readonly reason: string;
  readonly evidence: readonly string[];
}

const MILLION = 1_000_000;

export function toEvaluationJson(evaluation: Evaluation): EvaluationJson {
  return {
    conversation_id: evaluation.conversationId,
    ...(evaluation.turnId === undefined ? {} : { turn_id: evaluation.turnId }),
    suite: evaluation.suite,
    suite_version: evaluation.suiteVersion,
    scope: evaluation.scope,
    revision: evaluation.revision,
    score: evaluation.score === undefined ? null : evaluation.score / MILLION,
    outcome: evaluation.outcome,
    ...(evaluation.decidedShare !== undefined && { decided_share: evaluation.decidedShare / MILLION }),
    ...(evaluation.about !== undefined && { about: evaluation.about }),
    ...(evaluation.ending !== undefined && { ending: evaluation.ending }),
    ...(evaluation.because !== undefined && { because: evaluation.because }),
    explanation: evaluation.explanation,
    // `fromEntries` defines properties, so a criterion called `__proto__` would be one more key.
    verdicts: Object.fromEntries(
      [...evaluation.verdicts].map(([criterion, verdict]) => [criterion, toVerdictJson(verdict)]),
    ),
    ...(evaluation.findings !== undefined && {
      findings: evaluation.findings.map(({ finding, reason, evidence }) => ({ finding, reason, evidence })),
    }),
    ...(evaluation.waitsFor === undefined ? {} : { waits_for: evaluation.waitsFor }),
  };
}

/** Throws where it is not what `toEvaluationJson` gives. Fields that a later version may have added are left out. */
export function fromEvaluationJson(json: unknown): Evaluation {
  const read = evaluationShape.parse(json);
  return {
    // The casts are the brands: they were written by an Assay.
    conversationId: read.conversation_id as ConversationId,
    turnId: read.turn_id as TurnId | undefined,
    suite: read.suite,
    suiteVersion: read.suite_version,
    scope: read.scope,
    revision: read.revision,
    score: read.score === null ? undefined : Math.round(read.score * MILLION),
    outcome: read.outcome,
    ...(read.decided_share !== undefined && { decidedShare: Math.round(read.decided_share * MILLION) }),
    ...(read.about !== undefined && { about: read.about }),
    ...(read.ending !== undefined && { ending: read.ending }),
    ...(read.because !== undefined && { because: read.because }),
    explanation: read.explanation,
    verdicts: new Map(
      Object.entries(read.verdicts).map(([criterion, verdict]) => [criterion, toVerdict(verdictShape.parse(verdict))]),
    ),
    ...(read.findings !== undefined && {
      findings: read.findings.map(({ finding, reason, evidence }) => ({
        finding,
        reason,
        evidence: evidence as SpanId[],
      })),
    }),
    ...(read.waits_for !== undefined && { waitsFor: read.waits_for }),
  };
}

function toVerdictJson(verdict: Verdict): VerdictJson {
  const { reason, evidence, judgedBy, steps, undecided } = partsOf(verdict);
  return {
    verdict: verdict.verdict,
    reason,
    evidence,
    ...(judgedBy !== undefined && { judged_by: judgedBy }),
    ...(steps !== undefined && { steps: steps.map(toStepJson) }),
    ...(undecided !== undefined && { undecided }),
  };
}

function toStepJson({ spanId, otherVotes, ...step }: GradedStep): GradedStepJson {
  return {
    ...step,
    ...(spanId !== undefined && { span_id: spanId }),
    ...(otherVotes !== undefined && { other_votes: otherVotes }),
  };
}

function toVerdict({ verdict, reason, evidence, judged_by, steps, undecided }: z.output<typeof verdictShape>): Verdict {
  return verdictFrom(verdict, {
    reason,
    evidence: evidence as SpanId[],
    ...(judged_by !== undefined && { judgedBy: judgeVersionOf(judged_by) }),
    ...(steps !== undefined && { steps: steps.map(toStep) }),
    ...(undecided !== undefined && { undecided }),
  });
}

function judgeVersionOf({ judge, version, model }: { judge: string; version: string; model?: string | undefined }) {
  return { judge, version, ...(model !== undefined && { model }) };
}

function toStep({ span_id, other_votes, ...step }: z.output<typeof stepShape>): GradedStep {
  return {
    ...step,
    spanId: span_id as SpanId | undefined,
    ...(other_votes !== undefined && { otherVotes: other_votes }),
  };
}

const gradeShape = z.object({
  score: z.union([z.literal(1), z.literal(0.5), z.literal(0)]),
  reason: z.string(),
});

const stepShape = gradeShape.extend({
  step: z.int(),
  tool: z.string(),
  span_id: z.string().optional(),
  other_votes: z.array(gradeShape).optional(),
});

const verdictShape = z.object({
  verdict: z.enum(VERDICTS),
  reason: z.string(),
  evidence: z.array(z.string()),
  judged_by: z.object({ judge: z.string(), version: z.string(), model: z.string().optional() }).optional(),
  steps: z.array(stepShape).optional(),
  undecided: z.enum(UNDECIDED).optional(),
});

const evaluationShape = z.object({
  conversation_id: z.string(),
  turn_id: z.string().optional(),
  suite: z.string(),
  suite_version: z.string(),
  scope: z.enum(['conversation', 'turn']),
  revision: z.int().min(1),
  score: z.number().min(0).max(1).nullable(),
  outcome: z.enum(OUTCOMES),
  decided_share: z.number().min(0).max(1).optional(),
  about: z.enum(ABOUTS).optional(),
  ending: z.enum(ENDINGS).optional(),
  because: z.string().optional(),
  explanation: z.string(),
  // Not a record of verdicts: zod leaves a key `__proto__` out of those.
  verdicts: z.custom<Readonly<Record<string, unknown>>>(isMapping),
  findings: z
    .array(z.object({ finding: z.enum(FINDINGS), reason: z.string(), evidence: z.array(z.string()) }))
    .optional(),
  waits_for: z.array(z.string()).optional(),
});
