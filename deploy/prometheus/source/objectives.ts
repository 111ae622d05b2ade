/**
 * The quality of agents as service level objectives, for teams that keep error budgets with Sloth or Pyrra. Errors are
 * counted as in the alerts. The budget is a share of the conversations, or of their scores, in 30 days.
 *
 * An error budget of 15 % cannot burn at fourteen times its rate, which is the default threshold for a page. So for the
 * task completion rate only the slow burns create a ticket, and hard failures page.
 */
import { netIncrease, orZeroOf } from '../../../src/report/metrics/net-increase.ts';
import { stringify } from 'yaml';
import { HARD_FAILURES, type SumOf, TCR } from './counts.ts';
import { AGENT } from './promql.ts';
import { BANDS, HARD_FAILURE_RATE_MIN } from './settings.ts';
import { UNSCORED } from '../../outcomes.ts';

interface Objective {
  readonly name: string;
  readonly percent: number;
  readonly description: string;
  /** Share of the scored conversations that failed. */
  readonly errors: (sum: SumOf) => string;
  readonly alert: string;
  readonly summary: string;
  /** The runbook of the corresponding alert without a budget. */
  readonly runbook: string;
  readonly pages: boolean;
}

const TASK_COMPLETION: Objective = {
  name: 'task-completion',
  percent: percent(BANDS.production),
  description:
    'The mean score of what was scored (TCR). Each conversation uses as much of the budget as it misses of a score of 1.',
  errors: (sum) => `clamp_min(${TCR.scored(sum)}\n  - (${TCR.credit(sum)}), 0)`,
  alert: 'AgentTaskCompletionBudget',
  summary: 'The agent uses up its error budget of task completion.',
  runbook: 'AgentTcrNotProductionReady',
  pages: false,
};

const NO_HARD_FAILURE: Objective = {
  name: 'no-hard-failure',
  percent: percent(1 - HARD_FAILURE_RATE_MIN),
  description: 'The share of what was scored that did not end in a hard failure.',
  errors: (sum) => orZeroOf(sum(HARD_FAILURES), TCR.scored(sum)),
  alert: 'AgentHardFailureBudget',
  summary: 'The agent uses up its error budget of hard failures.',
  runbook: 'AgentHardFailureSpike',
  pages: true,
};

const OBJECTIVES = [TASK_COMPLETION, NO_HARD_FAILURE];

const HEADER =
  '# Made by `npm run generate` from deploy/prometheus/source: change it there. How to use it: docs/operate/alerting.md.\n';

/**
 * Errors and total, by name. Empty if nothing was scored: a quiet night would be a NaN, and with it the budget of the
 * whole month.
 */
export function objectiveQueries(window: string) {
  const sum: SumOf = (selector) => netIncrease(AGENT, selector, `[${window}]`);
  const total = `(${TCR.scored(sum)}) > 0`;
  return new Map(OBJECTIVES.map(({ name, errors }) => [name, { errors: errors(sum), total }]));
}

/** For `sloth generate`. */
export function slothSpec(docs: string): string {
  const queries = objectiveQueries('{{.window}}');
  const slos = OBJECTIVES.map(({ name, percent, description, alert, summary, runbook, pages }) => ({
    name,
    objective: percent,
    description,
    sli: { events: { error_query: queries.get(name)?.errors, total_query: queries.get(name)?.total } },
    alerting: {
      name: alert,
      labels: { area: 'quality' },
      annotations: { summary, runbook_url: `${docs}/runbooks/${runbook}.md` },
      page_alert: pages ? { labels: { severity: 'page' } } : { disable: true },
      ticket_alert: { labels: { severity: 'ticket' } },
    },
  }));
  return `${HEADER}${written({ version: 'prometheus/v1', service: 'agent-quality', slos })}`;
}

/** Pyrra counts whole events only, so it cannot use the mean score. */
export function pyrraObjective(): string {
  return `${HEADER}${written({
    apiVersion: 'pyrra.dev/v1alpha1',
    kind: 'ServiceLevelObjective',
    metadata: { name: `agent-${NO_HARD_FAILURE.name}`, labels: { 'pyrra.dev/area': 'quality' } },
    spec: {
      target: String(NO_HARD_FAILURE.percent),
      window: '4w',
      description: NO_HARD_FAILURE.description,
      indicator: {
        ratio: {
          errors: { metric: HARD_FAILURES },
          total: { metric: `assay_evaluations_total{outcome!="${UNSCORED}"}` },
          grouping: AGENT.split(', '),
        },
      },
    },
  })}`;
}

function percent(share: number): number {
  return Math.round(share * 1000) / 10;
}

function written(value: unknown): string {
  return stringify(value, { lineWidth: 0, blockQuote: 'literal' });
}
