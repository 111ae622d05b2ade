/** Results on their way to a backend. */
import type { ResultEvent } from '../../model/events/result-events.ts';
import { counter } from '../metrics/define-metric.ts';
import type { Counted, MetricTable } from '../metrics/metric-set.ts';
import { error, type EventTable, warn } from './event-table.ts';

export const RESULT_METRICS = {
  results: counter('assay_results_total', 'evaluations', {
    labels: { fate: ['sent', 'refused', 'dropped'] },
    help: 'Evaluations that were to go to a backend as OpenTelemetry events: sent, refused by it permanently, or dropped because too many waited.',
  }),
  resultFailures: counter('assay_result_failures_total', 'requests', {
    help: 'Requests with results that failed and are made again.',
  }),
} satisfies MetricTable<unknown>;

export const RESULT_EVENTS = {
  'results-sent': { count: ({ evaluations }, { results }) => results.inc({ fate: 'sent' }, evaluations) },
  'results-failed': {
    log: ({ problem }) =>
      warn(
        'results: could not be sent to the backend, they wait in the store and are sent again',
        { problem },
        'results failed',
      ),
    count: (_event, { resultFailures }) => resultFailures.inc(),
  },
  'results-refused': {
    log: ({ evaluations, problem }) =>
      error(
        'results: refused permanently by the backend, they stay in the store and are not sent again',
        { evaluations, problem },
        'results refused',
      ),
    count: ({ evaluations }, { results }) => results.inc({ fate: 'refused' }, evaluations),
  },
  'results-dropped': {
    log: ({ evaluations }) =>
      error('results: too many wait for the backend, the oldest are not sent', { evaluations }, 'results dropped'),
    count: ({ evaluations }, { results }) => results.inc({ fate: 'dropped' }, evaluations),
  },
} satisfies EventTable<ResultEvent, Counted<typeof RESULT_METRICS>>;
