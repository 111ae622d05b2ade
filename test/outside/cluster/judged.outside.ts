/**
 * Judges and truth over several instances: one instance asks, whichever scored, and any instance accepts ground truth.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { startProvider, YES } from '../../ask/provider.ts';
import type { AssayProcess } from '../../simulation/process.ts';
import { exportRequest, traffic } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { clusterServices, sendSpans, startInstance, sumOf } from './instance.ts';

const SUITE = `suite: kindness
scope: conversation
min_decided: 0
criteria:
  - { name: kind, question: Was it kind?, weight: 0.5, judge: {} }
  - { name: known, question: Is it what was expected?, weight: 0.5, needs: [truth], check: truth.turns == size(turns) }
`;

const services = clusterServices();

interface Evaluated {
  readonly revision: number;
  readonly waits_for?: readonly string[];
  readonly verdicts: { readonly [criterion: string]: { readonly verdict: string } };
}

/**
 * A connection is closed after five seconds without a request. Beside other tests this process can stand still for longer,
 * and would then use one that the instance has closed.
 */
const ALONE = { connection: 'close' };

async function evaluationOf(assay: AssayProcess, conversation: string): Promise<Evaluated | undefined> {
  const response = await fetch(`${assay.http}/api/conversations/${encodeURIComponent(conversation)}`, {
    headers: ALONE,
  });
  if (response.status !== 200) return undefined;
  const { evaluations } = (await response.json()) as { readonly evaluations: readonly Evaluated[] };
  return evaluations.at(-1);
}

async function untilAll(
  assay: AssayProcess,
  conversations: readonly { readonly id: string }[],
  is: (evaluated: Evaluated) => boolean,
): Promise<void> {
  for (const { id } of conversations) {
    for (;;) {
      const evaluated = await evaluationOf(assay, id);
      if (evaluated !== undefined && is(evaluated)) break;
      await sleep(100);
    }
  }
}

test('a cluster asks each question once, by whichever instance is left, and takes truth from any', async () => {
  const { kafka, postgres } = services();
  await kafka.createTopic('judged-spans', 4);
  const directory = tempDirectory();
  const provider = await startProvider(async ({ number }) => {
    // Some calls are in flight when the instance is killed.
    if (number >= 5) await sleep(300);
    return number === 2 ? { status: 500 } : { say: YES, usage: [100, 10] };
  });
  const store = await postgres.createDatabase();
  const env = { ASSAY_CONFIG: configIn(directory, provider.url), PLAYED_KEY: 'sk-played' };
  const instance = (name: string) => startInstance({ name, kafka, topic: 'judged-spans', store, env });
  const one = await instance('one');
  const conversations = [...traffic({ seed: 8, conversations: 20, endMarks: 'all' })];
  for (const { turns, agentVersion } of conversations) {
    for (const turn of turns) expect(await sendSpans(one, exportRequest(turn, agentVersion))).toBe(200);
  }
  while (provider.asked.length < 8) await sleep(20);

  await one.kill();
  const kept = await countEnded(store);
  const lost = provider.asked.length - kept;
  const two = await instance('two');
  await untilAll(
    two,
    conversations,
    ({ waits_for, verdicts }) => waits_for === undefined && verdicts.kind?.verdict === 'pass',
  );

  // Calls whose answer was kept are not made again; those that were lost are. One had failed, some were in flight.
  const questions = new Set(provider.asked.map(({ material }) => material));
  expect(kept).toBeGreaterThan(0);
  expect(provider.asked.length).toBeLessThanOrEqual(questions.size + lost);

  for (const { id, turns } of conversations) {
    const response = await fetch(`${two.http}/v1/truth/${encodeURIComponent(id)}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', ...ALONE },
      body: JSON.stringify({ turns: turns.length }),
    });
    expect(response.status).toBe(200);
  }
  await untilAll(two, conversations, ({ revision, verdicts }) => revision === 2 && verdicts.known?.verdict === 'pass');
  // The judge's earlier answer is known.
  expect(new Set(provider.asked.map(({ material }) => material)).size).toBe(questions.size);
}, 180_000);

test('each evaluation of a cluster hears from its judge, whom one instance asks', async () => {
  const { kafka, postgres } = services();
  await kafka.createTopic('asked-spans', 4);
  const directory = tempDirectory();
  const provider = await startProvider(() => ({ say: YES }));
  const store = await postgres.createDatabase();
  const env = { ASSAY_CONFIG: configIn(directory, provider.url), PLAYED_KEY: 'sk-played' };
  const instance = (name: string) => startInstance({ name, kafka, topic: 'asked-spans', store, env });
  const first = await instance('one');
  const instances = [first, await instance('two')];
  const conversations = [...traffic({ seed: 8, conversations: 12, endMarks: 'all' })];
  for (const { turns, agentVersion } of conversations) {
    for (const turn of turns) expect(await sendSpans(first, exportRequest(turn, agentVersion))).toBe(200);
  }

  while ((await sumOf(instances, 'assay_evaluations_total{', 'suite="kindness"')) < conversations.length)
    await sleep(200);

  const passed = await sumOf(instances, 'assay_verdicts_total{', 'criterion="kind"', 'verdict="pass"');
  expect(passed).toBe(conversations.length);
  const asked = await Promise.all(instances.map((one) => sumOf([one], 'assay_judge_calls_total{', 'result="said"')));
  expect(asked.toSorted((a, b) => a - b)).toEqual([0, provider.asked.length]);
  // Identical questions were asked once.
  expect(provider.asked.length).toBe(new Set(provider.asked.map(({ material }) => material)).size);
}, 120_000);

async function countEnded(store: string): Promise<number> {
  const client = new Client({ connectionString: store });
  await client.connect();
  try {
    const { rows } = await client.query<{ ended: number }>(
      'SELECT count(*)::int AS ended FROM questions WHERE outcome IS NOT NULL',
    );
    return rows[0]?.ended ?? 0;
  } finally {
    await client.end();
  }
}

/** Returns the path of a configuration with a fake judge. */
function configIn(directory: string, provider: string): string {
  writeFileSync(path.join(directory, 'kindness.yaml'), SUITE);
  const file = path.join(directory, 'assay.yaml');
  writeFileSync(
    file,
    `suites: [kindness.yaml]\njudges: { default: { provider: openai, model: played, base_url: "${provider}/v1", api_key_env: PLAYED_KEY } }\n`,
  );
  return file;
}
