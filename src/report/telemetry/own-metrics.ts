/**
 * The metrics of Assay's own health, as OpenTelemetry has them: the same names, labels and values as a scrape shows,
 * read when they are sent. Metrics of agents are not among them, because there may be a hundred thousand series, which
 * a scrape delivers.
 *
 *   counter    sum, cumulative, monotonic, since the process began
 *   gauge      gauge
 *   histogram  histogram, cumulative, with the bounds of its definition
 */
import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import { OWN_SCOPE } from '../../model/marks.ts';
import type { MetricDefinition } from '../../model/metric.ts';
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

export class OwnMetrics implements MetricProducer {
  readonly #sources: () => readonly MetricSource[];
  readonly #version: string;
  readonly #startedAt: HrTime = timeOf(Date.now());

  constructor(sources: () => readonly MetricSource[], version: string) {
    this.#sources = sources;
    this.#version = version;
  }

  async collect(): Promise<CollectionResult> {
    const endTime = timeOf(Date.now());
    const metrics: MetricData[] = [];
    for (const source of this.#sources()) {
      // Sources that write their own lines have many series.
      if ('lines' in source) continue;
      metrics.push(metricOf(source.definition, await source.samples(), { startTime: this.#startedAt, endTime }));
    }
    const scope = { name: OWN_SCOPE, version: this.#version };
    return { resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope, metrics }] }, errors: [] };
  }
}

type Times = Pick<DataPoint<number>, 'startTime' | 'endTime'>;

function metricOf(definition: MetricDefinition, samples: readonly Sample[], times: Times): MetricData {
  const { name, help, unit, type } = definition;
  const descriptor = { name, description: help, unit: UNITS.get(unit) ?? `{${unit}}`, valueType: ValueType.DOUBLE };
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (type === 'histogram')
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(definition, samples, times) };
  const dataPoints = samples.map(({ labels, value }) => ({ ...times, attributes: attributesOf(labels), value }));
  if (type === 'counter') return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
  return { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** As scraped, buckets add up: each counts what is at most its bound. Here each counts what is in it. */
function histograms({ name }: MetricDefinition, samples: readonly Sample[], times: Times): DataPoint<Histogram>[] {
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
      attributes: attributesOf(labels),
      value: {
        buckets: {
          boundaries: buckets.map(({ bound }) => bound).filter(Number.isFinite),
          counts: buckets.map(({ value }, at) => value - (buckets[at - 1]?.value ?? 0)),
        },
        sum: only(`${name}_sum`),
        count: only(`${name}_count`),
      },
    };
  });
}

function attributesOf(labels: Sample['labels']): Attributes {
  return { ...labels };
}

function timeOf(ms: number): HrTime {
  return [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];
}
