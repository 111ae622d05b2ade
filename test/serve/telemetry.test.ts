/** Assay's own traces and metrics, sent by a running service to a backend, and to itself. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Settings } from '../../src/config/settings.ts';
import { telemetryIn } from '../../src/config/telemetry-settings.ts';
import { freePorts } from '../free-ports.ts';
import { metricsOf, type RunningService, runService, sendTurns, sumOf } from './running-service.ts';

const scope = z.object({ name: z.string() });
const attributes = z.array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) })).default([]);
const tracesSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(
        z.object({
          scope,
          spans: z.array(z.object({ name: z.string(), attributes, status: z.object({ code: z.number().optional() }) })),
        }),
      ),
    }),
  ),
});
const metricsSchema = z.object({
  resourceMetrics: z.array(
    z.object({
      scopeMetrics: z.array(
        z.object({
          scope,
          metrics: z.array(
            z.object({
              name: z.string(),
              unit: z.string(),
              sum: z
                .object({ isMonotonic: z.boolean(), dataPoints: z.array(z.object({ asDouble: z.number() })) })
                .optional(),
              histogram: z
                .object({
                  dataPoints: z.array(
                    z.object({
                      count: z.coerce.number(),
                      bucketCounts: z.array(z.coerce.number()),
                      explicitBounds: z.array(z.number()),
                    }),
                  ),
                })
                .optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

async function startBackend() {
  const traces: z.infer<typeof tracesSchema>[] = [];
  const metrics: z.infer<typeof metricsSchema>[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const whole = Buffer.concat(parts);
      const body: unknown = JSON.parse(
        (request.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole).toString(),
      );
      if (request.url === '/base/v1/traces') traces.push(tracesSchema.parse(body));
      if (request.url === '/base/v1/metrics') metrics.push(metricsSchema.parse(body));
      response.writeHead(request.headers.authorization === 'Bearer abc' ? 200 : 401).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  // The cast holds for a server that listens on a port.
  return { traces, metrics, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base` };
}

function telemetryTo(url: string, authorization: string, metricsEveryMs: number): Settings['telemetry'] {
  const telemetry = telemetryIn({
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_HEADERS: authorization === '' ? '' : `authorization=${authorization}`,
  });
  return telemetry && { ...telemetry, metricsEveryMs };
}

async function untilScored(running: RunningService, turns: number): Promise<void> {
  while (sumOf(await metricsOf(running), 'assay_turns_scored_total') < turns)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

test('what Assay does goes to a backend as a span for each batch, and its health as the metrics that a scrape shows', async () => {
  const { traces, metrics, url } = await startBackend();
  const telemetry = telemetryTo(url, 'Bearer abc', 60_000);
  const running = await runService({ suites: ['default'], telemetry });
  await sendTurns(running, { first: 1, turns: 30 });
  await untilScored(running, 30);
  const scraped = await metricsOf(running);

  await running.service.stop();

  const scopes = traces.flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans));
  expect(new Set(scopes.map((one) => one.scope.name))).toEqual(new Set(['assay']));
  const scored = scopes.flatMap(({ spans }) => spans).filter(({ name }) => name === 'score turns');
  const turnsOf = ({ attributes: given }: (typeof scored)[number]) =>
    Number(given.find(({ key }) => key === 'assay.turns')?.value.intValue);
  expect(scored.reduce((sum, span) => sum + turnsOf(span), 0)).toBe(30);
  expect(scored.length).toBeLessThan(30);
  const resource = traces[0]?.resourceSpans[0]?.resource.attributes.map(({ key, value }) => [key, value.stringValue]);
  expect(resource).toContainEqual(['service.name', 'assay']);
  const sent = metrics.flatMap(({ resourceMetrics }) =>
    resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics)),
  );
  const turns = sent.find(({ name }) => name === 'assay_turns_scored_total');
  expect(turns).toMatchObject({ unit: '{turns}', sum: { isMonotonic: true, dataPoints: [{ asDouble: 30 }] } });
  const commit = sent.find(({ name }) => name === 'assay_scoring_batch_seconds');
  const point = commit?.histogram?.dataPoints[0];
  expect(point?.count).toBe(sumOf(scraped, 'assay_scoring_batch_seconds_count'));
  expect(point?.bucketCounts.reduce((sum, count) => sum + count, 0)).toBe(point?.count);
  expect(point?.bucketCounts.length).toBe((point?.explicitBounds.length ?? 0) + 1);
});

test('a backend that refuses is said once, and nothing waits for it', async () => {
  const { url } = await startBackend();
  const telemetry = telemetryTo(url, '', 100);
  const running = await runService({ suites: ['default'], telemetry });
  await sendTurns(running, { first: 1, turns: 3 });
  await untilScored(running, 3);

  const said = () => running.lines.filter((line) => line.includes('own traces or metrics could not be sent'));
  while (said().length === 0) await new Promise((resolve) => setTimeout(resolve, 20));

  expect(said().length).toBe(1);
  expect(said()[0]).toMatch(/"problem":"(?!\\{).*Unauthorized/);
});

test('pointed at itself, Assay takes what it says of itself, scores none of it, and says nothing of having taken it', async () => {
  const [port = 0] = await freePorts(1);
  const telemetry = telemetryTo(`http://127.0.0.1:${port}`, '', 50);
  const running = await runService({ suites: ['default'], telemetry, otlpHttpPort: port });
  const taken = async (signal: string) =>
    sumOf(await metricsOf(running), 'assay_received_requests_total', `signal="${signal}"`);
  const records = async () => sumOf(await metricsOf(running), 'assay_received_records_total', 'signal="traces"');
  await sendTurns(running, { first: 1, turns: 5 });
  await untilScored(running, 5);
  // Its own spans have arrived: of the recovery at the start, and of the recent batches.
  while ((await records()) <= 5 + 1) await new Promise((resolve) => setTimeout(resolve, 20));

  // Long enough for a feedback loop to have created many more spans.
  const settle = async (exports: number) => {
    const from = await taken('metrics');
    while ((await taken('metrics')) < from + exports) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await settle(10);
  const before = await records();
  await settle(20);

  expect(await records()).toBe(before);
  const metrics = await metricsOf(running);
  expect(sumOf(metrics, 'assay_turns_scored_total')).toBe(5);
  expect(sumOf(metrics, 'assay_turns_closed_total')).toBe(5);
  expect(sumOf(metrics, 'assay_open_turns')).toBe(0);
  expect([...metrics.keys()].filter((name) => name.includes('agent="assay"'))).toEqual([]);
}, 60_000);
