/** Recorded data and judges: asked as the service asks them, with one budget for all recordings. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { QUEUE_TIMES, type QueueTimes } from '../../src/ask/judge-queue.ts';
import { loadSettings, type Settings } from '../../src/config/settings.ts';
import type { JudgeEvent } from '../../src/model/events/judge-events.ts';
import type { Evaluation } from '../../src/model/evaluation.ts';
import { toEvaluationJson } from '../../src/model/evaluation-json.ts';
import type { ConversationId } from '../../src/model/ids.ts';
import type { Json } from '../../src/model/json.ts';
import { scoreRecorded } from '../../src/offline/score-recording.ts';
import { OfflineJudges } from '../../src/offline/offline-judges.ts';
import type { RecordedBatch } from '../../src/engine/recorded/recorded-batch.ts';
import { readRecording, recordedRequest } from '../../src/offline/recording.ts';
import { loadSuites } from '../../src/score/load-suites.ts';
import type { CompiledSuite } from '../../src/score/suite/suite.ts';
import { StoreReader } from '../../src/store/sqlite/store-reader.ts';
import { type Asked, NO, type Provider, startProvider, YES } from '../ask/provider.ts';
import { SHORT } from '../ask/asked.ts';
import { exportRequest, traffic, type TrafficConversation } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { metricsOf, runService, sumOf } from '../serve/running-service.ts';

const SUITE = `suite: manners
version: "1"
scope: conversation
criteria:
  - { name: answered, question: Was there an answer?, weight: 0.2, check: size(steps) > 0 }
  - { name: known, question: Is the truth known?, weight: 0.3, check: 'truth.participants == ["Ana"]' }
  - name: kind
    question: Was it kind?
    weight: 0.5
    judge: { by: default }
`;
const config = (url: string, judging = '') => `
judges:
  default:
    provider: openai
    model: played
    base_url: ${url}
    requests_per_minute: 100000
    retries: 0
    prices: { input_per_million: 2, output_per_million: 8 }
${judging}
`;

interface Scene {
  readonly dataDir: string;
  readonly settings: Settings;
  readonly suites: readonly CompiledSuite[];
}

async function sceneOf(provider: Provider, judging = ''): Promise<Scene> {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'assay.yaml'), config(provider.url, judging));
  writeFileSync(path.join(dataDir, 'manners.yaml'), SUITE);
  const { settings, mistakes } = loadSettings({ flags: {}, env: { ASSAY_DATA_DIR: dataDir }, cwd: dataDir });
  const loaded = await loadSuites(['./manners.yaml'], { baseDir: dataDir, builtinDir: dataDir, judges: ['default'] });
  expect([...mistakes, ...loaded.mistakes]).toEqual([]);
  return { dataDir, settings, suites: loaded.suites };
}

function judgesOf({ settings }: Scene, times: Partial<QueueTimes> = {}) {
  const events: JudgeEvent[] = [];
  const onEvent = (event: JudgeEvent) => events.push(event);
  const judges = OfflineJudges.start({ settings, onEvent, times: { ...SHORT, ...times } });
  if (judges === undefined) throw new Error('no judge is configured');
  onTestFinished(() => judges.close());
  return { judges, events };
}

const CONVERSATIONS = [...traffic({ seed: 3, conversations: 6, endMarks: 'all' })];

function recorded(conversation: TrafficConversation): readonly RecordedBatch[] {
  return conversation.turns.flatMap((turn) => recordedRequest(exportRequest(turn, 'v1'), 'test'));
}

function score(
  { settings, suites }: Scene,
  conversations: readonly TrafficConversation[],
  options: {
    readonly judges?: OfflineJudges;
    readonly truthOf?: (conversation: ConversationId) => Json | undefined;
  } = {},
) {
  return scoreRecorded({ batches: conversations.flatMap(recorded), suites, settings, ...options });
}

const linesOf = (evaluations: Iterable<Evaluation>) =>
  [...evaluations].map((evaluation) => JSON.stringify(toEvaluationJson(evaluation)));
const kindOf = ({ evaluations }: { readonly evaluations: readonly Evaluation[] }) =>
  evaluations.map(({ verdicts }) => verdicts.get('kind'));

/** Says what depends on what it was shown, so that answers must not be mixed up. */
const byMaterial = ({ material }: Asked) => ({ say: material.length % 2 === 0 ? YES : NO });

test('a recording gets the evaluations that the service gave it, judged criteria included, byte for byte', async () => {
  const provider = await startProvider(byMaterial);
  const scene = await sceneOf(provider);
  const running = await runService({ suites: ['./manners.yaml'], dataDir: scene.dataDir });
  for (const { turns } of CONVERSATIONS) {
    for (const turn of turns) {
      const headers = { 'content-type': 'application/json' };
      const sent = await fetch(`${running.otlp}/v1/traces`, {
        method: 'POST',
        headers,
        body: exportRequest(turn, 'v1'),
      });
      expect(sent.status).toBe(200);
    }
  }
  const counted = async () => sumOf(await metricsOf(running), 'assay_evaluations_total');
  while ((await counted()) < CONVERSATIONS.length) await new Promise((resolve) => setTimeout(resolve, 50));
  await running.service.stop();
  const reader = StoreReader.open(path.join(scene.dataDir, 'assay.db'));
  onTestFinished(() => reader.close());
  const online = linesOf(reader.allEvaluations());
  const { judges } = judgesOf(scene);

  const fromJournal = await scoreRecorded({
    batches: readRecording(path.join(scene.dataDir, 'journal')),
    suites: scene.suites,
    settings: scene.settings,
    judges,
  });
  const one = await score(scene, CONVERSATIONS, { judges });
  const each = await Promise.all(CONVERSATIONS.map((conversation) => score(scene, [conversation], { judges })));

  expect(online).toHaveLength(CONVERSATIONS.length);
  expect(new Set(online.map((line) => /"kind":{"verdict":"(\w+)"/.exec(line)?.[1]))).toEqual(new Set(['pass', 'fail']));
  expect(linesOf(fromJournal.evaluations)).toEqual(online);
  expect(linesOf(one.evaluations)).toEqual(online);
  expect(linesOf(each.flatMap(({ evaluations }) => evaluations))).toEqual(online);
});

test('what was answered for one recording is not asked for the others, at once or later', async () => {
  const provider = await startProvider(() => ({ say: YES }));
  const scene = await sceneOf(provider);
  const { judges } = judgesOf(scene);
  const [first] = CONVERSATIONS;
  if (first === undefined) throw new Error('no conversation');

  const atOnce = await Promise.all([1, 2, 3].map(() => score(scene, [first], { judges })));
  const later = await score(scene, [first], { judges });

  expect(provider.asked).toHaveLength(1);
  expect([...atOnce, later].flatMap(kindOf).map((verdict) => verdict?.verdict)).toEqual([
    'pass',
    'pass',
    'pass',
    'pass',
  ]);
});

test('without judges their criteria are skipped, and nobody is asked', async () => {
  const provider = await startProvider(() => ({ say: YES }));
  const scene = await sceneOf(provider);

  const result = await score(scene, CONVERSATIONS);

  expect(new Set(kindOf(result).map((verdict) => verdict?.reason))).toEqual(new Set(['Judges were not asked.']));
  expect(provider.asked).toEqual([]);
});

test('truth is known as if somebody had put it in', async () => {
  const provider = await startProvider(() => ({ say: YES }));
  const scene = await sceneOf(provider);

  const { evaluations } = await score(scene, CONVERSATIONS.slice(0, 2), {
    truthOf: (id) => (id === CONVERSATIONS[0]?.id ? { participants: ['Ana'] } : undefined),
  });

  const known = Object.fromEntries(
    evaluations.map(({ conversationId, verdicts }) => [conversationId, verdicts.get('known')?.verdict]),
  );
  expect(known).toEqual({
    [CONVERSATIONS[0]?.id ?? '']: 'pass',
    [CONVERSATIONS[1]?.id ?? '']: expect.not.stringMatching('pass'),
  });
});

test('a budget is for all recordings together; what it does not pay for is skipped, and nobody waits for the next hour', async () => {
  // A call comes to 2.2 cents.
  const provider = await startProvider(() => ({ say: YES, usage: [5000, 1500] }));
  const scene = await sceneOf(provider, 'judging: { budget: { per_hour: 0.08, per_day: 5 } }');
  const { judges, events } = judgesOf(scene);

  const results = [];
  for (const conversation of CONVERSATIONS) results.push(await score(scene, [conversation], { judges }));
  const verdicts = results.flatMap(kindOf).map((verdict) => [verdict?.verdict, verdict?.reason]);

  const paid = verdicts.filter(([verdict]) => verdict === 'pass').length;
  expect(paid).toBe(provider.asked.length);
  expect(paid).toBeGreaterThan(0);
  expect(paid).toBeLessThan(CONVERSATIONS.length);
  expect(verdicts.slice(paid)).toEqual(verdicts.slice(paid).map(() => ['skipped', 'The budget of the hour is spent.']));
  expect(events.filter(({ type }) => type === 'budget-exhausted').length).toBeGreaterThan(0);
});

test('a judge that nobody can reach with this key is an error at once, for recordings that come later as well', async () => {
  const provider = await startProvider(() => ({ status: 401, error: { message: 'no such key' } }));
  const scene = await sceneOf(provider);
  const { judges } = judgesOf(scene, { circuit: QUEUE_TIMES.circuit });

  const results = [];
  for (const conversation of CONVERSATIONS.slice(0, 2)) results.push(await score(scene, [conversation], { judges }));

  for (const verdict of results.flatMap(kindOf))
    expect(verdict).toMatchObject({ verdict: 'error', reason: expect.stringContaining('The judge is stopped') });
  expect(provider.asked).toHaveLength(1);
});

test('a judge whose answers can not be read is given up, rather than paid for each question and each retry', async () => {
  const provider = await startProvider(() => ({ say: 'Yes, it was kind!' }));
  const scene = await sceneOf(provider);
  const patient = { ...scene.settings.judging.judges[0], retries: 20, concurrency: 2 } as const;
  // The cast holds because the scene has one judge.
  const judging = { ...scene.settings.judging, judges: [patient as Settings['judging']['judges'][number]] };
  const { judges } = judgesOf({ ...scene, settings: { ...scene.settings, judging } }, { retryMs: 1 });

  const { evaluations } = await score(scene, CONVERSATIONS, { judges });

  for (const verdict of kindOf({ evaluations }))
    expect(verdict).toMatchObject({
      verdict: 'error',
      reason: expect.stringContaining('Of 20 calls none came to an answer that can be read: The answer is not JSON'),
    });
  expect(provider.asked.length).toBeGreaterThanOrEqual(20);
  expect(provider.asked.length).toBeLessThan(25);
  expect(judges.counts).toMatchObject({ wanted: 6, asked: 6, answered: 0, failed: 6, reused: 0 });
});

test('one that answered once is not given up for that', async () => {
  const provider = await startProvider(({ number }) => ({ say: number === 0 ? YES : 'Yes, it was kind!' }));
  const scene = await sceneOf(provider);
  const patient = { ...scene.settings.judging.judges[0], retries: 9, concurrency: 1 } as const;
  // The cast holds because the scene has one judge.
  const judging = { ...scene.settings.judging, judges: [patient as Settings['judging']['judges'][number]] };
  const { judges } = judgesOf({ ...scene, settings: { ...scene.settings, judging } }, { retryMs: 1 });

  const { evaluations } = await score(scene, CONVERSATIONS, { judges });

  expect(kindOf({ evaluations }).filter((verdict) => verdict?.verdict === 'pass')).toHaveLength(1);
  expect(provider.asked).toHaveLength(1 + 5 * 10);
});

test('whoever waits when the judges are closed is told', async () => {
  const provider = await startProvider(() => ({ hang: 'before' }));
  const scene = await sceneOf(provider);
  const { judges } = judgesOf(scene, { drainMs: 10 });
  const scored = expect(score(scene, CONVERSATIONS, { judges })).rejects.toThrow('the judges are not asked any more');
  while (provider.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));

  await judges.close();

  await scored;
});
