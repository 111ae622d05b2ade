/** The cost of a conversation's own tokens: each token once, and never without its source. */
import { expect, test } from 'vitest';
import { costOfTurns, NO_PRICES, PriceTable, type SpentTokens, wholeCost } from '../../src/model/cost.ts';
import type { SpanId } from '../../src/model/ids.ts';
import { nanosOf } from '../../src/model/price.ts';

const PRICES = { inputPerMillion: 2, outputPerMillion: 10 };
const ALL = { ...PRICES, cachedInputPerMillion: 0.5, cacheWritePerMillion: 3, reasoningPerMillion: 20 };
const TABLE = new PriceTable([
  { models: 'gpt-5-mini', inputPerMillion: 1, outputPerMillion: 1 },
  { models: 'gpt-5*', ...PRICES },
]);

function spent(model: string | undefined, more: Partial<SpentTokens['usage']> = {}, isInSpans = false): SpentTokens {
  const usage = { inputTokens: 1000, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  return { spanId: 'a' as SpanId, model, usage: { ...usage, ...more }, isInSpans };
}

const turn = (costUsd: number | undefined, ...calls: readonly SpentTokens[]) => ({ costUsd, spent: calls });

test.each([
  ['plain tokens', { inputTokens: 1000, outputTokens: 100 }, ALL, 1000 * 2 + 100 * 10],
  [
    'cached, written and reasoning tokens are parts of the whole',
    { inputTokens: 1000, outputTokens: 100, cacheReadTokens: 600, cacheWriteTokens: 100, reasoningTokens: 40 },
    ALL,
    300 * 2 + 600 * 0.5 + 100 * 3 + 60 * 10 + 40 * 20,
  ],
  [
    'a part without a price has that of the whole',
    { inputTokens: 1000, outputTokens: 100, cacheReadTokens: 600, cacheWriteTokens: 100, reasoningTokens: 40 },
    PRICES,
    1000 * 2 + 100 * 10,
  ],
  [
    'more of a part than of the whole is all of it',
    { inputTokens: 100, outputTokens: 10, cacheReadTokens: 500, cacheWriteTokens: 500, reasoningTokens: 70 },
    ALL,
    100 * 0.5 + 10 * 20,
  ],
])('%s', (_name, tokens, prices, thousandNanos) => {
  expect(nanosOf(tokens, prices)).toBe(Math.ceil(thousandNanos * 1000));
});

test.each([
  ['spans', [turn(0.5, spent('gpt-5', {}, true))], NO_PRICES, { usd: 0.5, source: 'spans', modelsWithoutPrice: [] }],
  [
    'the first glob that matches',
    [turn(undefined, spent('gpt-5-mini'), spent('gpt-5.1'))],
    TABLE,
    { usd: 0.0011 + 0.003, source: 'price table', modelsWithoutPrice: [] },
  ],
  [
    'spans for some and the table for the rest',
    [turn(0.5, spent('other', {}, true)), turn(undefined, spent('gpt-5'))],
    TABLE,
    { usd: 0.503, source: 'price table', modelsWithoutPrice: [] },
  ],
  [
    'a model without a price is named, and the amount is no figure',
    [turn(undefined, spent('gpt-5'), spent('claude'), spent(undefined))],
    TABLE,
    { usd: 0.003, source: 'partly', modelsWithoutPrice: ['', 'claude'] },
  ],
  [
    'nothing is known of tokens without a price',
    [turn(undefined, spent('claude'))],
    TABLE,
    { usd: undefined, source: 'not known', modelsWithoutPrice: ['claude'] },
  ],
  ['no tokens at all', [turn(undefined)], TABLE, { usd: undefined, source: 'not known', modelsWithoutPrice: [] }],
  [
    'a call that took no tokens lacks nothing',
    [turn(0.5, spent('gpt-5', {}, true), spent('claude', { inputTokens: 0, outputTokens: 0 }))],
    NO_PRICES,
    { usd: 0.5, source: 'spans', modelsWithoutPrice: [] },
  ],
])('%s', (_name, turns, table, expected) => {
  const cost = costOfTurns(turns, table);

  expect(cost).toEqual({ ...expected, usd: expected.usd === undefined ? undefined : expect.closeTo(expected.usd, 9) });
  expect(wholeCost(cost)).toBe(['spans', 'price table'].includes(cost.source) ? cost.usd : undefined);
});
