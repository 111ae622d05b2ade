/** A real Prometheus for tests: the shipped rules, with shorter times, scraping every second. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { freePorts } from '../../free-ports.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { type Line, prometheusBinaries } from './prometheus-binaries.ts';

export interface PrometheusOptions {
  readonly line: Line;
  /** URLs of the scrape targets. */
  readonly targets: readonly string[];
  readonly rules: string;
  /** host:port of the Alertmanager; alerts go nowhere if absent. */
  readonly alertmanager?: string;
}

export interface PrometheusForTests {
  readonly url: string;
  /** The answer's `data`; throws Prometheus' error. */
  ask(api: string, parameters: Readonly<Record<string, string>>): Promise<unknown>;
}

export async function startPrometheus({
  line,
  targets,
  rules,
  alertmanager,
}: PrometheusOptions): Promise<PrometheusForTests> {
  const { prometheus } = await prometheusBinaries(line);
  const directory = tempDirectory();
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    ...(alertmanager === undefined
      ? {}
      : { alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] } }),
    scrape_configs: [{ job_name: 'assay', static_configs: [{ targets: targets.map((url) => new URL(url).host) }] }],
  };
  writeFileSync(path.join(directory, 'prometheus.yml'), stringify(config));
  writeFileSync(path.join(directory, 'rules.yml'), rules);
  const [port = 0] = await freePorts(1);
  const child = spawn(
    prometheus,
    [
      `--config.file=${path.join(directory, 'prometheus.yml')}`,
      `--storage.tsdb.path=${path.join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--enable-feature=exemplar-storage',
    ],
    { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-20_000);
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (let tries = 0; !(await isReady()); tries += 1) {
    if (tries > 300 || child.exitCode !== null) throw new Error(`Prometheus did not start: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    url,
    async ask(api, parameters) {
      const answer = await fetch(`${url}/api/v1/${api}?${String(new URLSearchParams(parameters))}`);
      const body = (await answer.json()) as { status: string; data: unknown; error?: string };
      if (body.status !== 'success') throw new Error(`${body.error ?? answer.status}: ${parameters.query ?? api}`);
      return body.data;
    },
  };
}
