/**
 * Reads a tool's result from a message, and whether the message says that the tool failed. Where the tool has no span
 * of its own, as in a client, this is all there is.
 *
 *     {is_error, content}   {status: 'error', content}      Anthropic, Bedrock and LangChain
 *     {response: {output | result}}      Gemini
 *     {output: {type: 'text' | 'json' | 'error-text' | 'error-json' | 'content' | 'execution-denied', value}}      AI SDK
 */
import type { AttributeValue } from '../model/attribute-value.ts';
import type { Content, Part } from '../model/step.ts';
import { contentOf } from './content.ts';
import { decodeJsonish, member } from './jsonish.ts';

type ToolResultPart = Extract<Part, { readonly type: 'tool_result' }>;

/** `written` is the result as `value`, the part or message about it, has it. */
export function toolResult(value: object, id: string | undefined, written: unknown): ToolResultPart {
  const wrapped = aiSdkOutput(written);
  const result = resultContent(wrapped === undefined ? written : wrapped.value);
  const failed = wrapped?.failed ?? saysFailed(value);
  return { type: 'tool_result', id, result, ...(failed === undefined ? {} : { failed }) };
}

/** Result in a function's response for a Gemini model: by Google's convention it is wrapped, `{result: …}`. */
export function functionResult(response: unknown): unknown {
  const names = typeof response === 'object' && response !== null ? Object.keys(response) : [];
  const [only] = names.length === 1 ? names : [];
  return only === 'result' || only === 'output' ? member(response, only) : response;
}

function saysFailed(value: object): boolean | undefined {
  const failed = member(value, 'is_error') ?? member(value, 'isError') ?? member(value, 'error');
  if (typeof failed === 'boolean') return failed;
  return member(value, 'status') === 'error' ? true : undefined;
}

interface WrappedOutput {
  readonly value: unknown;
  readonly failed: boolean;
}

function aiSdkOutput(output: unknown): WrappedOutput | undefined {
  const value = member(output, 'value');
  switch (member(output, 'type')) {
    case 'text':
    case 'json':
    case 'content':
      return value === undefined ? undefined : { value, failed: false };
    case 'error-text':
    case 'error-json':
      return value === undefined ? undefined : { value, failed: true };
    case 'execution-denied':
      return { value: member(output, 'reason') ?? 'execution denied', failed: true };
    default:
      return undefined;
  }
}

function resultContent(value: unknown): Content {
  return contentOf(unwrappedResult(value));
}

const CONTENT_LIST = /^(?:\{"content":)?\[\{"t(?:ype":"text"|ext":")/;
const CALL_RESULT_KEYS: ReadonlySet<string> = new Set(['content', 'isError', '_meta', 'structuredContent']);

/** Text of a call's result through MCP, which is a list of parts. */
export function withoutCallResult(value: AttributeValue | undefined): AttributeValue | undefined {
  if (value === undefined || (typeof value === 'string' && !CONTENT_LIST.test(value))) return value;
  const { value: result } = decodeJsonish(value);
  const parts = isCallResult(result) ? member(result, 'content') : result;
  if (!Array.isArray(parts)) return value;
  const said = unwrappedResult(parts);
  // The cast holds: what the parts say is a text, or parsed JSON, which consists of AttributeValues.
  return said === parts ? value : (said as AttributeValue);
}

function isCallResult(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  // A failure is kept whole, because the whole shows that it is one.
  return member(value, 'isError') !== true && Object.keys(value).every((key) => CALL_RESULT_KEYS.has(key));
}

/** A result that was wrapped into parts, as all results of some APIs are, is what the parts say. */
export function unwrappedResult(value: unknown): unknown {
  const parts = Array.isArray(value) ? value : isTextPart(value) ? [value] : [];
  if (parts.length === 0) return value;
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'object' && only !== null) {
    const json = member(only, 'json');
    if (json !== undefined) return listIn(json);
  }
  if (!parts.every(isTextPart)) return value;
  return parts.map((part) => member(part, 'text') ?? member(part, 'content')).join('\n');
}

/** Bedrock's JSON is always an object; Strands puts a list or a scalar into one. */
function listIn(json: unknown): unknown {
  const inside = member(json, '$value');
  return inside !== undefined && Object.keys(json ?? {}).length === 1 ? inside : json;
}

const PLAIN_TEXT_KEYS: ReadonlySet<string> = new Set(['type', 'text', 'content', 'index', 'annotations', 'id']);

/** Exactly a piece of text: a tool may give back an object that has a text among other things. */
function isTextPart(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const text = member(value, 'text') ?? member(value, 'content');
  if (typeof text !== 'string') return false;
  const type = member(value, 'type');
  if (type === undefined) return Object.keys(value).length === 1 && member(value, 'text') !== undefined;
  if (type !== 'text' && type !== 'input_text' && type !== 'output_text') return false;
  return Object.keys(value).every((key) => PLAIN_TEXT_KEYS.has(key));
}
