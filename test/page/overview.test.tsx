/** Parts of the overview, from answers of the API. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Detections } from '../../src/api/detections.ts';
import type { EstimateAnswer } from '../../src/api/estimate.ts';
import type { SubAgents } from '../../src/api/sub-agents.ts';
import type { Trend, TrendFigures } from '../../src/api/trend.ts';
import { Endings } from '../../src/page/overview/endings.tsx';
import { Figures } from '../../src/page/overview/figures.tsx';
import { detectionsOf, OpenDetections } from '../../src/page/overview/open-detections.tsx';
import { movedQueryOf } from '../../src/page/overview/moved-parts.tsx';
import { SubAgentTable } from '../../src/page/overview/sub-agents.tsx';
import { Estimated, RealOutcomes } from '../../src/page/read/went-well.tsx';
import type { Place } from '../../src/page/shell/place.ts';
import { ShareEstimate } from '../../src/page/text/estimate.tsx';
import { countOf, markupOf, wordsOf } from './shown.tsx';

beforeEach(() => vi.stubGlobal('window', { dispatchEvent: () => true }));
afterEach(() => vi.unstubAllGlobals());

const placeAt = (search = ''): Place => ({
  view: 'overview',
  conversation: undefined,
  query: new URLSearchParams(search),
});

const NOTHING: TrendFigures = { evaluations: 10, scored: 10, outcomes: {} };
const TREND: Trend = {
  suite: 'calls',
  about: 'task',
  scope: 'conversation',
  bucket_ms: 60_000,
  related: { users: 0, unnamed_share: 0 },
  agents: ['greeter'],
  since: '2026-11-27T00:00:00.000Z',
  until: '2026-11-28T00:00:00.000Z',
  series: [],
  series_left_out: 0,
  versions: [],
};

const shownFigures = (changes: Partial<TrendFigures>, trend: Partial<Trend> = {}, search = '') => (
  <Figures
    figures={{ ...NOTHING, ...changes }}
    trend={{ ...TREND, ...trend }}
    limit={undefined}
    place={placeAt(search)}
  />
);
const figures = (...of: Parameters<typeof shownFigures>) => wordsOf(shownFigures(...of));

test('each figure that is known leads to its conversations, except where they are counted together', () => {
  const all = { success: { value: 0.9, low: 0.85, high: 0.95, n: 300 }, decided_share: 0.6 };

  const markup = markupOf(shownFigures(all, {}, 'agent=greeter&since=7d'));
  expect(markup).toContain('/conversations?agent=greeter&amp;suite=calls&amp;since=7d&amp;outcome=failed');
  expect(markup).toContain('suite=calls&amp;since=7d&amp;decided_below=0.9');
  expect(countOf(shownFigures(all), /href="[^"]*since=2026-11-27/)).toBe(3);
  expect(countOf(shownFigures(all, {}, 'agent=other'), /<a/)).toBe(0);
});

test('figures that are not known are words, and nothing limits what is not shown', () => {
  expect(figures({})).toMatch(/not known.*not known.*Decided not known Conversations 10$/);
});

test.each([
  [
    'an interval that leaves everything open',
    { success: { value: 0.5, low: 0.1, high: 0.9, n: 1 } },
    'too early: 1 evaluation leaves everything between 10 % and 90 % possible',
  ],
  ['weight that was not decided', { decided_share: 0.6 }, '40 % of the weight could not be decided'],
  ['one that was handed over', { outcomes: { handed_over: 1 } }, '1 conversation handed over is in no rate'],
  ['several of them', { outcomes: { handed_over: 2 } }, '2 conversations handed over are in no rate'],
  ['evaluations without a score', { scored: 7 }, '3 of 10 evaluations gave no score'],
])('a figure has its limit beside it: %s', (_, changes, limit) => {
  expect(figures(changes)).toContain(limit);
  expect(figures({})).not.toContain(limit);
});

test('a suite about form counts faults of a hundred, and turns where it scores turns', () => {
  const success = { value: 0.9, low: 0.85, high: 0.95, n: 300 };

  expect(figures({ success }, { about: 'form', scope: 'turn' })).toMatch(
    /^Of 100 turns, with a fault 10\.0 \(5\.0–15\.0\).*Turns 10$/,
  );
});

const endings = (outcomes: TrendFigures['outcomes'], search = '', because?: Trend['series'][number]['because']) => (
  <Endings figures={{ ...NOTHING, outcomes }} because={because} trend={TREND} place={placeAt(search)} />
);

test('each outcome that happened has its share, its count and the way to its conversations', () => {
  const shown = endings({ hard_failure: 3, successful_completion: 7 }, 'agent=greeter');

  expect(wordsOf(shown)).toMatch(
    /^How they ended, 10 conversations.*success70\.0 %7 conversations.*hard failure30\.0 %3 conversations$/,
  );
  expect(markupOf(shown)).toContain(
    '/conversations?agent=greeter&amp;outcome=hard_failure&amp;suite=calls&amp;since=2026-11-27T00%3A00%3A00.000Z',
  );
  expect(countOf(shown, /share-bar/)).toBe(2);
});

test('conversations that are counted together under one name cannot be listed, so nothing links to them', () => {
  expect(countOf(endings({ hard_failure: 10 }, 'agent=other'), /href/)).toBe(0);
});

test('kinds of failures stand below the outcome that they are kinds of', () => {
  const because = { hard_failure: { timeout: 2, crash: 1 } };

  expect(wordsOf(endings({ hard_failure: 3 }, '', because))).toMatch(/3 conversations ?2 timeout, 1 crash$/);
});

type Open = Detections['open'][number];
const alarm = (changes: Partial<Open> = {}): Open => ({
  sentence: 'the score of greeter fell',
  agent: 'greeter',
  environment: 'live',
  suite: 'calls',
  metric: 'tcr',
  state: 'regressed',
  causes: [],
  explained_by: [],
  ...changes,
});
const detected = (changes: Partial<Detections> = {}): Detections => ({
  is_active: true,
  open: [],
  changes: [],
  judges: [],
  learning: 0,
  watching: 0,
  watched: [],
  ...changes,
});
const watched = (learning: number, watching: number, suite = 'calls') => ({
  suite,
  agent: 'greeter',
  environment: 'live',
  learning,
  watching,
});
const alarms = (detections: Detections, search = '') => (
  <OpenDetections
    detections={detections}
    shown={detectionsOf(detections, 'calls', new URLSearchParams(search))}
    place={placeAt(search)}
  />
);

test.each([
  [0, 0, 'No alarm here. No figure is watched now.'],
  [1, 0, 'No alarm here. 1 figure needs more history before it has alarms.'],
  [0, 1, 'No alarm here. 1 figure is watched.'],
  [2, 3, 'No alarm here. 3 figures are watched; 2 figures need more history before they have alarms.'],
])('no alarm is not said to be good: %i learned, %i watched', (learning, watching, words) => {
  expect(wordsOf(alarms(detected({ watched: [watched(learning, watching), watched(9, 9, 'other')] })))).toBe(words);
});

test('alarms of other suites, agents and environments are counted, and not shown', () => {
  const open = [alarm(), alarm({ suite: 'other' }), alarm({ agent: 'booker' })];

  expect(wordsOf(alarms(detected({ open }), 'agent=greeter'))).toMatch(
    /^1 alarm, 2 of other suites or agents\..*greeter fell/,
  );
  expect(wordsOf(alarms(detected({ open }), 'environment=test'))).toMatch(/^No alarm here, 3 of other/);
});

test('an alarm has what may explain it, what it is made of, and its conversations; its text is text', () => {
  const explained = { share: 1, conversations: 3, expected: 0.9, observed: 0.5 };
  const open = alarm({
    sentence: '<b>fell</b>',
    since: '2026-11-27T09:00:00Z',
    explained_by: [
      { ...explained, parts: ['language: de', 'tool: x'], probability: 0.84 },
      { ...explained, parts: [], probability: 0.07 },
    ],
    none_of_these: 0.09,
    causes: ['a', 'b', 'c', 'd'].map((name) => ({ kind: 'criterion' as const, name, points: -0.05 })),
  });
  const shown = alarms(detected({ open: [open] }));

  expect(wordsOf(shown)).toMatch(
    /<b>fell<\/b>.*Probably language: de and tool: x, 84 %; everywhere, 7 %; none of these, 9 %.*Made up of a −5\.0, b −5\.0, c −5\.0 points/,
  );
  expect(markupOf(shown)).toContain('agent=greeter&amp;suite=calls&amp;since=2026-11-27T09%3A00%3A00Z');
});

test('where detection is not active, its note says why, and nothing is counted', () => {
  expect(wordsOf(alarms(detected({ is_active: false, note: 'It is off.' })))).toBe('It is off.');
  expect(markupOf(alarms(detected({ is_active: false })))).toBe('');
});

const version = (agent_version: string, at: string) => ({ agent: 'greeter', agent_version, at });

test.each([
  ['the newest version of one agent', {}, '', 'v2', '2026-11-27T18:00:00Z'],
  ['a version that is chosen', {}, 'agent_version=v1', 'v1', '2026-11-27T06:00:00Z'],
  ['the whole time, where several agents are shown', { agents: ['greeter', 'booker'] }, '', undefined, TREND.since],
])('what moved is compared since %s', (_, trend, search, named, since) => {
  const versions = [
    version('v2', '2026-11-27T18:00:00Z'),
    version('v1', '2026-11-27T06:00:00Z'),
    version('unknown', '2026-11-27T20:00:00Z'),
  ];
  const { query, version: found } = movedQueryOf({ ...TREND, versions, ...trend }, placeAt(search));

  expect([found, query.get('since')]).toEqual([named, since]);
});

test('the time before a version begins as long before what is shown as that is', () => {
  const { query } = movedQueryOf({ ...TREND, versions: [version('v2', '2026-11-27T18:00:00.000Z')] }, placeAt());

  expect(TREND).toMatchObject({ since: '2026-11-27T00:00:00.000Z', until: '2026-11-28T00:00:00.000Z' });
  expect(query.get('against_since')).toBe('2026-11-26T00:00:00.000Z');
});

test('what is asked ends after it begins, though the trend is still that of an earlier time', () => {
  const late = { ...TREND, versions: [version('v2', '2026-11-27T18:00:00.000Z')] };
  const { query } = movedQueryOf(late, placeAt('until=2026-11-20T00:00:00.000Z'));

  expect([query.get('since'), query.get('until')]).toEqual(['2026-11-27T18:00:00.000Z', TREND.until]);
  expect(movedQueryOf(late, placeAt()).query.has('until')).toBe(false);
});

const SUB_AGENTS: SubAgents = {
  suite: 'calls',
  since: TREND.since,
  until: TREND.until,
  sub_agents: [
    {
      ...{ agent: 'greeter', sub_agent: 'billing', conversations: 40, steps: 90, errors: 12 },
      ...{ conversations_with_errors: 10, error_share: 0.25, cost_usd: { sum: 1, mean: 0.025, conversations: 40 } },
      criteria: [
        {
          criterion: 'kind',
          with: { passed: 20, failed: 20, pass_rate: { value: 0.5, low: 0.35, high: 0.65, n: 40 } },
          without: { passed: 90, failed: 10, pass_rate: { value: 0.9, low: 0.83, high: 0.94, n: 100 } },
        },
      ],
    },
  ],
  ...{ sub_agents_left_out: 0, related: TREND.related, not_known: 0, other_versions: 0, looked_at: 140, cut: false },
};

const subAgentTable = (changes: Partial<SubAgents> = {}) => (
  <SubAgentTable
    figures={{ ...SUB_AGENTS, ...changes }}
    behind={new URLSearchParams({ suite: 'calls', since: '24h' })}
    scope="conversation"
  />
);

test('a sub-agent has its errors, its cost, and the pass rate with it beside the one without it', () => {
  expect(wordsOf(subAgentTable())).toMatch(
    /billing 40 conversations 10 \(25 %\) \$0\.03 kind 50\.0 % \(.*\); without it 90\.0 % \(.*\)/,
  );
  expect(markupOf(subAgentTable())).toContain(
    'href="/conversations?suite=calls&amp;since=24h&amp;agent=greeter&amp;sub_agent=billing&amp;criterion=kind"',
  );
});

test('where there are no sub-agents there is no section, and a part of all says so', () => {
  expect(markupOf(subAgentTable({ sub_agents: [] }))).toBe('');
  expect(wordsOf(subAgentTable({ cut: true, sub_agents_left_out: 3 }))).toMatch(
    /3 more sub-agents with fewer conversations\. Of the latest 140 evaluations\./,
  );
});

test('a sub-agent with which nothing failed has no lowest pass rate', () => {
  const [row = expect.unreachable()] = SUB_AGENTS.sub_agents;
  const criteria = row.criteria.map((one) => ({ ...one, with: { passed: 40, failed: 0 } }));

  expect(wordsOf(subAgentTable({ sub_agents: [{ ...row, criteria }] }))).toContain('nothing failed');
});

test('nothing is linked that the list cannot find', () => {
  const folded = SUB_AGENTS.sub_agents.map((row) => ({ ...row, agent: 'other' }));

  expect(countOf(subAgentTable({ sub_agents: folded }), /href=/)).toBe(0);
});

const ESTIMATE: EstimateAnswer = {
  ...{ agent: 'greeter', since: TREND.since, until: TREND.until, says: 'It says.', next: 'Read 20 more.' },
  conversations: { spoken_for: 1204, later: 0, unreadable: 0, called_fine: 900, unscored: 0 },
  readings: { sample: 0, out_of_turn: 0, certain: 0, unclear: 0, by_two: 0, disagreed: 0 },
  ...{ outcomes: { good: 0, bad: 0, bad_called_fine: 0 }, worth: [], enough: false },
};

test('real outcomes are counted, with a way to those that are bad and called fine', () => {
  const missed = new URLSearchParams({ agent: 'greeter', since: '7d', came_out: 'missed' });
  const shown = (outcomes: EstimateAnswer['outcomes']) => <RealOutcomes outcomes={outcomes} missed={missed} />;

  const some = shown({ good: 31, bad: 69, bad_called_fine: 40 });
  expect(wordsOf(some)).toBe(
    '69 of 100 conversations with real outcomes came out bad. The suites call 40 of these fine',
  );
  expect(markupOf(some)).toContain('href="/conversations?agent=greeter&amp;since=7d&amp;came_out=missed"');
  expect(countOf(shown({ good: 3, bad: 1, bad_called_fine: 0 }), /href=/)).toBe(0);
  expect(wordsOf(shown(ESTIMATE.outcomes))).toBe('');
});

test('a figure that leaves nearly everything open is read as its range', () => {
  const one = { value: 0, low: 0, high: 0.975, n: 1 };

  expect(wordsOf(<ShareEstimate estimate={one} of="reading" isAlone />)).toBe('0.0–97.5 % (0.0 % in 1 reading)');
  expect(wordsOf(<ShareEstimate estimate={{ ...one, high: 0.5, n: 6 }} isAlone />)).toBe('0.0 % (0.0–50.0)');
  expect(wordsOf(<ShareEstimate estimate={one} />)).toBe('0.0 % (0.0–97.5)');
});

test('how many went well has the figures of the API, and those that it does not speak for', () => {
  const estimate = {
    ...ESTIMATE,
    success: { value: 0.62, low: 0.481, high: 0.7494, n: 40 },
    miss_rate: { value: 0.333, low: 0.1, high: 0.6, n: 40 },
    readings: { ...ESTIMATE.readings, sample: 40 },
    conversations: { ...ESTIMATE.conversations, later: 3, unreadable: 1 },
  };
  const words = wordsOf(<Estimated estimate={estimate} read="/read?agent=greeter" />);

  expect(words).toMatch(/^Went well 62\.0 % \(48\.1–74\.9\).*33\.3 % \(10\.0–60\.0\) Readings 40 .*1,204/);
  expect(words).toContain('3 conversations began later and come first to be read: not spoken for');
  expect(words).toMatch(/1 conversation without recorded words: not spoken for Read 20 more\. Read conversations$/);
});

test('where nothing was read there is no figure, but the way to one', () => {
  const estimated = <Estimated estimate={ESTIMATE} read="/read?agent=greeter" />;

  expect(wordsOf(estimated)).toBe('It says. Read 20 more. Read conversations');
  expect(markupOf(estimated)).toContain('href="/read?agent=greeter"');
});
