/** Versions next to each other, and the cost of a success. Changes come after 108 hours. */
import { AGENT, type RuleCase } from '../rule-case.ts';
import { type Phase, type Series, traffic } from '../traffic.ts';

const CHANGE = 108;
const AFTER = 26;

function change(before: Omit<Phase, 'hours'>, after: Partial<Phase>): readonly Phase[] {
  return [
    { ...before, hours: CHANGE },
    { ...before, ...after, hours: AFTER },
  ];
}

/** A version that begins after 108 hours. */
function candidate(phase: Omit<Phase, 'hours'>, options: { readonly segment?: string } = {}): readonly Series[] {
  return traffic(
    [
      { ...phase, hours: CHANGE, perHour: 0, unseen: true },
      { ...phase, hours: AFTER },
    ],
    { ...options, version: 'v2' },
  );
}

const EFFORT = { perHour: 240, score: 0.9, cost: 0.05, steps: 8 };

/** Every family of metrics, for two agents with two versions, two segments and two instances. */
function everything(): readonly Series[] {
  const phases: readonly Phase[] = [
    {
      hours: CHANGE + AFTER,
      perHour: 30,
      score: 0.9,
      criteria: { a: 0.95, b: 0.9 },
      cost: 0.05,
      steps: 8,
      unscored: 0.02,
    },
  ];
  const choices = (values: readonly string[]) => values;
  return choices(['shop', 'desk']).flatMap((agent) =>
    choices(['v1', 'v2']).flatMap((version) =>
      choices(['easy', 'hard']).flatMap((segment) =>
        choices(['assay-1', 'assay-2']).flatMap((instance) => traffic(phases, { agent, version, segment, instance })),
      ),
    ),
  );
}

export const VERSION_CASES: readonly RuleCase[] = [
  {
    name: 'a candidate with a tenth of the traffic that does worse is found, and not at once',
    series: [
      ...traffic(change({ perHour: 240, score: 0.9 }, { perHour: 216 })),
      ...candidate({ perHour: 24, score: 0.75 }),
    ],
    checks: [
      { at: CHANGE + 1, firing: {} },
      {
        at: CHANGE + 24,
        firing: { AgentCandidateVersionWorse: [{ ...AGENT, agent_version: 'v2' }] },
        values: {
          'round(max(agent:assay_drop:ratio{measure="version", window="1d"}), 0.01)': { '{}': 0.17 },
        },
      },
    ],
  },
  {
    name: 'a candidate that is as good but gets the hard traffic is let be',
    series: [
      ...traffic(change({ perHour: 120, score: 0.95 }, { perHour: 118 }), { segment: 'easy' }),
      ...traffic(change({ perHour: 120, score: 0.75 }, { perHour: 60 }), { segment: 'hard' }),
      ...candidate({ perHour: 2, score: 0.95 }, { segment: 'easy' }),
      ...candidate({ perHour: 60, score: 0.75 }, { segment: 'hard' }),
    ],
    checks: [6, 12, 24].map((hours) => ({ at: CHANGE + hours, firing: {} })),
  },
  {
    name: 'a release that replaces the old version and is worse: the version is named beside the fall',
    series: [
      ...traffic(change({ perHour: 240, score: 0.9 }, { perHour: 0 })),
      ...candidate({ perHour: 240, score: 0.8 }),
    ],
    checks: [
      {
        at: CHANGE + 3,
        firing: {
          AgentTcrRegression: [AGENT],
          AgentTcrSlipping: [AGENT],
          AgentSuccessRateDrop: [AGENT],
          AgentCandidateVersionWorse: [{ ...AGENT, agent_version: 'v2' }],
        },
        values: {
          // Half of the six hours' conversations are of v2.
          'round(max by (agent_version) (agent_version:assay_tcr_change_part:points{part="version",window="6h"}), 0.001)':
            { '{agent_version="v1"}': 0, '{agent_version="v2"}': -0.05 },
        },
      },
    ],
  },
  {
    name: 'every family by agents, versions, segments and instances: all rules match, nothing fires',
    series: everything(),
    evaluateMinutes: 60,
    checks: [
      {
        at: CHANGE + 20,
        firing: {},
        values: {
          'count by (agent) (agent:assay_drop_evidence:nats{measure="tcr"})': {
            '{agent="shop"}': 6,
            '{agent="desk"}': 6,
          },
          'count(agent:assay_drop_evidence:nats{measure="version"} < 0.001)': { '{}': 8 },
          'round(max by (measure) (agent:assay_effort_per_success:ratio{window="6h"}), 0.001)': {
            '{measure="cost_usd"}': 0.056,
            '{measure="steps"}': 8.889,
          },
        },
      },
    ],
  },
];

export const EFFICIENCY_CASES: readonly RuleCase[] = [
  {
    name: 'each success costs 30 % more while the TCR stays',
    series: traffic(change(EFFORT, { cost: 0.065 })),
    checks: [
      { at: CHANGE + 0.5, firing: {} },
      {
        at: CHANGE + 8,
        firing: { AgentEffortPerSuccessRise: [{ ...AGENT, measure: 'cost_usd' }] },
        values: {
          'round(max(agent:assay_effort_per_success:ratio{measure="cost_usd", window="6h"}), 0.0001)': { '{}': 0.0722 },
          'round(max(agent:assay_effort_rise:ratio{measure="cost_usd", window="6h"}), 0.01)': { '{}': 0.3 },
        },
      },
    ],
  },
  {
    name: 'each success takes 20 % more steps while the TCR stays',
    series: traffic(change(EFFORT, { steps: 9.6 })),
    checks: [{ at: CHANGE + 8, firing: { AgentEffortPerSuccessRise: [{ ...AGENT, measure: 'steps' }] } }],
  },
  {
    name: 'a rise below the threshold fires nothing, however sure it is',
    series: traffic(change({ ...EFFORT, perHour: 2400 }, { cost: 0.053, steps: 8.4 })),
    checks: [
      {
        at: CHANGE + 24,
        firing: {},
        values: { 'min(max by (measure) (agent:assay_effort_rise:zscore)) > bool 4': { '{}': 1 } },
      },
    ],
  },
  {
    name: 'a few dear conversations of a quiet agent are not enough to go by',
    series: traffic(change({ ...EFFORT, perHour: 4 }, { cost: 0.1, steps: 16 })),
    checks: [{ at: CHANGE + 6, firing: {} }],
  },
  {
    name: 'more of the dear kind of conversation is no waste',
    series: [
      ...traffic(change({ ...EFFORT, perHour: 200 }, { perHour: 100 }), { segment: 'short' }),
      ...traffic(change({ ...EFFORT, perHour: 40, cost: 0.2, steps: 30 }, { perHour: 140 }), { segment: 'long' }),
    ],
    checks: [{ at: CHANGE + 12, firing: {} }],
  },
  {
    name: 'without traffic there is no ratio, and nothing is divided by zero',
    series: traffic(change(EFFORT, { perHour: 0 })),
    checks: [
      {
        at: CHANGE + 8,
        values: { 'count(agent:assay_effort_per_success:ratio{window="6h"})': {} },
      },
    ],
  },
];
