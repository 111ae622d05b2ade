/**
 * A real Alertmanager for tests (Debian's), with the shipped routing: only its receivers and its wait times are
 * changed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import { text } from '../../deploy/shipped-files.ts';
import { freePorts } from '../../free-ports.ts';
import { tempDirectory } from '../../temp-directory.ts';

export type Labels = Readonly<Record<string, string>>;

/** A message to a webhook. */
export interface AlertMessage {
  readonly receiver: string;
  readonly alerts: readonly {
    readonly status: 'firing' | 'resolved';
    readonly labels: Labels;
    readonly annotations: Labels;
  }[];
}

export async function startAlertmanager(onMessage: (message: AlertMessage) => void) {
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      // The cast holds for what Alertmanager sends to webhooks.
      onMessage(JSON.parse(Buffer.concat(chunks).toString()) as AlertMessage);
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  // The cast holds for a server that listens on a port.
  const { port } = receiver.address() as AddressInfo;
  const directory = tempDirectory();
  const config = path.join(directory, 'alertmanager.yml');
  writeFileSync(
    config,
    stringify(impatient(parse(text('deploy/alertmanager/alertmanager.yml')), `http://127.0.0.1:${port}`)),
  );
  const [http = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${http}`;
  const child = spawn(
    'prometheus-alertmanager',
    [
      `--config.file=${config}`,
      `--storage.path=${directory}`,
      `--web.listen-address=127.0.0.1:${http}`,
      `--cluster.listen-address=`,
      `--data.retention=1h`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
    receiver.close();
  });
  const until = async (what: string, isSo: () => boolean | Promise<boolean>) => {
    for (let tries = 0; !(await isSo()); tries += 1) {
      if (tries > 300 || child.exitCode !== null) throw new Error(`${what} did not come about: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const answers = (to: string) =>
    fetch(`${url}${to}`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('readiness', () => answers('/-/ready'));
  return {
    address: `127.0.0.1:${http}`,
    fire: async (alerts: readonly Labels[]) => {
      const body = JSON.stringify(alerts.map((labels) => ({ labels, startsAt: new Date().toISOString() })));
      const answer = await fetch(`${url}/api/v2/alerts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      if (!answer.ok) throw new Error(await answer.text());
    },
    untilHeard: (isSo: () => boolean) => until('the notifications that were expected', isSo),
    /** Resolves once Alertmanager reports that all have been routed. */
    notMuted: async () => {
      let alerts: readonly { readonly labels: Labels; readonly status: { readonly state: string } }[] = [];
      await until('a state for every alert', async () => {
        alerts = (await (await fetch(`${url}/api/v2/alerts`)).json()) as typeof alerts;
        return alerts.length > 0 && alerts.every(({ status }) => status.state !== 'unprocessed');
      });
      const active = alerts.filter(({ status }) => status.state === 'active');
      return [...new Set(active.map(({ labels }) => labels.alertname))].sort();
    },
  };
}

/** Everything else is as shipped. */
function impatient(config: { route: Route; receivers: { name: string }[] }, url: string) {
  const hurry = ({ routes = [], ...route }: Route): Route => ({
    ...route,
    group_wait: '1s',
    group_interval: '1s',
    routes: routes.map(hurry),
  });
  return {
    ...config,
    route: hurry(config.route),
    receivers: config.receivers.map(({ name }) => ({ name, webhook_configs: [{ url: `${url}/${name}` }] })),
  };
}

interface Route {
  readonly routes?: readonly Route[];
  readonly [setting: string]: unknown;
}
