/** The condition of the data folder and of all that this instance depends on: damage, problems, and the clock of retention. */
import { DAMAGE_KINDS } from '../../model/damage.ts';
import type { DamageEvent } from '../../model/events/damage-events.ts';
import { counter, gauge, GIVEN } from '../metrics/define-metric.ts';
import type { Counted, MetricTable } from '../metrics/metric-set.ts';
import { error, type EventTable, info, warn } from './event-table.ts';

export const DAMAGE_METRICS = {
  damage: gauge('assay_data_damage', 'findings', {
    labels: { kind: DAMAGE_KINDS },
    help: 'Damage of the data folder, by kind: found by the last start, or by reading since then. The log and `assay store check` say what it is.',
    queries: { 'damage that somebody must look at': 'max by (instance, kind) (assay_data_damage) > 0' },
  }),
  problem: gauge('assay_problem', '0 or 1', {
    labels: { part: GIVEN },
    help: '1 while this instance cannot use a part: own_store (the store of one machine), or kafka, store (shared) and evaluations (their topic). The log says why; data wait in the journal, in Kafka or in the store. A gateway has none.',
  }),
  failures: counter('assay_failures_total', 'failures', {
    labels: { part: ['scoring', 'judging', 'results', 'archive', 'telemetry', 'reading', 'certificates'] },
    help: 'Failures that Assay gets over by itself, by part; the log has the reasons. scoring: batches that were undone and done again, and ends of the scoring thread. judging: the queue of questions could not use the store. results: requests to the backend. archive: writes to object storage. telemetry: sends of its own traces and metrics. reading: threads that read the store and were replaced. certificates: changed files that could not be used.',
  }),
  clockJump: gauge('assay_retention_clock_jump_seconds', 'seconds', {
    help: 'By how much the clock differs from the time that has passed, while retention does not trust it; else 0. Meanwhile nothing is deleted by age.',
  }),
} satisfies MetricTable<object>;

/** Some events of other parts are failures. */
export type FailuresCounted = Pick<DamageCounted, 'failures'>;
export type DamageCounted = Counted<typeof DAMAGE_METRICS>;

export const DAMAGE_EVENTS = {
  'damage-found': {
    log: ({ kind, what }) => error('store: damage found at the start, damaged parts are set aside', { kind, what }),
    count: ({ kind }, { damage }) => damage.inc({ kind }),
  },
  'store-upgrading': {
    log: ({ from, to, discards }) =>
      discards.length === 0
        ? info('store: tables are of an earlier version, migrating them', { from, to })
        : warn('store: what is stored is of an earlier version, migrating it and throwing a part away', {
            from,
            to,
            throws_away: discards.join('; '),
          }),
  },
  'set-aside': {
    log: ({ files }) =>
      info('store: set aside what is not used, `assay journal recover` reads all but foreign files', {
        files: files.join(', '),
      }),
  },
  'content-damaged': {
    log: ({ what, reason }) =>
      error('store: spans are damaged on disk, what needs them is not scored', { what, reason }, 'content damaged'),
    count: (_event, { damage }) => damage.set({ kind: 'content-damaged' }, 1),
  },
  'store-writable': {
    log: ({ problem }) =>
      problem === undefined
        ? info('store: can be written again, scoring continues')
        : error('store: cannot be written, retrying; what is accepted waits in the journal', { problem }),
    count: ({ problem }, metrics) => metrics.problem.set({ part: 'own_store' }, problem === undefined ? 0 : 1),
  },
  'clock-jumped': {
    log: ({ byMs }) =>
      byMs === undefined
        ? info('retention: the clock is trusted again, deleting by age goes on')
        : error('retention: the clock has jumped, nothing is deleted by age until it has been so for a day', {
            by_seconds: Math.round(byMs / 1000),
          }),
    count: ({ byMs }, { clockJump }) => clockJump.set(Math.round((byMs ?? 0) / 1000)),
  },
} satisfies EventTable<DamageEvent, DamageCounted>;
