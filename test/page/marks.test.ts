import { expect, test } from 'vitest';
import type { Detections } from '../../src/api/detections.ts';
import type { Trend } from '../../src/api/trend.ts';
import { changesOnLine } from '../../src/page/overview/marks.ts';

type Change = Detections['changes'][number];
const AT = '2026-11-20T10:00:00.000Z';
const CHANGE: Change = {
  at: AT,
  since: '2026-11-20T08:00:00.000Z',
  sentence: 'worse',
  agent: 'helper',
  environment: 'prod',
  suite: 'care',
  metric: 'tcr',
  kind: 'regressed',
};
const TREND: Trend = {
  suite: 'care',
  scope: 'conversation',
  bucket_ms: 60_000,
  related: { users: 0, unnamed_share: 0 },
  since: '2026-11-20T00:00:00.000Z',
  until: '2026-11-21T00:00:00.000Z',
  series: [],
  agents: [],
  series_left_out: 0,
  versions: [],
};

function marked(changes: readonly Change[], query = ''): readonly string[] {
  const detections = { is_active: true, open: [], changes, judges: [], learning: 0, watching: 1, watched: [] };
  return changesOnLine(detections, TREND, new URLSearchParams(query)).map(
    ({ at, is }) => `${is} ${new Date(at).toISOString()}`,
  );
}

test('a change is marked where it began, once however often it is announced', () => {
  const suspected = { ...CHANGE, kind: 'suspected', at: '2026-11-20T09:00:00.000Z' };
  const { since: _since, ...found } = { ...CHANGE, kind: 'recovered' };

  expect(marked([found, CHANGE, suspected])).toEqual([
    'better 2026-11-20T10:00:00.000Z',
    'worse 2026-11-20T08:00:00.000Z',
  ]);
});

test.each<[string, Partial<Change>, string?]>([
  ['of another suite', { suite: 'other' }],
  ['of one criterion', { criterion: 'polite' }],
  ['outside of the time that is shown', { since: '2026-11-19T23:59:59.000Z' }],
  ['that nobody needs to be told', { kind: 'changed' }],
  ['of an agent that is not shown', {}, 'agent=other'],
  ['of an environment that is not shown', {}, 'environment=dev&environment=stage'],
])('a change %s is not on the line', (_words, change, query) => {
  expect(marked([{ ...CHANGE, ...change }], query)).toEqual([]);
  expect(marked([CHANGE], 'agent=other&agent=helper&environment=prod')).toHaveLength(1);
});
