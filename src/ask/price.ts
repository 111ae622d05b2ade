/**
 * The maximum cost of a call is known before it is made. No tokenizer in use makes more tokens of a text than it has
 * bytes, the provider's own framing is a few tokens a message, and the answer has a maximum length. For most texts that
 * is four times what it comes to, which matters only where the budget is nearly gone.
 */
import type { JudgeRequest } from '../model/judging.ts';
import type { Json } from '../model/json.ts';
import { nanosOf } from '../model/price.ts';
import type { Judge } from './judge.ts';

const FRAMING_TOKENS_MAX = 1000;
export function mostNanos(
  judge: Pick<Judge, 'prices' | 'maxOutputTokens'>,
  request: Pick<JudgeRequest, 'instructions' | 'material'>,
  schema: Json,
): number {
  const bytes = [request.instructions, request.material, JSON.stringify(schema)]
    .map((text) => Buffer.byteLength(text))
    .reduce((sum, length) => sum + length, 0);
  return nanosOf({ inputTokens: bytes + FRAMING_TOKENS_MAX, outputTokens: judge.maxOutputTokens }, judge.prices);
}
