/** Assay's own traces and metrics on their way. */
import type { TelemetryEvent } from '../../model/events/telemetry-events.ts';
import type { FailuresCounted } from './damage.ts';
import { type EventTable, warn } from './event-table.ts';

export const TELEMETRY_EVENTS = {
  'telemetry-problem': {
    log: ({ problem }) =>
      warn("telemetry: Assay's own traces or metrics could not be sent, dropping them", { problem }, 'telemetry'),
    count: (_event, { failures }) => failures.inc({ part: 'telemetry' }),
  },
} satisfies EventTable<TelemetryEvent, FailuresCounted>;
