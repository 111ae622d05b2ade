/**
 * The parts of a message, in the forms in which conventions and model APIs write them:
 *
 *     {type: 'text', content | text}   {type: 'reasoning', content}      current GenAI, and nearly everybody
 *     {type: 'tool_call', id, name, arguments}   {type: 'tool_call_response', id, response}      current GenAI
 *     {type: 'tool_use', id, name, input}   {type: 'tool_result', tool_use_id, content}      Anthropic
 *     {type: 'tool-call', toolCallId, toolName, input}   {type: 'tool-result', toolCallId, output}      AI SDK
 *     {type: 'function_call', call_id, name, arguments}   {type: 'function_call_output', call_id, output}      Responses
 *     {text}   {functionCall: {id, name, args}}   {functionResponse: {id, name, response}}      Gemini
 *     {text}   {toolUse: {toolUseId, name, input}}   {toolResult: {toolUseId, content}}      Bedrock
 *     {text}   {tool_call: {id, tool_name, arguments}}   {tool_call_result: {origin: {id, …}, result, error}}      Haystack
 *     {type: 'tool_call', tool_call_id, tool_name, tool_kwargs}      LlamaIndex
 *     {text}   {toolRequest: {ref, name, input}}   {toolResponse: {ref, name, output}}   {media: {url}}      Genkit
 */
import type { Part } from '../model/step.ts';
import { contentOf } from './content.ts';
import { member, memberText, toJson } from './jsonish.ts';
import { functionResult, toolResult } from './tool-results.ts';
import { tryParseJson } from '../model/json.ts';

type ToolCallPart = Extract<Part, { readonly type: 'tool_call' }>;
type MediaPart = Extract<Part, { readonly type: 'media' }>;

export function collectParts(value: unknown, into: Part[]): void {
  if (Array.isArray(value)) for (const item of value) collectPart(item, into);
  else collectPart(value, into);
}

/** A call that was among the parts already is the same call: some APIs write each in both places. */
export function collectToolCalls(value: unknown, into: Part[]): void {
  if (!Array.isArray(value)) return;
  const known = new Set<string>();
  for (const part of into) if (part.type === 'tool_call' && part.id !== undefined) known.add(part.id);
  for (const item of value) {
    if (typeof item !== 'object' || item === null) continue;
    const call = toolCallOf(item);
    if (call.id === undefined || !known.has(call.id)) into.push(call);
  }
}

function collectPart(value: unknown, into: Part[]): void {
  if (typeof value === 'string') {
    if (value !== '') into.push({ type: 'text', text: value });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  switch (memberText(value, 'type') ?? '') {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'refusal': {
      const text = member(value, 'content') ?? member(value, 'text') ?? member(value, 'refusal');
      if (typeof text === 'string' && text !== '') into.push({ type: 'text', text });
      // Words under a key that nobody knows are still there.
      else if (typeof text !== 'string' && Object.keys(value).length > 1)
        into.push({ type: 'other', raw: toJson(value) });
      return;
    }
    case 'reasoning':
    case 'thinking': {
      const text = memberText(value, 'content') ?? memberText(value, 'text') ?? memberText(value, 'thinking');
      if (text !== undefined) into.push({ type: 'reasoning', text });
      else collectReasoning(member(value, 'summary'), into);
      return;
    }
    case 'tool_call':
    case 'tool-call':
    case 'tool_use':
    case 'toolUse':
    case 'function':
    case 'function_call':
    case 'custom_tool_call':
      into.push(toolCallOf(value));
      return;
    case 'tool_call_response':
    case 'tool-result':
    case 'tool_result':
    case 'toolResult':
    case 'function_call_output':
    case 'function_call_result':
    case 'custom_tool_call_output':
      into.push(toolResultOf(value));
      return;
    case 'tool-invocation':
      collectInvocation(member(value, 'toolInvocation'), into);
      return;
    case 'blob':
    case 'file':
    case 'uri':
    case 'image':
    case 'image_url':
    case 'input_image':
    case 'input_file':
    case 'input_audio':
    case 'audio':
    case 'video':
    case 'document':
      into.push(
        mediaAt(member(value, 'uri') ?? member(value, 'image_url') ?? member(value, 'url') ?? member(value, 'source'), {
          modality: memberText(value, 'modality') ?? memberText(value, 'type') ?? 'file',
          mime: memberText(value, 'mime_type') ?? memberText(value, 'mediaType'),
        }),
      );
      // The words of it, where somebody wrote them down.
      collectPart(member(value, 'transcript'), into);
      return;
    default:
      into.push(...partsWithoutType(value));
  }
}

/** The AI SDK's messages for a user interface, up to version 4, have call and result in one. */
function collectInvocation(invocation: unknown, into: Part[]): void {
  if (!isObject(invocation)) return;
  into.push(toolCallOf(invocation));
  if (member(invocation, 'state') === 'result') into.push(toolResultOf(invocation));
}

/** Gemini and Bedrock: the kind of a part follows from its only member. */
function partsWithoutType(value: object): readonly Part[] {
  const text = member(value, 'text');
  if (typeof text === 'string') {
    if (text === '') return [];
    return [member(value, 'thought') === true ? { type: 'reasoning', text } : { type: 'text', text }];
  }
  const called =
    member(value, 'functionCall') ??
    member(value, 'function_call') ??
    member(value, 'toolUse') ??
    member(value, 'tool_call') ??
    member(value, 'toolRequest') ??
    // Haystack's, printed: without the name of its class.
    (memberText(value, 'tool_name') === undefined ? undefined : value);
  if (isObject(called)) return [toolCallOf(called)];
  const answered = member(value, 'functionResponse') ?? member(value, 'function_response');
  if (isObject(answered))
    return [toolResult(answered, callIdOf(answered), functionResult(member(answered, 'response')))];
  const result = member(value, 'toolResult') ?? member(value, 'tool_call_result') ?? member(value, 'toolResponse');
  if (isObject(result)) return [toolResultOf(result)];
  if (isObject(member(value, 'origin')) && member(value, 'result') !== undefined) return [toolResultOf(value)];
  const reasoning = memberText(value, 'reasoning');
  if (reasoning !== undefined) return [{ type: 'reasoning', text: reasoning }];
  const media = member(value, 'media');
  if (isObject(media)) return [mediaAt(media, { modality: 'file', mime: memberText(media, 'contentType') })];
  const data = member(value, 'inlineData') ?? member(value, 'inline_data') ?? member(value, 'fileData');
  if (isObject(data)) {
    const mime = memberText(data, 'mimeType') ?? memberText(data, 'mime_type');
    return [mediaAt(member(data, 'fileUri') ?? member(data, 'file_uri'), { modality: 'file', mime })];
  }
  const thought = member(member(value, 'reasoningContent'), 'reasoningText');
  if (isObject(thought)) return [{ type: 'reasoning', text: memberText(thought, 'text') ?? '' }];
  return [{ type: 'other', raw: toJson(value) }];
}

/** `at` is an address, or has one as `url`. One that holds the bytes themselves is none. */
function mediaAt(at: unknown, { modality, mime }: Pick<MediaPart, 'modality' | 'mime'>): MediaPart {
  const uri = typeof at === 'string' ? at : memberText(at, 'url');
  return { type: 'media', modality, mime, ...(uri === undefined || /^data:/i.test(uri) ? {} : { uri }) };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The Responses API gives the reasoning as a list of summaries. */
function collectReasoning(summary: unknown, into: Part[]): void {
  if (!Array.isArray(summary)) return;
  for (const item of summary) {
    const text = memberText(item, 'text');
    if (text !== undefined) into.push({ type: 'reasoning', text });
  }
}

function toolCallOf(value: object): ToolCallPart {
  const called = member(value, 'function');
  return {
    type: 'tool_call',
    id: callIdOf(value),
    name:
      memberText(called, 'name') ??
      memberText(value, 'name') ??
      memberText(value, 'toolName') ??
      memberText(value, 'tool_name') ??
      '',
    args: contentOf(
      member(called, 'arguments') ??
        member(value, 'arguments') ??
        member(value, 'args') ??
        member(value, 'input') ??
        member(value, 'tool_kwargs'),
    ),
  };
}

/** `call_id` first: the Responses API has an `id` of the item as well, which nothing else refers to. */
const CALL_IDS = ['call_id', 'callId', 'tool_call_id', 'tool_use_id', 'toolCallId', 'toolUseId', 'id', 'ref'] as const;

function callIdOf(value: object): string | undefined {
  for (const key of CALL_IDS) {
    const id = memberText(value, key);
    if (id !== undefined) return id;
  }
  return undefined;
}

/**
 * `[{"type":"text",…},…]`: a list of parts that was made into a text where only a text fits. Parts of other types than
 * those given are what somebody wrote, and stay a text.
 */
export function encodedParts(value: unknown, types: ReadonlySet<string>): readonly unknown[] | undefined {
  if (typeof value !== 'string' || !value.startsWith('[{')) return undefined;
  // Undefined where it is text that begins like a list.
  const parsed = tryParseJson(value);
  const areParts = Array.isArray(parsed) && parsed.every((part) => types.has(memberText(part, 'type') ?? ''));
  return areParts ? parsed : undefined;
}

const TEXT_AND_MEDIA = ['text', 'input_text', 'output_text', 'image_url', 'image', 'input_image'] as const;
/** Parts that users can type, without calls and results: such a text from a user is only words. */
export const SPOKEN_PART: ReadonlySet<string> = new Set(TEXT_AND_MEDIA);
export const ANY_PART: ReadonlySet<string> = new Set([...TEXT_AND_MEDIA, 'tool_use', 'tool_result', 'thinking']);

function toolResultOf(value: object): Part {
  const written =
    member(value, 'response') ?? member(value, 'result') ?? member(value, 'output') ?? member(value, 'content');
  const origin = member(value, 'origin');
  return toolResult(value, callIdOf(value) ?? (isObject(origin) ? callIdOf(origin) : undefined), written);
}
