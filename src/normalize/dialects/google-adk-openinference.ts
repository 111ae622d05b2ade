/**
 * Google's Agent Development Kit through OpenInference, which writes `output.value` on every span: of a tool the whole
 * function's response, `{id, name, response: {result | error}}`; of a run its last event, which is
 * `{error_code, error_message}` where the model failed.
 */
import { failureIn } from '../../model/tool-failure.ts';
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { Content, StepError } from '../../model/step.ts';
import { MISSING } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import type { Evidence } from '../evidence.ts';
import { decodeJsonish, member, memberText } from '../jsonish.ts';
import { functionResult } from '../tool-results.ts';

const SCOPE = 'openinference.instrumentation.google_adk';
const OUTPUT = 'output.value';

export const googleAdkOpenInference: Dialect = {
  name: 'google-adk-openinference',
  output: [{ rule: `${OUTPUT} error_code`, key: OUTPUT, find: noAnswer }],
  toolResult: [{ rule: `${OUTPUT} response`, key: OUTPUT, find: toolResult }],
  error: [
    { rule: `${OUTPUT} error_code`, key: OUTPUT, find: eventError },
    { rule: `${OUTPUT} response`, key: 'error.type', find: toolError },
  ],
};

function noAnswer(evidence: Evidence): Content | undefined {
  return eventError(evidence) === undefined ? undefined : MISSING;
}

function eventError(evidence: Evidence): StepError | undefined {
  const event = outputOf(evidence, '"error_code":');
  const type = memberText(event, 'error_code');
  return type === undefined ? undefined : { type, message: memberText(event, 'error_message') ?? type, source: OUTPUT };
}

function toolResult(evidence: Evidence): AttributeValue | undefined {
  // The cast holds: parsed JSON consists of AttributeValues.
  return functionResult(member(outputOf(evidence, '"response":'), 'response')) as AttributeValue | undefined;
}

function toolError(evidence: Evidence): StepError | undefined {
  const message = evidence.status === 'error' ? failureIn(toolResult(evidence)) : undefined;
  return message === undefined ? undefined : { type: 'TOOL_ERROR', message, source: OUTPUT };
}

function outputOf({ span: { scope, attributes } }: Evidence, word: string): unknown {
  const text = scope.name === SCOPE ? attributes.text(OUTPUT) : undefined;
  return text?.startsWith('{') === true && text.includes(word) ? decodeJsonish(text).value : undefined;
}
