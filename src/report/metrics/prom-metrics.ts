/** Metrics that start with the process: prom-client counts them, and they are as their definitions say. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { HistogramDefinition, MetricDefinition } from '../../model/metric.ts';
import type { MetricSource } from './exposition.ts';
import type { Sample } from './text-format.ts';

type LabelOf<D extends MetricDefinition> = D['labels'][number];

export class PromMetrics {
  readonly #registers = [new Registry()];
  readonly #sources: MetricSource[] = [];

  counter<const D extends MetricDefinition>(definition: D): Counter<LabelOf<D>> {
    const counter = new Counter<LabelOf<D>>({ ...this.#shown(definition) });
    this.#expose(definition, counter);
    return counter;
  }

  /** `read` is asked at each scrape, and sets what is to be shown. */
  gauge<const D extends MetricDefinition>(definition: D, read?: (gauge: Gauge<LabelOf<D>>) => void): Gauge<LabelOf<D>> {
    const gauge = new Gauge<LabelOf<D>>({
      ...this.#shown(definition),
      ...(read === undefined
        ? {}
        : {
            collect() {
              read(this);
            },
          }),
    });
    this.#expose(definition, gauge);
    return gauge;
  }

  histogram<const D extends HistogramDefinition>(definition: D): Histogram<LabelOf<D>> {
    const histogram = new Histogram<LabelOf<D>>({ ...this.#shown(definition), buckets: [...definition.buckets] });
    this.#expose(definition, histogram);
    return histogram;
  }

  sources(): readonly MetricSource[] {
    return this.#sources;
  }

  #shown<D extends MetricDefinition>({ name, help, labels }: D) {
    // The cast is for the types alone: these are the definition's labels.
    return { name, help, labelNames: labels as readonly LabelOf<D>[], registers: this.#registers };
  }

  #expose(definition: MetricDefinition, metric: Counter | Gauge | Histogram): void {
    this.#sources.push({
      definition,
      samples: async () => {
        // The cast holds for prom-client's own metrics: `get` gives what a registry renders. Exemplars are not used here.
        const values = (await metric.get()).values as readonly Sample[];
        return values.map((sample) => ({ ...sample, exemplar: undefined }));
      },
    });
  }
}
