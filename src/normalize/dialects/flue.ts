/** Flue: tools and tasks by keys of their own, the rest by the GenAI conventions. */
import type { SpanView } from '../../otlp/views.ts';
import type { Dialect } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import { asText, rows } from '../rows.ts';

export const flue: Dialect = {
  name: 'flue',
  rows: [
    ...rows('toolName', asText, ['flue.tool.name']),
    ...rows('toolCallId', asText, ['flue.tool.call_id']),
    ...rows('agentName', asText, ['flue.task.agent']),
  ],
  infer,
};

function infer(draft: Draft, { attributes }: SpanView): void {
  if (draft.kind === undefined && draft.toolName !== undefined && attributes.has('flue.tool.name')) {
    draft.set('kind', 'tool', 'flue.tool.name');
  }
}
