/**
 * The shipped routing. amtool of a new Alertmanager checks the file and its routes. A running Alertmanager (Debian's)
 * gets alerts and shows which mute which: only its receivers and its wait times are changed.
 */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { alertsOf, ruleGroups } from '../../../deploy/prometheus/source/rule-file.ts';
import { RULE_SETTINGS } from '../../../deploy/prometheus/source/settings.ts';
import { text } from '../../deploy/shipped-files.ts';
import { type Labels, startAlertmanager } from './alertmanager-process.ts';
import { builtFromGo } from './go-commands.ts';

const FILE = path.resolve(import.meta.dirname, '../../../deploy/alertmanager/alertmanager.yml');
const ALERTS = alertsOf(ruleGroups(RULE_SETTINGS));
const BUILD_TIMEOUT_MS = 1_500_000;

async function amtool(...words: string[]): Promise<string> {
  const directory = await builtFromGo({
    module: 'github.com/prometheus/alertmanager',
    version: 'v0.34.2',
    packages: ['cmd/amtool'],
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
  ['AgentEffortPerSuccessRise', { environment: 'prod' }, 'agent-tickets'],
  ['AgentSuccessEstimateFell', { agent: 'shop' }, 'agent-tickets'],
  ['AgentFailureIsBack', { agent: 'shop', kind: 'refund' }, 'agent-tickets'],
  ['AssayEvaluatorDrifts', { agent: 'shop' }, 'assay-tickets'],
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
      ['AgentEffortPerSuccessRise', DESK],
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
      ['AgentTcrRegression', { ...SHOP, first: 'AgentTcrRegression' }],
      ['AgentTcrSlipping', SHOP],
      ['AgentTcrNotReady', SHOP],
      ['AgentTcrNotProductionReady', SHOP],
      ['AgentSuccessRateDrop', { ...SHOP, first: 'AgentTcrRegression' }],
      ['AgentCriterionRegression', { ...SHOP, criterion: 'polite' }],
      ['AgentDetectorRegression', { ...SHOP, metric: 'tcr', first: 'AgentTcrRegression' }],
      ['AgentEffortPerSuccessRise', SHOP],
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
      ['AgentDetectorRegression', { ...SHOP, metric: 'tcr', first: 'AgentTcrRegression' }],
      ['AgentDetectorPartRegression', { ...SHOP, metric: 'segment', segment: 'language=de' }],
      ['AgentEffortPerSuccessRise', SHOP],
    ],
    told: ['AgentHardFailureSpike'],
  },
  ...['AgentTcrRegression', 'AgentSuccessRateDrop', 'AgentDetectorRegression'].map((first) => ({
    claim: `a segment that fell is no second message if the agent fell (${first}), and one if only it did`,
    firing: [
      [first, { ...SHOP, first, ...(first === 'AgentDetectorRegression' ? { metric: 'tcr' } : {}) }],
      ['AgentDetectorPartRegression', { ...SHOP, metric: 'segment', segment: 'language=de' }],
      ['AgentDetectorPartRegression', { ...DESK, metric: 'segment', segment: 'language=de' }],
    ] as const,
    told: ['AgentDetectorPartRegression', first].sort(),
  })),
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
    claim: 'a fall by readings, and suites that miss more, are heard beside a fall of the score',
    firing: [
      ['AgentTcrRegression', SHOP],
      ['AgentSuccessEstimateFell', { agent: 'shop' }],
      ['AssayEvaluatorDrifts', { agent: 'shop' }],
    ],
    told: ['AgentSuccessEstimateFell', 'AgentTcrRegression', 'AssayEvaluatorDrifts'],
  },
  {
    claim: 'people can read what suites cannot score',
    firing: [
      ['AssayUnscored', SHOP],
      ['AgentTcrRegression', SHOP],
      ['AgentSuccessEstimateFell', { agent: 'shop' }],
    ],
    told: ['AgentSuccessEstimateFell', 'AssayUnscored'],
  },
  {
    claim: 'a blind Assay says nothing of readings of agents',
    firing: [
      ['AssayAbsent', {}],
      ['AgentSuccessEstimateFell', { agent: 'shop' }],
    ],
    told: ['AssayAbsent'],
  },
  {
    claim: 'hard failures that the detector found first are one page, and it mutes no outage of another kind',
    firing: [
      ['AgentDetectorRegression', { ...SHOP, metric: 'hard_failure', first: 'AgentDetectorRegression' }],
      ['AgentHardFailureSpike', { ...SHOP, first: 'AgentDetectorRegression' }],
      ['AgentDetectorRegression', { ...DESK, metric: 'tcr', first: 'AgentDetectorRegression' }],
      ['AgentHardFailureSpike', { ...DESK, first: 'AgentHardFailureSpike' }],
    ],
    told: ['AgentDetectorRegression', 'AgentHardFailureSpike'],
  },
  {
    claim: 'the detector alone is heard without its tickets, and a version that is worse beside a fall, too',
    firing: [
      ['AgentDetectorRegression', { ...SHOP, metric: 'tcr', first: 'AgentDetectorRegression' }],
      ['AgentTcrSlipping', SHOP],
      ['AgentTcrNotReady', SHOP],
      ['AgentCandidateVersionWorse', { ...SHOP, agent_version: 'v2' }],
      ['AgentDetectorVersionWorse', { ...SHOP, agent_version: 'v2', baseline_version: 'v1' }],
    ],
    told: ['AgentCandidateVersionWorse', 'AgentDetectorRegression'],
  },
];

test.for(MUTING)('$claim', async ({ firing, told }) => {
  const heard: string[] = [];
  const alertmanager = await startAlertmanager(({ alerts }) =>
    heard.push(...alerts.map(({ labels }) => labels.alertname ?? '')),
  );

  await alertmanager.fire(firing.map(([alertname, labels]) => fullLabels(alertname, labels)));
  await alertmanager.untilHeard(() => told.every((name) => heard.includes(name)));
  // The missing message was not late: it is muted.
  expect(await alertmanager.notMuted()).toEqual(told);
  expect([...new Set(heard)].sort()).toEqual(told);
});

const FALL_PAGES: Readonly<Record<string, Labels>> = {
  AgentTcrRegression: SHOP,
  AgentSuccessRateDrop: SHOP,
  AgentDetectorRegression: { ...SHOP, metric: 'tcr' },
};

test.for(Object.keys(FALL_PAGES))('one fall is one notification if %s is first', async (first) => {
  const heard: string[] = [];
  const alertmanager = await startAlertmanager(({ alerts }) =>
    heard.push(...alerts.map(({ labels, status }) => `${status} ${labels.alertname}`)),
  );
  const labelled = (name: string) => fullLabels(name, { ...FALL_PAGES[name], first });

  await alertmanager.fire([labelled(first)]);
  await alertmanager.untilHeard(() => heard.includes(`firing ${first}`));
  const others = Object.keys(FALL_PAGES).filter((name) => name !== first);
  for (const other of others) {
    await alertmanager.fire([labelled(other)]);
    expect(await alertmanager.notMuted()).toEqual([first]);
  }
  // A message about another agent shows that the group intervals of a second have passed.
  await alertmanager.fire([fullLabels(first, { ...FALL_PAGES[first], agent: 'desk', first })]);
  await alertmanager.untilHeard(() => heard.length > 1);

  expect(heard).toEqual([`firing ${first}`, `firing ${first}`]);
});

function fullLabels(alertname: string, labels: Labels): Labels {
  const alert = ALERTS.find((one) => one.alert === alertname);
  if (alert === undefined) throw new Error(`no alert is called ${alertname}`);
  return { alertname, severity: alert.severity, area: alert.area, ...labels };
}
