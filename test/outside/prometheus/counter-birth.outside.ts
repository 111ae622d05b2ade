/**
 * How Prometheus treats a series that begins: the service directly, and through a relay that passes on the page for
 * people, which equals that of any other exporter. See docs/decisions/0013-metrics.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePorts } from '../../free-ports.ts';
import { type RunningService, runService } from '../../serve/running-service.ts';
import { exportRequest, type TrafficConversation, traffic } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { BUILT_WITHIN_MS, LINES, prometheusBinaries } from './prometheus-binaries.ts';

/** Passes on the metrics without the headers that identify Prometheus. */
async function relay(metrics: string): Promise<number> {
  async function passOn(response: ServerResponse): Promise<void> {
    const answer = await fetch(metrics);
    // Prometheus 3 rejects a page without a content type.
    response.setHeader('content-type', answer.headers.get('content-type') ?? '');
    response.end(await answer.text());
  }

  const server = createServer((_, response) => {
    passOn(response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // The cast holds for a server that listens on a port.
  return (server.address() as AddressInfo).port;
}

interface RunningPrometheus {
  /** The value of a query with one result; undefined if there is none. */
  ask(query: string): Promise<number | undefined>;
}

async function runPrometheus(program: string, targets: Readonly<Record<string, number>>): Promise<RunningPrometheus> {
  const directory = tempDirectory();
  const [port] = await freePorts(1);
  const jobs = Object.entries(targets).map(
    ([job, target]) => `  - { job_name: ${job}, static_configs: [{ targets: ['127.0.0.1:${target}'] }] }`,
  );
  const config = path.join(directory, 'prometheus.yml');
  writeFileSync(config, ['global: { scrape_interval: 1s }', 'scrape_configs:', ...jobs, ''].join('\n'));
  const child: ChildProcess = spawn(
    program,
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${path.join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    ask: async (query) => {
      try {
        const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`);
        // The cast holds for this API.
        const { data } = (await response.json()) as { data: { result: readonly { value: [number, string] }[] } };
        const [first] = data.result;
        return first === undefined ? undefined : Number(first.value[1]);
      } catch {
        // It is starting.
        return undefined;
      }
    },
  };
}

async function send(running: RunningService, conversation: TrafficConversation): Promise<void> {
  for (const turn of conversation.turns) {
    const response = await fetch(`${running.otlp}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: exportRequest(turn, conversation.agentVersion),
    });
    expect(response.status).toBe(200);
  }
}

/** The test's own time limit ends the wait. */
async function until(claim: () => Promise<boolean>): Promise<void> {
  while (!(await claim())) await sleep(200);
}

// Not in the time of a test: the first one on a machine builds it.
beforeAll(() => prometheusBinaries('3.x'), BUILT_WITHIN_MS);

test.each(LINES)('the first conversation of a version is an increase to Prometheus %s', async (line) => {
  const { prometheus } = await prometheusBinaries(line);
  const running = await runService({ suites: ['default'] });
  const assay = Number(new URL(running.http).port);
  const server = await runPrometheus(prometheus, { assay, relayed: await relay(`${running.http}/metrics`) });
  await until(async () => (await server.ask('sum(up)')) === 2);

  const [first] = [...traffic({ seed: 1, conversations: 1, turnsMax: 1, endMarks: 'all' })];
  if (first === undefined) throw new Error('a conversation was asked for');
  await send(running, first);
  const seen = (job: string, count: number) => async () =>
    ((await server.ask(`count_over_time(sum(assay_evaluations_total{job="${job}"} == 1)[1m:1s])`)) ?? 0) >= count;
  await until(seen('assay', 3));
  await until(seen('relayed', 3));

  for (const metric of ['assay_evaluations_total', 'assay_evaluation_score_count', 'assay_conversation_steps_count']) {
    const increase = (job: string) => server.ask(`sum(increase(${metric}{job="${job}"}[1m]))`);
    expect([metric, await increase('relayed')]).toEqual([metric, 0]);
    expect(await increase('assay'), metric).toBeGreaterThanOrEqual(1);
    const grown = `sum(max_over_time(${metric}{job="assay"}[1m]) - min_over_time(${metric}{job="assay"}[1m]))`;
    expect([metric, await server.ask(grown)]).toEqual([metric, 1]);
  }
});
