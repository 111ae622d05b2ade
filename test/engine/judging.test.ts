/**
 * Judges in the running service: the scoring thread asks pending questions from the store, and the metrics and the log
 * report it.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Store } from '../../src/store/sqlite/store.ts';
import { startProvider, YES } from '../ask/provider.ts';
import { judgeRequest } from '../ask/requests.ts';
import { excerptRequest } from '../../src/score/suite-test/excerpt-request.ts';
import { exposedIn } from '../report/exposed.ts';
import { JUDGE_METRICS } from '../../src/report/events/judges.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { metricsOf, type RunningService, runService, sumOf } from '../serve/running-service.ts';

const JUDGES = (url: string) => `
judges:
  default:
    provider: openai
    model: played
    base_url: ${url}
    prices: { input_per_million: 2, output_per_million: 8 }
judging: { budget: { per_hour: 1, per_day: 5 } }
`;

/** The state that a waiting evaluation leaves: the service finds it when it starts. */
function storeWith(dataDir: string, name: string, config: string): void {
  writeFileSync(path.join(dataDir, 'assay.yaml'), config);
  const store = Store.open(path.join(dataDir, 'assay.db'));
  store.begin();
  store.questions.waitFor(1, [judgeRequest(name)], Date.now());
  store.commit();
  store.close();
}

async function until(claim: () => Promise<boolean>): Promise<void> {
  while (!(await claim())) await new Promise((resolve) => setTimeout(resolve, 50));
}

const total = async (running: RunningService, name: string, ...labels: readonly string[]) =>
  sumOf(await metricsOf(running), name, ...labels);

test('what waited is asked after a start, and counted', async () => {
  const provider = await startProvider(() => ({ say: YES }));
  const dataDir = tempDirectory();
  storeWith(dataDir, 'a', JUDGES(provider.url));

  const running = await runService({ suites: ['default'], dataDir });
  await until(async () => (await total(running, 'assay_judge_questions_total', 'end="answered"')) === 1);

  const metrics = await metricsOf(running);
  expect(sumOf(metrics, 'assay_judge_calls_total', 'result="said"')).toBe(1);
  expect(sumOf(metrics, 'assay_judge_call_seconds_count')).toBe(1);
  expect(sumOf(metrics, 'assay_judge_tokens_total', 'direction="input"')).toBe(100);
  expect(sumOf(metrics, 'assay_judge_cost_total')).toBeCloseTo((100 * 2 + 20 * 8) / 1e6, 12);
  await until(async () => (await total(running, 'assay_judge_budget_spent_ratio', 'window="hour"')) === 360e-6);
  expect(await total(running, 'assay_judge_waiting_questions')).toBe(0);
  const text = await (await fetch(`${running.http}/metrics`)).text();
  const names = new Set([...exposedIn(text)].map(([name]) => name));
  expect(Object.values(JUDGE_METRICS).filter(({ name }) => !names.has(name))).toEqual([]);
});

test('a judge that is stopped is seen in the metrics and in the log, without the key', async () => {
  const provider = await startProvider(() => ({ status: 401, error: { message: 'no such key: none' } }));
  const dataDir = tempDirectory();
  storeWith(dataDir, 'a', JUDGES(provider.url));

  const running = await runService({ suites: ['default'], dataDir });
  await until(async () => (await total(running, 'assay_judge_stopped')) === 1);

  const [line = ''] = running.lines.filter((text) => text.includes('judge cannot answer, pausing it'));
  expect(JSON.parse(line)).toMatchObject({ level: 'error', judge: 'default', failure: 'authentication' });
  await until(async () => (await total(running, 'assay_judge_waiting_questions')) === 1);
});

const SUITE = `suite: manners
version: "1"
scope: conversation
criteria:
  - { name: answered, question: Was there an answer?, weight: 0.5, check: size(steps) > 0 }
  - name: kind
    question: Was it kind?
    weight: 0.5
    judge: { by: default }
`;

test('code is counted at once, and the evaluation when its judge has answered; what looks the same is asked once', async () => {
  const answer = Promise.withResolvers<{ readonly say: string }>();
  const provider = await startProvider(() => answer.promise);
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'assay.yaml'), JUDGES(provider.url));
  writeFileSync(path.join(dataDir, 'manners.yaml'), SUITE);
  const running = await runService({ suites: ['./manners.yaml'], dataDir });
  const [conversation] = traffic({ seed: 1, conversations: 1, endMarks: 'all' });
  const send = async (name: string) => {
    for (const turn of conversation?.turns ?? []) {
      const headers = { 'content-type': 'application/json' };
      const traceId = turn[0]?.traceId ?? '';
      const written = exportRequest(turn, 'v1').replaceAll(conversation?.id ?? '', name);
      const body = written.replaceAll(traceId, createHash('md5').update(`${name} ${traceId}`).digest('hex'));
      expect((await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
    }
  };

  await send('first');
  await until(async () => (await total(running, 'assay_verdicts_total', 'criterion="answered"')) === 1);
  await until(() => Promise.resolve(provider.asked.length === 1));
  expect(await total(running, 'assay_evaluations_total')).toBe(0);

  answer.resolve({ say: YES });
  await until(async () => (await total(running, 'assay_evaluations_total')) === 1);
  expect(await total(running, 'assay_verdicts_total', 'criterion="kind"', 'verdict="pass"')).toBe(1);
  expect(await total(running, 'assay_judged_verdicts_total', 'criterion="kind"', 'judge="default"', '"pass"')).toBe(1);
  expect(await total(running, 'assay_judged_verdicts_total', 'criterion="kind"', '"fail"')).toBe(0);

  // Another conversation with exactly the same words.
  await send('second');
  await until(async () => (await total(running, 'assay_evaluations_total')) === 2);
  expect(await total(running, 'assay_judge_questions_total', 'end="reused"')).toBe(1);
  expect(provider.asked).toHaveLength(1);
});

test('of many conversations that look alike each question is asked once, and all others are counted as reused', async () => {
  const answer = Promise.withResolvers<{ readonly say: string }>();
  const provider = await startProvider(() => answer.promise);
  const dataDir = tempDirectory();
  writeFileSync(
    path.join(dataDir, 'assay.yaml'),
    JUDGES(provider.url).replace('model: played', 'model: played\n    requests_per_minute: 1000'),
  );
  writeFileSync(path.join(dataDir, 'manners.yaml'), SUITE);
  const running = await runService({ suites: ['./manners.yaml'], dataDir });
  const [kinds, all] = [10, 300];
  const send = async (index: number) => {
    const turn = {
      user: `Where is parcel ${index % kinds}?`,
      calls: [],
      answer: 'On its way.',
      finish: 'stop',
    } as const;
    const turns = [{ ...turn, error: undefined, state: undefined }];
    const who = { agent: 'post', version: '1', environment: undefined, attributes: new Map(), state: undefined };
    const body = excerptRequest({ is: 'excerpt', ...who, turns }, undefined, {
      conversationId: `alike-${index}`,
      traceIdOf: () => createHash('md5').update(`alike ${index}`).digest('hex'),
      startedAtMs: Date.now(),
    });
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
  };

  for (let index = 0; index < all; index += 1) await send(index);
  await until(async () => (await total(running, 'assay_verdicts_total', 'criterion="answered"')) === all);
  const whileWaiting = await total(running, 'assay_judge_questions_total', 'end="reused"');
  answer.resolve({ say: YES });
  await until(async () => (await total(running, 'assay_evaluations_total')) === all);

  const questions = provider.asked.length;
  expect(questions).toBe(kinds);
  expect(whileWaiting).toBe(all - questions);
  expect(await total(running, 'assay_judge_questions_total', 'end="reused"')).toBe(all - questions);
  expect(await total(running, 'assay_judge_questions_total', 'end="answered"')).toBe(questions);
}, 60_000);
