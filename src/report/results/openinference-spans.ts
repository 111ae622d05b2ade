/**
 * Results as OpenInference has them, which Phoenix and Arize show: for each evaluation a span of its own, of kind
 * EVALUATOR, that carries the verdicts and links to the span that was evaluated. The link, never a parent, shows which
 * span they belong to.
 *
 *   evaluations.<i>.evaluation.           of a turn: the span links to the agent's span
 *   session.evaluations.<i>.evaluation.   of a conversation: `session.id` names it
 *     name, score, label, explanation     as in the event `gen_ai.evaluation.result`
 *     annotator_kind                      LLM where a judge was asked, else CODE
 *     identifier                          suite/criterion: a later revision takes the place of the one before
 *     metadata                            JSON: revision, versions of suite and evaluator, evidence; judge, its model and its version
 *
 * Ids are made of the evaluation's: what is sent twice is the same span.
 */
import { createHash } from 'node:crypto';
import { keyValues, nanosOf, SAMPLED, SPAN_KIND, STATUS_CODE, type WrittenSpan } from '../../otlp/otlp-json.ts';
import { SCORE_OF, versionOf } from './evaluation-events.ts';
import type { ResultPayload } from './result-payload.ts';

type Result = { readonly name: string; readonly label: string; readonly explanation: string } & {
  readonly score: number | undefined;
  readonly isJudged: boolean;
  readonly identifier: string;
  readonly metadata: Readonly<Record<string, unknown>>;
};

export function openInferenceSpan(payload: ResultPayload): WrittenSpan {
  const { id, at, traceId, spanId, labels, evaluation } = payload;
  const ids = createHash('sha256').update(`openinference ${id}`).digest('hex');
  const ofTurn = evaluation.scope === 'turn';
  const prefix = ofTurn ? 'evaluations' : 'session.evaluations';
  const links = ofTurn && traceId !== undefined && spanId !== undefined ? [{ traceId, spanId, flags: SAMPLED }] : [];
  const time = nanosOf(at);
  const attributes: Record<string, unknown> = {
    'openinference.span.kind': 'EVALUATOR',
    'session.id': evaluation.conversation_id,
    'agent.name': labels.agent,
    'assay.evaluation.id': id,
  };
  for (const [index, result] of resultsOf(payload).entries()) {
    const key = `${prefix}.${index}.evaluation`;
    attributes[`${key}.name`] = result.name;
    attributes[`${key}.label`] = result.label;
    attributes[`${key}.explanation`] = result.explanation;
    attributes[`${key}.annotator_kind`] = result.isJudged ? 'LLM' : 'CODE';
    attributes[`${key}.identifier`] = result.identifier;
    attributes[`${key}.metadata`] = JSON.stringify(result.metadata);
    if (result.score !== undefined) attributes[`${key}.score`] = result.score;
  }
  return {
    traceId: ids.slice(0, 32),
    spanId: ids.slice(32, 48),
    flags: SAMPLED,
    name: `evaluate ${evaluation.suite}`.toWellFormed(),
    kind: SPAN_KIND.internal,
    startTimeUnixNano: time,
    endTimeUnixNano: time,
    attributes: keyValues(attributes),
    links,
    status: { code: STATUS_CODE.ok },
  };
}

/** The whole first. */
function resultsOf(payload: ResultPayload): readonly Result[] {
  const { evaluation, judged = [], labels, evaluators } = payload;
  const { suite, score, outcome, because, explanation, revision, suite_version } = evaluation;
  const common = { suite, suite_version, revision, agent_version: labels.agent_version };
  const whole: Result = {
    name: suite,
    label: outcome,
    score: score ?? undefined,
    explanation,
    isJudged: false,
    identifier: suite,
    metadata: {
      ...common,
      ...(because !== undefined && { because }),
      evaluator_version: evaluators?.suite ?? suite_version,
    },
  };
  const verdicts = Object.entries(evaluation.verdicts).map(([criterion, said]): Result => {
    const { verdict, reason, evidence, judged_by: judgedBy } = said;
    return {
      name: criterion,
      label: verdict,
      score: SCORE_OF[verdict],
      explanation: reason,
      isJudged: judged.includes(criterion),
      identifier: `${suite}/${criterion}`,
      metadata: {
        ...common,
        evaluator_version: versionOf(payload, criterion),
        evidence_span_ids: evidence,
        ...(judgedBy !== undefined && {
          judge: judgedBy.judge,
          judge_model: judgedBy.model,
          judge_version: judgedBy.version,
        }),
      },
    };
  });
  return [whole, ...verdicts];
}
