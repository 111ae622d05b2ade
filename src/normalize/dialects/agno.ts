/**
 * Agno as OpenInference records it. A run that failed gives back the error's message as if the agent had said it, while its
 * status says only `run status: error`.
 */
import type { Content, StepError } from '../../model/step.ts';
import { MISSING } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import type { Evidence } from '../evidence.ts';

const OUTPUT = 'output.value';

export const agno: Dialect = {
  name: 'agno',
  output: [{ rule: 'output.value of a run that failed', key: OUTPUT, find: noAnswer }],
  error: [{ rule: 'output.value of a run that failed', key: OUTPUT, find: runError }],
};

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
