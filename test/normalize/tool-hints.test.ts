/** Statements of spans about the effect of tools, wherever their annotations are carried. */
import { expect, test } from 'vitest';
import { stepOf } from './support/step-of.ts';

const TOOL = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'crm_sync' };
const CHAT = { 'gen_ai.operation.name': 'chat' };

const definition = (name: string, annotations?: object) => ({
  type: 'function',
  name,
  ...(annotations && { annotations }),
});

test.each<[string, Readonly<Record<string, unknown>>, readonly (readonly [string, string])[]]>([
  [
    'definitions as JSON text',
    {
      ...CHAT,
      'gen_ai.tool.definitions': JSON.stringify([
        definition('a', { readOnlyHint: true, destructiveHint: true }),
        definition('b', { readOnlyHint: false, destructiveHint: false }),
        definition('c', { destructiveHint: true }),
        definition('d', { destructiveHint: false }),
        definition('e'),
      ]),
    },
    [
      ['a', 'reads'],
      ['b', 'writes'],
      ['c', 'writes'],
    ],
  ],
  [
    'definitions as a structured value',
    { ...CHAT, 'gen_ai.tool.definitions': [definition('a', { read_only_hint: true })] },
    [['a', 'reads']],
  ],
  [
    'definitions of OpenInference',
    {
      'openinference.span.kind': 'LLM',
      'llm.tools.0.tool.json_schema': JSON.stringify({ function: { name: 'a', annotations: { readOnlyHint: true } } }),
      'llm.tools.1.tool.json_schema': JSON.stringify({
        function: { name: 'b' },
        annotations: { destructiveHint: true },
      }),
    },
    [
      ['a', 'reads'],
      ['b', 'writes'],
    ],
  ],
  [
    'definitions of the AI SDK',
    { ...CHAT, 'ai.prompt.tools': [JSON.stringify(definition('a', { readOnlyHint: true }))] },
    [['a', 'reads']],
  ],
  [
    'annotations on the tool itself',
    { ...TOOL, 'mcp.tool.annotations': '{"readOnlyHint": false}' },
    [['crm_sync', 'writes']],
  ],
  ['a hint on the tool itself', { ...TOOL, 'mcp.tool.annotations.readOnlyHint': true }, [['crm_sync', 'reads']]],
  ['a hint in other letters', { ...TOOL, 'gen_ai.tool.destructive_hint': true }, [['crm_sync', 'writes']]],
  ['a hint on a span that is no tool', { ...CHAT, 'mcp.tool.annotations.readOnlyHint': true }, []],
  ['a hint that is no yes or no', { ...TOOL, 'mcp.tool.annotations.readOnlyHint': 'maybe' }, []],
  ['text that is no JSON', { ...CHAT, 'gen_ai.tool.definitions': '[{"readOnlyHint": tru' }, []],
  [
    'hostile names',
    { ...CHAT, 'gen_ai.tool.definitions': '[{"name": "__proto__", "annotations": {"readOnlyHint": true}}]' },
    [['__proto__', 'reads']],
  ],
  ['nothing', CHAT, []],
])('%s', (_what, attributes, effects) => {
  expect([...stepOf(attributes).toolEffects]).toEqual(effects);
});
