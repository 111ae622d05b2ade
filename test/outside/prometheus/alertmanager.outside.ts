/**
 * The routing that is shipped. amtool of a new Alertmanager checks the file and its routes. What mutes what is shown by a running one
 * (Debian's), to which alerts are given: only its receivers and its patience are changed.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { alertsOf, ruleGroups } from '../../../deploy/prometheus/source/rule-file.ts';
import { RULE_SETTINGS } from '../../../deploy/prometheus/source/settings.ts';
import { text } from '../../deploy/shipped-files.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { freePorts } from '../../free-ports.ts';
import { builtFromGo } from './go-commands.ts';

const FILE = path.resolve(import.meta.dirname, '../../../deploy/alertmanager/alertmanager.yml');
const ALERTS = alertsOf(ruleGroups(RULE_SETTINGS));
const BUILD_TIMEOUT_MS = 1_500_000;

type Labels = Readonly<Record<string, string>>;

async function amtool(...words: string[]): Promise<string> {
  const directory = await builtFromGo({
    module: 'github.com/prometheus/alertmanager',
    version: 'v0.34.2',
    commands: ['amtool'],
  });
  const { stdout } = await promisify(execFile)(path.join(directory, 'amtool'), words);
  return stdout;
}

test('amtool has nothing against the configuration', { timeout: BUILD_TIMEOUT_MS }, async () => {
  expect(await amtool('check-config', FILE)).toContain('SUCCESS');
});

test.for([
  ['AgentTcrRegression', { environment: 'production' }, 'agent-on-call'],
  ['AgentTcrRegression', {}, 'agent-on-call'],
  ['AgentTcrRegression', { environment: 'staging' }, 'chat'],
  ['AgentTcrSlipping', { environment: 'production' }, 'agent-tickets'],
  ['AgentCostPerSuccessRise', { environment: 'prod' }, 'agent-tickets'],
  ['AgentDetectorDisagrees', { environment: 'production' }, 'chat'],
  ['AssayAbsent', {}, 'assay-on-call'],
  ['AssayDown', {}, 'assay-tickets'],
] as const)('%s %j goes to %s', async ([alertname, labels, receiver]) => {
  const words = Object.entries(fullLabels(alertname, labels)).map(([name, value]) => `${name}=${value}`);

  const found = await amtool('config', 'routes', 'test', '--config.file', FILE, ...words);

  expect(found.trim()).toBe(receiver);
});

test('every alert that the routing names is one of ours', () => {
  const named = [...text('deploy/alertmanager/alertmanager.yml').matchAll(/\b(?:Agent|Assay)[A-Z]\w+/g)].map(
    ([name]) => name,
  );

  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !ALERTS.some(({ alert }) => alert === name))).toEqual([]);
});

const SHOP = { suite: 'default', agent: 'shop', environment: 'production' };
const DESK = { ...SHOP, agent: 'desk' };

interface Muting {
  readonly claim: string;
  readonly firing: readonly (readonly [string, Labels])[];
  readonly told: readonly string[];
}

const MUTING: readonly Muting[] = [
  {
    claim: 'a blind Assay says nothing of agents',
    firing: [
      ['AssayAbsent', {}],
      ['AssayDown', { job: 'assay', instance: 'assay-1' }],
      ['AgentTcrRegression', SHOP],
      ['AgentCostPerSuccessRise', DESK],
      ['AgentNoConversations', DESK],
    ],
    told: ['AssayAbsent'],
  },
  {
    claim: 'one replica that is away mutes nobody',
    firing: [
      ['AssayDown', { job: 'assay', instance: 'assay-2' }],
      ['AgentTcrRegression', SHOP],
    ],
    told: ['AgentTcrRegression', 'AssayDown'],
  },
  {
    claim: 'what is late is right, but no silence',
    firing: [
      ['AssayLagging', { job: 'assay' }],
      ['AgentTcrRegression', SHOP],
      ['AgentNoConversations', DESK],
    ],
    told: ['AgentTcrRegression', 'AssayLagging'],
  },
  {
    claim: 'a page says what its tickets would, for its agent only',
    firing: [
      ['AgentTcrRegression', SHOP],
      ['AgentTcrSlipping', SHOP],
      ['AgentSuccessRateDrop', SHOP],
      ['AgentCriterionRegression', { ...SHOP, criterion: 'polite' }],
      ['AgentDetectorRegression', { ...SHOP, metric: 'tcr' }],
      ['AgentStepsPerSuccessRise', SHOP],
      ['AgentTcrSlipping', DESK],
    ],
    told: ['AgentTcrRegression', 'AgentTcrSlipping'],
  },
  {
    claim: 'a spike of hard failures explains the rest',
    firing: [
      ['AgentHardFailureSpike', SHOP],
      ['AgentTcrRegression', SHOP],
      ['AgentSuccessRateDrop', SHOP],
      ['AgentCostPerSuccessRise', SHOP],
    ],
    told: ['AgentHardFailureSpike'],
  },
  {
    claim: 'an agent of which too much can not be scored is not judged; another is',
    firing: [
      ['AssayUnscored', SHOP],
      ['AgentTcrRegression', SHOP],
      ['AgentTcrRegression', DESK],
    ],
    told: ['AgentTcrRegression', 'AssayUnscored'],
  },
  {
    claim: 'the detector alone is heard, and a version that is worse beside a fall, too',
    firing: [
      ['AgentDetectorRegression', { ...SHOP, metric: 'tcr' }],
      ['AgentCandidateVersionWorse', { ...SHOP, agent_version: 'v2' }],
      ['AgentDetectorVersionWorse', { ...SHOP, agent_version: 'v2', baseline_version: 'v1' }],
    ],
    told: ['AgentCandidateVersionWorse', 'AgentDetectorRegression'],
  },
];

test.for(MUTING)('$claim', async ({ firing, told }) => {
  const heard: string[] = [];
  const alertmanager = await startAlertmanager((alerts) => heard.push(...alerts));

  await alertmanager.fire(firing.map(([alertname, labels]) => fullLabels(alertname, labels)));
  await alertmanager.untilHeard(() => told.every((name) => heard.includes(name)));
  // What was not heard was not late: it is muted.
  expect(await alertmanager.notMuted()).toEqual(told);
  expect([...new Set(heard)].sort()).toEqual(told);
});

function fullLabels(alertname: string, labels: Labels): Labels {
  const alert = ALERTS.find((one) => one.alert === alertname);
  if (alert === undefined) throw new Error(`no alert is called ${alertname}`);
  return { alertname, severity: alert.severity, area: alert.area, ...labels };
}

async function startAlertmanager(onAlerts: (names: readonly string[]) => void) {
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { alerts } = JSON.parse(Buffer.concat(chunks).toString()) as { alerts: { labels: Labels }[] };
      onAlerts(alerts.map(({ labels }) => labels.alertname ?? ''));
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
    /** Once all have been through the routing, as Alertmanager says itself. */
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
