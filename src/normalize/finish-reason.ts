/** Why the model stopped, in one spelling: `stop`, `length`, `tool_call`, `content_filter`, `error`, or as written. */
import type { AttributeValue } from '../model/attribute-value.ts';
import { tryParseJson } from '../model/json.ts';

const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['tool_calls', 'tool_call'],
  ['tool-calls', 'tool_call'],
  ['tool_use', 'tool_call'],
  ['tooluse', 'tool_call'],
  ['function_call', 'tool_call'],
  ['max_tokens', 'length'],
  ['max_output_tokens', 'length'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['completed', 'stop'],
  ['content-filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['refusal', 'content_filter'],
]);

export function finishReasonOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (isSpelledRight(value)) return value;
  // Semantic Kernel writes the reason as a list in text: "[Stop]".
  const reason = value
    .trim()
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  return reason === '' || reason === 'n/a' ? undefined : (SPELLINGS.get(reason) ?? reason);
}

/** The usual spellings, which need no tidying. */
function isSpelledRight(reason: string): boolean {
  return reason === 'stop' || reason === 'tool_call' || reason === 'length';
}

/** A list, a JSON text of one (Mastra), text with commas (LangSmith), or a single reason. */
export function finishReasonsOf(value: AttributeValue): readonly string[] | undefined {
  const reasons = (typeof value === 'string' ? split(value) : Array.isArray(value) ? value : [])
    .map(finishReasonOf)
    .filter((reason) => reason !== undefined);
  return reasons.length === 0 ? undefined : reasons;
}

function split(text: string): readonly unknown[] {
  const parsed = text.startsWith('["') ? tryParseJson(text) : undefined;
  // Not a list: read it as text.
  return Array.isArray(parsed) ? parsed : text.split(',');
}
