/** Conversations on their way to the archive. */
import type { ArchiveEvent } from '../../model/events/archive-events.ts';
import { gauge } from '../metrics/define-metric.ts';
import type { Counted, MetricTable } from '../metrics/metric-set.ts';
import type { FailuresCounted } from './damage.ts';
import { error, type EventTable, info, warn } from './event-table.ts';

export const ARCHIVE_METRICS = {
  lag: gauge('assay_archive_lag_seconds', 'seconds', {
    help: 'Age of the oldest evaluation that is not in the archive; 0 where nothing waits, where there is no archive, and on instances that do not write it.',
    queries: { 'the archive lags by an hour': 'max(assay_archive_lag_seconds) > 3600' },
  }),
} satisfies MetricTable<unknown>;

export const ARCHIVE_EVENTS = {
  'archive-lag': { count: ({ ms }, { lag }) => lag.set(ms / 1000) },
  'archive-failed': {
    log: ({ problem }) =>
      warn(
        'archive: could not be written, conversations wait in the store and it is retried',
        { problem },
        'archive failed',
      ),
    count: (_event, { failures }) => failures.inc({ part: 'archive' }),
  },
  'archive-recovered': { log: () => info('archive: can be written again, writing what waited') },
  'archive-missed': {
    log: ({ conversations }) =>
      error(
        'archive: conversations were deleted from the store before they were archived, they are in no archive',
        { conversations },
        'archive missed',
      ),
  },
} satisfies EventTable<ArchiveEvent, Counted<typeof ARCHIVE_METRICS> & FailuresCounted>;
