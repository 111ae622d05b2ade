/** The configuration while Assay runs. */
import type { ConfigEvent } from '../../model/events/config-events.ts';
import { gauge } from '../metrics/define-metric.ts';
import type { Counted, MetricTable } from '../metrics/metric-set.ts';
import { error, type EventTable, info, warn } from './event-table.ts';

export const CONFIG_METRICS = {
  reloadSuccessful: gauge('assay_config_last_reload_successful', '0 or 1', {
    help: 'Whether the last reload succeeded; 0: the previous configuration stays in use.',
  }),
  reloadedAt: gauge('assay_config_last_reload_success_timestamp_seconds', 'seconds since 1970', {
    help: 'Time at which the configuration in use was read.',
    queries: {
      'instances that run another configuration than the newest one':
        'assay_config_last_reload_success_timestamp_seconds < on () group_left () max(assay_config_last_reload_success_timestamp_seconds) - 600',
    },
  }),
} satisfies MetricTable<unknown>;

export const CONFIG_EVENTS = {
  'config-reloaded': {
    log: ({ suites, needRestart }) => {
      const fields = { suites: suites.join(', ') };
      if (needRestart.length === 0) return info('config: reloaded, now in use', fields);
      return warn('config: reloaded, settings that need a restart are unchanged', {
        ...fields,
        needs_restart: needRestart.join(', '),
      });
    },
    count: (_event, metrics) => countReload(metrics),
  },
  'config-reload-failed': {
    log: ({ mistakes, problem }) =>
      error('config: reload failed, the previous configuration stays in use', { mistakes, problem }),
    count: (_event, { reloadSuccessful }) => reloadSuccessful.set(0),
  },
  'config-mistake': {
    log: ({ mistake: { file, line, path, problem, expected } }) =>
      error('config: mistake found, the previous configuration stays in use', { file, line, path, problem, expected }),
  },
} satisfies EventTable<ConfigEvent, ConfigCounted>;

type ConfigCounted = Counted<typeof CONFIG_METRICS>;

/** The start counts as the first. */
export function countReload({ reloadSuccessful, reloadedAt }: ConfigCounted): void {
  reloadSuccessful.set(1);
  reloadedAt.set(Math.floor(Date.now() / 1000));
}
