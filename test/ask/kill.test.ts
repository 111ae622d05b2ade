/**
 * `kill -9` in the middle of asking, over a real provider and a real store: only votes in flight are asked for twice,
 * and the budget holds.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { nanosOf } from '../../src/model/price.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { randomFrom } from '../random.ts';
import { tempDirectory } from '../temp-directory.ts';
import { until } from './asked.ts';
import { KILLED_JUDGE, KILLED_RULES } from './killed-judge.ts';
import { NO, startProvider, YES } from './provider.ts';
import { judgeRequest } from './requests.ts';

const QUESTIONS = 40;
const KILLS = 4;
const SCRIPT = path.resolve(import.meta.dirname, 'killed-asker.ts');

interface Process {
  readonly child: ChildProcess;
  /** Keys of durable votes, once each. */
  readonly durable: string[];
  readonly hasFinished: () => boolean;
}

function startProcess(file: string, url: string): Process {
  const child = spawn(process.execPath, [SCRIPT, file, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const durable: string[] = [];
  let hasFinished = false;
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line === 'nothing more') hasFinished = true;
    else durable.push(line);
  });
  return { child, durable, hasFinished: () => hasFinished };
}

test('no vote is asked for twice but those in flight, and what it all costs stays within the budget', async () => {
  const random = randomFrom(11);
  const file = path.join(tempDirectory(), 'assay.db');
  const requests = Array.from({ length: QUESTIONS }, (_, index) => judgeRequest(`${index}`));
  const store = Store.open(file);
  store.begin();
  store.questions.waitFor(1, requests, Date.now());
  store.commit();
  store.close();
  const keyOf = new Map(requests.map(({ material, key }) => [material, key]));
  /** Calls by key, and the cost, whether or not the answer arrived. */
  const calls = new Map<string, number>();
  let spent = 0;
  const provider = await startProvider(async ({ material }) => {
    const key = keyOf.get(material) ?? '';
    calls.set(key, (calls.get(key) ?? 0) + 1);
    const usage = [200 + Math.floor(random() * 400), Math.floor(random() * 300)] as const;
    spent += nanosOf({ inputTokens: usage[0], outputTokens: usage[1] }, KILLED_JUDGE.prices);
    await new Promise((resolve) => setTimeout(resolve, 5 + random() * 20));
    return { say: random() < 0.5 ? YES : NO, usage };
  });

  const durable: string[] = [];
  let inFlight = 0;
  for (let kill = 0; kill <= KILLS; kill += 1) {
    const before = provider.asked.length;
    const running = startProcess(file, provider.url);
    // The last process runs until it has no budget left, or nothing to ask.
    const enough = kill === KILLS ? Number.POSITIVE_INFINITY : before + 8 + Math.floor(random() * 6);
    await until(() => provider.asked.length >= enough || running.hasFinished());
    running.child.kill('SIGKILL');
    await once(running.child, 'close');
    durable.push(...running.durable);
    inFlight += KILLED_JUDGE.concurrency;
  }

  // Every call is a durable vote, or was in flight when the process was killed.
  expect(provider.asked.length).toBeGreaterThan(50);
  expect(provider.asked.length - durable.length).toBeLessThanOrEqual(inFlight);
  const votes = Map.groupBy(durable, (key) => key);
  for (const [key, own] of votes) expect(own.length, key).toBeLessThanOrEqual(KILLED_JUDGE.votes);
  const beyond = [...calls].map(([key, count]) => Math.max(0, count - (votes.get(key)?.length ?? 0)));
  expect(beyond.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(inFlight);
  expect(spent).toBeLessThanOrEqual(KILLED_RULES.budget.hourNanos);
  const after = Store.open(file);
  expect(after.questions.spent(Date.now()).hourNanos).toBeLessThanOrEqual(KILLED_RULES.budget.hourNanos);
  expect(after.questions.spent(Date.now()).hourNanos).toBeGreaterThanOrEqual(spent);
  after.close();
});
