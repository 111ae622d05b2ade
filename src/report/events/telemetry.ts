/** Assay's own traces and metrics on their way. */
import type { TelemetryEvent } from '../../model/events/telemetry-events.ts';
import { counter } from '../metrics/define-metric.ts';
import type { Counted, MetricTable } from '../metrics/metric-set.ts';
import { type EventTable, warn } from './event-table.ts';

export const TELEMETRY_METRICS = {
  telemetryProblems: counter('assay_telemetry_problems_total', 'problems', {
    help: "Problems with sending Assay's own traces and metrics (operating.md).",
  }),
} satisfies MetricTable<unknown>;

export const TELEMETRY_EVENTS = {
  'telemetry-problem': {
    log: ({ problem }) =>
      warn("telemetry: Assay's own traces or metrics could not be sent, dropping them", { problem }, 'telemetry'),
    count: (_event, { telemetryProblems }) => telemetryProblems.inc(),
  },
} satisfies EventTable<TelemetryEvent, Counted<typeof TELEMETRY_METRICS>>;
