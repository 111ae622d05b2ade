/** Prices of tokens: of judges, and of the models that the agents use. */
import { z } from 'zod';
import type { ModelPrices } from '../model/cost.ts';
import { globCovers } from '../model/glob.ts';
import { mapping } from './mapping.ts';
import { section } from './section.ts';
import { amount, setting } from './setting.ts';

const range = { min: 0, max: 100_000 };

export const PRICES = {
  inputPerMillion: amount(
    { ...range, key: 'input_per_million', required: true, example: 0.25 },
    'Price of a million tokens of input.',
  ),
  outputPerMillion: amount(
    { ...range, key: 'output_per_million', required: true, example: 2 },
    'Price of a million tokens of output.',
  ),
};

const NAME_MAX = 200;
const MODELS_MAX = 1000;

const MODEL_PRICES = {
  models: setting(
    { key: 'model', required: true, example: 'gpt-5*' },
    'Name of the model as spans have it, or a glob.',
    z
      .string('a name or a glob')
      .min(1, 'a name or a glob')
      .max(NAME_MAX, `at most ${NAME_MAX} characters`)
      .refine((glob) => !/[{}[\]]/.test(glob), 'a name or a glob: only * and ? are patterns, not { } or [ ]'),
  ),
  ...PRICES,
  cachedInputPerMillion: amount(
    { ...range, key: 'cached_input_per_million', example: 0.025 },
    'Tokens of input that were read from a cache; the price of input unless given.',
  ),
  cacheWritePerMillion: amount(
    { ...range, key: 'cache_write_per_million', example: 0.3, rare: true },
    'Tokens of input that were written to a cache; the price of input unless given.',
  ),
  reasoningPerMillion: amount(
    { ...range, key: 'reasoning_per_million', example: 2, rare: true },
    'Tokens of output that the model reasoned with; the price of output unless given.',
  ),
};

export const MODEL_PRICE_TABLE = section(
  'start',
  "Prices of the agents' own tokens in US dollars, where spans do not say the cost (feedback.md).",
  {
    models: setting(
      {
        key: 'prices.models',
        default: [],
        example: [{ model: 'gpt-5*', input_per_million: 0.25, output_per_million: 2 }],
      },
      'For a million tokens each; of several models that match, the first counts.',
      z
        .array(mapping(MODEL_PRICES), 'a list of models with their prices')
        .max(MODELS_MAX, `at most ${MODELS_MAX}`)
        .superRefine((all, context) => {
          for (const [index, { models }] of all.entries()) {
            const before = all.slice(0, index).find((earlier) => globCovers(earlier.models, models));
            if (before === undefined) continue;
            const message = `a model that \`${before.models}\` before it does not match: the first that matches counts`;
            context.addIssue({ code: 'custom', path: [index, 'model'], message });
          }
        }),
      MODEL_PRICES,
    ),
  },
).build(({ models }): readonly ModelPrices[] => models);
