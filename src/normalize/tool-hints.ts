/**
 * Reads the effect of tools from a span: MCP's hints `readOnlyHint` and `destructiveHint`. No convention has a place
 * for them yet, so they are taken from wherever a tool's annotations are carried:
 *
 *     gen_ai.tool.definitions = [{type, name, annotations: {readOnlyHint}}]     conventions: JSON text or a structured value
 *     llm.tools.0.tool.json_schema = {function: {name, …}, annotations}         OpenInference
 *     ai.prompt.tools = ['{"name": …, "annotations": …}']                       AI SDK
 *     mcp.tool.annotations = {readOnlyHint}, mcp.tool.annotations.readOnlyHint  on the tool's own span; gen_ai.tool.* likewise
 *
 * `readOnlyHint: true` says that the tool reads; `readOnlyHint: false` and `destructiveHint: true` say that it writes.
 * Anything else says nothing: the defaults of the protocol are what a server gives that has not thought about it.
 */
import type { AttributeValue } from '../model/attribute-value.ts';
import type { Attributes } from '../otlp/views.ts';
import { remembering } from '../model/remembering.ts';
import { leavesUnder } from './flattened.ts';
import { decodeJsonish, member, memberText } from './jsonish.ts';

type Effect = 'reads' | 'writes';

const DEFINITIONS = 'gen_ai.tool.definitions';
const PROMPT_TOOLS = 'ai.prompt.tools';
const FLAT_TOOLS = 'llm.tools.';
const HINT = /_?hint/i;
const OWN_HINT = /(?:^|\.)tool\.(?:annotations\.)?(?:readOnlyHint|read_only_hint|destructiveHint|destructive_hint)$/;
const OWN_ANNOTATIONS = /(?:^|\.)tool\.annotations$/;
const NOTHING: ReadonlyMap<string, Effect> = new Map();

/** `ownTool`: the tool that the span itself is a call of. */
export function toolHintsIn(attributes: Attributes, ownTool: string | undefined): ReadonlyMap<string, Effect> {
  if (!mayHoldHints(attributes)) return NOTHING;
  const effects = new Map<string, Effect>();
  const own = ownTool === undefined ? undefined : ownEffect(attributes);
  if (ownTool !== undefined && own !== undefined) effects.set(ownTool, own);
  for (const definition of definitionsIn(attributes)) {
    const inner = member(definition, 'function');
    const name = memberText(definition, 'name') ?? memberText(inner, 'name');
    const effect = effectOf(member(definition, 'annotations') ?? member(inner, 'annotations'));
    if (name !== undefined && effect !== undefined) effects.set(name, effect);
  }
  return effects.size === 0 ? NOTHING : effects;
}

/** Most spans have none of the keys, and each is asked. */
function mayHoldHints(attributes: Attributes): boolean {
  for (let place = 0; place < attributes.places; place++) if (isKeyOfHints(attributes.keyAt(place))) return true;
  return false;
}

const isKeyOfHints = remembering(
  (key) =>
    key === DEFINITIONS ||
    key === PROMPT_TOOLS ||
    key.startsWith(FLAT_TOOLS) ||
    OWN_HINT.test(key) ||
    OWN_ANNOTATIONS.test(key),
);

function* definitionsIn(attributes: Attributes): Generator<unknown> {
  yield* decoded(attributes.get(DEFINITIONS));
  yield* decoded(attributes.get(PROMPT_TOOLS));
  for (const { path, value } of leavesUnder(attributes, FLAT_TOOLS))
    if (path === 'tool.json_schema') yield* decoded(value);
}

/** Definitions are long and mostly without hints: text that has none is not parsed. */
function* decoded(value: AttributeValue | undefined): Generator<unknown> {
  if (value === undefined || value === null) return;
  if (typeof value === 'string' && !HINT.test(value)) return;
  const { value: json } = decodeJsonish(value);
  if (!Array.isArray(json)) yield json;
  // The cast holds: it is a list, of whatever.
  else
    for (const one of json as readonly AttributeValue[]) yield typeof one === 'string' ? decodeJsonish(one).value : one;
}

function ownEffect(attributes: Attributes): Effect | undefined {
  const hints: [string, unknown][] = [];
  for (const key of attributes.keys()) {
    if (OWN_HINT.test(key)) hints.push([key.slice(key.lastIndexOf('.') + 1), attributes.get(key)]);
    else if (OWN_ANNOTATIONS.test(key)) {
      const effect = effectOf(decodeJsonish(attributes.get(key) ?? null).value);
      if (effect !== undefined) return effect;
    }
  }
  return effectOf(Object.fromEntries(hints));
}

function effectOf(annotations: unknown): Effect | undefined {
  const readsOnly = hint(annotations, 'readOnlyHint') ?? hint(annotations, 'read_only_hint');
  if (readsOnly === true) return 'reads';
  const destroys = hint(annotations, 'destructiveHint') ?? hint(annotations, 'destructive_hint');
  return readsOnly === false || destroys === true ? 'writes' : undefined;
}

function hint(annotations: unknown, name: string): boolean | undefined {
  const value = member(annotations, name);
  return typeof value === 'boolean' ? value : undefined;
}
