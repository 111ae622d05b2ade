/** The journal: syncs, recovery, refusals. */
import type { JournalEvent } from '../../model/events/journal-events.ts';
import { histogram, readGauge } from '../metrics/define-metric.ts';
import type { Counted, MetricTable } from '../metrics/metric-set.ts';
import type { DamageCounted } from './damage.ts';
import { error, type EventTable, info, warn } from './event-table.ts';

/** Readings of a log's journal. */
export interface JournalReadings {
  /** Undefined until it is open. */
  readonly log: () => { readonly bytes: number } | undefined;
}

export const JOURNAL_METRICS = {
  journalBytes: readGauge('assay_journal_bytes', 'bytes', {
    help: 'Disk that the journal holds, or with Kafka the bytes of open turns.',
    read: (now) => now.log()?.bytes ?? 0,
  }),
  sync: histogram('assay_journal_sync_seconds', 'seconds', {
    help: 'Time to write and sync one group of the journal.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  }),
} satisfies MetricTable<JournalReadings>;

export const JOURNAL_EVENTS = {
  'journal-recovered': {
    log: ({ entries, rows, cutBytes, tookMs }) =>
      info('journal: recovered, replaying unscored entries', {
        entries,
        rows,
        cut_bytes: cutBytes,
        took_ms: Math.round(tookMs),
      }),
  },
  'journal-corrupt': {
    log: ({ position, length, quarantinedAt }) =>
      error('journal: corrupt part set aside and its spans lost, using the rest', {
        position,
        length,
        quarantined_at: quarantinedAt,
      }),
    count: (_event, { damage }) => damage.inc({ kind: 'journal-corrupt' }),
  },
  'journal-segment-short': {
    log: ({ position, size, capacity }) =>
      error('journal: segment was cut, accepted spans behind the cut are lost', { position, size, capacity }),
    count: (_event, { damage }) => damage.inc({ kind: 'journal-corrupt' }),
  },
  'journal-synced': { count: ({ tookMs }, { sync }) => sync.observe(tookMs / 1000) },
  'journal-refused': {
    log: ({ because, detail }) =>
      warn('journal: cannot write, rejecting new data until it can', { because, detail }, `refused ${because}`),
  },
  'journal-writable': { log: () => info('journal: can be written again, accepting new data') },
  'journal-segment-failed': {
    log: ({ detail }) =>
      warn('journal: segment could not be closed or reused, continuing without loss', { detail }, 'segment'),
  },
} satisfies EventTable<JournalEvent, Counted<typeof JOURNAL_METRICS> & Pick<DamageCounted, 'damage'>>;
