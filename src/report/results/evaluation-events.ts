/**
 * Results as OpenTelemetry's event `gen_ai.evaluation.result`: one for each verdict and one for the evaluation as a
 * whole, with the ids of the span that was evaluated, so that a tracing backend shows them there. Fields without a name
 * in the convention are under `assay.`.
 *
 *   gen_ai.evaluation.name          the criterion; of the whole, the suite
 *   gen_ai.evaluation.score.value   1 or 0 where the verdict is pass or fail; of the whole, the score. Absent where nothing was decided
 *   gen_ai.evaluation.score.label   pass, fail, not_applicable, error, skipped; of the whole, the outcome
 *   error.type                      where the check itself failed
 *   assay.evaluator.version         a hash of what the evaluator says, its judge included
 *   assay.judge.*                   which judge gave the verdict: its name, the model that answered, and its version
 */
import { isBroken } from '../../model/decision.ts';
import type { JudgeVersion, VerdictKind } from '../../model/evaluation.ts';
import {
  keyValues,
  nanosOf,
  SAMPLED,
  SEVERITY,
  type WrittenAttributes,
  type WrittenLogRecord,
} from '../../otlp/otlp-json.ts';
import type { ResultPayload } from './result-payload.ts';

const EVENT = 'gen_ai.evaluation.result';
export const SCORE_OF = {
  pass: 1,
  fail: 0,
  not_applicable: undefined,
  error: undefined,
  skipped: undefined,
} satisfies Record<VerdictKind, number | undefined>;

export function evaluationEvents(payload: ResultPayload): readonly WrittenLogRecord[] {
  const { evaluation, evaluators } = payload;
  const common = commonAttributes(payload);
  const { suite, score, outcome, explanation } = evaluation;
  const whole = recordOf(payload, {
    ...common,
    'gen_ai.evaluation.name': suite,
    'gen_ai.evaluation.score.label': outcome,
    ...(score === null ? {} : { 'gen_ai.evaluation.score.value': score }),
    'gen_ai.evaluation.explanation': explanation,
    'assay.evaluator.id': suite,
    'assay.evaluator.version': evaluators?.suite ?? evaluation.suite_version,
  });
  const verdicts = Object.entries(evaluation.verdicts).map(([criterion, said]) => {
    const { verdict, reason, evidence, judged_by: judgedBy } = said;
    const value = SCORE_OF[verdict];
    return recordOf(
      payload,
      {
        ...common,
        'gen_ai.evaluation.name': criterion,
        'gen_ai.evaluation.score.label': verdict,
        ...(value === undefined ? {} : { 'gen_ai.evaluation.score.value': value }),
        'gen_ai.evaluation.explanation': reason,
        ...(isBroken(verdict) ? { 'error.type': 'check_error' } : {}),
        'assay.evaluator.id': `${suite}/${criterion}`,
        'assay.evaluator.version': versionOf(payload, criterion),
        ...(judgedBy !== undefined && judgeAttributes(judgedBy)),
        ...(evidence.length === 0 ? {} : { 'assay.evidence.span_ids': [...evidence] }),
      },
      isBroken(verdict) ? SEVERITY.warn : SEVERITY.info,
    );
  });
  return [whole, ...verdicts];
}

function recordOf(
  { at, traceId, spanId }: ResultPayload,
  attributes: WrittenAttributes,
  severityNumber: number = SEVERITY.info,
): WrittenLogRecord {
  const time = nanosOf(at);
  return {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    ...(traceId === undefined || spanId === undefined ? {} : { traceId, spanId, flags: SAMPLED }),
    severityNumber,
    eventName: EVENT,
    attributes: keyValues(attributes),
  };
}

/** An own property, whatever the criterion is called. */
export function versionOf({ evaluators, evaluation }: ResultPayload, criterion: string): string {
  const known = evaluators !== undefined && Object.hasOwn(evaluators.criteria, criterion);
  return (known ? evaluators.criteria[criterion] : undefined) ?? evaluation.suite_version;
}

function judgeAttributes({ judge, model, version }: JudgeVersion): WrittenAttributes {
  return {
    'assay.judge.name': judge,
    ...(model === undefined ? {} : { 'assay.judge.model': model }),
    'assay.judge.version': version,
  };
}

function commonAttributes({ id, labels, evaluation }: ResultPayload): WrittenAttributes {
  const { agent, agent_version, environment, segment } = labels;
  return {
    'gen_ai.conversation.id': evaluation.conversation_id,
    'session.id': evaluation.conversation_id,
    'gen_ai.agent.name': agent,
    'gen_ai.agent.version': agent_version,
    'deployment.environment.name': environment,
    ...(segment === undefined ? {} : { 'assay.segment': segment }),
    'assay.evaluation.id': id,
    'assay.suite': evaluation.suite,
    'assay.suite.version': evaluation.suite_version,
    'assay.scope': evaluation.scope,
    ...(evaluation.turn_id === undefined ? {} : { 'assay.turn.id': evaluation.turn_id }),
    'assay.revision': evaluation.revision,
    'assay.outcome': evaluation.outcome,
    ...(evaluation.because === undefined ? {} : { 'assay.because': evaluation.because }),
  };
}
