/**
 * The alerts about what people read: fewer conversations went well than before, the suites miss more than before, or a
 * kind of failure that was mended is back. The first two compare whole intervals of weeks that share no conversation. The interval of a window is valid however often it is
 * looked at while people read, so no threshold is left to be chosen.
 *
 * 1. Each of the four weeks before is compared, so that a slow fall is found once it is large enough. Prometheus finds
 *    nothing in weeks that it no longer keeps, or in which nothing was read, and these are left out.
 * 2. One instance exposes the estimates. While another takes over, or none is there, the last values of two hours
 *    count. Of several the outermost ends are taken, so that a change of instances is no fall.
 * 3. They are tickets: a week of readings changes by the day, and the answer is to read. Falls that users notice now are
 *    pages by the score (quality-alerts.ts).
 */
import { ONE_AGENT, PERCENT, valueOfFirst } from './annotation.ts';
import { duration } from './promql.ts';
import type { Alert, Group } from './rule.ts';
import type { RuleSettings } from './settings.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

type Bound = 'lower' | 'upper';

export function estimateAlerts(settings: RuleSettings): Group {
  return {
    name: 'assay_alerts_estimate',
    intervalSeconds: settings.interval.fast,
    rules: [successFell(settings), evaluatorDrifts(settings), failureIsBack(settings)],
  };
}

const COMMON = {
  kind: 'alert',
  severity: 'ticket',
  dashboard: 'quality',
  // An answer that was given by mistake is taken back within this time.
  for: HOUR,
  keepFiringFor: DAY,
  selects: ['agent'],
} as const;

function successFell(settings: RuleSettings): Alert {
  const last = duration(settings.estimate.window);
  return {
    ...COMMON,
    alert: 'AgentSuccessEstimateFell',
    area: 'quality',
    expr: surely('<', 'assay_success_estimate', settings),
    summary: `At most ${PERCENT} of the conversations of {{ $labels.agent }} in the last ${last} went well for their users, fewer than before`,
    description: `From readings, whatever the suites say. At least so many went well before: ${before('assay_success_estimate', 'lower', settings)}. Next: look for a new version, model, tool or kind of request since then; read the conversations that came out bad.`,
    conversations: `came_out=bad&since=${last}`,
  };
}

function evaluatorDrifts(settings: RuleSettings): Alert {
  const last = duration(settings.estimate.window);
  return {
    ...COMMON,
    alert: 'AssayEvaluatorDrifts',
    area: 'assay',
    expr: surely('>', 'assay_miss_rate_estimate', settings),
    summary: `The suites call at least ${PERCENT} of the conversations of {{ $labels.agent }} that went badly fine, more than before`,
    description: `From readings of the last ${last}. At most so many before: ${before('assay_miss_rate_estimate', 'upper', settings)}. Scores and their alerts do not see these. Next: read conversations that came out bad and are called fine (the link lists them), and add a criterion for what they have in common.`,
    conversations: `came_out=missed&since=${last}`,
  };
}

/** It stays until somebody looks, and calls the kind open, or mended again. */
function failureIsBack({ fall }: RuleSettings): Alert {
  return {
    ...COMMON,
    alert: 'AgentFailureIsBack',
    area: 'quality',
    expr: `max by (agent, kind) (last_over_time(assay_failure_kind_returned[${duration(fall.memory)}])) > 0`,
    summary:
      '{{ $value | humanize }} conversations of {{ $labels.agent }} went badly as {{ $labels.kind }} again, after that was called mended',
    description:
      'Somebody read conversations of this kind of failure that began after it was called mended. Next: read them on the page *Failures*, find out what the repair missed, and set the kind to open, or to mended once more.',
    conversations: 'came_out=bad&since=7d',
  };
}

/** The near end of the interval now, where it lies beyond that of a week before. */
function surely(beyond: '<' | '>', metric: string, settings: RuleSettings): string {
  const [now, then]: readonly [Bound, Bound] = beyond === '<' ? ['upper', 'lower'] : ['lower', 'upper'];
  return settings.estimate.before
    .map(
      (ago) => `${outermost(now, metric, settings)}
  ${beyond} ${outermost(then, metric, settings, ` offset ${duration(ago)}`)}`,
    )
    .join('\nor ');
}

function outermost(bound: Bound, metric: string, { fall }: RuleSettings, offset = ''): string {
  const furthest = bound === 'lower' ? 'min' : 'max';
  return `${furthest} by (agent) (last_over_time(${metric}{bound="${bound}"}[${duration(fall.memory)}]${offset}))`;
}

/** One figure for each week before, or a dash: `72% (7d ago), – (14d ago)`. */
function before(metric: string, bound: Bound, { estimate, fall }: RuleSettings): string {
  return estimate.before
    .map((ago) => {
      const series = `${metric}{${ONE_AGENT},bound="${bound}"}[${duration(fall.memory)}] offset ${duration(ago)}`;
      return `${valueOfFirst(`last_over_time(${series})`, 'humanizePercentage')} (${duration(ago)} ago)`;
    })
    .join(', ');
}
