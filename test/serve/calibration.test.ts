/** Labels over HTTP compared with a judge's verdicts, and the resulting metrics; and again after a restart. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { judges, judging } from '../../src/api/judges.ts';
import { calibrationOf } from '../../src/serve/criteria/calibration-of.ts';
import { ShownRounds } from '../../src/serve/criteria/shown-rounds.ts';
import { CALIBRATION_METRICS } from '../../src/report/metrics/calibration-metrics.ts';
import { Exposition } from '../../src/report/metrics/exposition.ts';
import { rendered } from '../report/rendered.ts';
import type { Labelled } from '../../src/store/label-store.ts';
import { startProvider } from '../ask/provider.ts';
import { assayHere } from '../assay-here.ts';
import { exposedIn } from '../report/exposed.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { metricsOf, type RunningService, runService, sumOf } from './running-service.ts';

const SUITE = `suite: manners
version: "1"
scope: conversation
criteria:
  - { name: kind, question: Was it kind?, weight: 1, judge: { by: default } }
`;
const CONFIG = (url: string) =>
  `judges: { default: { provider: openai, model: played, base_url: ${url}, prices: { input_per_million: 2, output_per_million: 4 } } }\n`;

async function until(claim: () => Promise<boolean>): Promise<void> {
  while (!(await claim())) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function put(running: RunningService, conversation: string, labels: unknown) {
  const response = await fetch(`${running.http}/v1/labels/${encodeURIComponent(conversation)}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(labels),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function answering(pass: boolean) {
  const said = { kind: { quotes: [], reason: 'So it seems.', answer: pass } };
  return startProvider(() => ({ say: JSON.stringify(said) }));
}

test('labels before and after the judge are compared with what it said, over a restart', async () => {
  const provider = await answering(true);
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'assay.yaml'), CONFIG(provider.url));
  writeFileSync(path.join(dataDir, 'manners.yaml'), SUITE);
  const running = await runService({ suites: ['./manners.yaml'], dataDir });
  const conversations = [...traffic({ seed: 3, conversations: 3, endMarks: 'all' })];
  const [good, bad, odd] = conversations.map(({ id }) => id);
  if (good === undefined || bad === undefined || odd === undefined) return expect.unreachable();
  const label = { suite: 'manners', criterion: 'kind', label: 'pass', by: 'ann' };

  expect(await put(running, good, label)).toEqual({
    status: 200,
    body: { conversation_id: good, labels: 1, added: 1 },
  });
  for (const { turns } of conversations)
    for (const turn of turns) {
      const traceId = turn[0]?.traceId ?? '';
      const body = exportRequest(turn, 'v1').replaceAll(traceId, createHash('md5').update(traceId).digest('hex'));
      const headers = { 'content-type': 'application/json' };
      expect((await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
    }
  await until(async () => sumOf(await metricsOf(running), 'assay_judged_verdicts_total', '"pass"') === 3);
  const { spent, waiting } = judging.parse(await (await fetch(`${running.http}/api/v1/judging`)).json());
  expect(spent.last_hour).toBeCloseTo(sumOf(await metricsOf(running), 'assay_judge_cost_total'), 9);
  expect(spent.last_hour).toBeGreaterThan(0);
  expect({ day: spent.last_day, waiting }).toEqual({ day: spent.last_hour, waiting: [] });
  expect((await put(running, good, label)).body).toMatchObject({ added: 0 });
  const others = [
    { ...label, label: 'fail', note: 'It was rude.' },
    { ...label, by: 'bo', label: 'fail' },
  ];
  expect((await put(running, bad, others)).body).toMatchObject({ labels: 2, added: 2 });
  expect((await put(running, odd, { ...label, label: 'not_applicable' })).status).toBe(200);
  await running.service.stop();

  const again = await runService({ suites: ['./manners.yaml'], dataDir });
  await until(
    async () =>
      sumOf(await metricsOf(again), 'assay_judge_agreement_ratio', 'figure="sensitivity"', 'bound="value"') === 1,
  );

  const metrics = await metricsOf(again);
  const figures = [
    ['sensitivity', 'value'],
    ['sensitivity', 'lower'],
    ['specificity', 'value'],
    ['specificity', 'upper'],
    ['kappa', 'value'],
  ].map(([figure, bound]) =>
    sumOf(
      metrics,
      'assay_judge_agreement_ratio',
      'suite="manners",criterion="kind",judge="default",judge_version="',
      `figure="${figure}",bound="${bound}"`,
    ),
  );
  expect(figures.map((figure) => figure.toFixed(3))).toEqual(['1.000', '0.281', '0.000', '0.719', '0.000']);
  expect(sumOf(metrics, 'assay_judge_labelled_verdicts', 'verdict="pass",label="pass"')).toBe(1);
  expect(sumOf(metrics, 'assay_judge_labelled_verdicts', 'verdict="pass",label="fail"')).toBe(1);
  expect(sumOf(metrics, 'assay_judge_labelled_verdicts', 'label="not_applicable"')).toBe(1);
  const answer = await fetch(`${again.http}/api/v1/judges`);
  expect(judges.parse(await answer.json())).toEqual({
    judges: [
      expect.objectContaining({
        name: 'default',
        provider: 'openai',
        model: 'played',
        votes: 1,
        sample: 1,
        criteria: [
          {
            suite: 'manners',
            criterion: 'kind',
            judge_version: expect.any(String),
            labels: 2,
            disputed: 0,
            kappa: expect.objectContaining({ value: 0, n: 2 }),
            sensitivity: expect.objectContaining({ value: 1, high: 1, n: 1 }),
            specificity: expect.objectContaining({ value: 0, low: 0, n: 1 }),
          },
        ],
      }),
    ],
    budget: {},
    calibrates_here: true,
  });
  // It answers yes to everything, and people to one of two.
  expect(sumOf(metrics, 'assay_judge_agreement_ratio', 'figure="corrected_pass"', 'bound="value"')).toBe(0.5);
});

test('what is wrong with labels is said, all of it, and none is put', async () => {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'manners.yaml'), SUITE);
  const running = await runService({ suites: ['./manners.yaml'], dataDir });
  const label = { suite: 'manners', criterion: 'kind', label: 'pass', by: 'ann' };

  const shapes = await put(running, 'c', [{ ...label, label: 'good' }, { ...label, by: '', score: 3 }, 7]);
  expect(shapes.status).toBe(400);
  expect(shapes.body.problems).toEqual([
    '0.label: one of pass, fail, not_applicable, or null to take it back',
    '1.by: a text that is not empty',
    "1: unknown field 'score'",
    expect.stringMatching(/^2: /),
  ]);
  const names = await put(running, 'c', [label, { ...label, suite: 'maners' }, { ...label, criterion: 'rude' }]);
  expect(names).toMatchObject({
    status: 400,
    body: {
      problems: [
        'no suite "maners" runs here; did you mean "manners"?',
        'suite "manners" has no criterion "rude"; there are kind',
      ],
    },
  });
  expect((await put(running, 'c', [])).status).toBe(400);
  expect((await put(running, 'c', [label])).body).toMatchObject({ added: 1 });
});

test('`assay labels import` puts the labels of a file, once, and tells what is refused', async () => {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'manners.yaml'), SUITE);
  const running = await runService({ suites: ['./manners.yaml'], dataDir });
  const file = path.join(dataDir, 'labels.csv');
  const assay = (...args: readonly string[]) =>
    assayHere(['labels', 'import', file, '--url', running.http, ...args], { cwd: dataDir });
  writeFileSync(file, 'conversation,criterion,label\na/b,kind,pass\na/b,kind,fail\nc,kind,pass\n');

  expect(await assay('--suite', 'manners', '--by', 'ann')).toMatchObject({
    stdout: expect.stringMatching(/^3 labels, 3 of them new/),
  });
  writeFileSync(file, 'conversation,criterion,label\na/b,kind,fail\nc,kind,pass\nd,kind,fail\n');
  expect(await assay('--suite', 'manners', '--by', 'ann', '--json')).toMatchObject({
    stdout: '{"labels":3,"added":1}\n',
  });

  expect(await assay('--suite', 'maners', '--by', 'ann')).toMatchObject({
    status: 3,
    stderr: expect.stringContaining('no suite "maners" runs here; did you mean "manners"?'),
  });
  expect(await assay('--suite', 'manners')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('3 mistakes:'),
  });
});

const SAID: Labelled = {
  labels: ['pass', 'fail', 'pass', 'fail'].map((label, index) => ({
    conversationId: `c${index}`,
    turnId: undefined,
    suite: 's',
    criterion: 'kind',
    label: label === 'pass' ? 'pass' : 'fail',
    by: 'ann',
    note: undefined,
  })),
  verdicts: ['pass', 'fail', 'pass', 'fail'].map((verdict, index) => ({
    conversationId: `c${index}`,
    turnId: undefined,
    suite: 's',
    criterion: 'kind',
    judge: 'default',
    judgeVersion: 'v1',
    verdict: verdict === 'pass' ? 'pass' : 'fail',
    revision: 1,
    notedAt: 5,
  })),
  judged: [
    { suite: 's', criterion: 'kind', judge: 'default', judgeVersion: 'v1', verdict: 'pass', count: 6 },
    { suite: 's', criterion: 'kind', judge: 'default', judgeVersion: 'v1', verdict: 'fail', count: 4 },
  ],
};

test('every metric of calibration is exposed as the contract says, by the instance that has it, and what was known stays in trouble', async () => {
  const problems: string[] = [];
  let labelled = (): Labelled => SAID;
  const rounds = new ShownRounds({
    everyMs: 60_000,
    metrics: CALIBRATION_METRICS,
    read: () => calibrationOf({ labelled: () => labelled() }),
    onProblem: (problem) => problems.push(problem),
    isOwner: false,
  });
  const exposition = new Exposition(rounds.sources());
  const exposed = async () => [...exposedIn((await rendered(exposition)).body)];

  await rounds.refresh();
  expect((await exposed()).filter(([, { samples }]) => samples > 0)).toEqual([]);

  rounds.own(true);
  await rounds.refresh();
  const shown = await exposed();
  expect(shown.map(([name, { type, labels }]) => ({ name, type, labels }))).toEqual(
    Object.values(CALIBRATION_METRICS).map(({ name, type, labels }) => ({ name, type, labels: [labels.join(',')] })),
  );

  labelled = () => {
    throw new Error('the disk is gone');
  };
  await rounds.refresh();
  expect(problems).toEqual(['the disk is gone']);
  expect(await exposed()).toEqual(shown);
  await rounds.stop();
});
