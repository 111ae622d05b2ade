/** `GET /api/v1/facets` and `/api/v1/trend` on a running service, against what was sent. */
import { expect, test } from 'vitest';
import { facets } from '../../../../src/api/facets.ts';
import { fleet } from '../../../../src/api/fleet.ts';
import { moved } from '../../../../src/api/moved.ts';
import { suiteList } from '../../../../src/api/suite-list.ts';
import { trend } from '../../../../src/api/trend.ts';
import { metricsOf, sumOf } from '../../running-service.ts';
import { filledService, get, post } from './filled-service.ts';

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
  // By hand: with z²/2 = 1.9207 scores at either end there are 7.8415 scores, whose mean is 0.62752 and variance 0.17253.
  expect(tcr?.low).toBeCloseTo(0.33681, 4);
  expect(tcr?.high).toBeCloseTo(0.91824, 4);
  expect(tcr?.n).toBe(4);
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

  // The list of agents counts the same conversations.
  const now = Date.now();
  for (const hours of [1, 5, 6, 8, 24, 72, 7 * 24]) {
    const times = [now - hours * 3_600_000, now].map((time) => new Date(time).toISOString());
    const query = `?since=${times[0]}&until=${times[1]}`;
    const { since } = fleet.parse((await get(running, `/api/v1/fleet${query}`)).body);
    expect([hours, since]).toEqual([hours, (await trendOf(query)).since]);
  }

  expect((await get(running, '/api/v1/trend?suite=other')).status).toBe(404);
  for (const query of ['?by=color', '?bucket=3s', '?bucket=1h&since=300d', '?since=1h&until=2h', '?by=none&by=agent'])
    expect([query, (await get(running, `/api/v1/trend${query}`)).status]).toEqual([query, 400]);
});

test('suites say how their criteria went, and a difference comes apart into parts that add up', {
  timeout: 60_000,
}, async () => {
  const running = await filledService();
  const movedOf = async (query: string) => {
    const { status, body } = await get(running, `/api/v1/moved${query}`);
    expect([query, status]).toEqual([query, 200]);
    return moved.parse(body);
  };

  const early = await movedOf('?version=v2&against_version=v1');
  expect(early).toMatchObject({
    parts: [],
    unchanged: 0,
    too_early: expect.stringContaining('3 scored evaluations before and 1 after'),
  });
  expect(early).not.toHaveProperty('difference');

  for (const number of [5, 6])
    await post(
      running,
      { id: `more-${number}`, question: 'And?', answer: 'No.', results: ['1', '2'], version: 'v2' },
      number,
    );
  await expect
    .poll(async () => sumOf(await metricsOf(running), 'assay_evaluations_total'), { timeout: 20_000 })
    .toBe(6);

  const { suites } = suiteList.parse((await get(running, '/api/v1/suites')).body);
  expect(suites.map(({ name, version, live, looked_at }) => [name, version, live, looked_at])).toEqual([
    ['calls', '1', true, 6],
    ['calls', '2', false, 6],
  ]);
  const [looked, few] = suites[0]?.criteria ?? [];
  expect(looked).toMatchObject({
    name: 'looked',
    question: 'Did it look?',
    kind: 'check',
    weight: 0.6,
    critical: false,
    asked: 6,
    pass_rate: { value: 5 / 6, n: 6 },
    not_applicable_rate: 0,
    error_rate: 0,
  });
  expect(few).toMatchObject({ critical: true, pass_rate: { value: 0.5 } });
  // In shadow, more than no call at all is too many.
  expect(suites[1]?.criteria[1]?.pass_rate?.value).toBeCloseTo(1 / 6, 10);
  const nobodys = suiteList.parse((await get(running, '/api/v1/suites?agent=nobody')).body);
  expect(nobodys.suites[0]?.criteria[0]).toMatchObject({ asked: 0 });
  expect(nobodys.suites[0]?.criteria[0]).not.toHaveProperty('pass_rate');

  const named = async (query: string) =>
    suiteList.parse((await get(running, `/api/v1/suites?suite=calls${query}`)).body).suites[0];
  expect((await named(''))?.criteria[0]).toMatchObject({ asked: 6, pass_rate: { value: 5 / 6, n: 6 } });
  expect((await named('&agent_version=v1'))?.criteria[0]).toMatchObject({ asked: 3, pass_rate: { value: 2 / 3 } });
  expect((await named('&environment=other'))?.criteria[0]).toMatchObject({ asked: 0 });
  for (const window of ['&until=1h', '&since=1970-01-02T00:00:00Z&until=2h', '&since=2100-01-01T00:00:00Z']) {
    const before = await named(window);
    expect([window, before?.looked_at, before?.criteria[0]?.asked]).toEqual([window, 0, 0]);
    expect(before?.criteria[0]).not.toHaveProperty('pass_rate');
  }
  expect((await get(running, '/api/v1/suites?suite=other')).status).toBe(404);

  // v1 scored 1, 0.4 and 1; v2 scored 0.6 three times.
  const change = await movedOf('?version=v2&against_version=v1');
  expect(change).toMatchObject({
    suite: 'calls',
    before: { agent_version: 'v1', evaluations: 3 },
    after: { agent_version: 'v2', evaluations: 3, success: { value: 0 } },
    unchanged: 0,
    other_versions: 0,
    looked_at: 6,
    cut: false,
  });
  expect(change.difference?.value).toBeCloseTo(-0.2, 6);
  expect(change.difference?.low).toBeLessThan(-0.2);
  const parts = change.parts.map(({ kind, criterion, points, evaluations }) => [
    kind,
    criterion,
    points.toFixed(3),
    evaluations,
  ]);
  expect(parts).toEqual([
    ['criterion', 'few', '-0.400', 3],
    ['criterion', 'looked', '0.200', 0],
  ]);
  const sum = change.parts.reduce((all, { points }) => all + points, 0);
  expect(sum).toBeCloseTo(change.difference?.value ?? Number.NaN, 6);

  // The day before was empty.
  expect(await movedOf('')).toMatchObject({
    before: { evaluations: 0 },
    after: { evaluations: 6 },
    too_early: expect.any(String),
  });
  expect((await movedOf('?environment=other')).looked_at).toBe(0);
  expect((await get(running, '/api/v1/moved?against_version=v2')).status).toBe(400);
  // The one version after, and what there was before.
  const alone = await movedOf('?version=v1&since=24h');
  expect(alone.after).toMatchObject({ agent_version: 'v1', evaluations: 3 });
  expect(alone.before.agent_version).toBeUndefined();
  expect((await get(running, '/api/v1/moved?since=1h&until=2h')).status).toBe(400);
  expect((await get(running, '/api/v1/moved?suite=other')).status).toBe(404);
});
