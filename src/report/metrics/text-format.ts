/**
 * The two formats that Prometheus reads. They differ in a counter's family name, in what may be escaped, in exemplars and in the end:
 *
 *   # HELP name what it is                                  text, and OpenMetrics without `_total` for counters
 *   # TYPE name counter
 *   name_total{label="value"} 1 # {trace_id="…"} 1 1.5      the part behind `#` in OpenMetrics alone
 *   # EOF                                                   OpenMetrics alone
 *
 * Label values come from spans: whatever they hold, a line stays one line.
 */
import type { MetricDefinition } from '../../model/metric.ts';

export type Format = 'text' | 'openmetrics';
export type LabelValues = { readonly [label: string]: string | number };

export interface Sample {
  /** Name if it is not the metric's own: `…_bucket`. */
  readonly metricName?: string;
  readonly labels: LabelValues;
  readonly value: number;
  readonly exemplar?: ExemplarSample | undefined;
}

export interface ExemplarSample {
  readonly labelSet: { readonly [label: string]: string };
  readonly value: number;
  /** Seconds. */
  readonly timestamp: number;
}

export const CONTENT_TYPES = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const satisfies Record<Format, string>;

export const ENDS = { text: '', openmetrics: '# EOF\n' } as const satisfies Record<Format, string>;

export function headText({ name, type, help }: MetricDefinition, format: Format): string {
  const family = format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name;
  const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return `# HELP ${family} ${format === 'openmetrics' ? escaped.replaceAll('"', '\\"') : escaped}\n# TYPE ${family} ${type}\n`;
}

export function sampleText(name: string, sample: Sample, format: Format): string {
  const { labels, value, exemplar } = sample;
  const pairs = labelText(labels);
  const shown = exemplar === undefined || format === 'text' ? '' : exemplarText(exemplar);
  return `${sample.metricName ?? name}${pairs === '' ? '' : `{${pairs}}`} ${numberText(value)}${shown}\n`;
}

/** `a="1",b="2"`: what stands between the braces. */
export function labelText(labels: LabelValues): string {
  let text = '';
  for (const label of Object.keys(labels)) {
    text += `${text === '' ? '' : ','}${label}="${escapeValue(String(labels[label]))}"`;
  }
  return text;
}

/** Exemplar with the space before it. */
export function exemplarText({ labelSet, value, timestamp }: ExemplarSample): string {
  return ` # {${labelText(labelSet)}} ${numberText(value)} ${numberText(timestamp)}`;
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

function escapeValue(value: string): string {
  return /[\\\n"]/.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"') : value;
}
