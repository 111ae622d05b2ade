/** Compares a scrape with the running totals in the store: every stored counter must be scraped with its value. */
import { type SaidMetric, signIn } from '../../src/report/metrics/quality-metrics.ts';
import type { StoredTotal } from '../../src/store/conversation-reader.ts';

/** A series as written, with its labels, and its value. */
export type Scraped = ReadonlyMap<string, number>;

export function parseMetrics(text: string): Scraped {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

export function sumOfScrapes(scrapes: readonly Scraped[]): Scraped {
  const sum = new Map<string, number>();
  for (const scraped of scrapes) for (const [key, value] of scraped) sum.set(key, (sum.get(key) ?? 0) + value);
  return sum;
}

export function scrapeMismatches(
  scraped: Scraped,
  stored: readonly StoredTotal[],
  say: (line: string) => void,
): number {
  let mismatches = 0;
  const totals = stored.map(({ metric, labels, value }) => {
    // The cast holds because the store wrote the text.
    const { le, ...others } = JSON.parse(labels) as Record<string, string>;
    return {
      metric,
      labels,
      value,
      bound: Number(le?.replace('+Inf', 'Infinity')),
      series: `${metric} ${JSON.stringify(others)}`,
    };
  });
  const bySeries = Map.groupBy(totals, ({ series }) => series);
  for (const { metric, labels, value: one, bound, series } of totals) {
    const pairs = Object.entries(JSON.parse(labels) as Record<string, string>).map(
      ([name, text]) => `${name}="${text}"`,
    );
    // A stored bucket holds its own observations, a scraped one those of all smaller ones as well.
    const isBucket = metric.endsWith('_bucket');
    const upToBound = (bySeries.get(series) ?? []).filter((other) => other.bound <= bound);
    const value = isBucket ? upToBound.reduce((sum, other) => sum + other.value, 0) : one;
    const key = pairs.length === 0 ? metric : `${metric}{${pairs.join(',')}}`;
    const shown = scraped.get(key);
    if (shown !== undefined && Math.round(shown * scaleOf(metric)) === value) continue;
    mismatches += 1;
    if (mismatches <= 10) say(`scraped ${key} is ${shown}, the store says ${value}`);
  }
  return mismatches;
}

/** Totals are integers of the metric's smallest unit. */
function scaleOf(metric: string): number {
  if (metric.endsWith('_bucket')) return 1;
  if (metric.startsWith('assay_conversation_cost_usd_squared')) return 1e9;
  // Excludes unscored conversations, which are counted one by one.
  if (/_score|cost_usd|decided_share/.test(metric) && !metric.endsWith('_count')) return 1e6;
  return /seconds(_withdrawn)?_sum/.test(metric) ? 1000 : 1;
}

/** The value of a metric minus what was withdrawn from it, in the store's units, over the series that `isWanted`. */
export function netOf(
  totals: readonly { readonly metric: string; readonly labels: string; readonly value: number }[],
  metric: SaidMetric,
  isWanted: (labels: Readonly<Record<string, string>>) => boolean = () => true,
): number {
  let net = 0;
  for (const { metric: series, labels, value } of totals) {
    // The cast holds because the store wrote the text.
    if (isWanted(JSON.parse(labels) as Record<string, string>)) net += (signIn(metric, series) ?? 0) * Number(value);
  }
  return net;
}
