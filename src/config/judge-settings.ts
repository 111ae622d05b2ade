/** The judges that criteria may name, and what may be spent on them. An API key stands elsewhere (`secrets.ts`). */
import { z } from 'zod';
import { didYouMean } from '../model/did-you-mean.ts';
import { durationMs } from './quantities.ts';
import { type SecretPlaces, secretFrom } from './secrets.ts';
import type { Sources } from './sources.ts';

export const JUDGE_PROVIDERS = ['openai', 'anthropic'] as const;
export type JudgeProvider = (typeof JUDGE_PROVIDERS)[number];

export interface JudgeSettings {
  readonly name: string;
  readonly provider: JudgeProvider;
  readonly model: string;
  /** Undefined: the provider's own. */
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  /** Undefined: the provider's own. */
  readonly temperature: number | undefined;
  readonly votes: number;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly deadlineMs: number;
  readonly concurrency: number;
  readonly requestsPerMinute: number;
  readonly tokensPerMinute: number;
  readonly maxOutputTokens: number;
  /** What the material of a request may come to. */
  readonly evidenceTokens: number;
  /** The share of conversations that are judged, from 0 to 1. */
  readonly sample: number;
  /** The share of answered questions that are asked once more. */
  readonly probe: number;
  readonly prices: { readonly inputPerMillion: number; readonly outputPerMillion: number };
  /** All that can change an answer, in one text. */
  readonly fingerprint: string;
}

export interface JudgingSettings {
  readonly judges: readonly JudgeSettings[];
  /** In the currency of the prices; Infinity where there is no limit. */
  readonly budget: { readonly perHour: number; readonly perDay: number };
  /** How long an evaluation waits for its last verdict. */
  readonly limitMs: number;
  readonly keepAnswersMs: number;
}

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;
const JUDGES_MAX = 20;
const NAME = /^[A-Za-z][\w-]{0,62}$/;
/** Where a person has one already. It is not sent to an address that somebody else chose. */
const KEY_VARIABLES: Readonly<Record<JudgeProvider, string>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
};

export function readJudging(sources: Sources, places: SecretPlaces): JudgingSettings {
  const written = sources.read({ key: 'judges' }, judgeMap, {}).value;
  const budget = {
    perHour: sources.read({ key: 'judging.budget.per_hour' }, money, Number.POSITIVE_INFINITY).value,
    perDay: sources.read({ key: 'judging.budget.per_day' }, money, Number.POSITIVE_INFINITY).value,
  };
  const isLimited = Number.isFinite(budget.perHour) || Number.isFinite(budget.perDay);
  const judges = Object.entries(written).map(([name, one]) => {
    const key = `judges.${name}`;
    if (isLimited && one.prices === undefined) {
      const expected = 'input_per_million and output_per_million; 0 and 0 for one that costs nothing';
      sources.mistake({ key }, 'file', 'it has no prices, and without them judging.budget limits nothing', expected);
    }
    const found = secretFrom(places, { file: one.api_key_file, variable: one.api_key_env });
    if ('problem' in found) sources.mistake({ key }, 'file', found.problem, found.expected);
    return settingsOf(name, one, { apiKey: 'secret' in found ? found.secret : undefined, places });
  });
  return {
    judges,
    budget,
    limitMs: sources.read({ key: 'judging.limit' }, durationMs({ min: SECOND, max: 7 * DAY }), HOUR).value,
    keepAnswersMs: sources.read({ key: 'judging.keep_answers' }, durationMs({ min: 0, max: 3650 * DAY }), 30 * DAY)
      .value,
  };
}

function settingsOf(
  name: string,
  one: Written,
  { apiKey, places }: { readonly apiKey: string | undefined; readonly places: SecretPlaces },
): JudgeSettings {
  const usual = one.base_url === undefined ? places.env[KEY_VARIABLES[one.provider]] : undefined;
  const parts = {
    name,
    provider: one.provider,
    model: one.model,
    baseUrl: one.base_url,
    apiKey: apiKey ?? (usual === '' ? undefined : usual),
    temperature: one.temperature,
    votes: one.votes,
    timeoutMs: one.timeout,
    retries: one.retries,
    deadlineMs: one.deadline,
    concurrency: one.concurrency,
    requestsPerMinute: one.requests_per_minute,
    tokensPerMinute: one.tokens_per_minute,
    maxOutputTokens: one.max_output_tokens,
    evidenceTokens: one.evidence_tokens,
    sample: one.sample,
    probe: one.probe,
    prices: {
      inputPerMillion: one.prices?.input_per_million ?? 0,
      outputPerMillion: one.prices?.output_per_million ?? 0,
    },
  };
  return { ...parts, fingerprint: fingerprintOf(parts) };
}

/** Keys, rates, prices and patience don't change what a model answers. */
function fingerprintOf(judge: Omit<JudgeSettings, 'fingerprint'>): string {
  const { provider, model, temperature, votes, maxOutputTokens, baseUrl } = judge;
  const host = baseUrl === undefined ? '' : new URL(baseUrl).host;
  return JSON.stringify([provider, host, model, temperature ?? null, votes, maxOutputTokens]);
}

const count = (min: number, max: number) => {
  const expected = `a whole number from ${min} to ${max}`;
  return z.number(expected).int(expected).min(min, expected).max(max, expected);
};
const amount = (min: number, max: number) => {
  const expected = `a number from ${min} to ${max}`;
  return z.number(expected).min(min, expected).max(max, expected);
};
const money = amount(0, 1_000_000);
const text = z.string('a text').min(1, 'a text that is not empty').max(1000, 'at most 1000 characters');
const addressExpected = 'an address that begins with https:// or http://, up to and with /v1 where it has that';
const oddExpected = 'an odd number from 1 to 9, so that there is always a majority';

const priceShape = strict({ input_per_million: amount(0, 100_000), output_per_million: amount(0, 100_000) });
const judgeShape = strict({
  provider: z.enum(JUDGE_PROVIDERS, `one of ${JUDGE_PROVIDERS.join(', ')}`),
  model: text,
  base_url: text
    .refine((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol), addressExpected)
    .optional(),
  api_key_file: text.optional(),
  api_key_env: text.optional(),
  temperature: amount(0, 2).optional(),
  votes: z
    .number(oddExpected)
    .refine((votes) => [1, 3, 5, 7, 9].includes(votes), oddExpected)
    .default(1),
  timeout: durationMs({ min: 100, max: 600 * SECOND }).default(60 * SECOND),
  retries: count(0, 20).default(4),
  deadline: durationMs({ min: SECOND, max: DAY }).default(600 * SECOND),
  concurrency: count(1, 100).default(4),
  requests_per_minute: count(1, 1_000_000).default(60),
  tokens_per_minute: count(1, 1_000_000_000).default(200_000),
  max_output_tokens: count(16, 200_000).default(2000),
  evidence_tokens: count(1000, 1_000_000).default(8000),
  sample: amount(0, 1).default(1),
  probe: amount(0, 1).default(0),
  prices: priceShape.optional(),
});
type Written = z.infer<typeof judgeShape>;
const nameExpected = 'names of letters, digits, _ and -, at most 63, that begin with a letter';
const judgeMap: z.ZodType<Readonly<Record<string, Written>>> = z
  .record(z.string().regex(NAME, nameExpected), judgeShape, 'judges by name: `default: {provider: openai, model: …}`')
  .refine((judges) => Object.keys(judges).length <= JUDGES_MAX, `at most ${JUDGES_MAX} judges`);

function strict<const Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return `a mapping of ${known.join(', ')}`;
      return (issue.keys ?? [])
        .map((key) => {
          const nearest = didYouMean(String(key), known);
          const hint = nearest === undefined ? `known are ${known.join(', ')}` : `did you mean '${nearest}'?`;
          return `no '${String(key)}'; ${hint}`;
        })
        .join('; ');
    },
  });
}
