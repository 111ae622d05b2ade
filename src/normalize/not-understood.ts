/**
 * Whether a span of which no dialect knows the kind shows an agent's work all the same: it has content, tokens or a tool
 * by keys that are known, or a value that is made of messages.
 */
import type { SpanView } from '../otlp/views.ts';
import { CAPTURED, type Draft } from './draft.ts';

const CONTENT = CAPTURED.input | CAPTURED.output | CAPTURED.toolArgs | CAPTURED.toolResult;
/** Each of a message's two members, in JSON or as Python prints it. */
const MESSAGES =
  /["']role["']\s*:\s*["'](?:user|assistant|system|tool)["'][\s\S]{0,400}?["'](?:content|parts|text)["']\s*:|["'](?:content|parts)["']\s*:[\s\S]{0,400}?["']role["']\s*:\s*["'](?:user|assistant|system|tool)["']/;
const SEARCHED_MAX = 4_000;
const ATTRIBUTES_MAX = 64;

export function isNotUnderstood(draft: Draft, { attributes, scope }: SpanView): boolean {
  if (!draft.isUnknown || KNOWN_OTHERS.has(scope.name)) return false;
  if ((draft.captured & CONTENT) !== 0 || draft.toolName !== undefined) return true;
  if ((draft.inputTokens ?? draft.outputTokens) !== undefined) return true;
  return attributes
    .keys()
    .slice(0, ATTRIBUTES_MAX)
    .some((key) => MESSAGES.test(attributes.text(key)?.slice(0, SEARCHED_MAX) ?? ''));
}

/** Scopes that write a call twice: as a span that is read, and raw. */
const KNOWN_OTHERS: ReadonlySet<string> = new Set(['litellm', 'openlit']);
