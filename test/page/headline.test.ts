import { expect, test } from 'vitest';
import type { Detections } from '../../src/api/detections.ts';
import type { Moved } from '../../src/api/moved.ts';
import type { Trend } from '../../src/api/trend.ts';
import { headlineOf } from '../../src/page/overview/headline.tsx';
import { movedQueryOf } from '../../src/page/overview/moved-parts.tsx';
import { troublesIn } from '../../src/page/overview/since-version.tsx';
import { detectionsOf } from '../../src/page/overview/open-detections.tsx';

const SINCE = '2026-11-20T10:00:00.000Z';
const ALARM: Detections['open'][number] = {
  sentence: 'helper: the mean score has fallen.',
  agent: 'helper',
  environment: 'prod',
  suite: 'care',
  metric: 'tcr',
  state: 'regressed',
  since: SINCE,
  causes: [],
  explained_by: [],
};

function movedBy(low: number, value: number, high: number): Moved {
  const side = { since: SINCE, until: SINCE, evaluations: 40 };
  return {
    suite: 'care',
    before: side,
    after: { ...side, evaluations: 30 },
    difference: { value, low, high, n: 70 },
    parts: [
      { kind: 'criterion', name: 'polite', criterion: 'polite', points: 0.02 },
      { kind: 'criterion', name: 'done', criterion: 'done', points: -0.15 },
    ],
    unchanged: 0,
    other_versions: 0,
    looked_at: 70,
    related: { users: 0, unnamed_share: 1 },
    cut: false,
  };
}

const SHOWN = { open: [], version: undefined, whose: 'helper', about: 'task', scope: 'conversation' } as const;

test('a fall that is clear of chance is said with its size, its interval and its largest part', () => {
  expect(headlineOf({ ...SHOWN, moved: movedBy(-0.231, -0.121, -0.011), version: 'v2' })).toEqual({
    is: 'fell',
    sentence:
      'helper: the TCR fell by 12.1 points (1.1 to 23.1), of which done 15.0: 30 conversations against 40 before, since v2 was first seen at',
    since: SINCE,
  });
});

test('a difference that may be chance is no fall, and a suite about form has no TCR', () => {
  const { is, sentence } =
    headlineOf({ ...SHOWN, about: 'form', scope: 'turn', moved: movedBy(-0.1, -0.03, 0.04) }) ?? {};

  expect(is).toBe('same');
  expect(sentence).toBe(
    'helper: no change of the form score that is clear of chance: −3.0 points (−10.0 to +4.0), 30 turns against 40 before, since',
  );
});

test('an alarm of what is shown comes before everything, and one of others does not', () => {
  const others = [
    { ...ALARM, suite: 'default' },
    { ...ALARM, agent: 'other' },
  ];
  const counts = { environment: 'prod', suite: 'care', learning: 2, watching: 3 };
  const watched = ['helper', 'other'].map((agent) => ({ ...counts, agent }));
  const detections = {
    is_active: true,
    open: [...others, ALARM],
    changes: [],
    judges: [],
    learning: 5,
    watching: 9,
    watched,
  };
  const shown = detectionsOf(detections, 'care', new URLSearchParams('agent=helper'));

  expect(headlineOf({ ...SHOWN, open: shown.open, moved: movedBy(-0.1, 0, 0.1) })?.sentence).toBe(ALARM.sentence);
  expect(shown.others).toBe(2);
  expect(shown).toMatchObject({ learning: 2, watching: 3 });
  expect(headlineOf({ ...SHOWN, open: [], moved: movedBy(-0.1, 0, 0.1) })?.is).toBe('same');
});

const BROKEN = {
  fact: 'failed call: look_up',
  says: '',
  within: { count: 16, of: 48 },
  others: { count: 0, of: 52 },
  lift: { low: 4 },
  chance: 1e-6,
  also: ['ended: with an error', 'tool: pay', 'error message: no seat'],
  conversation_ids: [],
  link: '',
};

test('a tool that fails with a version is said first, however little the score makes of it', () => {
  const [trouble] = troublesIn({ finds: [BROKEN], looked_at: 300 });
  const shown = { ...SHOWN, version: 'v2', trouble };

  expect(headlineOf({ ...shown, moved: movedBy(-0.1, -0.002, 0.04) })).toEqual({
    is: 'fell',
    sentence:
      'helper: with v2, look_up failed in 16 of 48 conversations, and in none of 52 others; with it, the error “no seat”, it ended with an error. No change of the TCR that is clear of chance: −0.2 points (−10.0 to +4.0), 30 conversations against 40 before, since v2 was first seen at',
    since: SINCE,
  });
  expect(headlineOf({ ...shown, moved: movedBy(-0.2, -0.1, -0.05) })?.sentence).toMatch(/^helper: the TCR fell by/);
  expect(headlineOf({ ...shown, open: [ALARM], moved: undefined })?.sentence).toBe(ALARM.sentence);
  expect(headlineOf({ ...shown, moved: undefined })?.sentence).toMatch(/^helper: with v2, .* an error\.$/);
});

test('more failures are said first, as the list of agents says it, though the mean score hardly moves', () => {
  const worse = 'More faults since v2, 3 h ago: 15 of 60 with a fault, 0 of 60 before';
  const [trouble] = troublesIn({ finds: [{ ...BROKEN, also: [] }], looked_at: 300 });
  const moved = movedBy(-0.1, -0.002, 0.04);

  expect(headlineOf({ ...SHOWN, version: 'v2', moved, worse, trouble })).toMatchObject({
    is: 'fell',
    sentence: expect.stringMatching(
      /^helper: more faults since v2, 3 h ago: .* before\. With v2, look_up failed in 16 .* others\. No change of the TCR/,
    ),
  });
  expect(headlineOf({ ...SHOWN, moved: undefined, worse })?.sentence).toBe(`helper: m${worse.slice(1)}.`);
  expect(headlineOf({ ...SHOWN, moved: movedBy(-0.2, -0.1, -0.05), worse })?.sentence).toMatch(/^helper: the TCR fell/);
});

test('a trouble is a fact about failures that chance hardly brings, the most frequent first', () => {
  const rare = { ...BROKEN, fact: 'error message: no seat', within: { count: 9, of: 48 }, chance: 1e-9 };
  const likely = { ...BROKEN, fact: 'failed call: pay', chance: 0.001 };
  const harmless = { ...BROKEN, fact: 'tool: look_up' };

  expect(troublesIn({ finds: [rare, harmless, likely, BROKEN], looked_at: 300 }).map(({ words }) => words)).toEqual([
    'look_up failed',
    'the error “no seat”',
  ]);
});

test('too little is said to be too little', () => {
  const { difference: _difference, ...early } = movedBy(0, 0, 0);

  expect(headlineOf({ ...SHOWN, moved: { ...early, too_early: 'there is 1 scored evaluation after' } })?.sentence).toBe(
    'helper: too early to say whether the TCR has changed: there is 1 scored evaluation after.',
  );
  expect(headlineOf({ ...SHOWN, moved: undefined })).toBeUndefined();
});

test.each([
  ['a version in the middle: all before it, from as long before as is shown', 1, '12:00', '06:00', '12:00', 'v2'],
  ['a version at the beginning: the same', 1, '10:30', '06:00', '10:30', 'v2'],
  ['several agents: the version of one of them is no boundary for the others', 2, '12:00', null, '10:00', undefined],
])('the comparison is of the time that is shown; %s', (_, agents, at, before, since, version) => {
  const day = (time: string) => `2026-11-20T${time}:00.000Z`;
  const versions = [
    { agent: 'helper', agent_version: 'v2', at: day(at) },
    // The suite scored none of it.
    { agent: 'elsewhere', agent_version: 'v9', at: day('13:00') },
  ];
  const shown = { since: day('10:00'), until: day('14:00'), versions };
  const rest = {
    agents: ['helper', 'other'].slice(0, agents),
    bucket_ms: 1,
    related: { users: 0, unnamed_share: 1 },
    series: [],
    series_left_out: 0,
  };
  const trend: Trend = { suite: 'care', scope: 'turn', ...shown, ...rest };
  const place = { view: 'overview', conversation: undefined, query: new URLSearchParams() } as const;
  const asked = movedQueryOf(trend, place);

  expect(asked.version).toBe(version);
  expect(asked.query.get('since')).toBe(day(since));
  expect(asked.query.get('against_since')).toBe(before === null ? null : day(before));
});
