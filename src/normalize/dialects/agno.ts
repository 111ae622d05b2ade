/**
 * Agno as OpenInference records it. A run that failed gives back the error's message as if the agent had said it, while its
 * status says only `run status: error`. OpenLLMetry writes a tool's result as Pydantic prints what is around it:
 * `status='success' result='…' error=None …`.
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import { pythonFields } from '../../model/python-literal.ts';
import type { Content, StepError } from '../../model/step.ts';
import { MISSING } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import type { Evidence } from '../evidence.ts';
import { memberText } from '../jsonish.ts';

const OUTPUT = 'output.value';

const PRINTED = 'traceloop.entity.output';

export const agno: Dialect = {
  name: 'agno',
  toolResult: [{ rule: `${PRINTED} result`, key: PRINTED, find: printedResult }],
  output: [{ rule: 'output.value of a run that failed', key: OUTPUT, find: noAnswer }],
  error: [
    { rule: 'output.value of a run that failed', key: OUTPUT, find: runError },
    { rule: `${PRINTED} error`, key: PRINTED, find: printedError },
  ],
};

function printedResult(evidence: Evidence): AttributeValue | undefined {
  const fields = printedFields(evidence);
  return fields?.result ?? fields?.error ?? undefined;
}

function printedError(evidence: Evidence): StepError | undefined {
  const fields = printedFields(evidence);
  const message = memberText(fields, 'error');
  return memberText(fields, 'status') === 'failure'
    ? { type: 'tool_error', message: message ?? '', source: PRINTED }
    : undefined;
}

function printedFields({
  span: { scope, attributes },
}: Evidence): Readonly<Record<string, AttributeValue>> | undefined {
  const text = scope.name === 'opentelemetry.instrumentation.agno' ? attributes.text(PRINTED) : undefined;
  return text?.startsWith("status='") === true ? pythonFields(text) : undefined;
}

function noAnswer(evidence: Evidence): Content | undefined {
  return hasFailed(evidence) ? MISSING : undefined;
}

function runError(evidence: Evidence): StepError | undefined {
  if (!hasFailed(evidence)) return undefined;
  const message = evidence.span.attributes.text(OUTPUT) ?? '';
  return message === '' ? undefined : { type: 'run_error', message, source: OUTPUT };
}

function hasFailed({ status, span }: Evidence): boolean {
  return status === 'error' && span.statusMessage === 'run status: error' && span.scope.name.includes('agno');
}
