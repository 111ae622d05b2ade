/**
 * The metrics of Assay's own health, as OpenTelemetry has them: the same names, labels and values as a scrape shows,
 * read when they are sent. Metrics of agents are not among them, because there may be a hundred thousand series, which
 * a scrape delivers.
 *
 *   counter    sum, cumulative, monotonic, since the process began
 *   gauge      gauge
 *   histogram  histogram, cumulative, with the bounds of its definition
 */
import { OWN_SCOPE } from '../../model/marks.ts';
import type { MetricDefinition } from '../../model/metric.ts';
import { jsonDouble, keyValues, nanosOf, type WrittenAttributes } from '../../otlp/otlp-json.ts';
import type { MetricSource } from '../metrics/exposition.ts';
import type { Sample } from '../metrics/text-format.ts';

/** UCUM, where it has a word; what is counted stands in braces. */
const UNITS: ReadonlyMap<string, string> = new Map([
  ['seconds', 's'],
  ['bytes', 'By'],
  ['from 0 to 1', '1'],
  ['0 or 1', '1'],
  ['always 1', '1'],
]);

/** AGGREGATION_TEMPORALITY_CUMULATIVE */
const CUMULATIVE = 2;

export class OwnMetrics {
  readonly #sources: () => readonly MetricSource[];
  readonly #version: string;
  readonly #startedAt = nanosOf(Date.now());

  constructor(sources: () => readonly MetricSource[], version: string) {
    this.#sources = sources;
    this.#version = version;
  }

  /** An export request. */
  async json(resource: WrittenAttributes): Promise<string> {
    const times = { startTimeUnixNano: this.#startedAt, timeUnixNano: nanosOf(Date.now()) };
    const metrics: object[] = [];
    for (const source of this.#sources()) {
      // Sources that write their own lines have many series.
      if ('lines' in source) continue;
      metrics.push(metricOf(source.definition, await source.samples(), times));
    }
    const scope = { name: OWN_SCOPE, version: this.#version };
    return JSON.stringify({
      resourceMetrics: [{ resource: { attributes: keyValues(resource) }, scopeMetrics: [{ scope, metrics }] }],
    });
  }
}

interface Times {
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
}

function metricOf(definition: MetricDefinition, samples: readonly Sample[], times: Times): object {
  const { name, help, unit, type } = definition;
  const common = { name, description: help, unit: UNITS.get(unit) ?? `{${unit}}` };
  if (type === 'histogram') {
    const dataPoints = histograms(definition, samples, times);
    return { ...common, histogram: { aggregationTemporality: CUMULATIVE, dataPoints } };
  }
  const dataPoints = samples.map(({ labels, value }) => ({
    ...times,
    attributes: keyValues(labels),
    asDouble: jsonDouble(value),
  }));
  if (type === 'counter') {
    return { ...common, sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } };
  }
  return { ...common, gauge: { dataPoints } };
}

/** Scraped buckets are cumulative; OTLP's buckets each count their own values. */
function histograms({ name }: MetricDefinition, samples: readonly Sample[], times: Times): readonly object[] {
  const series = Map.groupBy(samples, ({ labels: { le, ...labels } }) => JSON.stringify(Object.entries(labels)));
  return [...series.values()].map((parts) => {
    const { le: _bound, ...labels } = parts[0]?.labels ?? {};
    const buckets = parts
      .filter(({ metricName }) => metricName === `${name}_bucket`)
      .map(({ labels: { le }, value }) => ({ bound: Number(le === '+Inf' ? Number.POSITIVE_INFINITY : le), value }))
      .toSorted((a, b) => a.bound - b.bound);
    const only = (metricName: string) => parts.find((part) => part.metricName === metricName)?.value ?? 0;
    return {
      ...times,
      attributes: keyValues(labels),
      explicitBounds: buckets.map(({ bound }) => bound).filter(Number.isFinite),
      bucketCounts: buckets.map(({ value }, at) => String(value - (buckets[at - 1]?.value ?? 0))),
      sum: jsonDouble(only(`${name}_sum`)),
      count: String(only(`${name}_count`)),
    };
  });
}
