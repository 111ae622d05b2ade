/** An experiment and its runs as they stand in files: JSON that is checked when it is read. */
import { z } from 'zod';
import { NOT_APPLICABLE_HANDLINGS } from '../../model/decision.ts';
import { fromEvaluationJson, toEvaluationJson } from '../../model/evaluation-json.ts';
import { type CaseRun, type Experiment, type FileRange, RUN_ENDS } from '../../model/experiment.ts';
import type { UntilDecided } from '../../model/until-decided.ts';

/** Another one where an older Assay could not read it. */
const FORMAT = 1;
const MILLION = 1_000_000;

export function toExperimentJson(experiment: Experiment): z.input<typeof experimentShape> {
  const { agent, dataset, git, untilDecided } = experiment;
  return {
    format: FORMAT,
    id: experiment.id,
    name: experiment.name,
    started_at: experiment.startedAt,
    ended_at: experiment.endedAt ?? null,
    dataset: {
      name: dataset.name,
      version: dataset.version,
      file: dataset.file,
      fingerprint: dataset.fingerprint,
      cases: dataset.cases,
    },
    agent: { kind: agent.kind, target: agent.target, version: agent.version ?? null },
    git: git === undefined ? null : { commit: git.commit, branch: git.branch ?? null, is_dirty: git.isDirty },
    suites: experiment.suites.map(({ name, version, fingerprint, scope, golden = [], criteria }) => ({
      name,
      version,
      fingerprint,
      scope,
      ...(golden.length > 0 && { golden }),
      criteria: criteria.map((criterion) => ({
        name: criterion.name,
        question: criterion.question,
        weight: criterion.weight / MILLION,
        is_critical: criterion.isCritical,
        when_not_applicable: criterion.whenNotApplicable,
      })),
    })),
    repeats: experiment.repeats,
    seed: experiment.seed,
    assay_version: experiment.assayVersion,
    ...(untilDecided === undefined ? {} : { until_decided: toUntilDecidedJson(untilDecided) }),
  };
}

/** Throws where it is not what `toExperimentJson` gives. */
export function fromExperimentJson(json: unknown): Experiment {
  const read = experimentShape.parse(json);
  const { agent, git } = read;
  return {
    id: read.id,
    name: read.name,
    startedAt: read.started_at,
    endedAt: read.ended_at ?? undefined,
    dataset: read.dataset,
    agent: { kind: agent.kind, target: agent.target, version: agent.version ?? undefined },
    git: git === null ? undefined : { commit: git.commit, branch: git.branch ?? undefined, isDirty: git.is_dirty },
    suites: read.suites.map(({ golden, ...suite }) => ({
      ...suite,
      ...(golden !== undefined && { golden }),
      criteria: suite.criteria.map(({ name, question, weight, is_critical, when_not_applicable }) => ({
        name,
        question,
        weight: Math.round(weight * MILLION),
        isCritical: is_critical,
        whenNotApplicable: when_not_applicable,
      })),
    })),
    repeats: read.repeats,
    seed: read.seed,
    assayVersion: read.assay_version,
    ...(read.until_decided === undefined ? {} : { untilDecided: fromUntilDecidedJson(read.until_decided) }),
  };
}

export function toCaseRunJson(run: CaseRun) {
  const { effort } = run;
  return {
    case: run.case,
    case_fingerprint: run.caseFingerprint,
    tags: run.tags,
    repeat: run.repeat,
    conversation_id: run.conversationId,
    end: run.end,
    problem: run.problem ?? null,
    started_at: run.startedAt,
    duration_ms: run.durationMs,
    evaluations: run.evaluations.map(toEvaluationJson),
    effort: {
      steps: effort.steps,
      llm_calls: effort.llmCalls,
      tool_calls: effort.toolCalls,
      input_tokens: effort.inputTokens ?? null,
      output_tokens: effort.outputTokens ?? null,
      cost_usd: effort.costUsd ?? null,
    },
    spans: toRangeJson(run.spans),
    logs: toRangeJson(run.logs),
  };
}

/** Throws where it is not what `toCaseRunJson` gives. */
export function fromCaseRunJson(json: unknown): CaseRun {
  const read = caseRunShape.parse(json);
  const { effort } = read;
  return {
    case: read.case,
    caseFingerprint: read.case_fingerprint,
    tags: read.tags,
    repeat: read.repeat,
    conversationId: read.conversation_id,
    end: read.end,
    problem: read.problem ?? undefined,
    startedAt: read.started_at,
    durationMs: read.duration_ms,
    evaluations: read.evaluations.map(fromEvaluationJson),
    effort: {
      steps: effort.steps,
      llmCalls: effort.llm_calls,
      toolCalls: effort.tool_calls,
      inputTokens: effort.input_tokens ?? undefined,
      outputTokens: effort.output_tokens ?? undefined,
      costUsd: effort.cost_usd ?? undefined,
    },
    spans: read.spans ?? undefined,
    logs: read.logs ?? undefined,
  };
}

function toUntilDecidedJson({ baseline, rules, order, looks, answers }: UntilDecided) {
  return {
    baseline: baseline ?? null,
    rules: rules === undefined ? null : { file: rules.file, text: rules.text },
    looks: looks.map(({ cases, share }) => ({ cases, share })),
    answers: [...answers],
    order: order.map(({ case: id, fingerprint }) => `${fingerprint} ${id}`),
  };
}

function fromUntilDecidedJson(read: z.output<typeof untilDecidedShape>): UntilDecided {
  return {
    baseline: read.baseline ?? undefined,
    rules: read.rules ?? undefined,
    looks: read.looks,
    answers: read.answers,
    order: read.order.map((text) => {
      const at = text.indexOf(' ');
      return { fingerprint: text.slice(0, at), case: text.slice(at + 1) };
    }),
  };
}

function toRangeJson(range: FileRange | undefined) {
  return range === undefined ? null : { from: range.from, to: range.to };
}

const untilDecidedShape = z
  .object({
    baseline: z.string().nullable(),
    rules: z.object({ file: z.string(), text: z.string() }).nullable(),
    looks: z.array(z.object({ cases: z.int().min(1), share: z.number().positive().max(1) })).min(1),
    answers: z.array(z.enum(['pass', 'regression', 'not_enough_evidence'])),
    // A line a case: the fingerprint, a space, the id.
    order: z.array(z.string().regex(/^\S+ ./s)),
  })
  .refine(({ looks, answers }) => answers.length <= looks.length, 'more answers than looks');

const experimentShape = z.object({
  format: z.literal(FORMAT, `${FORMAT}: it was written by another version of Assay`),
  id: z.string().min(1),
  name: z.string(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  dataset: z.object({
    name: z.string(),
    version: z.string(),
    file: z.string(),
    fingerprint: z.string(),
    cases: z.int().min(0),
  }),
  agent: z.object({
    kind: z.enum(['command', 'module', 'url', 'recording']),
    target: z.string(),
    version: z.string().nullable(),
  }),
  git: z.object({ commit: z.string(), branch: z.string().nullable(), is_dirty: z.boolean() }).nullable(),
  suites: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      fingerprint: z.string(),
      scope: z.enum(['conversation', 'turn']),
      golden: z.array(z.string()).readonly().optional(),
      criteria: z.array(
        z.object({
          name: z.string(),
          question: z.string(),
          weight: z.number(),
          is_critical: z.boolean(),
          when_not_applicable: z.enum(NOT_APPLICABLE_HANDLINGS),
        }),
      ),
    }),
  ),
  repeats: z.int().min(1),
  seed: z.number(),
  assay_version: z.string(),
  until_decided: untilDecidedShape.optional(),
});

const rangeShape = z.object({ from: z.int().min(0), to: z.int().min(0) }).nullable();
const caseRunShape = z.object({
  case: z.string(),
  case_fingerprint: z.string(),
  tags: z.array(z.string()),
  repeat: z.int().min(1),
  conversation_id: z.string(),
  end: z.enum(RUN_ENDS),
  problem: z.string().nullable(),
  started_at: z.string(),
  duration_ms: z.number().min(0),
  evaluations: z.array(z.unknown()),
  effort: z.object({
    steps: z.number(),
    llm_calls: z.number(),
    tool_calls: z.number(),
    input_tokens: z.number().nullable(),
    output_tokens: z.number().nullable(),
    cost_usd: z.number().nullable(),
  }),
  spans: rangeShape,
  logs: rangeShape,
});
