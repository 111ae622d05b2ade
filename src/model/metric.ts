/**
 * Contract of a metric. Each room that has metrics defines them so, in one table; what is exposed and what is written
 * of it in docs/reference/METRICS.md are both made from that table.
 */
export interface MetricDefinition {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Labels in the order in which they are shown. `segment` is left out if none is configured. */
  readonly labels: readonly string[];
  /** Unit of the value: seconds, bytes, evaluations. */
  readonly unit: string;
  /** One sentence or two; Prometheus shows them beside the name. */
  readonly help: string;
  /** Queries to use it with. */
  readonly queries?: readonly MetricQuery[];
}

interface MetricQuery {
  /** Question that the query answers: `TCR of the last hour, by version`. */
  readonly asks: string;
  readonly promql: string;
}

/** Histograms have bounds as well, in the metric's own unit. */
export interface HistogramDefinition extends MetricDefinition {
  readonly type: 'histogram';
  readonly buckets: readonly number[];
}

/** The conversation that moved a series last. */
export interface SeriesExemplar {
  readonly traceId: string;
  readonly conversationId: string;
  readonly value: number;
  readonly at: number;
}
