/**
 * Reads the usage in the raw answer of a model's API:
 *
 *     usage: {prompt_tokens, completion_tokens, prompt_tokens_details: {cached_tokens}, …}      chat completions
 *     usage: {input_tokens, output_tokens, input_tokens_details: {cached_tokens}, …}      Responses
 *     usage: {input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens}      Anthropic
 *     usageMetadata: {promptTokenCount, candidatesTokenCount, cachedContentTokenCount, thoughtsTokenCount}      Gemini
 *     usage: {inputTokens, outputTokens, cacheReadInputTokens}      Bedrock
 *     usage_metadata: {input_tokens, output_tokens, input_token_details: {cache_read}}      LangChain
 *
 * In our sense the input includes what was cached; Anthropic's and Bedrock's does not.
 */
import type { Draft } from './draft.ts';
import { member } from './jsonish.ts';

export function settleRawUsage(draft: Draft, answer: unknown, rule: string): void {
  const usage = usageIn(Array.isArray(answer) && answer.length === 1 ? answer[0] : answer);
  if (usage === undefined) return;
  const input = first(usage, 'prompt_tokens', 'promptTokens', 'input_tokens', 'inputTokens', 'promptTokenCount');
  const output = first(
    usage,
    'completion_tokens',
    'completionTokens',
    'output_tokens',
    'outputTokens',
    'candidatesTokenCount',
  );
  if (input === undefined && output === undefined) return;
  const apart = {
    read: first(usage, 'cache_read_input_tokens', 'cacheReadInputTokens'),
    write: first(usage, 'cache_creation_input_tokens', 'cacheWriteInputTokens'),
  };
  const thoughts = first(usage, 'thoughtsTokenCount');
  draft.set('inputTokens', sum(input, apart.read, apart.write), rule);
  draft.set('outputTokens', sum(output, thoughts), rule);
  draft.set('cacheReadTokens', apart.read ?? cachedIn(usage), rule);
  draft.set('cacheWriteTokens', apart.write ?? writtenIn(usage), rule);
  draft.set('reasoningTokens', thoughts ?? reasoningIn(usage), rule);
}

function usageIn(answer: unknown): unknown {
  const there =
    member(answer, 'usage') ??
    member(answer, 'usageMetadata') ??
    member(answer, 'usage_metadata') ??
    member(member(answer, 'llmOutput'), 'tokenUsage') ??
    member(member(answer, 'llm_output'), 'token_usage');
  const generations = member(answer, 'generations');
  const generation: unknown = Array.isArray(generations) ? generations.flat()[0] : undefined;
  const kwargs = member(member(generation, 'message'), 'kwargs') ?? member(generation, 'message');
  return member(kwargs, 'usage_metadata') ?? there ?? undefined;
}

function cachedIn(usage: unknown): number | undefined {
  return (
    first(member(usage, 'prompt_tokens_details'), 'cached_tokens') ??
    first(member(usage, 'input_tokens_details'), 'cached_tokens') ??
    first(member(usage, 'input_token_details'), 'cache_read') ??
    first(usage, 'cachedContentTokenCount', 'cachedInputTokens')
  );
}

function writtenIn(usage: unknown): number | undefined {
  return first(member(usage, 'input_token_details'), 'cache_creation');
}

function reasoningIn(usage: unknown): number | undefined {
  return (
    first(member(usage, 'completion_tokens_details'), 'reasoning_tokens') ??
    first(member(usage, 'output_tokens_details'), 'reasoning_tokens') ??
    first(member(usage, 'output_token_details'), 'reasoning') ??
    first(usage, 'reasoningTokens')
  );
}

function first(object: unknown, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = member(object, name);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  }
  return undefined;
}

function sum(whole: number | undefined, ...parts: readonly (number | undefined)[]): number | undefined {
  if (whole === undefined) return undefined;
  return parts.reduce<number>((total, part) => total + (part ?? 0), whole);
}
