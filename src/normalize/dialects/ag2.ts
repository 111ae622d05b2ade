/**
 * AG2's own telemetry: spans by the GenAI conventions, and beside each model call one of what it used, which is no call:
 *
 *     invoke_agent > chat
 *                  > record_usage model_call      ag2.span.type = usage, with the model and the tokens of that call again
 *                  > execute_tool
 */
import type { SpanView } from '../../otlp/views.ts';
import type { StepKind } from '../../model/step.ts';
import type { Dialect } from '../dialect.ts';
import { type Draft, TOKEN_FIELDS } from '../draft.ts';
import { asCount, asKind, row, rows } from '../rows.ts';

const TYPE = 'ag2.span.type';

const KINDS: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['agent', 'agent'],
  ['llm', 'llm'],
  ['tool', 'tool'],
  ['usage', 'other'],
]);

export const ag2: Dialect = {
  name: 'ag2',
  rows: [row('kind', TYPE, asKind(KINDS)), ...rows('reasoningTokens', asCount, ['gen_ai.usage.thinking_tokens'])],
  marker: TYPE,
  infer,
};

function infer(draft: Draft, { attributes }: SpanView): void {
  if (attributes.text(TYPE) === 'usage') draft.forget(TOKEN_FIELDS);
}
