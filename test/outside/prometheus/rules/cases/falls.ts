/** One fall is one alert for as long as it lasts, ends when it is over, and then is not found again. */
import { AGENT, type RuleCase } from '../rule-case.ts';
import { gauge, runs, traffic } from '../traffic.ts';

const CALM = 168;
const BAD = 96;
const GOOD = 48;
const EVALUATED = '1h';
/** How often alerts began to fire until then. */
const onsets = (alert: string, hours: number) =>
  `sum(sum_over_time((ALERTS{alertname="${alert}", alertstate="firing"} unless ALERTS{alertstate="firing"} offset ${EVALUATED})[${hours}h:${EVALUATED}]))`;
const FALLEN = { AgentTcrRegression: [AGENT], AgentTcrSlipping: [AGENT], AgentSuccessRateDrop: [AGENT] };
const BELOW = { AgentTcrNotProductionReady: [AGENT] };
const first = 'AgentDetectorRegression';
const AFTER_DETECTOR = { ...AGENT, first };

/** The detector's state in steps of a quarter of an hour: regressed from an hour to another. */
function detected(from: number, to: number, until: number) {
  return gauge(
    'assay_detector_state',
    { ...AGENT, metric: 'tcr', state: 'regressed' },
    runs([0, from * 4], [1, (to - from) * 4], [0, (until - to) * 4 + 1]),
  );
}

export const FALL_CASES: readonly RuleCase[] = [
  {
    name: 'four days of a fall by chance are one page and one ticket, against the level of before, and end with it',
    series: traffic(
      [
        { hours: CALM, perHour: 60, score: 0.9 },
        { hours: BAD, perHour: 60, score: 0.78 },
        { hours: GOOD, perHour: 60, score: 0.9 },
      ],
      { seed: 7 },
    ),
    evaluateMinutes: 60,
    checks: [
      { at: CALM, firing: {} },
      {
        at: CALM + BAD,
        firing: { ...FALLEN, ...BELOW },
        values: {
          [onsets('AgentTcrRegression', BAD)]: { '{}': 1 },
          [onsets('AgentTcrSlipping', BAD)]: { '{}': 1 },
          [onsets('AgentSuccessRateDrop', BAD)]: { '{}': 1 },
          // Otherwise a day of the fall would be in it.
          'sum(agent_segment:assay_baseline_credit:increase{measure="tcr"}) / sum(agent_segment:assay_baseline_scored:increase{measure="tcr"}) > bool 0.89':
            { '{}': 1 },
        },
      },
      {
        at: CALM + BAD + GOOD,
        firing: {},
        values: {
          [onsets('AgentTcrRegression', BAD + GOOD)]: { '{}': 1 },
          'max(agent:assay_fall_opened:timestamp)': { '{}': 0 },
        },
      },
    ],
  },
  {
    name: 'a fall of 3 % at a high rate is no page, however often it is looked at',
    series: traffic([
      { hours: CALM, perHour: 20_000, score: 0.9 },
      { hours: 24, perHour: 20_000, score: 0.87 },
    ]),
    checks: [{ at: CALM + 24, firing: { AgentTcrSlipping: [AGENT] } }],
  },
  {
    name: 'the detector is first: its page lasts until the rules see the fall no more, and theirs have its name',
    series: [
      ...traffic([
        { hours: CALM, perHour: 240, score: 0.9 },
        { hours: 12, perHour: 240, score: 0.8 },
        { hours: 12, perHour: 240, score: 0.9 },
      ]),
      detected(CALM + 0.5, CALM + 6, CALM + 24),
    ],
    checks: [
      { at: CALM + 0.5, firing: { AgentDetectorRegression: [{ ...AGENT, metric: 'tcr' }] } },
      ...[3, 9].map((hours) => ({
        at: CALM + hours,
        firing: {
          AgentDetectorRegression: [{ ...AGENT, metric: 'tcr' }],
          AgentTcrRegression: [AFTER_DETECTOR],
          AgentSuccessRateDrop: [AFTER_DETECTOR],
          AgentTcrSlipping: [AGENT],
        },
      })),
      { at: CALM + 24, firing: {} },
    ],
  },
];
