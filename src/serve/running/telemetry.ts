/**
 * Sends Assay's own traces and metrics over OTLP/HTTP. Off by default, and then events have one receiver fewer.
 *
 *   spans      every five seconds, or as soon as a batch is full; one request at a time
 *   metrics    every minute
 *   stop       what is left of both, for `STOP_MS` at most
 */
import type { TelemetrySettings } from '../../config/telemetry-settings.ts';
import type { TelemetryEvent } from '../../model/events/telemetry-events.ts';
import { OWN_SCOPE } from '../../model/marks.ts';
import { tracesJson } from '../../otlp/otlp-json.ts';
import type { MetricSource } from '../../report/metrics/exposition.ts';
import { EventSpans } from '../../report/telemetry/event-spans.ts';
import { reasonOf } from '../../report/results/http-answer.ts';
import { OtlpExporter } from '../../report/telemetry/otlp-exporter.ts';
import { OwnMetrics } from '../../report/telemetry/own-metrics.ts';
import { SpanBatches } from '../../report/telemetry/span-batches.ts';

interface TelemetryParts {
  readonly settings: TelemetrySettings | undefined;
  readonly instance: string;
  readonly version: string;
  readonly onEvent: (event: TelemetryEvent) => void;
  /** Sources that exist by the time the metrics are sent. */
  readonly sources: () => readonly MetricSource[];
}

export interface Telemetry {
  readonly note: EventSpans['note'];
  /** Sends what is left, for a while. */
  stop(): Promise<void>;
}

const STOP_MS = 5000;
const SPANS_EVERY_MS = 5000;

/** Undefined where it is off. */
export function startTelemetry(parts: TelemetryParts): Telemetry | undefined {
  const { settings, instance, version, onEvent, sources } = parts;
  if (settings === undefined) return undefined;
  const resource = {
    'service.name': 'assay',
    'service.version': version,
    'service.instance.id': instance,
    ...settings.resource,
  };
  const [traces, metrics] = [new OtlpExporter(settings.traces), new OtlpExporter(settings.metrics)];
  const stopped = new AbortController();
  const tell = (problem: string) => onEvent({ type: 'telemetry-problem', problem });
  const batches = new SpanBatches();
  const own = new OwnMetrics(sources, version);

  const spans = new OneAtATime(async () => {
    const scope = { name: OWN_SCOPE, version };
    for (let records = batches.take(); records.length > 0; records = batches.take()) {
      const problem = await traces.send(tracesJson([{ resource, scope, records }]), stopped.signal);
      const dropped = batches.takeDropped();
      if (problem !== undefined) tell(`${records.length} spans: ${problem}`);
      if (dropped > 0) tell(`${dropped} spans: more than are kept until they are sent`);
    }
  });
  const health = new OneAtATime(async () => {
    try {
      const problem = await metrics.send(await own.json(resource), stopped.signal);
      if (problem !== undefined) tell(`metrics: ${problem}`);
    } catch (error) {
      tell(`metrics could not be read: ${reasonOf(error)}`);
    }
  });
  const events = new EventSpans((span) => {
    batches.keep(span);
    if (batches.isFull) void spans.run();
  });
  const timers = [
    setInterval(() => void spans.run(), Math.min(settings.metricsEveryMs, SPANS_EVERY_MS)),
    setInterval(() => void health.run(), settings.metricsEveryMs),
  ];
  for (const timer of timers) timer.unref();
  return {
    note: (event) => events.note(event),
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      const timer = setTimeout(() => stopped.abort(), STOP_MS);
      // Metrics in flight are those of earlier.
      await Promise.all([spans.run(), health.idle().then(() => health.run())]);
      clearTimeout(timer);
    },
  };
}

/** Work that a second caller joins while it runs. The work must not throw. */
class OneAtATime {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  run(): Promise<void> {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async idle(): Promise<void> {
    await this.#running;
  }
}
