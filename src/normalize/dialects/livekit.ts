/**
 * LiveKit Agents (scope `livekit-agents`), voice sessions: one long trace, with a span for each of the agent's turns.
 *
 *     agent_session > agent_turn > llm_node > llm_request      the last by the GenAI conventions, with events for messages
 *                                > function_tool      lk.function_tool.{id,name,arguments,output,is_error}
 *     agent_turn     lk.user_input; the room is the conversation
 */
import type { SpanView } from '../../otlp/views.ts';
import type { StepError, StepKind } from '../../model/step.ts';
import { textContent } from '../content.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { asBoolean, asText, rows } from '../rows.ts';

const TOOL = 'lk.function_tool';
const USER_INPUT = 'lk.user_input';
const RESPONSE = 'lk.response.text';

/** Spans that start or listen are no agents; the turns are. */
const NAMES: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['agent_turn', 'agent'],
  ['llm_request', 'llm'],
  ['function_tool', 'tool'],
  ['agent_session', 'step'],
  ['start_agent_activity', 'step'],
  ['llm_node', 'step'],
]);

export const liveKit: Dialect = {
  name: 'livekit',
  rows: [
    ...rows('agentName', asText, ['lk.agent_name', 'lk.agent_label']),
    ...rows('conversationId', asText, ['lk.room_name']),
    ...rows('userId', asText, ['lk.participant_identity']),
    ...rows('toolName', asText, [`${TOOL}.name`]),
    ...rows('toolCallId', asText, [`${TOOL}.id`]),
  ],
  captured: [
    ['toolArgs', `${TOOL}.arguments`],
    ['toolResult', `${TOOL}.output`],
  ],
  infer,
  input: [attributeFinder(USER_INPUT, ({ span }) => textContent(span.attributes.text(USER_INPUT) ?? ''))],
  output: [attributeFinder(RESPONSE, ({ span }) => textContent(span.attributes.text(RESPONSE) ?? ''))],
  toolArgs: [attributeFinder(`${TOOL}.arguments`)],
  toolResult: [attributeFinder(`${TOOL}.output`)],
  error: [attributeFinder(`${TOOL}.is_error`, toolError)],
};

function infer(draft: Draft, span: SpanView): void {
  if (draft.kind === undefined && span.scope.name.startsWith('livekit')) {
    draft.set('kind', NAMES.get(span.name), 'span name');
  }
}

function toolError({ span: { attributes } }: Evidence): StepError | undefined {
  if (asBoolean(attributes.get(`${TOOL}.is_error`) ?? null) !== true) return undefined;
  return { type: 'tool_error', message: attributes.text(`${TOOL}.output`) ?? '', source: `${TOOL}.is_error` };
}
