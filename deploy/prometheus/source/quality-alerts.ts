/**
 * The alerts about agents. A page means that users notice now; a ticket can wait for the morning. A fall is a state
 * that opens and ends (falls.ts), so that nobody is called twice for one; `keepFiringFor` bridges a pause of the rules.
 */
import { AGENT_PLACE, labelOfFirst, PERCENT, valueOfFirst, WHO } from './annotation.ts';
import { EXPECTED, OBSERVED, TCR, TCR_UPPER } from './evidence.ts';
import { BELOW_BAND, FALL_SIZE } from './falls.ts';
import { incidentSize, paged } from './incidents.ts';
import { BASELINE_VERSION } from './counts.ts';
import { EFFORT_PER_SUCCESS, EFFORT_RISE, EFFORT_SCORED, EFFORT_Z } from './efficiency.ts';
import { AGENT, duration, on } from './promql.ts';
import type { Alert, Group, Severity } from './rule.ts';
import { BANDS, RISE, RISE_CONVERSATIONS_MIN, RISE_Z, type RuleSettings } from './settings.ts';
import { TCR_CHANGE_PART, VERSION_PART } from './split.ts';

const MINUTE = 60;
const HOUR = 3600;

export function qualityAlerts(settings: RuleSettings): Group {
  return {
    name: 'assay_alerts_quality',
    intervalSeconds: settings.interval.fast,
    rules: [
      ...tcrFalls(settings),
      ...levels(settings),
      hardFailures(settings),
      successRate(settings),
      criterion(),
      candidate(),
      efficiencyAlert(settings),
    ],
  };
}

function openFall(measure: string, severity: Severity): string {
  return `${FALL_SIZE}{measure="${measure}", severity="${severity}"} > 0`;
}

function maxBy(labels: string, expression: string): string {
  return `max by (${labels}) (\n  ${expression}\n)`;
}

/** An addition to alerts about the TCR: what moved it most. */
function culprits({ explainWindow }: RuleSettings) {
  const window = `window="${duration(explainWindow)}"`;
  const part = `bottomk(1, ${TCR_CHANGE_PART}{part="criterion",${window},${AGENT_PLACE}} < 0)`;
  const version = `bottomk(1, ${VERSION_PART}{part="version",${window},${AGENT_PLACE}} < 0)`;
  return {
    criterion: labelOfFirst('criterion', part),
    criterion_points: valueOfFirst(part, 'humanizePercentage'),
    version: labelOfFirst('agent_version', version),
  };
}

function tcrFalls(settings: RuleSettings): readonly Alert[] {
  const now = `{${AGENT_PLACE},window="${duration(settings.explainWindow)}"}`;
  const common = {
    kind: 'alert',
    area: 'quality',
    dashboard: 'quality',
    keepFiringFor: 15 * MINUTE,
    annotations: culprits(settings),
  } as const;
  const culprit = culprits(settings);
  const description = `Against the same mix of traffic before. Version that lost most: ${culprit.version}. Criterion that moved it most: ${culprit.criterion} (${culprit.criterion_points} of the score). Mean score of the last ${duration(settings.explainWindow)}: ${valueOfFirst(`${TCR}${now}`, 'humanizePercentage')}. Next: if the version is new, roll it back; then read the conversations that fail the criterion.`;
  return [
    {
      ...common,
      alert: 'AgentTcrRegression',
      severity: 'page',
      expr: paged({
        alert: 'AgentTcrRegression',
        metric: 'tcr',
        labels: AGENT,
        value: openFall('tcr', 'page'),
        otherwise: incidentSize('tcr'),
      }),
      summary: `Mean score of ${WHO} fell by at least ${PERCENT}`,
      description,
    },
    {
      ...common,
      alert: 'AgentTcrSlipping',
      severity: 'ticket',
      expr: maxBy(AGENT, openFall('tcr', 'ticket')),
      summary: `Mean score of ${WHO} fell by at least ${PERCENT}`,
      description,
    },
  ];
}

/**
 * The mean score is below a level only when its whole interval is, so that one near the level does not flap. Only a suite
 * that checks the task has levels. The names of these alerts are older than the estimate from readings: whether an agent
 * is ready, no score decides.
 */
function levels(settings: RuleSettings): readonly Alert[] {
  const window = duration(settings.bandWindow);
  const below = (band: keyof typeof BANDS) =>
    `max by (${AGENT}) (${TCR_UPPER}{window="${window}"})
  and on (${AGENT}) ${BELOW_BAND}{band="${band}"} == 1
  and on (suite) group by (suite) (assay_criterion_weight_ratio{about="task"})`;
  const level = `{${AGENT_PLACE},window="${window}"}`;
  const common = {
    kind: 'alert',
    area: 'quality',
    dashboard: 'quality',
    for: 15 * MINUTE,
    keepFiringFor: HOUR,
  } as const;
  const summary = (band: keyof typeof BANDS) =>
    `TCR of ${WHO} is ${valueOfFirst(`${TCR}${level}`, 'humanizePercentage')} over ${window}, below the level of ${BANDS[band].toFixed(2)}`;
  const estimate =
    'A score says only whether faults were found; how many conversations went well, `assay estimate` says.';
  return [
    {
      ...common,
      alert: 'AgentTcrNotReady',
      severity: 'page',
      expr: below('usable'),
      summary: summary('usable'),
      description: `At 99 % it is not above ${PERCENT}. ${estimate} Next: read conversations that fail most; if they went badly, put a person behind the agent until their criteria are fixed.`,
    },
    {
      ...common,
      alert: 'AgentTcrNotProductionReady',
      severity: 'ticket',
      expr: below('production'),
      summary: summary('production'),
      description: `At 99 % it is not above ${PERCENT}. ${estimate} Next: work on the criteria that fail most; the dashboard lists them.`,
    },
  ];
}

function hardFailures(settings: RuleSettings): Alert {
  const { explainWindow, fall } = settings;
  const culprit = culprits(settings);
  const of = (seconds: number) => `{measure="not_hard_failure", window="${duration(seconds)}"}`;
  const then = on(AGENT, `${EXPECTED}${of(fall.silent)}`);
  return {
    kind: 'alert',
    alert: 'AgentHardFailureSpike',
    severity: 'page',
    area: 'quality',
    dashboard: 'quality',
    keepFiringFor: 10 * MINUTE,
    expr: paged({
      alert: 'AgentHardFailureSpike',
      metric: 'hard_failure',
      labels: AGENT,
      value: `1 - (1 - (${openFall('not_hard_failure', 'page')})) * ${then}`,
      otherwise: `(1 - ${OBSERVED}${of(explainWindow)})`,
    }),
    summary: `At least ${PERCENT} of conversations of ${WHO} fail hard`,
    annotations: culprit,
    description: `At least twice as many as usual for this mix of traffic. Version that lost most: ${culprit.version}. Criterion that moved the score most: ${culprit.criterion}. Next: if the version is new, roll it back; else look for failures outside of the agent first (model provider, tools, credentials).`,
  };
}

function successRate(settings: RuleSettings): Alert {
  return {
    kind: 'alert',
    alert: 'AgentSuccessRateDrop',
    severity: 'page',
    area: 'quality',
    dashboard: 'quality',
    keepFiringFor: 15 * MINUTE,
    expr: paged({
      alert: 'AgentSuccessRateDrop',
      metric: 'tcr',
      labels: AGENT,
      value: openFall('success', 'page'),
      otherwise: incidentSize('tcr'),
    }),
    summary: `Good outcomes of ${WHO} fell by at least ${PERCENT}`,
    description: `Against the same mix of traffic before. Criterion that moved the score most: ${culprits(settings).criterion}. Next: find out which outcome replaced them, and read some of those conversations.`,
    annotations: culprits(settings),
  };
}

function criterion(): Alert {
  return {
    kind: 'alert',
    alert: 'AgentCriterionRegression',
    severity: 'ticket',
    area: 'quality',
    dashboard: 'quality',
    keepFiringFor: 30 * MINUTE,
    expr: maxBy(`${AGENT}, criterion`, openFall('criterion', 'ticket')),
    summary: `Criterion {{ $labels.criterion }} of ${WHO} passes at least ${PERCENT} less often`,
    description:
      'Against the same mix of traffic before, and counting that all criteria are watched at once. Next: read conversations that fail it (the link lists them), beginning with the step that Assay names.',
  };
}

function candidate(): Alert {
  const baseline = labelOfFirst('agent_version', `${BASELINE_VERSION}{${AGENT_PLACE}}`);
  return {
    kind: 'alert',
    alert: 'AgentCandidateVersionWorse',
    severity: 'page',
    area: 'quality',
    dashboard: 'versions',
    keepFiringFor: 30 * MINUTE,
    expr: maxBy(`${AGENT}, agent_version`, openFall('version', 'page')),
    summary: `Version {{ $labels.agent_version }} of ${WHO} scores at least ${PERCENT} less than version ${baseline} does`,
    description:
      'Compared segment by segment with the usual version on the same days. Next: stop the roll-out, or roll back; the dashboard shows the two side by side.',
    annotations: { version: '{{ $labels.agent_version }}', baseline_version: baseline },
  };
}

function efficiencyAlert(settings: RuleSettings): Alert {
  const expr = (measure: 'cost_usd' | 'steps') => {
    const of = `{measure="${measure}"}`;
    return maxBy(
      AGENT,
      `${EFFORT_RISE}${of} >= ${RISE[measure]}\n  and ${EFFORT_Z}${of} > ${RISE_Z}\n  and sum by (${AGENT}, measure, window) (${EFFORT_SCORED}${of}) >= ${RISE_CONVERSATIONS_MIN}`,
    );
  };
  const now = (measure: string) =>
    valueOfFirst(
      `${EFFORT_PER_SUCCESS}{measure="${measure}",window="${duration(settings.explainWindow)}",${AGENT_PLACE}}`,
      'humanize',
    );
  const of = (measure: 'cost_usd' | 'steps') => `label_replace(${expr(measure)}, "measure", "${measure}", "", "")`;
  return {
    kind: 'alert',
    alert: 'AgentEffortPerSuccessRise',
    severity: 'ticket',
    area: 'efficiency',
    dashboard: 'efficiency',
    keepFiringFor: 30 * MINUTE,
    expr: `${of('cost_usd')}\nor ${of('steps')}`,
    summary: `{{ if eq $labels.measure "steps" }}Steps{{ else }}Cost{{ end }} per good outcome of ${WHO} rose by ${PERCENT}`,
    description: `Now ${now('cost_usd')} USD and ${now('steps')} steps. The mean score may be unchanged, because the agent still gets there. Next: see whether good outcomes became fewer; if not, compare a recent conversation with one from before: tokens, and repeated tool calls.`,
  };
}

/**
 * Compared with the same hours of yesterday and, if known, of the week before: a quiet night or Sunday is not an
 * incident.
 */
export function silence({ silence: { seconds, yesterday, lastWeek } }: RuleSettings): Alert {
  const evaluated = (ago = '') => `sum by (${AGENT}) (increase(assay_evaluations_total[${duration(seconds)}]${ago}))`;
  const then = (offset: number) => evaluated(` offset ${duration(offset)}`);
  return {
    kind: 'alert',
    alert: 'AgentNoConversations',
    severity: 'ticket',
    area: 'quality',
    dashboard: 'quality',
    for: 10 * MINUTE,
    expr: `${then(yesterday)} > 20
unless on (${AGENT}) ${then(lastWeek)} <= 20
unless on (${AGENT}) ${evaluated()} > 0`,
    summary: `No conversation of ${WHO} for ${duration(seconds)}; {{ $value | humanize }} in the same hours yesterday`,
    description:
      'Either users cannot reach the agent, or its spans do not reach Assay. Next: see whether the agent has traffic; then whether assay_received_records_total grows.',
  };
}
