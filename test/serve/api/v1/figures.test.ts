/** `GET /api/v1/facets` and `/api/v1/trend` on a running service, against what was sent. */
import { expect, test } from 'vitest';
import { facets } from '../../../../src/model/api/facets.ts';
import { trend } from '../../../../src/model/api/trend.ts';
import { filledService, get } from './filled-service.ts';

test('facets and the trend say what was counted, with intervals, and answer mistakes', {
  timeout: 60_000,
}, async () => {
  const running = await filledService();

  const known = facets.parse((await get(running, '/api/v1/facets')).body);
  expect(known).toMatchObject({
    agents: ['helper'],
    environments: ['simulation'],
    segments: [],
    suites: ['calls'],
    conversations: 4,
    conversations_over: false,
  });
  expect(known.agent_versions.map(({ agent_version }) => agent_version)).toEqual(['v2', 'v1']);
  for (const { first_at, last_at } of known.agent_versions) expect(first_at <= last_at).toBe(true);
  expect((await get(running, '/api/v1/facets?since=2100-01-01T00:00:00Z')).body).toMatchObject({
    agents: [],
    suites: ['calls'],
  });

  const trendOf = async (query: string) => {
    const { status, body } = await get(running, `/api/v1/trend${query}`);
    expect([query, status]).toEqual([query, 200]);
    return trend.parse(body);
  };
  const whole = await trendOf('');
  expect(whole).toMatchObject({ suite: 'calls', bucket_ms: 900_000, series_left_out: 0 });
  // Scores 1, 0.4, 0.6 and 1; two of four are good.
  const [all] = whole.series;
  expect(all).toMatchObject({
    key: '',
    whole: { evaluations: 4, scored: 4, decided_share: 1, outcomes: { partial_failure: 2 } },
  });
  const { tcr, success } = all?.whole ?? {};
  expect(tcr?.value).toBeCloseTo(0.75, 10);
  // The standard deviation is 0.3; 0.75 ± 1.96 × 0.3 / √4 is cut to what a mean can be.
  expect(tcr?.low).toBeCloseTo(0.75 - 1.959964 * 0.15, 5);
  expect(tcr).toMatchObject({ high: 1, n: 4 });
  // Wilson's interval of 2 of 4.
  expect(success).toMatchObject({ value: 0.5, n: 4 });
  expect([success?.low, success?.high].map((end) => end?.toFixed(4))).toEqual(['0.1500', '0.8500']);
  const inBuckets = all?.buckets.reduce((sum, { evaluations }) => sum + evaluations, 0);
  expect(inBuckets).toBe(4);
  expect(whole.versions.map(({ agent_version }) => agent_version)).toEqual(['v1', 'v2']);

  const byVersion = await trendOf('?by=agent_version&bucket=1h&since=7d');
  expect(byVersion.bucket_ms).toBe(3_600_000);
  expect(byVersion.series.map(({ key, whole: { evaluations } }) => [key, evaluations])).toEqual([
    ['v1', 3],
    ['v2', 1],
  ]);
  // One score has no interval.
  expect(byVersion.series[1]?.whole).not.toHaveProperty('tcr');
  expect((await trendOf('?agent_version=v2&agent_version=v9')).series[0]?.whole.evaluations).toBe(1);
  expect((await trendOf('?agent=nobody')).series).toEqual([]);
  expect((await trendOf('?since=90d')).bucket_ms).toBe(86_400_000);

  expect((await get(running, '/api/v1/trend?suite=other')).status).toBe(404);
  for (const query of [
    '?by=color',
    '?bucket=3s',
    '?bucket=1h&since=300d',
    '?since=1h&until=2h',
    '?by=none&by=agent',
  ])
    expect([query, (await get(running, `/api/v1/trend${query}`)).status]).toEqual([query, 400]);
});
