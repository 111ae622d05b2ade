/** Reads of the store for clients: answered, refused, and the thread that does them. */
import { READ_REFUSALS, type ReadingEvent } from '../../model/events/reading-events.ts';
import { counter, GIVEN } from '../metrics/define-metric.ts';
import type { Counted, MetricTable } from '../metrics/metric-set.ts';
import type { ApiCounted } from './api.ts';
import type { FailuresCounted } from './damage.ts';
import { type EventTable, error, warn } from './event-table.ts';

export const READING_METRICS = {
  readSeconds: counter('assay_api_read_seconds_total', 'seconds', {
    labels: { route: GIVEN },
    help: 'Time until reads of the store were answered, waiting for their turn included.',
    queries: {
      'which reads take the most time': 'sum by (route) (rate(assay_api_read_seconds_total[5m]))',
    },
  }),
  refused: counter('assay_api_refused_reads_total', 'requests', {
    labels: { reason: READ_REFUSALS },
    help: 'Requests to read the store that were refused, by reason: queue_full and displaced are answered with 429, the others with 503.',
    queries: {
      'readers that ask for more than one thread can read':
        'sum by (reason) (rate(assay_api_refused_reads_total{reason=~"queue_full|displaced|waited_too_long"}[5m])) > 0',
    },
  }),
} satisfies MetricTable<unknown>;

export const READING_EVENTS = {
  'store-read': {
    count: ({ route, status, tookMs }, { requests, readSeconds }) => {
      requests.inc({ route, code: `${Math.floor(status / 100)}xx` });
      readSeconds.inc({ route }, tookMs / 1000);
    },
  },
  'read-refused': {
    log: ({ because }) =>
      because === 'client_gone' || because === 'stopping'
        ? undefined
        : warn(
            'api: request to read the store refused, spans are received as before',
            { reason: because },
            `read ${because}`,
          ),
    count: ({ because }, { refused }) => refused.inc({ reason: because }),
  },
  'read-incomplete': {
    log: ({ what, error: problem }) =>
      warn(
        'api: a part of an answer could not be read, answering without it',
        { what, error: problem },
        `left out ${what}`,
      ),
  },
  'reading-restarted': {
    log: ({ because, error: problem }) =>
      because === 'deadline'
        ? warn(
            'api: a read took too long, ending its thread and starting another',
            { error: problem },
            'reading deadline',
          )
        : error('api: the reading thread ended, starting another', { error: problem }, 'reading ended'),
    count: (_event, { failures }) => failures.inc({ part: 'reading' }),
  },
} satisfies EventTable<ReadingEvent, Counted<typeof READING_METRICS> & FailuresCounted & ApiCounted>;
