/** Reads the usage that a span reports. Which of several nested spans counts is for `assemble` to decide. */
import type { Usage } from '../model/step.ts';
import type { Draft } from './draft.ts';

export function usageOf(draft: Draft): Usage | undefined {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = draft;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const cacheRead = cacheReadTokens ?? 0;
  const cacheWrite = cacheWriteTokens ?? 0;
  return {
    inputTokens: (inputTokens ?? 0) + (isAdjusted(draft) ? cacheRead + cacheWrite : 0),
    outputTokens: outputTokens ?? 0,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    reasoningTokens: reasoningTokens ?? 0,
  };
}

/** The cached tokens are part of the input. Where they are more than the input, the emitter left them out of it. */
export function isAdjusted(draft: Draft): boolean {
  const cached = (draft.cacheReadTokens ?? 0) + (draft.cacheWriteTokens ?? 0);
  return cached > (draft.inputTokens ?? 0) || (cached > 0 && draft.cacheIsExtra === true);
}
