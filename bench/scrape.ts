/**
 * npm run bench -- scrape [--json]
 *
 * The duration of a scrape at the number of series up to which we promise less than a second: from the request to the
 * last byte of the answer, over HTTP, by the service's own server. It is compared with a prom-client registry with the
 * same metrics, labels and values, behind a plain HTTP server. It also measures how long each occupies its thread,
 * which in the service is the one that receives spans, and for how long without a pause.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { OUTCOMES } from '../src/model/evaluation.ts';
import { Exposition, type Scraped } from '../src/report/metrics/exposition.ts';
import { OPEN_TO_ALL } from '../src/model/access.ts';
import { startHttpServer } from '../src/report/http/http-server.ts';
import { read } from '../src/report/http/route.ts';
import { QUALITY_METRICS, type QualityMetric, WITHDRAWN_METRICS } from '../src/report/metrics/quality-metrics.ts';
import { QualityView, type SeriesTotal } from '../src/report/metrics/quality-view.ts';
import { SuiteTotals } from '../src/engine/counting/suite-totals.ts';
import { TotalsInMemory } from '../src/store/running-totals.ts';
import type { BenchRow } from './row.ts';
import { Scraper } from './scrape-stops.ts';

const CRITERIA = ['completes', 'no_tool_errors', 'grounded', 'polite', 'brief', 'asks_back', 'right_tool', 'no_loop'];
const SUITES = ['default', 'scheduling', 'honesty'];
const COUNTED = {
  traceId: 'a'.repeat(32),
  at: 1_790_000_000_000,
  logTime: 1_790_000_000_000,
  beganAt: 1_790_000_000_000,
};

export async function benchScrape(options: { readonly series: number; readonly rounds: number }): Promise<{
  readonly rows: readonly BenchRow[];
  readonly notes: readonly string[];
}> {
  const { view, totals } = filledView(options.series);
  const registry = registryOf(totals);
  const exposition = new Exposition(view.sources());
  const ours = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    routes: [
      read('/metrics', 'metrics', async (_side, { request }) => {
        const { contentType, texts } = await scrapeOf(exposition, request.headers.accept);
        return { status: 200, type: contentType, body: '', pieces: { texts } };
      }),
    ],
    access: OPEN_TO_ALL,
    onWrite: () => undefined,
    onDropped: () => undefined,
  });
  const plain = createServer((_, response) => {
    registry.metrics().then(
      (body) => response.end(body),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  // The cast holds for a server that listens on a port.
  const plainPort = (plain.address() as AddressInfo).port;

  const scrapes: Times = { changed: [], same: [], reference: [] };
  const renders: Times = { changed: [], same: [], reference: [] };
  const stops: Times = { changed: [], same: [], reference: [] };
  const slices: Times = { changed: [], same: [], reference: [] };
  const scraper = new Scraper();
  const stopped = async (of: keyof Times, url: string, accept: string) => {
    const { wallMs, cpuMs } = await scraper.stopOf(url, accept);
    stops[of].push(wallMs);
    slices[of].push(cpuMs);
  };
  let bytes = 0;
  // Alternating, so that a disturbance of the machine affects all. The other format was requested before, so nothing of
  // this one is cached.
  for (let round = 0; round < options.rounds; round += 1) {
    await timed(scrapes.changed, () => get(ours.port, 'application/openmetrics-text'));
    await timed(scrapes.same, () => get(ours.port, 'application/openmetrics-text'));
    bytes = await timed(scrapes.reference, () => get(plainPort, 'text/plain'));
    await timed(renders.changed, () => bytesOf(exposition));
    await timed(renders.same, () => bytesOf(exposition));
    await timed(renders.reference, async () => Buffer.from(await registry.metrics()));
    await stopped('changed', `http://127.0.0.1:${ours.port}/metrics`, 'application/openmetrics-text');
    await stopped('same', `http://127.0.0.1:${ours.port}/metrics`, 'application/openmetrics-text');
    await stopped('reference', `http://127.0.0.1:${plainPort}/`, 'text/plain');
    // As the beginning of a round expects it.
    await bytesOf(exposition);
  }
  await scraper.stop();
  await ours.stop();
  plain.closeAllConnections();
  await new Promise((resolve) => plain.close(resolve));

  const seriesOf = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
  const counts = { ours: view.seriesCount, reference: seriesOf(await registry.metrics()) };
  if (counts.ours !== counts.reference) throw new Error(`not the same series: ${JSON.stringify(counts)}`);
  return {
    rows: [
      row(
        `scrape: ${counts.ours} series over HTTP, with exemplars, all of them changed (ms)`,
        scrapes.changed,
        scrapes.reference,
      ),
      row(
        `scrape: ${counts.ours} series over HTTP, with exemplars, none of them changed (ms)`,
        scrapes.same,
        scrapes.reference,
      ),
      row(
        `scrape: ${counts.ours} series, time on the thread, all of them changed (ms)`,
        renders.changed,
        renders.reference,
      ),
      row(
        `scrape: ${counts.ours} series, time on the thread, none of them changed (ms)`,
        renders.same,
        renders.reference,
      ),
      ...(['changed', 'same'] as const).flatMap((of) => {
        const series = `scrape: ${counts.ours} series, ${of === 'same' ? 'none' : 'all'} of them changed`;
        return [
          row(`${series}, longest stop of the thread (ms)`, stops[of], stops.reference),
          row(`${series}, longest stop of the thread in its CPU time (ms)`, slices[of], slices.reference),
        ];
      }),
    ],
    notes: [
      `medians of ${options.rounds} rounds; the reference is prom-client’s text; slowest of ours over HTTP ${Math.round(Math.max(...scrapes.changed, ...scrapes.same))} ms, of the reference ${Math.round(Math.max(...scrapes.reference))} ms`,
      `longest stop of all rounds: ours ${Math.round(Math.max(...stops.changed, ...stops.same))} ms (CPU ${Math.round(Math.max(...slices.changed, ...slices.same))} ms), the reference ${Math.round(Math.max(...stops.reference))} ms`,
      `the text has ${(bytes / 1e6).toFixed(1)} MB; ${view.labelSetCount} combinations of agent, version and environment, ${SUITES.length} suites of ${CRITERIA.length} criteria, every outcome`,
    ],
  };
}

interface Times {
  readonly changed: number[];
  readonly same: number[];
  readonly reference: number[];
}

/** Every outcome has occurred, and every bucket that it could fall into has an example. */
function filledView(series: number): { readonly view: QualityView; readonly totals: readonly SeriesTotal[] } {
  let view = new QualityView();
  const totals = new TotalsInMemory();
  for (let agent = 0; view.seriesCount < series; agent += 1) {
    for (const suite of SUITES) {
      const labels = { suite, agent: `agent-${agent}`, agent_version: `2026.11.${agent}`, environment: 'production' };
      const suiteTotals = new SuiteTotals(totals, labels, { criteria: CRITERIA });
      for (const [index, outcome] of OUTCOMES.entries()) {
        const score = outcome === 'unscored' ? undefined : Math.min(index * 200_000, 1_000_000);
        suiteTotals.countFirst(
          {
            score,
            outcome,
            verdicts: new Map(
              CRITERIA.map((name, at) => [name, { verdict: at > index ? 'pass' : 'fail', reason: '', evidence: [] }]),
            ),
          },
          { steps: 3 + agent, tokens: 1000 + agent, duration: 2500 + agent, cost: 10_000 + 10 * agent },
          { ...COUNTED, conversationId: `conversation-${agent}-${index}` },
        );
      }
    }
    view.update(totals.committed());
  }
  // All of it at once, as at a start.
  view = new QualityView();
  view.update(totals.all());
  return { view, totals: totals.all() };
}

/** The same series with the same labels in prom-client, as in an application without a store. */
function registryOf(totals: readonly SeriesTotal[]): Registry {
  const registry = new Registry();
  const byName = Map.groupBy(totals, ({ metric }) => metric);
  for (const metric of [...Object.values<QualityMetric>(QUALITY_METRICS), ...WITHDRAWN_METRICS]) {
    const { name, help } = metric;
    const first = byName.get(metric.type === 'histogram' ? `${name}_count` : name)?.[0];
    if (first === undefined) continue;
    const shown = { name, help, labelNames: Object.keys(first.labels), registers: [registry] };
    if (metric.type === 'histogram') {
      const histogram = new Histogram({ ...shown, buckets: [...metric.buckets] });
      for (const { labels, value } of byName.get(`${name}_count`) ?? []) {
        histogram.zero(labels);
        for (let count = 0; count < value; count += 1) histogram.observe(labels, metric.buckets[count] ?? 0);
      }
      continue;
    }
    if (metric.type === 'gauge') {
      const gauge = new Gauge(shown);
      for (const { labels, value } of byName.get(name) ?? []) gauge.set(labels, value * metric.scale);
      continue;
    }
    const counter = new Counter(shown);
    for (const { labels, value } of byName.get(name) ?? []) counter.inc(labels, value * metric.scale);
  }
  return registry;
}

async function scrapeOf(exposition: Exposition, accept: string | undefined): Promise<Scraped> {
  const scraped = await exposition.scrape({ accept });
  if (scraped === undefined) throw new Error('the client waits for it');
  return scraped;
}

async function bytesOf(exposition: Exposition): Promise<Buffer> {
  return Buffer.from((await scrapeOf(exposition, undefined)).texts.join(''));
}

async function get(port: number, accept: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { accept } });
  return (await response.arrayBuffer()).byteLength;
}

async function timed<T>(into: number[], work: () => Promise<T>): Promise<T> {
  const before = performance.now();
  const result = await work();
  into.push(performance.now() - before);
  return result;
}

function row(name: string, ours: readonly number[], reference: readonly number[]): BenchRow {
  const [mine, theirs] = [median(ours), median(reference)];
  return { name, ours: mine, reference: theirs, ratio: Math.round((theirs / mine) * 100) / 100 };
}

function median(values: readonly number[]): number {
  return Math.round((values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN) * 10) / 10;
}
