/**
 * The store's running totals as Prometheus metrics. It holds the last committed value of each series and renders from
 * that; nothing is counted here, so what is scraped is what the store says.
 */
import { QUALITY_METRICS, type QualityMetric } from './quality-metrics.ts';
import type { MetricSource, Sample } from './exposition.ts';

/** What the store says of one series; see `Total` there. */
export interface SeriesTotal {
  readonly metric: string;
  readonly labels: { readonly [label: string]: string };
  readonly value: number;
  readonly exemplar: SeriesExemplar | undefined;
}

export interface SeriesExemplar {
  readonly traceId: string;
  readonly conversationId: string;
  readonly value: number;
  readonly at: number;
}

/** OpenMetrics allows 128 characters for the names and values of an exemplar's labels together. */
const EXEMPLAR_LENGTH_MAX = 128;

export class QualityView {
  /** metric -> encoded labels -> total. */
  readonly #totals = new Map<string, Map<string, SeriesTotal>>();

  update(totals: readonly SeriesTotal[]): void {
    for (const total of totals) {
      let series = this.#totals.get(total.metric);
      if (series === undefined) {
        series = new Map();
        this.#totals.set(total.metric, series);
      }
      const key = JSON.stringify(total.labels);
      const exemplar = total.exemplar ?? series.get(key)?.exemplar;
      series.set(key, { ...total, exemplar });
    }
  }

  get seriesCount(): number {
    return [...this.#totals.values()].reduce((sum, series) => sum + series.size, 0);
  }

  sources(): readonly MetricSource[] {
    return Object.values(QUALITY_METRICS).map((metric: QualityMetric) => ({
      name: metric.name,
      type: metric.type,
      help: metric.help,
      samples: () => (metric.type === 'counter' ? this.#counter(metric) : this.#histogram(metric)),
    }));
  }

  #series(name: string): readonly SeriesTotal[] {
    return [...(this.#totals.get(name)?.values() ?? [])];
  }

  #counter(metric: QualityMetric): Sample[] {
    return this.#series(metric.name).map(({ labels, value }) => ({ labels, value: scaled(value, metric) }));
  }

  /** Totals hold the one bucket of each observation; Prometheus wants the sum of all buckets up to each bound. */
  #histogram(metric: QualityMetric): Sample[] {
    const samples: Sample[] = [];
    const buckets = this.#totals.get(`${metric.name}_bucket`);
    for (const { labels, value: count } of this.#series(`${metric.name}_count`)) {
      let cumulative = 0;
      for (const bound of [...metric.buckets.map(String), '+Inf']) {
        const bucket = buckets?.get(JSON.stringify({ ...labels, le: bound }));
        cumulative += bucket?.value ?? 0;
        samples.push({
          metricName: `${metric.name}_bucket`,
          labels: { ...labels, le: bound },
          value: cumulative,
          exemplar: bucket?.exemplar === undefined ? undefined : exemplarSample(bucket.exemplar),
        });
      }
      const sum = this.#totals.get(`${metric.name}_sum`)?.get(JSON.stringify(labels));
      samples.push({ metricName: `${metric.name}_sum`, labels, value: scaled(sum?.value ?? 0, metric) });
      samples.push({ metricName: `${metric.name}_count`, labels, value: count });
    }
    return samples;
  }
}

/** Ids are never cut: half an id leads nowhere. The conversation's goes first if both don't fit. */
export function exemplarSample(exemplar: SeriesExemplar): NonNullable<Sample['exemplar']> | undefined {
  const { traceId, conversationId } = exemplar;
  const fits = (labels: { readonly [label: string]: string }) =>
    Object.entries(labels).reduce((sum, [name, value]) => sum + name.length + [...value].length, 0) <=
    EXEMPLAR_LENGTH_MAX;
  const both = { trace_id: traceId, conversation_id: conversationId };
  const labelSet = fits(both) ? both : { trace_id: traceId };
  return { labelSet, value: exemplar.value, timestamp: exemplar.at / 1000 };
}

/** Division by the inverse is exact where the scale is a power of ten; multiplication would give 0.30000000000000004. */
function scaled(value: number, metric: QualityMetric): number {
  return metric.scale === 1 ? value : value / Math.round(1 / metric.scale);
}
