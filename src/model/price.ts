/**
 * Prices of tokens, and the cost of a call in billionths of the currency, rounded up, so that sums are whole and exact.
 *
 * Cached and reasoning tokens are parts of the input and of the output, and each token is charged once, by the price of
 * its own part:
 *
 *   (input - cache read - cache write) x input + cache read x cached input + cache write x cache write
 *   + (output - reasoning) x output + reasoning x reasoning
 */

/** Each for a million tokens. A part without a price of its own has that of the whole. */
export interface TokenPrices {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  readonly cachedInputPerMillion?: number | undefined;
  readonly cacheWritePerMillion?: number | undefined;
  readonly reasoningPerMillion?: number | undefined;
}

interface PricedTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** A price per million tokens is as many thousand billionths for each. */
const NANOS_PER_TOKEN = 1000;

export function nanosOf(tokens: PricedTokens, prices: TokenPrices): number {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = tokens;
  const { inputPerMillion: input, outputPerMillion: output } = prices;
  const { cachedInputPerMillion = input, cacheWritePerMillion = input, reasoningPerMillion = output } = prices;
  // Spans may claim more of a part than there is of the whole.
  const cacheRead = Math.min(cacheReadTokens, inputTokens);
  const cacheWrite = Math.min(cacheWriteTokens, inputTokens - cacheRead);
  const reasoning = Math.min(reasoningTokens, outputTokens);
  const amounts = [
    (inputTokens - cacheRead - cacheWrite) * input,
    cacheRead * cachedInputPerMillion,
    cacheWrite * cacheWritePerMillion,
    (outputTokens - reasoning) * output,
    reasoning * reasoningPerMillion,
  ];
  return Math.ceil(amounts.reduce((sum, amount) => sum + amount * NANOS_PER_TOKEN, 0));
}
