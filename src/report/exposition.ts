/**
 * Renders metrics for a scrape: Prometheus text, or OpenMetrics with exemplars where the scraper asks for it. prom-client
 * does the writing. A registry of it speaks one format only and, when that is OpenMetrics, renames the counters it is
 * given; so there are two registries, over sources that are made anew for each scrape.
 */
import { Registry } from 'prom-client';

export interface Sample {
  readonly metricName?: string;
  readonly labels: { readonly [label: string]: string | number };
  readonly value: number;
  readonly exemplar?:
    | { readonly labelSet: { readonly [label: string]: string }; readonly value: number; readonly timestamp: number }
    | undefined;
}

export interface MetricSource {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: () => readonly Sample[] | Promise<readonly Sample[]>;
}

export interface Rendered {
  readonly contentType: string;
  readonly body: string;
}

export class Exposition {
  readonly #text: Registry;
  readonly #openMetrics: Registry;

  constructor(sources: readonly MetricSource[]) {
    this.#text = registryOf(sources, 'text');
    this.#openMetrics = registryOf(sources, 'openmetrics');
  }

  async render(accept: string | undefined): Promise<Rendered> {
    const registry = accept?.includes('application/openmetrics-text') ? this.#openMetrics : this.#text;
    return { contentType: registry.contentType, body: await registry.metrics() };
  }
}

type RegisteredMetric = Parameters<Registry['registerMetric']>[0];

function registryOf(sources: readonly MetricSource[], format: 'text' | 'openmetrics'): Registry {
  const registry = new Registry();
  // The cast is for the types alone, which know only the type of the default content type.
  if (format === 'openmetrics') registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
  for (const { name, type, help, samples } of sources) {
    const shownName = format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name;
    const metric = {
      name: shownName,
      type,
      help,
      get: async () => ({ name: shownName, type, help, aggregator: 'sum', values: await samples() }),
    };
    // The cast holds for what a registry asks of a metric when it renders: a name, a type and `get()`.
    registry.registerMetric(metric as unknown as RegisteredMetric);
  }
  return registry;
}
