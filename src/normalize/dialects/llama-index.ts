/**
 * LlamaIndex as OpenInference records it: each method has a span, with what Python prints of its arguments and of what
 * it gave back. A workflow's input is its whole state, and its output is a text such as
 * `StopEvent(result=AgentOutput(…`, cut at some length: neither is anybody's message. The messages are in the model
 * calls below.
 *
 * A tool is given {args?, kwargs}, and gives back a `ToolOutput`: {blocks: [{text}], raw_input, raw_output, is_error}.
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { SpanView } from '../../otlp/views.ts';
import type { Content, StepError } from '../../model/step.ts';
import { MISSING } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { decodeJsonish, isPresent, member, memberText } from '../jsonish.ts';
import { argumentsIn } from '../wrappings.ts';

const INPUT = 'input.value';
const OUTPUT = 'output.value';
const SCOPE = 'llama_index';

/** Methods of a model's class that prepare a call, or read its answer. */
const NO_MODEL_CALL = /\.(?:_|get_|prepare_)\w{1,80}$/;
const PYTHON_OBJECT = /^[A-Z]\w{0,80}\(/;

export const llamaIndex: Dialect = {
  name: 'llama-index',
  marker: 'openinference.span.kind',
  infer,
  input: [{ rule: 'input.value of a workflow', key: INPUT, find: (evidence) => noWords(evidence, INPUT, isState) }],
  output: [
    { rule: 'output.value of a workflow', key: OUTPUT, find: (evidence) => noWords(evidence, OUTPUT, isPythonObject) },
  ],
  toolArgs: [
    {
      rule: 'input.value kwargs',
      key: INPUT,
      find: (evidence) => argumentsIn(ofLlamaIndex(evidence)?.attributes.get(INPUT)),
    },
  ],
  toolResult: [{ rule: 'output.value raw_output', key: OUTPUT, find: (evidence) => resultIn(toolOutput(evidence)) }],
  error: [
    {
      rule: 'output.value is_error',
      key: OUTPUT,
      find: (evidence) => errorIn(toolOutput(evidence), 'output.value is_error'),
    },
  ],
};

function infer(draft: Draft, span: SpanView): void {
  if (draft.kind !== 'llm' || !span.scope.name.includes(SCOPE) || !NO_MODEL_CALL.test(span.name)) return;
  draft.kind = 'step';
  draft.rules?.set('kind', 'span name: no model call');
}

/** Marks a text as found and empty, so that no other dialect takes it for words. */
function noWords(evidence: Evidence, key: string, isNone: (text: string) => boolean): Content | undefined {
  const text = ofLlamaIndex(evidence)?.attributes.text(key);
  return text !== undefined && isNone(text) ? MISSING : undefined;
}

function isState(text: string): boolean {
  return text.startsWith('{"init_state"') || text.startsWith('{"ctx"') || isPythonObject(text);
}

function isPythonObject(text: string): boolean {
  return PYTHON_OBJECT.test(text);
}

/** Result in a `ToolOutput`. */
export function resultIn(output: unknown): AttributeValue | undefined {
  if (output === undefined) return undefined;
  // The cast holds: parsed JSON consists of AttributeValues.
  const raw = member(output, 'raw_output') as AttributeValue | undefined;
  return isPresent(raw) && !(typeof raw === 'string' && PYTHON_OBJECT.test(raw)) ? raw : textOf(output);
}

export function errorIn(output: unknown, source: string): StepError | undefined {
  if (member(output, 'is_error') !== true) return undefined;
  return { type: 'tool_error', message: textOf(output), source };
}

function toolOutput(evidence: Evidence): object | undefined {
  const text = ofLlamaIndex(evidence)?.attributes.text(OUTPUT);
  if (text === undefined || !text.startsWith('{') || !text.includes('"raw_output"')) return undefined;
  const { value } = decodeJsonish(text);
  return typeof value === 'object' && value !== null && 'raw_output' in value ? value : undefined;
}

function textOf(output: unknown): string {
  const blocks = member(output, 'blocks');
  const texts = Array.isArray(blocks) ? blocks.flatMap((block) => memberText(block, 'text') ?? []) : [];
  return texts.length === 0 ? (memberText(output, 'content') ?? '') : texts.join('\n');
}

function ofLlamaIndex({ span }: Evidence): SpanView | undefined {
  return span.scope.name.includes(SCOPE) ? span : undefined;
}
