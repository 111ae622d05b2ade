/** The judges that criteria may name, and what may be spent on them. An API key stands elsewhere (`secrets.ts`). */
import { z } from 'zod';
import { mapping } from './mapping.ts';
import { secretFrom } from './secrets.ts';
import { PRICES } from './price-settings.ts';
import { section } from './section.ts';
import { amount, choice, count, duration, setting, someText, text, type ValuesOf, yesOrNo } from './setting.ts';
import type { Sources } from './sources.ts';
import { isWebAddress } from '../model/web-address.ts';

const JUDGES_MAX = 20;
const NAME = /^[A-Za-z][\w-]{0,62}$/;
/** Keys that a person may have already. They are not sent to an address that somebody else chose. */
const KEY_VARIABLES = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY' } as const;

/**
 * Retries of one question, with growing pauses, and the time after its first failure until which it is retried. A longer failure is an
 * outage, and stops the judge (judge-queue.ts).
 */
const PATIENCE = { retries: 4, deadlineMs: 10 * 60_000 };

/** Time for one call: a model that may write a long answer needs longer for it. */
const TIMEOUT_MS = { min: 60_000, ofToken: 30, max: 10 * 60_000 };
/** Accounts that may ask more often may send more as well. A provider whose limit is lower says so (429), and is left alone for a while. */
const TOKENS_OF_REQUEST = 10_000 / 3;

const addressExpected = 'an address that begins with https:// or http://, up to and with /v1 where it has that';
const oddExpected = 'an odd number from 1 to 9, so that there is always a majority';
const baseUrl = someText.refine(isWebAddress, addressExpected);
const modelName = someText.max(1000, 'at most 1000 characters');

const JUDGE = {
  provider: choice(['openai', 'anthropic'], { key: 'provider', required: true, example: 'openai' }, 'Its API.'),
  model: setting({ key: 'model', required: true, example: 'gpt-5-mini' }, 'Name of the model.', modelName),
  baseUrl: setting(
    { key: 'base_url', example: 'https://llm.example.com/v1' },
    "Address of anything that speaks the same API; the provider's own unless given.",
    baseUrl,
  ),
  apiKeyFile: text({ key: 'api_key_file', example: '/run/secrets/llm' }, 'File that holds the key.'),
  apiKeyEnv: text(
    { key: 'api_key_env', example: 'LLM_KEY' },
    `Variable that holds the key; without base_url also ${Object.values(KEY_VARIABLES).join(' or ')}.`,
  ),
  temperature: amount(
    { key: 'temperature', example: 0, min: 0, max: 2, rare: true },
    "The provider's own unless given.",
  ),
  votes: setting(
    { key: 'votes', default: 1, rare: true },
    'Answers to each question; the majority decides.',
    z.number(oddExpected).refine((votes) => [1, 3, 5, 7, 9].includes(votes), oddExpected),
  ),
  concurrency: count(
    { key: 'concurrency', default: 4, min: 1, max: 100, rare: true },
    'Calls in flight. A model on a machine of your own takes a few at once, at whatever rate.',
  ),
  requestsPerMinute: count(
    { key: 'requests_per_minute', default: 60, min: 1, max: 1e6, rare: true },
    'Limit on the request rate. There are 3,333 tokens for each.',
  ),
  maxOutputTokens: count(
    { key: 'max_output_tokens', default: 2000, min: 16, max: 200_000, rare: true },
    'Tokens of one answer; models that reason need more. A call has a minute, and more above 2000 tokens.',
  ),
  evidenceTokens: count(
    { key: 'evidence_tokens', default: 8000, min: 1000, max: 1e6, rare: true },
    'Most tokens of evidence.',
  ),
  sample: amount({ key: 'sample', default: 1, min: 0, max: 1 }, 'Share of conversations that are judged.'),
  probe: amount(
    { key: 'probe', default: 0, min: 0, max: 1, rare: true },
    'Share of answered questions asked once more, to see how far the judge agrees with itself.',
  ),
  strict: yesOrNo(
    { key: 'strict', default: false, rare: true },
    'Whether nothing counts that rests on evidence that did not fit, or on invented quotes alone (judges.md).',
  ),
  prices: setting(
    { key: 'prices', example: { input_per_million: 0.25, output_per_million: 2 } },
    'Needed with a budget; 0 and 0 for a judge that costs nothing.',
    mapping(PRICES),
    PRICES,
  ),
};
type Written = ValuesOf<typeof JUDGE>;

const money = { min: 0, max: 1e6 };
const nameExpected = 'names of letters, digits, _ and -, at most 63, that begin with a letter';

export const JUDGING = section('start', 'Models that criteria may ask, and what may be spent on them (judges.md).', {
  judges: setting(
    { key: 'judges', default: {} },
    'By name; criteria that name no judge ask `default`.',
    z
      .record(
        z.string().regex(NAME, nameExpected),
        mapping(JUDGE),
        'judges by name: `default: {provider: openai, model: …}`',
      )
      .refine((judges) => Object.keys(judges).length <= JUDGES_MAX, `at most ${JUDGES_MAX} judges`),
    JUDGE,
  ),
  budget: {
    perHour: amount({ ...money, key: 'judging.budget.per_hour', example: 2 }, 'Limit, in the currency of the prices.'),
    perDay: amount({ ...money, key: 'judging.budget.per_day', example: 20 }, 'Limit, in the currency of the prices.'),
  },
  limitMs: duration(
    { key: 'judging.limit', default: '1h', min: '1s', max: '7d', rare: true },
    'Time to wait for the last verdict.',
  ),
}).build(({ judges: written, budget: { perHour, perDay }, ...judging }, sources) => {
  const budget = { perHour: perHour ?? Number.POSITIVE_INFINITY, perDay: perDay ?? Number.POSITIVE_INFINITY };
  const isLimited = perHour !== undefined || perDay !== undefined;
  const judges = Object.entries(written).map(([name, one]) => {
    if (isLimited && one.prices === undefined) {
      const expected = 'input_per_million and output_per_million; 0 and 0 for one that costs nothing';
      const problem = 'it has no prices, so judging.budget cannot limit its cost';
      sources.mistake(`judges.${name}`, problem, expected);
    }
    return judgeOf(name, one, sources);
  });
  return { ...judging, budget, judges };
});
export type JudgeSettings = ReturnType<typeof judgeOf>;

function judgeOf(name: string, { apiKeyFile, apiKeyEnv, ...judge }: Written, sources: Sources) {
  const { places } = sources;
  const found = secretFrom(places, { file: apiKeyFile, variable: apiKeyEnv });
  if ('problem' in found) sources.mistake(`judges.${name}`, found.problem, found.expected);
  const usual = judge.baseUrl === undefined ? places.env[KEY_VARIABLES[judge.provider]] : undefined;
  return {
    ...judge,
    ...PATIENCE,
    ...paceOf(judge),
    name,
    apiKey: ('secret' in found ? found.secret : undefined) ?? (usual === '' ? undefined : usual),
    prices: judge.prices ?? { inputPerMillion: 0, outputPerMillion: 0 },
    fingerprint: fingerprintOf(judge),
  };
}

function paceOf({ requestsPerMinute, maxOutputTokens }: Pick<Written, 'requestsPerMinute' | 'maxOutputTokens'>) {
  return {
    timeoutMs: Math.min(TIMEOUT_MS.max, Math.max(TIMEOUT_MS.min, maxOutputTokens * TIMEOUT_MS.ofToken)),
    tokensPerMinute: Math.ceil(requestsPerMinute * TOKENS_OF_REQUEST),
  };
}

/** All that can change an answer, in one text. Keys, rates, prices and patience don't. */
function fingerprintOf(judge: Omit<Written, 'apiKeyFile' | 'apiKeyEnv'>): string {
  const { provider, model, temperature, votes, maxOutputTokens, baseUrl } = judge;
  const host = baseUrl === undefined ? '' : new URL(baseUrl).host;
  return JSON.stringify([provider, host, model, temperature ?? null, votes, maxOutputTokens]);
}
