import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { tempDirectory } from '../temp-directory.ts';

function load(yaml: string, env: { readonly [name: string]: string } = {}) {
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, 'assay.yaml'), yaml);
  writeFileSync(path.join(cwd, 'key'), 'from a file\n');
  const { settings, mistakes } = loadSettings({ flags: {}, env, cwd });
  return { judging: settings.judging, mistakes };
}

test('without judges nobody is asked, and nothing is limited', () => {
  const { judging, mistakes } = load('');

  expect(mistakes).toEqual([]);
  expect(judging).toEqual({
    judges: [],
    budget: { perHour: Number.POSITIVE_INFINITY, perDay: Number.POSITIVE_INFINITY },
    limitMs: 3_600_000,
  });
});

test('a judge is read with all that it has', () => {
  const { judging, mistakes } = load(`
judges:
  default: { provider: openai, model: small, api_key_file: key }
  local:
    provider: openai
    model: big
    base_url: http://gpu:8000/v1
    temperature: 0
    votes: 3
    requests_per_minute: 600
    max_output_tokens: 4000
    strict: true
    evidence_tokens: 4000
    sample: 0.25
    probe: 0.02
    prices: { input_per_million: 0.15, output_per_million: 0.6 }
judging: { limit: 10m }
`);

  expect(mistakes).toEqual([]);
  expect(judging.judges.map(({ name, apiKey }) => [name, apiKey])).toEqual([
    ['default', 'from a file'],
    ['local', undefined],
  ]);
  expect(judging.judges[1]).toEqual({
    name: 'local',
    provider: 'openai',
    model: 'big',
    baseUrl: 'http://gpu:8000/v1',
    apiKey: undefined,
    temperature: 0,
    votes: 3,
    strict: true,
    timeoutMs: 120_000,
    retries: 4,
    deadlineMs: 600_000,
    concurrency: 4,
    requestsPerMinute: 600,
    tokensPerMinute: 2_000_000,
    maxOutputTokens: 4000,
    evidenceTokens: 4000,
    sample: 0.25,
    probe: 0.02,
    prices: { inputPerMillion: 0.15, outputPerMillion: 0.6 },
    fingerprint: '["openai","gpu:8000","big",0,3,4000]',
  });
  expect(judging).toMatchObject({ limitMs: 600_000 });
});

test('a judge has time and tokens by what it may be asked', () => {
  const pacesOf = (more: string) =>
    load(`judges: { a: { provider: openai, model: m${more} } }`).judging.judges.map(
      ({ timeoutMs, tokensPerMinute }) => [timeoutMs, tokensPerMinute],
    );

  expect(pacesOf('')).toEqual([[60_000, 200_000]]);
  expect(pacesOf(', requests_per_minute: 1')).toEqual([[60_000, 3334]]);
  expect(pacesOf(', requests_per_minute: 100000, max_output_tokens: 100000')).toEqual([[600_000, 333_333_334]]);
});

test('a key that is there anyway goes to the provider it is for, and nowhere else', () => {
  const keys = { OPENAI_API_KEY: 'open', ANTHROPIC_API_KEY: 'anth', OTHER: 'other' };
  const { judging } = load(
    `
judges:
  a: { provider: openai, model: m }
  b: { provider: anthropic, model: m }
  c: { provider: openai, model: m, base_url: "https://elsewhere.example/v1" }
  d: { provider: openai, model: m, base_url: "https://elsewhere.example/v1", api_key_env: OTHER }
`,
    keys,
  );

  expect(judging.judges.map(({ apiKey }) => apiKey)).toEqual(['open', 'anth', undefined, 'other']);
});

test('what can change an answer is in the fingerprint, and nothing else', () => {
  const fingerprintOf = (more: string) =>
    load(`judges: { a: { provider: openai, model: m, base_url: "https://h/v1"${more} } }`).judging.judges[0]
      ?.fingerprint;
  const same = [
    ', api_key_file: key',
    ', retries: 1',
    ', sample: 0.5',
    ', probe: 0.1',
    ', requests_per_minute: 5',
    ', strict: true',
  ];
  const other = [', temperature: 0', ', votes: 3', ', max_output_tokens: 100', ', base_url: "https://other/v1"'];

  expect(new Set(same.map(fingerprintOf))).toEqual(new Set([fingerprintOf('')]));
  // A duplicate key is a mistake of YAML, and its second value is ignored.
  const distinct = other.slice(0, 3).map(fingerprintOf);
  expect(new Set([fingerprintOf(''), ...distinct]).size).toBe(4);
});

test('all mistakes are told at once, with their places and no secret', () => {
  const { mistakes } = load(
    `
judges:
  good: { provider: openai, model: m, prices: { input_per_million: 1, output_per_million: 2 } }
  odd: { provider: opnai, votes: 2, base_url: "localhost:8000", requests_per_minute: 0, tempature: 1 }
  missing: { provider: openai, model: m, api_key_env: NOT_THERE }
judging: { budget: { per_hour: -1 }, limt: 5m }
`,
    { SECRET: 'open sesame' },
  );

  const told = mistakes.map(({ path: where, problem, expected }) => `${where}: ${problem} (${expected})`);
  for (const [where, part] of [
    ['judges.odd.provider', 'one of openai, anthropic'],
    ['judges.odd.model', 'a text'],
    ['judges.odd.votes', 'an odd number from 1 to 9'],
    ['judges.odd.base_url', 'https://'],
    ['judges.odd.requests_per_minute', 'a whole number from 1 to 1000000'],
    ['judges.odd', "did you mean 'temperature'"],
    ['judging.budget.per_hour', 'a number from 0'],
    ['judging.limt', "did you mean 'limit'"],
  ] as const) {
    expect(told.filter((line) => line.startsWith(`${where}: `) && line.includes(part))).toHaveLength(1);
  }
  expect(mistakes.every(({ line }) => line !== undefined)).toBe(true);
});

test('a key that is not there is a mistake', () => {
  const { mistakes } = load('judges: { a: { provider: openai, model: m, api_key_env: NOT_THERE } }');

  expect(mistakes).toMatchObject([
    { path: 'judges.a', problem: expect.stringContaining('NOT_THERE'), line: expect.any(Number) },
  ]);
});

test('a budget without prices would hold nothing', () => {
  const { mistakes } = load('judges: { a: { provider: openai, model: m } }\njudging: { budget: { per_day: 5 } }');

  expect(mistakes).toMatchObject([{ path: 'judges.a', expected: expect.stringContaining('input_per_million') }]);
});
