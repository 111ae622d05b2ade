/**
 * The agent gets worse, or only seems to. Changes come after 108 hours: the baseline is then the first day and a half.
 */
import { AGENT, type RuleCase } from '../rule-case.ts';
import { type Phase, traffic, weights } from '../traffic.ts';

const CHANGE = 108;
const AFTER = 26;
const SAMPLES = (CHANGE + AFTER) * 4 + 1;
const NAIVE = (window: string) => `(
  sum(increase(assay_evaluation_score_sum[1h])) / sum(increase(assay_evaluation_score_count[1h]))
) < bool 0.95 * (
  sum(increase(assay_evaluation_score_sum[${window}] offset 1d)) / sum(increase(assay_evaluation_score_count[${window}] offset 1d))
)`;

function change(before: Omit<Phase, 'hours'>, after: Partial<Phase>): readonly Phase[] {
  return [
    { ...before, hours: CHANGE },
    { ...before, ...after, hours: AFTER },
  ];
}

const HEALTHY = { perHour: 240, score: 0.9, hardFailures: 0.01, cost: 0.05, steps: 8 };
const WEIGHTS = { right_person: 0.5, right_time: 0.3, polite: 0.2 };
const RATES = { right_person: 0.95, right_time: 0.9, polite: 0.85 };
/** 0.5 × 0.95 + 0.3 × 0.9 + 0.2 × 0.85. */
const SCORED = { perHour: 240, score: 0.915, success: 0.9, dispersion: 0.5, criteria: RATES };

const BY_AGENT = 'suite, agent, environment, window';
const sumsUp = (parts: string) =>
  `max(abs(agent:assay_tcr_change:points - on (${BY_AGENT}) sum by (${BY_AGENT}) (${parts}))) < bool 1e-12`;
/** The parts add up to the change, whichever split is used: the remainder is less than rounding. */
const SUMS_UP = {
  [sumsUp('agent:assay_tcr_change_part:points')]: { '{}': 1 },
  [sumsUp('agent_version:assay_tcr_change_part:points')]: { '{}': 1 },
  [sumsUp('agent_segment:assay_tcr_change_part:points')]: { '{}': 1 },
  // The mix is the remainder, so it proves little by itself; but versions and segments have the same remainder.
  [`max(abs(agent_version:assay_tcr_change_part:points{part="mix"} - on (${BY_AGENT}) agent_segment:assay_tcr_change_part:points{part="mix"})) < bool 1e-9`]:
    { '{}': 1 },
};

export const TCR_CASES: readonly RuleCase[] = [
  {
    name: 'nothing fires while nothing changes',
    series: [...traffic(change({ ...HEALTHY, criteria: RATES }, {})), ...weights(WEIGHTS, SAMPLES)],
    checks: [
      { at: 2, firing: {} },
      { at: 30, firing: {} },
      {
        at: CHANGE + 20,
        firing: {},
        values: {
          'round(agent:assay_tcr:ratio{window="1d"}, 0.001)': {
            '{suite="default",agent="shop",environment="production",window="1d"}': 0.9,
          },
          'count(agent:assay_drop_evidence:nats{measure="tcr"} < 0.001)': { '{}': 6 },
        },
      },
    ],
  },
  {
    name: '0.90 to 0.80 is known in two hours, and not in half of one',
    series: traffic(change({ perHour: 240, score: 0.9 }, { score: 0.8 })),
    checks: [
      { at: CHANGE + 0.5, firing: {} },
      {
        at: CHANGE + 2,
        firing: { AgentTcrRegression: [AGENT], AgentTcrSlipping: [AGENT], AgentSuccessRateDrop: [AGENT] },
      },
    ],
  },
  {
    name: '0.90 to 0.87 is for the morning',
    series: traffic(change({ perHour: 240, score: 0.9 }, { score: 0.87 })),
    checks: [{ at: CHANGE + 24, firing: { AgentTcrSlipping: [AGENT] } }],
  },
  {
    name: 'a trifle fires nothing, however sure it is',
    series: traffic(change({ perHour: 24_000, score: 0.9 }, { score: 0.885 })),
    checks: [
      {
        at: CHANGE + 12,
        firing: {},
        values: { 'max(agent:assay_drop_evidence:nats{measure="tcr"}) > bool 11': { '{}': 1 } },
      },
    ],
  },
  {
    name: 'when it is good again the alert goes, though the long windows still hold the bad hours',
    series: traffic([
      { hours: CHANGE, perHour: 240, score: 0.9 },
      { hours: 4, perHour: 240, score: 0.7 },
      { hours: 22, perHour: 240, score: 0.9 },
    ]),
    checks: [
      {
        at: CHANGE + 3,
        firing: { AgentTcrRegression: [AGENT], AgentTcrSlipping: [AGENT], AgentSuccessRateDrop: [AGENT] },
      },
      {
        at: CHANGE + 8,
        firing: {},
        values: { 'max(agent:assay_drop_evidence:nats{measure="tcr", window="6h"}) > bool 11': { '{}': 1 } },
      },
    ],
  },
  {
    name: 'more of the hard kind of traffic: the naive rule fires, these do not',
    series: [
      ...traffic(change({ perHour: 180, score: 0.95 }, { perHour: 108 }), { segment: 'easy' }),
      ...traffic(change({ perHour: 60, score: 0.75 }, { perHour: 132 }), { segment: 'hard' }),
    ],
    checks: [
      {
        at: CHANGE + 12,
        firing: {},
        values: {
          [NAIVE('1d')]: { '{}': 1 },
          'round(max(abs(agent:assay_drop:ratio{measure="tcr", window="6h"})), 0.001)': { '{}': 0 },
        },
      },
    ],
  },
  {
    name: 'Simpson: less of the hard kind hides that both kinds got worse; the naive rule is silent, these fire',
    series: [
      ...traffic(change({ perHour: 144, score: 0.95 }, { perHour: 216, score: 0.893 }), { segment: 'easy' }),
      ...traffic(change({ perHour: 96, score: 0.75 }, { perHour: 24, score: 0.705 }), { segment: 'hard' }),
    ],
    checks: [
      {
        at: CHANGE + 8,
        firing: { AgentTcrSlipping: [AGENT] },
        values: { [NAIVE('1d')]: { '{}': 0 } },
      },
      // By 6 % of the baseline: surely above the floor of a page once a whole day shows it.
      {
        at: CHANGE + 24,
        firing: { AgentTcrRegression: [AGENT], AgentTcrSlipping: [AGENT], AgentSuccessRateDrop: [AGENT] },
      },
    ],
  },
  {
    name: 'six conversations an hour, three failures in a row: nothing',
    series: traffic([
      { hours: CHANGE, perHour: 6, score: 0.9 },
      { hours: 0.5, perHour: 6, score: 0 },
      { hours: AFTER - 0.5, perHour: 6, score: 0.9 },
    ]),
    checks: [
      { at: CHANGE + 0.5, firing: {} },
      { at: CHANGE + 1, firing: {} },
      { at: CHANGE + 6, firing: {} },
    ],
  },
  {
    name: 'counters that begin anew change nothing',
    series: traffic([
      { ...HEALTHY, hours: CHANGE },
      { ...HEALTHY, hours: AFTER, reset: true },
    ]),
    checks: [
      { at: CHANGE + 0.5, firing: {} },
      { at: CHANGE + 6, firing: {} },
    ],
  },
  {
    name: 'a new instance that brings the counters of the old one changes nothing',
    series: [
      ...traffic([
        { ...HEALTHY, hours: CHANGE },
        { ...HEALTHY, hours: AFTER, unseen: true },
      ]),
      ...traffic(
        [
          { ...HEALTHY, hours: CHANGE, unseen: true },
          { ...HEALTHY, hours: AFTER },
        ],
        { instance: 'assay-2' },
      ),
    ],
    checks: [
      { at: CHANGE + 1, firing: {} },
      {
        at: CHANGE + 6,
        firing: {},
        values: { 'round(max(agent:assay_tcr:ratio{window="6h"}), 0.001)': { '{}': 0.9 } },
      },
    ],
  },
  {
    name: 'a deployment that is as good as the last changes nothing',
    series: [
      ...traffic(change(HEALTHY, { perHour: 0 })),
      ...traffic(
        [
          { ...HEALTHY, hours: CHANGE, perHour: 0, unseen: true },
          { ...HEALTHY, hours: AFTER },
        ],
        { version: 'v2' },
      ),
    ],
    checks: [
      { at: CHANGE + 1, firing: {} },
      { at: CHANGE + 24, firing: {} },
    ],
  },
  {
    name: 'a new agent is held against its own first day once it is two days old',
    series: traffic([
      { hours: 30, perHour: 240, score: 0.9 },
      { hours: 10, perHour: 240, score: 0.8 },
    ]),
    checks: [
      { at: 12, firing: {} },
      { at: 29, firing: {} },
      {
        at: 36,
        firing: { AgentTcrRegression: [AGENT], AgentTcrSlipping: [AGENT], AgentSuccessRateDrop: [AGENT] },
      },
    ],
  },
  {
    name: 'a weighted score scatters less, so the same fall is known sooner',
    series: traffic(change({ perHour: 240, score: 0.9, success: 0.9, dispersion: 0.5 }, { score: 0.85, success: 0.9 })),
    checks: [
      {
        at: CHANGE + 5,
        firing: { AgentTcrSlipping: [AGENT] },
        values: {
          'round(agent:assay_score_dispersion:ratio, 0.01)': {
            '{suite="default",agent="shop",environment="production",measure="tcr"}': 0.5,
          },
        },
      },
    ],
  },
  {
    name: 'all or nothing, the same fall takes longer',
    series: traffic(change({ perHour: 240, score: 0.9 }, { score: 0.85 })),
    checks: [
      { at: CHANGE + 5, firing: {} },
      {
        at: CHANGE + 24,
        firing: { AgentTcrRegression: [AGENT], AgentTcrSlipping: [AGENT], AgentSuccessRateDrop: [AGENT] },
      },
    ],
  },
  {
    name: 'a TCR that has always been 0.60 is below both levels',
    series: traffic([{ hours: 30, perHour: 240, score: 0.6 }]),
    checks: [
      {
        at: 29,
        firing: { AgentTcrNotReady: [AGENT], AgentTcrNotProductionReady: [AGENT] },
        values: { 'round(max(agent:assay_tcr:upper{window="1d"}), 0.001)': { '{}': 0.617 } },
      },
    ],
  },
  {
    name: 'a suite that looks at form alone has no level',
    series: traffic([{ hours: 30, perHour: 240, score: 0.6, formOnly: true }]),
    checks: [{ at: 29, firing: {} }],
  },
  {
    name: 'nothing but failures is below both levels',
    series: traffic([{ hours: 30, perHour: 240, score: 0 }]),
    checks: [{ at: 29, firing: { AgentTcrNotReady: [AGENT], AgentTcrNotProductionReady: [AGENT] } }],
  },
  {
    name: 'a suite about form has no level, even where nothing passes',
    series: traffic([{ hours: 30, perHour: 240, score: 0, formOnly: true }]),
    checks: [{ at: 29, firing: {} }],
  },
  {
    name: '0.845 over 120 conversations is no reason to be below the level',
    series: traffic([{ hours: 30, perHour: 5, score: 0.845 }]),
    checks: [{ at: 29, firing: {} }],
  },
  {
    name: 'hard failures from 1 % to 10 %',
    series: traffic(change(HEALTHY, { score: 0.88, hardFailures: 0.1, cost: 0.05, steps: 8 })),
    checks: [
      { at: CHANGE - 1, firing: {} },
      { at: CHANGE + 1, firing: { AgentHardFailureSpike: [AGENT] } },
    ],
  },
  {
    name: 'the first hard failures ever, one and then one more, are no spike',
    series: traffic([
      { hours: CHANGE, perHour: 40, score: 0.9 },
      { hours: 0.25, perHour: 40, score: 0.9, hardFailures: 0.1 },
      { hours: 5.75, perHour: 40, score: 0.9 },
      { hours: 0.25, perHour: 40, score: 0.9, hardFailures: 0.1 },
      { hours: 5.75, perHour: 40, score: 0.9 },
    ]),
    checks: [0.5, 1, 3, 6.5, 8].map((hours) => ({ at: CHANGE + hours, firing: {} })),
  },
  {
    name: 'one criterion of three: it is named, and the parts of the change add up to it',
    series: [
      ...traffic(change(SCORED, { score: 0.875, criteria: { ...RATES, right_person: 0.87 } })),
      ...weights(WEIGHTS, SAMPLES),
    ],
    checks: [
      {
        at: CHANGE + 6,
        firing: {
          AgentCriterionRegression: [{ ...AGENT, criterion: 'right_person' }],
          AgentTcrSlipping: [AGENT],
        },
        values: {
          'round(max by (criterion, part) (agent:assay_tcr_change_part:points{window="6h"}), 0.0001)': {
            '{part="criterion",criterion="right_person"}': -0.04,
            '{part="criterion",criterion="right_time"}': 0,
            '{part="criterion",criterion="polite"}': 0,
            '{part="mix"}': 0,
          },
          'round(max(agent:assay_tcr_change:points{window="6h"}), 0.0001)': { '{}': -0.04 },
          ...SUMS_UP,
        },
      },
    ],
  },
  {
    name: 'the parts add up, too, when criteria stop applying and the traffic is another',
    series: [
      ...traffic(change(SCORED, { perHour: 60, decided: { right_time: 0.3 }, score: 0.9 }), { segment: 'easy' }),
      ...traffic(
        change(
          { ...SCORED, score: 0.7, criteria: { right_person: 0.7, right_time: 0.7, polite: 0.7 } },
          { perHour: 300, score: 0.66, criteria: { right_person: 0.6, right_time: 0.7, polite: 0.8 } },
        ),
        { segment: 'hard' },
      ),
      ...weights(WEIGHTS, SAMPLES),
    ],
    checks: [
      {
        at: CHANGE + 6,
        values: {
          // Five sixths of the traffic is hard now: 0.5 × (0.6 − 0.7) × 5/6, and 0.2 × (0.8 − 0.7) × 5/6.
          'round(max by (criterion) (agent:assay_tcr_change_part:points{window="6h", part="criterion"}), 0.0001)': {
            '{criterion="right_person"}': -0.0417,
            '{criterion="right_time"}': 0,
            '{criterion="polite"}': 0.0167,
          },
          'max(agent:assay_tcr_change_part:points{window="6h", part="mix"}) < bool -0.05': { '{}': 1 },
          // Easy ones are a sixth: (0.9 − 0.915) × 1/6, and (0.66 − 0.7) × 5/6.
          'round(max by (segment) (agent_segment:assay_tcr_change_part:points{window="6h", part="segment"}), 0.0001)': {
            '{segment="easy"}': -0.0025,
            '{segment="hard"}': -0.0333,
          },
          'round(max by (agent_version) (agent_version:assay_tcr_change_part:points{window="6h", part="version"}), 0.0001)':
            { '{agent_version="v1"}': -0.0358 },
          ...SUMS_UP,
        },
      },
    ],
  },
  {
    name: 'six hours good, six hours bad, for days: it is known to wander, and is left alone',
    series: traffic(
      Array.from({ length: 38 }, (_, block) => ({ hours: 6, perHour: 240, score: block % 2 === 0 ? 0.95 : 0.85 })),
    ),
    checks: [
      {
        at: 216,
        firing: {},
        values: {
          'round(sqrt(max(agent:assay_wobble:variance{measure="tcr"})), 0.001)': { '{}': 0.015 },
          'max(agent:assay_drop_evidence:nats{measure="tcr", window="6h"} * agent:assay_inflation:ratio) > bool 11': {
            '{}': 1,
          },
        },
      },
    ],
  },
  {
    name: 'traffic stops',
    series: traffic(change(HEALTHY, { perHour: 0 })),
    checks: [
      { at: CHANGE + 1, firing: {} },
      { at: CHANGE + 3, firing: { AgentNoConversations: [AGENT] } },
    ],
  },
  {
    name: 'a night without traffic is like the night before',
    series: traffic(
      Array.from({ length: 6 }, () => [
        { ...HEALTHY, hours: 16 },
        { ...HEALTHY, hours: 8, perHour: 0 },
      ]).flat(),
    ),
    checks: [20, 22, 24].map((hour) => ({ at: 96 + hour, firing: {} })),
  },
  { name: 'no data at all', series: [], scraped: false, checks: [{ at: 12, firing: { AssayAbsent: [{}] } }] },
];
