/** The estimate is one figure: the API, which the page shows, the command line, MCP and Prometheus say the same to the digit. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type EstimateAnswer, estimateAnswer, readingQueue } from '../../src/api/estimate.ts';
import { assayHere } from '../assay-here.ts';
import { post, SUITE } from '../serve/api/v1/filled-service.ts';
import { metricsOf, type RunningService, runService, sumOf } from '../serve/running-service.ts';
import { tempDirectory } from '../temp-directory.ts';
import { toolsOverHttp } from './mcp-client.ts';

const CONVERSATIONS = 60;
const READ = 22;

async function asked<Shape extends z.ZodType>(running: RunningService, place: string, shape: Shape) {
  return shape.parse(await (await fetch(`${running.http}/api/v1/${place}`)).json());
}

async function put(running: RunningService, what: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${running.http}/v1/${what}`, { method: 'PUT', headers, body: JSON.stringify(body) });
  expect([what, answer.status]).toEqual([what, 200]);
}

/** Figures without the time of the question. */
function figuresOf({
  success,
  missed,
  miss_rate: missRate,
  says,
  next,
  conversations,
  readings,
  worth,
}: EstimateAnswer) {
  return { success, missed, missRate, says, next, conversations, readings, worth };
}

async function filled(dataDir: string): Promise<RunningService> {
  writeFileSync(path.join(dataDir, 'live.yaml'), SUITE);
  const running = await runService({ suites: ['./live.yaml'], dataDir });
  for (let index = 0; index < CONVERSATIONS; index += 1) {
    const results = Array.from({ length: index % 4 === 0 ? 0 : 1 }, () => '{}');
    await post(running, { id: `c-${index}`, question: 'Where?', answer: 'There.', results }, index + 1);
  }
  await expect
    .poll(async () => sumOf(await metricsOf(running), 'assay_evaluations_total'), { timeout: 40_000 })
    .toBe(CONVERSATIONS);
  const queue = await asked(running, `readings/queue?agent=helper&limit=${READ}`, readingQueue);
  const readings = queue.items.map((item, index) => ({
    ...{ conversation_id: item.conversation_id, by: 'ana' },
    answer: ['good', 'good', 'bad', 'good', 'cannot_tell', 'good', 'bad'][index % 7],
  }));
  await put(running, 'readings', readings);
  const later = await asked(running, 'readings/queue?agent=helper&by=ana&limit=100', readingQueue);
  const certain = later.items.slice(-2).map((item, index) => ({
    ...{ conversation_id: item.conversation_id, label: 'refund' },
    ...{ good: index === 0, certain: true },
  }));
  await put(running, 'outcomes', certain);
  return running;
}

test('the estimate is the same to the digit on every surface', { timeout: 120_000 }, async () => {
  const dataDir = tempDirectory();
  const first = await filled(dataDir);
  const before = figuresOf(await asked(first, 'estimate?agent=helper', estimateAnswer));
  expect(before.readings).toMatchObject({ sample: READ, certain: 2 });
  expect(before.success?.n).toBe(READ + 2);
  expect(before.missRate).toBeDefined();

  // Gauges are worked out at the start, and every two minutes.
  await first.service.stop();
  const running = await runService({ suites: ['./live.yaml'], dataDir });
  const api = figuresOf(await asked(running, 'estimate?agent=helper', estimateAnswer));
  expect(api).toEqual(before);

  const tools = await toolsOverHttp(running.http);
  expect({ mcp: figuresOf(await tools.call('estimate', { agent: 'helper' }, estimateAnswer)) }).toEqual({ mcp: api });

  const place = ['--agent', 'helper', '--url', running.http];
  const json = await assayHere(['estimate', ...place, '--json']);
  expect({ json: figuresOf(estimateAnswer.parse(JSON.parse(json.stdout))) }).toEqual({ json: api });
  const shown = await assayHere(['estimate', ...place]);
  expect(shown.stdout.split('\n')[0]).toBe(api.says);

  const gauge = async (name: string, bound: string) =>
    sumOf(await metricsOf(running), `${name}{`, 'agent="helper"', `bound="${bound}"`);
  for (const [name, figure] of [
    ['assay_success_estimate', api.success],
    ['assay_miss_rate_estimate', api.missRate],
  ] as const) {
    await expect.poll(() => gauge(name, 'value'), { timeout: 20_000 }).toBe(figure?.value);
    expect([await gauge(name, 'lower'), await gauge(name, 'upper')]).toEqual([figure?.low, figure?.high]);
  }

  const compared = await fetch(`${running.http}/api/v1/versions/compare?agent=helper&a=v1&b=v1&since=7d`);
  const { a } = z
    .object({ a: z.looseObject({ estimated: z.looseObject({ says: z.string() }).optional() }) })
    .loose()
    .parse(await compared.json());
  expect(a.estimated?.says).toBe(api.says);
});
