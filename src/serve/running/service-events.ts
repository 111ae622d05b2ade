/** Where everything that happens is reported: counted and logged, sent to telemetry and to live pages, and noted for readiness. */
import type { AnyEvent } from '../../model/events/any-event.ts';
import type { EventReporter } from '../../report/events/event-reporter.ts';
import { LiveEvents } from './live-events.ts';
import type { Readiness } from './readiness.ts';
import type { Telemetry } from './telemetry.ts';

export class ServiceEvents {
  readonly #reporter: EventReporter;
  readonly #telemetry: Telemetry | undefined;
  readonly #readiness: Readiness;
  /** Events for pages that are open. */
  readonly live = new LiveEvents();

  constructor(parts: {
    readonly reporter: EventReporter;
    readonly telemetry: Telemetry | undefined;
    readonly readiness: Readiness;
  }) {
    this.#reporter = parts.reporter;
    this.#telemetry = parts.telemetry;
    this.#readiness = parts.readiness;
  }

  report(event: AnyEvent): void {
    this.#reporter.report(event);
    this.#telemetry?.note(event);
    this.#readiness.note(event);
    this.live.note(event);
  }
}
