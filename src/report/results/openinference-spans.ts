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
import { type Attributes, type HrTime, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { OWN_SCOPE } from '../../model/marks.ts';
import { SCORE_OF, versionOf } from './evaluation-events.ts';
import type { ResultPayload } from './result-payload.ts';

interface OpenInferenceOptions {
  readonly version: string;
  /** Phoenix keeps what belongs together in projects; undefined is its default one. */
  readonly project: string | undefined;
}

type Result = { readonly name: string; readonly label: string; readonly explanation: string } & {
  readonly score: number | undefined;
  readonly isJudged: boolean;
  readonly identifier: string;
  readonly metadata: Readonly<Record<string, unknown>>;
};

export class OpenInferenceSpans {
  readonly #resource: ReadableSpan['resource'];
  /** Spans of this scope are never scored, so that nothing circulates. */
  readonly #scope: ReadableSpan['instrumentationScope'];

  constructor({ version, project }: OpenInferenceOptions) {
    this.#resource = resourceFromAttributes({
      'service.name': 'assay',
      'service.version': version,
      ...(project === undefined ? {} : { 'openinference.project.name': project }),
    });
    this.#scope = { name: OWN_SCOPE, version };
  }

  of(payload: ResultPayload): ReadableSpan {
    const { id, at, traceId, spanId, labels, evaluation } = payload;
    const ids = createHash('sha256').update(`openinference ${id}`).digest('hex');
    const own = { traceId: ids.slice(0, 32), spanId: ids.slice(32, 48), traceFlags: 1 };
    const ofTurn = evaluation.scope === 'turn';
    const prefix = ofTurn ? 'evaluations' : 'session.evaluations';
    const target =
      ofTurn && traceId !== undefined && spanId !== undefined ? { traceId, spanId, traceFlags: 1 } : undefined;
    const time: HrTime = [Math.floor(at / 1000), (at % 1000) * 1_000_000];
    const attributes: Attributes = {
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
      name: `evaluate ${evaluation.suite}`,
      kind: SpanKind.INTERNAL,
      spanContext: () => own,
      startTime: time,
      endTime: time,
      duration: [0, 0],
      ended: true,
      status: { code: SpanStatusCode.OK },
      attributes,
      links: target === undefined ? [] : [{ context: target }],
      events: [],
      resource: this.#resource,
      instrumentationScope: this.#scope,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    };
  }
}

/** The whole first. */
function resultsOf(payload: ResultPayload): readonly Result[] {
  const { evaluation, judged = [], labels, evaluators } = payload;
  const { suite, score, outcome, explanation, revision, suite_version } = evaluation;
  const common = { suite, suite_version, revision, agent_version: labels.agent_version };
  const whole: Result = {
    name: suite,
    label: outcome,
    score: score ?? undefined,
    explanation,
    isJudged: false,
    identifier: suite,
    metadata: { ...common, evaluator_version: evaluators?.suite ?? suite_version },
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
