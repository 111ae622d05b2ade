/** Metrics of a prom-client registry as sources of the exposition, beside those that come from the store. */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { MetricSource, Sample } from './exposition.ts';

export function sourcesOf(registry: Registry): readonly MetricSource[] {
  return registry.getMetricsAsArray().map((metric) => {
    // The cast holds for prom-client's own metrics: `get` gives what a registry renders.
    const inner = metric as unknown as {
      name: string;
      type: MetricSource['type'];
      help: string;
      get(): Promise<{ type: MetricSource['type']; values: readonly Sample[] }>;
    };
    return {
      name: inner.name,
      type: typeOf(metric),
      help: inner.help,
      samples: async () => (await inner.get()).values,
    };
  });
}

function typeOf(metric: unknown): MetricSource['type'] {
  if (metric instanceof Counter) return 'counter';
  return metric instanceof Histogram ? 'histogram' : 'gauge';
}
