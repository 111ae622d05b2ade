/** `GET /api/v1/fleet` on a running service, against what was sent; and its choices of suite, window and alarms. */
import { expect, test } from 'vitest';
import { fleet } from '../../../../src/api/fleet.ts';
import type { SuiteOutline } from '../../../../src/engine/suite-outline.ts';
import type { DetectionReport, LevelReading } from '../../../../src/model/detection.ts';
import { getFleet } from '../../../../src/serve/api/v1/fleet.ts';
import { effectsOfAgents } from '../../../../src/serve/api/v1/fleet-lines.ts';
import type { LatestEvaluation } from '../../../../src/serve/api/v1/latest-evaluations.ts';
import type { V1Side } from '../../../../src/serve/api/v1/v1-side.ts';
import type { FleetHistory, FleetHistoryQuery } from '../../../../src/store/fleet-history.ts';
import { metricsOf, sumOf } from '../../running-service.ts';
import { filledService, get, post } from './filled-service.ts';

const HOUR = 3_600_000;

test('each agent has a line, most harm first, with what it failed and how many that is an hour', {
  timeout: 60_000,
}, async () => {
  const running = await filledService();
  const other = { question: 'And?', answer: 'No.', attributes: { 'gen_ai.agent.name': 'other <b>' } };
  for (const number of [5, 6, 7]) await post(running, { ...other, id: `other-${number}`, results: ['1', '2'] }, number);
  await expect
    .poll(async () => sumOf(await metricsOf(running), 'assay_evaluations_total'), { timeout: 20_000 })
    .toBe(7);
  const fleetOf = async (query: string) => {
    const { status, body } = await get(running, `/api/v1/fleet${query}`);
    expect([query, status]).toEqual([query, 200]);
    return fleet.parse(body);
  };

  const all = await fleetOf('');
  // Three of three with a partial failure against two of four.
  expect(all.agents.map(({ agent, change }) => [agent, change.later])).toEqual([
    ['other <b>', { failed: 3, of: 3 }],
    ['helper', { failed: 2, of: 4 }],
  ]);
  const hours = (Date.parse(all.until) - Date.parse(all.since)) / HOUR;
  expect(hours).toBeGreaterThanOrEqual(24);
  const [worst, helper] = all.agents;
  expect(worst).toMatchObject({ suite: 'calls', scope: 'conversation', alarms: 0, newest: { agent_version: 'v1' } });
  expect(worst?.sentence).toBe('New: 3 of 3 with a fault, nothing in the 24 h before');
  expect(worst?.harm_per_hour).toBeCloseTo(6 / hours, 9);
  // Wilson's interval of 3 of 3 is from 0.44 to 1.
  expect(worst).not.toHaveProperty('failures_per_hour');
  expect(helper?.score?.value).toBeCloseTo(0.75, 10);
  expect(helper?.newest).toMatchObject({
    agent_version: 'v2',
    change: { word: 'not_enough_evidence', later: { failed: 1, of: 1 }, earlier: { failed: 1, of: 3 } },
  });
  expect(await fleetOf('?since=1h')).toMatchObject({ agents: [{ agent: 'other <b>' }, { agent: 'helper' }] });
  expect(await fleetOf('?limit=1')).toMatchObject({ agents: [{ agent: 'other <b>' }], agents_left_out: 1 });
  expect((await fleetOf('?environment=nowhere')).agents).toEqual([]);
  expect((await fleetOf('?environment=simulation&suite=calls')).agents).toHaveLength(2);

  expect((await get(running, '/api/v1/fleet?suite=other')).status).toBe(404);
  for (const query of ['?since=9d', '?since=1h&until=2h', '?limit=0', '?limit=1001', '?agent=helper'])
    expect([query, (await get(running, `/api/v1/fleet${query}`)).status]).toEqual([query, 400]);
});

const NOW = Date.now();
const ROW: FleetHistory = {
  ...{ suite: 'form', agent: 'a', agentVersion: 'v1', isLater: true, outcome: 'no_fault_found' },
  ...{ evaluations: 100, scored: 100, scores: 100e6, squares: 100e6, shared: 0, shares: 0 },
};
const LEVEL = {
  ...{ suite: 'form', agent: 'a', environment: 'prod', metric: 'tcr', state: 'regressed', onset: NOW - 5 * HOUR },
} as LevelReading;

interface Played {
  readonly rows: readonly FleetHistory[];
  readonly levels?: readonly LevelReading[];
  readonly versions?: readonly (readonly [version: string, at: number])[];
  /** Agents that the store knows. */
  readonly agents?: number;
}

async function played({ rows, levels, versions = [], agents: known = 0 }: Played, query = '') {
  const asked: FleetHistoryQuery[] = [];
  const outline = (name: string, about: string) =>
    ({ name, about, version: '1', scope: 'conversation', criteria: [] }) as unknown as SuiteOutline;
  const pages = {
    fleetHistory: (one: FleetHistoryQuery) => {
      asked.push(one);
      return rows;
    },
    search: () => ({ rows: [], next: undefined, lookedAt: 0 }),
    lastScanned: () => [],
    countAgents: () => known,
    firstTimes: (metric: string) =>
      metric === 'agent_version_first_began'
        ? versions.map(([version, at]) => ({
            labels: JSON.stringify({ agent: 'a', agent_version: version, environment: 'prod' }),
            at,
          }))
        : [],
  };
  const report = levels === undefined ? undefined : ({ levels } as unknown as DetectionReport);
  const side = {
    reader: { pages },
    suites: () => [outline('form', 'form'), outline('shadow:next', 'task'), outline('task', 'task')],
    detectionState: () => ({ isActive: true, report }),
  } as unknown as V1Side;
  const { status, body } = await getFleet.handle(side, { query: new URLSearchParams(query), parameters: new Map() });
  expect(status).toBe(200);
  return { asked, ...fleet.parse(JSON.parse(String(body))) };
}

test('an outage of one agent widens no interval of another', () => {
  const evaluation = (agent: string, at: number, isGood: boolean): LatestEvaluation => ({
    ...{ conversation: at, at, agent, agentVersion: 'v1', environment: 'prod', segment: '', user: undefined, kind: '' },
    ...{ score: Number(isGood), outcome: isGood ? 'no_fault_found' : 'hard_failure', because: undefined },
    ...{ verdicts: new Map(), subAgents: undefined, used: { steps: 1, tokens: undefined, costNanos: undefined } },
  });
  // One of ten fails here and there; of the others, the last twenty.
  const steady = Array.from({ length: 100 }, (_, at) => evaluation('steady', 60_000 * at, at % 10 > 0));
  const broken = Array.from({ length: 120 }, (_, at) => evaluation('broken', 60_000 * at, at < 100));
  const suite = { name: 'form', about: 'form', scope: 'turn' } as SuiteOutline;
  const agents = ['steady', 'broken'].map((agent) => ({ agent, suite, rows: [{ ...ROW, agent }] }));
  const [one, other] = agents;
  if (one === undefined || other === undefined) return expect.unreachable();

  const alone = effectsOfAgents([one], steady).get(one);
  const beside = effectsOfAgents(agents, [...steady, ...broken]);

  expect(beside.get(one)).toEqual(alone);
  expect(beside.get(other)?.success).toBeGreaterThan(2 * (alone?.success ?? Number.NaN));
});

test('agents that are counted together stand last, and each of them counts as left out', async () => {
  const failing = { ...ROW, agent: 'other', agentVersion: 'other', outcome: 'hard_failure' } as const;
  const rows = [failing, ROW, { ...ROW, agent: 'b' }];

  const all = await played({ rows, agents: 521 });
  const first = await played({ rows, agents: 521 }, 'limit=1');

  expect(all.agents.map(({ agent }) => agent)).toEqual(['a', 'b', 'other']);
  expect(all.agents[2]?.sentence).toMatch(/^Several agents, counted together\. /);
  expect([all.agents_left_out, first.agents_left_out]).toEqual([519, 520]);
  expect((await played({ rows: [ROW], agents: 521 })).agents_left_out).toBe(0);
});

test('the suite about the task gives the figures where it has any, and no suite in shadow does', async () => {
  const both = [ROW, { ...ROW, suite: 'task', outcome: 'hard_failure', evaluations: 2 } as const];
  const { agents, asked } = await played({ rows: [...both, { ...ROW, agent: 'b' }] });

  expect(asked[0]?.suites).toEqual(['task', 'form']);
  expect(agents.map(({ agent, suite, change }) => [agent, suite, change.later.of])).toEqual([
    ['a', 'task', 2],
    ['b', 'form', 100],
  ]);
});

test('a version that began in either window is compared with earlier ones, and one from before both is not', async () => {
  const rows = [
    { ...ROW, suite: 'task', outcome: 'successful_completion', isLater: false } as const,
    { ...ROW, suite: 'task', outcome: 'partial_failure', agentVersion: 'v2', evaluations: 40 } as const,
  ];
  const recent = await played({
    rows,
    versions: [
      ['v1', NOW - 900 * HOUR],
      ['v2', NOW - 3.5 * HOUR],
    ],
  });
  const old = await played({ rows, versions: [['v2', NOW - 900 * HOUR]] });

  expect(recent.agents[0]?.sentence).toBe('Worse since v2, 3 h ago: 40 of 40 failed, 0 of 100 before');
  const past = `until=${new Date(NOW - 10 * HOUR).toISOString()}`;
  const versions = [
    ['v1', NOW - 900 * HOUR],
    ['v2', NOW - 3.5 * HOUR],
  ] as const;
  expect((await played({ rows, versions }, past)).agents[0]?.newest?.agent_version).toBe('v1');
  expect(old.agents[0]?.newest).not.toHaveProperty('change');
  expect(old.agents[0]?.sentence).toBe('Worse than in the 24 h before: 40 of 40 failed, 0 of 100 then');
});

test('alarms are those of the agent that are open, and of the environment', async () => {
  const levels = [
    LEVEL,
    { ...LEVEL, metric: 'criterion', onset: NOW - 9 * HOUR } as const,
    { ...LEVEL, state: 'suspected' } as const,
    { ...LEVEL, agent: 'b' },
    { ...LEVEL, environment: 'test' },
  ];
  const { agents } = await played({ rows: [ROW], levels }, 'environment=prod');

  expect(agents[0]).toMatchObject({ alarms: 2, regressed_since: new Date(NOW - 9 * HOUR).toISOString() });
  expect(agents[0]?.sentence).toContain('; 2 alarms for 9 h');
  expect((await played({ rows: [ROW] })).alarms_known).toBe(false);
});

test('the window before is as long and ends where the window begins, in stretches of the history', async () => {
  for (const [query, width] of [
    ['', HOUR],
    ['since=1h', 300_000],
    ['since=7d', HOUR],
    ['since=2026-01-01T00:00:00Z&until=2026-01-01T02:00:00Z', HOUR],
  ] as const) {
    const [one] = (await played({ rows: [] }, query)).asked;
    expect([query, one?.width]).toEqual([query, width]);
    expect((one?.middle ?? 0) - (one?.since ?? 0)).toBe((one?.until ?? 0) - (one?.middle ?? 0));
    expect((one?.middle ?? 0) % width).toBe(0);
  }
});

test('failures an hour have the interval of their share, at the traffic that there was', async () => {
  const { agents, since, until } = await played({ rows: [ROW, { ...ROW, outcome: 'graceful_failure' }] });

  const hours = (Date.parse(until) - Date.parse(since)) / HOUR;
  const { value, low, high, n } = agents[0]?.failures_per_hour ?? { value: 0, low: 0, high: 0, n: 0 };
  // Wilson's interval of 100 of 200.
  expect([value, low, high].map((one) => ((one * hours) / 200).toFixed(4))).toEqual(['0.5000', '0.4314', '0.5686']);
  expect([n, agents[0]?.per_hour]).toEqual([200, 200 / hours]);
});

test('more withdrawn than counted is nothing, and no negative figure', async () => {
  const { agents } = await played({ rows: [ROW, { ...ROW, outcome: 'hard_failure', evaluations: -3 }] });

  expect(agents[0]).toMatchObject({ harm_per_hour: 0, change: { later: { failed: 0, of: 97 } } });
});
