/** Results on their way to a backend. */
import type { ResultEvent } from '../../model/events/result-events.ts';
import { counter } from '../metrics/define-metric.ts';
import type { Counted, MetricTable } from '../metrics/metric-set.ts';
import type { FailuresCounted } from './damage.ts';
import { error, type EventTable, warn } from './event-table.ts';

export const RESULT_METRICS = {
  results: counter('assay_results_total', 'evaluations', {
    labels: { fate: ['sent', 'refused', 'dropped'] },
    help: 'Evaluations for a backend, as OpenTelemetry events: sent, permanently rejected by it, or dropped because too many were pending.',
  }),
} satisfies MetricTable<unknown>;

export const RESULT_EVENTS = {
  'results-sent': { count: ({ evaluations }, { results }) => results.inc({ fate: 'sent' }, evaluations) },
  'results-failed': {
    log: ({ problem }) =>
      warn(
        'results: could not be sent to the backend, keeping them in the store and retrying',
        { problem },
        'results failed',
      ),
    count: (_event, { failures }) => failures.inc({ part: 'results' }),
  },
  'results-refused': {
    log: ({ evaluations, problem }) =>
      error(
        'results: permanently rejected by the backend, keeping them in the store without a retry',
        { evaluations, problem },
        'results refused',
      ),
    count: ({ evaluations }, { results }) => results.inc({ fate: 'refused' }, evaluations),
  },
  'results-dropped': {
    log: ({ evaluations }) =>
      error('results: too many are pending for the backend, dropping the oldest', { evaluations }, 'results dropped'),
    count: ({ evaluations }, { results }) => results.inc({ fate: 'dropped' }, evaluations),
  },
} satisfies EventTable<ResultEvent, Counted<typeof RESULT_METRICS> & FailuresCounted>;
