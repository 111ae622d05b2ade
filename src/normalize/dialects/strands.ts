/**
 * Strands Agents, Python and TypeScript: GenAI names with ways of its own. Its spans all have `gen_ai.event.start_time`.
 *
 *     gen_ai.choice {message: [{json} | {text}, …]}      what a tool gave back, in Bedrock's blocks; `$value` around a list
 *     gen_ai.tool.status                                 error, also where the tool only said so in its result
 *     gen_ai.system                                      Strands or the service, never the provider
 *     execute_event_loop_cycle, execute_agent_loop_cycle     one model call and its tools
 *
 * An agent's usage is summed up over the agent object's life: the second turn's has the first one's in it, so it is not read.
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { SpanView } from '../../otlp/views.ts';
import type { StepError } from '../../model/step.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect } from '../dialect.ts';
import { type Draft, TOKEN_FIELDS } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { decodeJsonish, isPresent, member } from '../jsonish.ts';
import { unwrappedResult } from '../tool-results.ts';

const MARK = 'gen_ai.event.start_time';
const STATUS = 'gen_ai.tool.status';
const RESULT = 'gen_ai.tool.call.result';
const DETAILS_EVENT = 'gen_ai.client.inference.operation.details';

export const strands: Dialect = {
  name: 'strands',
  captured: [['toolResult', MARK]],
  infer,
  inferDetails,
  toolResult: [{ rule: 'strands tool result', key: MARK, find: toolResult }],
  error: [attributeFinder(STATUS, toolError)],
};

function infer(draft: Draft, { attributes, name }: SpanView): void {
  if (draft.kind === undefined && name.startsWith('execute_agent_loop_cycle')) {
    draft.set('kind', 'step', 'span name');
  }
  if (draft.kind !== 'agent' || draft.inputTokens === undefined || !attributes.has(MARK)) return;
  draft.forget(TOKEN_FIELDS);
}

function inferDetails(draft: Draft, { attributes }: SpanView): void {
  if (draft.provider !== undefined && attributes.has(MARK)) draft.forget(['provider']);
}

function toolResult(evidence: Evidence): AttributeValue | undefined {
  const written = evidence.attribute(RESULT) ?? inEvents(evidence);
  if (!isPresent(written)) return undefined;
  const { value } = decodeJsonish(written);
  // The cast widens: parsed JSON consists of AttributeValues all the way down.
  return unwrappedResult(value) as AttributeValue;
}

function inEvents(evidence: Evidence): AttributeValue | undefined {
  let found: AttributeValue | undefined;
  evidence.someEvent((event) => {
    if (event.name === 'gen_ai.choice') found = event.get('message');
    else if (event.name === DETAILS_EVENT) found = responseIn(event.get('gen_ai.output.messages'));
    return isPresent(found);
  });
  return found;
}

function responseIn(messages: AttributeValue | undefined): AttributeValue | undefined {
  if (!isPresent(messages)) return undefined;
  const list = decodeJsonish(messages).value;
  for (const message of Array.isArray(list) ? list : []) {
    const parts = member(message, 'parts');
    for (const part of Array.isArray(parts) ? parts : []) {
      // The cast widens, as above.
      if (member(part, 'type') === 'tool_call_response') return member(part, 'response') as AttributeValue;
    }
  }
  return undefined;
}

/** The error is the span's status if the tool threw; otherwise the tool reported it itself. */
function toolError(evidence: Evidence): StepError | undefined {
  const { attributes } = evidence.span;
  if (attributes.text(STATUS) !== 'error' || evidence.status === 'error' || !attributes.has(MARK)) return undefined;
  const result = toolResult(evidence);
  const message = typeof result === 'string' ? result : result === undefined ? '' : JSON.stringify(result);
  return { type: 'tool_error', message, source: STATUS };
}
