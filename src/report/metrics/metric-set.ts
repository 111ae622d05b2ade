/**
 * The metrics of one table of definitions. Counted metrics start at zero with the process, and prom-client keeps them;
 * the others are read at each scrape.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { HistogramDefinition, MetricDefinition } from '../../model/metric.ts';
import type { MetricSource } from './exposition.ts';
import type { DefinedMetric, ReadMetric } from './define-metric.ts';
import type { Sample } from './text-format.ts';

/** `Readings` are what the table's gauges are read from. */
export type MetricTable<Readings> = {
  readonly [metric: string]: DefinedMetric<MetricDefinition['type'], string> | ReadMetric<Readings>;
};

/** The metrics of a table that are counted, by their keys. */
export type Counted<T extends MetricTable<never>> = {
  readonly [K in keyof T as T[K] extends ReadMetric<never> ? never : K]: PromMetric<T[K]>;
};

/** Source of the gauges of a table. */
type ReadingsOf<T> = T extends MetricTable<infer Readings> ? Readings : never;

type LabelOf<D extends MetricDefinition> = D['labels'][number];
type PromMetric<D extends MetricDefinition> = D['type'] extends 'counter'
  ? Counter<LabelOf<D>>
  : D['type'] extends 'histogram'
    ? Histogram<LabelOf<D>>
    : Gauge<LabelOf<D>>;

export class MetricSet<T extends MetricTable<never>> {
  readonly #table: MetricTable<ReadingsOf<T>>;
  readonly #metrics = new Map<string, Counter | Gauge | Histogram>();
  readonly counted: Counted<T>;

  constructor(table: T) {
    // The cast holds because this is how the readings were found.
    this.#table = table as MetricTable<ReadingsOf<T>>;
    const registers = [new Registry()];
    for (const [key, definition] of Object.entries(this.#table)) {
      if (!('read' in definition)) this.#metrics.set(key, promMetric(definition, registers));
    }
    // The cast holds because each metric was made from the definition under its key.
    this.counted = Object.fromEntries(this.#metrics) as Counted<T>;
    this.begin({});
  }

  /** Starts at zero the series that have these label values, where the values of all their other labels are known. */
  begin(given: { readonly [L in LabelOf<T[keyof Counted<T> & keyof T]>]?: string }): void {
    const known = new Map<string, string>(Object.entries(given));
    for (const [key, { labels, zeros }] of Object.entries(this.#table)) {
      const metric = this.#metrics.get(key);
      if (metric === undefined || zeros === undefined || ![...known.keys()].every((label) => labels.includes(label)))
        continue;
      let series: Record<string, string>[] = [{}];
      for (const label of labels) {
        const value = known.get(label);
        const values = value === undefined ? (zeros[label] ?? []) : [value];
        series = series.flatMap((one) => values.map((each) => ({ ...one, [label]: each })));
      }
      for (const one of series) startAtZero(metric, one);
    }
  }

  /** While `readings` gives undefined, gauges that are read have no samples. */
  sources(readings: () => ReadingsOf<T> | undefined): readonly MetricSource[] {
    return Object.entries(this.#table).map(([key, definition]) => {
      const metric = this.#metrics.get(key);
      const samples = async (): Promise<readonly Sample[]> => {
        // The cast holds for prom-client's own metrics: `get` gives what a registry renders. Exemplars are not used here.
        if (metric !== undefined) return ((await metric.get()).values as readonly Sample[]).map(withoutExemplar);
        const now = readings();
        const value = now === undefined || !('read' in definition) ? [] : definition.read(now);
        return typeof value === 'number' ? [{ labels: {}, value }] : value;
      };
      return { definition, samples };
    });
  }
}

function promMetric(
  definition: MetricDefinition | HistogramDefinition,
  registers: Registry[],
): Counter | Gauge | Histogram {
  const { name, type, help, labels } = definition;
  const shown = { name, help, labelNames: [...labels], registers };
  if ('buckets' in definition) return new Histogram({ ...shown, buckets: [...definition.buckets] });
  return type === 'counter' ? new Counter(shown) : new Gauge(shown);
}

function startAtZero(metric: Counter | Gauge | Histogram, labels: Record<string, string>): void {
  if (metric instanceof Counter) metric.inc(labels, 0);
  else if (metric instanceof Gauge) metric.set(labels, 0);
  else metric.zero(labels);
}

function withoutExemplar(sample: Sample): Sample {
  return { ...sample, exemplar: undefined };
}
