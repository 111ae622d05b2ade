/** Requests to the API. */
import type { ApiEvent } from '../../model/events/api-events.ts';
import { counter, GIVEN } from '../metrics/define-metric.ts';
import type { Counted, MetricTable } from '../metrics/metric-set.ts';
import type { EventTable } from './event-table.ts';

export const API_METRICS = {
  requests: counter('assay_api_requests_total', 'requests', {
    labels: { route: GIVEN, code: ['2xx', '4xx', '5xx'] },
    help: 'Requests to write through the API or to read the store, by route and class of the answer: 2xx, 4xx, 5xx. Refused reads are counted separately.',
    queries: {
      'requests that were refused or failed, by route':
        'sum by (route, code) (increase(assay_api_requests_total{code!="2xx"}[1h])) > 0',
    },
  }),
} satisfies MetricTable<unknown>;

export type ApiCounted = Counted<typeof API_METRICS>;

export const API_EVENTS = {
  'api-written': {
    count: ({ route, status }, { requests }) => requests.inc({ route, code: `${Math.floor(status / 100)}xx` }),
  },
} satisfies EventTable<ApiEvent, ApiCounted>;
