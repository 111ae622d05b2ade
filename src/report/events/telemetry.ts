/** Assay's own traces and metrics on their way. */
import type { TelemetryEvent } from '../../model/events/telemetry-events.ts';
import { type EventTable, warn } from './event-table.ts';

export const TELEMETRY_EVENTS = {
  'telemetry-problem': {
    log: ({ problem }) =>
      warn(
        "telemetry: Assay's own traces or metrics could not be sent, nothing waits for them",
        { problem },
        'telemetry',
      ),
  },
} satisfies EventTable<TelemetryEvent>;
