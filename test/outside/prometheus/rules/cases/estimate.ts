/** Readings of people: fewer conversations went well, or the suites miss more. Day by day, because windows are weeks. */
import type { RuleCase } from '../rule-case.ts';
import { gauge, runs, type Series } from '../traffic.ts';

const HOURLY = { stepMinutes: 60, evaluateMinutes: 60 } as const;
/** For cases of many weeks. */
const SELDOM = { stepMinutes: 60, evaluateMinutes: 240 } as const;
const SHOP = { agent: 'shop' };
const FELL = { AgentSuccessEstimateFell: [SHOP] };
const DRIFTS = { AssayEvaluatorDrifts: [SHOP] };

const HOSTILE = 'shop"} or vector(1) & <b>';
const IN_URL = 'shop%22%7D+or+vector%281%29+%26+%3Cb%3E';

/** Both ends of an interval; none while nothing is read. */
type Interval = readonly [lower: number, upper: number] | undefined;
type Metric = 'assay_success_estimate' | 'assay_miss_rate_estimate';

function intervals(
  metric: Metric,
  phases: readonly (readonly [days: number, Interval])[],
  labels: Readonly<Record<string, string>> = {},
): readonly Series[] {
  return (['lower', 'upper'] as const).map((bound) =>
    gauge(metric, { ...SHOP, bound, ...labels }, [
      ...runs(
        ...phases.map(([days, interval]) => [interval?.[bound === 'lower' ? 0 : 1], Math.round(days * 24)] as const),
      ),
    ]),
  );
}

const success = (...phases: readonly (readonly [days: number, Interval])[]) =>
  intervals('assay_success_estimate', phases);
const missed = (...phases: readonly (readonly [days: number, Interval])[]) =>
  intervals('assay_miss_rate_estimate', phases);

/** By agent, the reason that nothing may fire. */
const CALM: Readonly<Record<string, readonly [Metric, ...(readonly (readonly [days: number, Interval])[])]>> = {
  'a fall inside of the intervals, however long': ['assay_success_estimate', [10, [0.75, 0.92]], [22, [0.6, 0.82]]],
  'a miss rate that rises inside of them': ['assay_miss_rate_estimate', [10, [0.2, 0.45]], [22, [0.35, 0.8]]],
  'more go well': ['assay_success_estimate', [10, [0.4, 0.6]], [22, [0.8, 0.9]]],
  'less is missed': ['assay_miss_rate_estimate', [10, [0.5, 0.8]], [22, [0.1, 0.3]]],
  'just begun, and bad': ['assay_success_estimate', [26, undefined], [6, [0.05, 0.2]]],
  'just begun, and missed': ['assay_miss_rate_estimate', [26, undefined], [6, [0.9, 0.99]]],
  'nobody reads any more': ['assay_success_estimate', [10, [0.8, 0.95]], [22, undefined]],
  'hardly any are read, so it gets wide': ['assay_success_estimate', [10, [0.8, 0.9]], [22, [0.1, 0.95]]],
  'bad as ever': ['assay_success_estimate', [32, [0.3, 0.4]]],
};

const BACK = { AgentFailureIsBack: [{ agent: 'shop', kind: 'refund' }] };

const returned = (kind: string, ...phases: readonly (readonly [days: number, number | undefined])[]) =>
  gauge('assay_failure_kind_returned', { ...SHOP, kind }, [
    ...runs(...phases.map(([days, conversations]) => [conversations, Math.round(days * 24)] as const)),
  ]);

const day = (days: number, hours = 0) => days * 24 + hours;

export const ESTIMATE_CASES: readonly RuleCase[] = [
  {
    name: 'the whole interval of readings below that of a week before: one alert for four weeks, until the level is usual',
    ...SELDOM,
    series: success([30, [0.8, 0.95]], [34, [0.5, 0.7]]),
    checks: [
      { at: day(29), firing: {} },
      { at: day(30), firing: {} },
      { at: day(30, 4), firing: FELL },
      { at: day(36), firing: FELL },
      { at: day(44), firing: FELL },
      {
        at: day(57),
        firing: FELL,
      },
      { at: day(60), firing: {} },
    ],
  },
  {
    name: 'readings fire nothing for agents of which too little is known, or that are as they were, beside one that fell',
    ...SELDOM,
    series: [
      ...success([20, [0.8, 0.95]], [12, [0.5, 0.7]]),
      ...Object.entries(CALM).flatMap(([agent, [metric, ...phases]]) => intervals(metric, phases, { agent })),
    ],
    checks: [
      ...[10.5, 16].map((days) => ({ at: day(days), firing: {} })),
      ...[20.5, 24, 27, 31].map((days) => ({ at: day(days), firing: FELL })),
    ],
  },
  {
    name: 'a slow fall that no two weeks in a row show is found against three weeks before',
    ...SELDOM,
    series: success([7, [0.8, 0.9]], [7, [0.76, 0.86]], [7, [0.72, 0.82]], [7, [0.68, 0.78]]),
    checks: [
      { at: day(20), firing: {} },
      { at: day(21, 4), firing: FELL },
    ],
  },
  {
    name: 'readings that stop fire nothing, and end what fired after a day',
    ...HOURLY,
    series: success([10, [0.8, 0.95]], [2, [0.5, 0.7]], [8, undefined]),
    checks: [
      { at: day(11), firing: FELL },
      { at: day(12, 12), firing: FELL },
      { at: day(13, 6), firing: {} },
      { at: day(19), firing: {} },
    ],
  },
  {
    name: 'no instance for an hour and then another one, now or a week ago, is one alert that goes on',
    ...HOURLY,
    series: [
      ...success([10, [0.8, 0.95]], [2, [0.5, 0.7]], [6, undefined]),
      ...intervals(
        'assay_success_estimate',
        [
          [12 + 1 / 24, undefined],
          [6, [0.5, 0.7]],
        ],
        { instance: 'assay-2' },
      ),
    ],
    checks: [
      { at: day(11), firing: FELL },
      ...[1, 2, 3, 24].map((hours) => ({ at: day(12, hours), firing: FELL })),
      { at: day(17), firing: FELL },
    ],
  },
  {
    name: 'an instance that takes over with other ends is compared only when the old ones are two hours old',
    ...HOURLY,
    series: [
      ...success([10, [0.8, 0.95]]),
      ...intervals(
        'assay_success_estimate',
        [
          [10, undefined],
          [4, [0.5, 0.7]],
        ],
        { instance: 'assay-2' },
      ),
    ],
    checks: [
      { at: day(10, 1), firing: {} },
      { at: day(10, 4), firing: FELL },
    ],
  },
  {
    name: 'a mended kind of failure that comes back fires until somebody says something of it, and one that stays away never does',
    ...HOURLY,
    series: [returned('refund', [4, 0], [4, 2], [8, undefined]), returned('city', [16, 0])],
    checks: [
      { at: day(3), firing: {} },
      { at: day(4, 3), firing: BACK },
      { at: day(7), firing: BACK },
      { at: day(10), firing: {} },
      { at: day(15), firing: {} },
    ],
  },
  {
    name: 'suites that miss more than a week before drift, and do so no longer when they find it again',
    ...HOURLY,
    series: missed([10, [0.1, 0.4]], [3, [0.5, 0.9]], [4, [0.15, 0.5]]),
    checks: [
      { at: day(10), firing: {} },
      { at: day(10, 2), firing: DRIFTS },
      { at: day(12), firing: DRIFTS },
      { at: day(15), firing: {} },
    ],
  },
  {
    name: 'alerts about readings say how many, and how many before, of an agent with any name',
    ...HOURLY,
    series: [
      ...intervals(
        'assay_success_estimate',
        [
          [10, [0.8, 0.95]],
          [2, [0.5, 0.7]],
        ],
        { agent: HOSTILE },
      ),
      ...intervals(
        'assay_miss_rate_estimate',
        [
          [10, [0.1, 0.4]],
          [2, [0.5, 0.9]],
        ],
        { agent: HOSTILE },
      ),
      gauge('assay_failure_kind_returned', { agent: HOSTILE, kind: HOSTILE }, [...runs([0, 24], [3, 24 * 11])]),
    ],
    checks: [
      {
        at: day(11),
        firing: {
          AgentSuccessEstimateFell: [{ agent: HOSTILE }],
          AssayEvaluatorDrifts: [{ agent: HOSTILE }],
          AgentFailureIsBack: [{ agent: HOSTILE, kind: HOSTILE }],
        },
        annotations: {
          AgentFailureIsBack: {
            summary: `3 conversations of ${HOSTILE} went badly as ${HOSTILE} again, after that was called mended`,
            description:
              'Somebody read conversations of this kind of failure that began after it was called mended. Next: read them on the page *Failures*, find out what the repair missed, and set the kind to open, or to mended once more.',
            runbook_url: 'http://localhost:4319/runbooks/AgentFailureIsBack.md',
            dashboard_url: `http://localhost:3000/d/assay-quality?var-agent=${IN_URL}`,
            conversations_url: `http://localhost:4319/conversations?agent=${IN_URL}&came_out=bad&since=7d`,
          },
          AgentSuccessEstimateFell: {
            summary: `At most 70% of the conversations of ${HOSTILE} in the last 7d went well for their users, fewer than before`,
            description:
              'From readings, whatever the suites say. At least so many went well before: 80% (7d ago), – (14d ago), – (21d ago), – (28d ago). Next: look for a new version, model, tool or kind of request since then; read the conversations that came out bad.',
            runbook_url: 'http://localhost:4319/runbooks/AgentSuccessEstimateFell.md',
            dashboard_url: `http://localhost:3000/d/assay-quality?var-agent=${IN_URL}`,
            conversations_url: `http://localhost:4319/conversations?agent=${IN_URL}&came_out=bad&since=7d`,
          },
          AssayEvaluatorDrifts: {
            summary: `The suites call at least 50% of the conversations of ${HOSTILE} that went badly fine, more than before`,
            description:
              'From readings of the last 7d. At most so many before: 40% (7d ago), – (14d ago), – (21d ago), – (28d ago). Scores and their alerts do not see these. Next: read conversations that came out bad and are called fine (the link lists them), and add a criterion for what they have in common.',
            runbook_url: 'http://localhost:4319/runbooks/AssayEvaluatorDrifts.md',
            dashboard_url: `http://localhost:3000/d/assay-quality?var-agent=${IN_URL}`,
            conversations_url: `http://localhost:4319/conversations?agent=${IN_URL}&came_out=missed&since=7d`,
          },
        },
      },
    ],
  },
];
