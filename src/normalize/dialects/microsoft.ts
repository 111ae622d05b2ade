/**
 * Attributes that Microsoft's Agent Framework and Foundry write beside the GenAI conventions: the spans of a workflow,
 * whose work is done by the agents below them, and ids of a session.
 */
import type { SpanView } from '../../otlp/views.ts';
import type { StepKind } from '../../model/step.ts';
import type { Dialect } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import { asText, rows } from '../rows.ts';

const SCOPE = /^(?:agent_framework|Experimental\.Microsoft\.Agents|Microsoft\.Agents)/;

/** Kinds by the first word of the span's name; an id may follow it. */
const SPAN_NAMES: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['workflow.run', 'workflow'],
  ['workflow.build', 'other'],
  ['executor.process', 'step'],
  ['edge_group.process', 'step'],
  ['message.send', 'step'],
]);

export const microsoft: Dialect = {
  name: 'microsoft',
  rows: [...rows('conversationId', asText, ['microsoft.session.id', 'azure.ai.agentserver.conversation_id'])],
  infer,
  inferDetails,
};

function infer(draft: Draft, span: SpanView): void {
  if (draft.kind !== undefined) return;
  const kind = SPAN_NAMES.get(firstWord(span.name));
  if (kind !== undefined && SCOPE.test(span.scope.name)) draft.set('kind', kind, 'span name');
}

function inferDetails(draft: Draft, { attributes, name }: SpanView): void {
  if (draft.kind !== 'workflow' || draft.agentName !== undefined || firstWord(name) !== 'workflow.run') return;
  draft.set('agentName', attributes.text('workflow.name'), 'workflow.name');
}

function firstWord(name: string): string {
  const end = name.indexOf(' ');
  return end === -1 ? name : name.slice(0, end);
}
