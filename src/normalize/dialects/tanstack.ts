/**
 * TanStack AI (scope `tanstack-ai`): the GenAI conventions, with the whole chat as another model call around its calls, and
 * what a tool was given and gave back as messages:
 *
 *     chat gpt-4.1-mini > chat gpt-4.1-mini #0 > execute_tool look_up
 *                       > chat gpt-4.1-mini #1
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { SpanView } from '../../otlp/views.ts';
import type { Dialect, Finder } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import { decodeJsonish, isPresent, member } from '../jsonish.ts';

const ITERATIONS = 'tanstack.ai.iterations';
const OUTCOME = 'tanstack.ai.tool.outcome';

export const tanStack: Dialect = {
  name: 'tanstack',
  infer,
  toolArgs: [onlyMessage('gen_ai.input.messages')],
  toolResult: [onlyMessage('gen_ai.output.messages')],
};

function infer(draft: Draft, { attributes, scope }: SpanView): void {
  if (scope.name !== 'tanstack-ai') return;
  const kind = attributes.has(ITERATIONS) ? 'agent' : attributes.has(OUTCOME) ? 'tool' : undefined;
  if (kind === undefined) return;
  draft.kind = kind;
  draft.rules?.set('kind', kind === 'agent' ? ITERATIONS : OUTCOME);
}

function onlyMessage(key: string): Finder<AttributeValue> {
  return {
    rule: `tanstack ${key}`,
    key,
    find: ({ span: { attributes } }) => {
      const value = attributes.has(OUTCOME) ? attributes.get(key) : undefined;
      if (!isPresent(value)) return undefined;
      const { value: list } = decodeJsonish(value);
      const [only] = Array.isArray(list) ? (list as readonly unknown[]) : [];
      // The cast holds: parsed JSON consists of AttributeValues.
      return member(only, 'content') as AttributeValue | undefined;
    },
  };
}
