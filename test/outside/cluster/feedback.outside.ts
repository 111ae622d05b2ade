/**
 * Feedback of users over two instances, one Kafka and one PostgreSQL: by the API, as span events and as log records, each
 * twice, before and after its conversation, while an instance is killed. Each counts once.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { clickLog, clickSpan, likedSuiteFile } from '../../serve/clicks.ts';
import type { AssayProcess } from '../../simulation/process.ts';
import { exportRequest, traffic } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { clusterServices, sendSpans, startInstance, sumOf } from './instance.ts';

const services = clusterServices();

const WAYS = ['api', 'span', 'log'] as const;

test('feedback counts once in a cluster, whichever way it comes, however often, and whoever is killed', async () => {
  const { kafka, postgres } = services();
  await kafka.createTopic('liked-spans', 4);
  await kafka.createTopic('liked-logs', 4);
  const store = await postgres.createDatabase();
  const config = path.join(tempDirectory(), 'assay.yaml');
  writeFileSync(config, `suites: [${likedSuiteFile()}]\n`);
  // The partitions of the one that is killed are free sooner.
  const env = { ASSAY_CONFIG: config, ASSAY_KAFKA_LOGS: 'liked-logs', ASSAY_KAFKA_SESSION_TIMEOUT: '6s' };
  const instance = (name: string) => startInstance({ name, kafka, topic: 'liked-spans', store, env });
  const one = await instance('one');
  const two = await instance('two');
  const opinions = [...traffic({ seed: 8, conversations: 24, endMarks: 'all' })].map((conversation, index) => ({
    ...conversation,
    way: WAYS[index % WAYS.length] ?? 'api',
    isLiked: index % 4 < 3,
    isEarly: index % 2 === 0,
  }));
  type Opinion = (typeof opinions)[number];
  const sendTurns = async ({ turns, agentVersion }: Opinion) => {
    for (const turn of turns) expect(await sendSpans(one, exportRequest(turn, agentVersion))).toBe(200);
  };
  const say = async (opinion: Opinion, index: number) => {
    const answers = await Promise.all([one, two].map((to) => send(to, opinion, index)));
    expect(answers).toEqual([200, 200]);
  };

  for (const [index, opinion] of opinions.entries()) {
    if (opinion.isEarly) await say(opinion, index);
    await sendTurns(opinion);
  }
  while ((await sumOf([one, two], 'assay_evaluations_total{')) < opinions.length / 3) await sleep(100);
  for (const [index, opinion] of opinions.entries()) if (!opinion.isEarly) await say(opinion, index);
  await one.kill();
  const again = await instance('one');

  const counted = (polarity: string) => sumOf([again, two], 'assay_feedback_total{', `polarity="${polarity}"`);
  const liked = opinions.filter(({ isLiked }) => isLiked).length;
  await expect
    .poll(async () => [await counted('positive'), await counted('negative'), await counted('neutral')], {
      timeout: 120_000,
    })
    .toEqual([liked, opinions.length - liked, 0]);
  for (const { id, way, isLiked } of opinions) {
    const said = { way, polarity: isLiked ? 'positive' : 'negative' };
    for (const asked of [again, two])
      await expect
        .poll(() => told(asked, id), { timeout: 20_000 })
        .toEqual({
          feedback: [said],
          liked: isLiked ? 'pass' : 'fail',
        });
  }
  // Nothing that came later has counted again.
  expect(await counted('positive')).toBe(liked);
}, 240_000);

/** Returns the status of the answer. */
async function send(
  to: AssayProcess,
  { id, way, isLiked }: { readonly id: string; readonly way: (typeof WAYS)[number]; readonly isLiked: boolean },
  index: number,
): Promise<number> {
  const label = isLiked ? 'good' : 'bad';
  const traceId = index.toString(16).padStart(32, 'c');
  const [url, body] = {
    api: [`${to.http}/api/v1/feedback`, { conversation_id: id, id: 'click', label }] as const,
    span: [`${to.otlpHttp}/v1/traces`, clickSpan(id, traceId, 'click', label)] as const,
    log: [`${to.otlpHttp}/v1/logs`, clickLog(id, label, traceId)] as const,
  }[way];
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

async function told(asked: AssayProcess, id: string) {
  const response = await fetch(`${asked.http}/api/v1/conversations/${encodeURIComponent(id)}`);
  if (response.status !== 200) return undefined;
  const { feedback_list, evaluations_full } = (await response.json()) as {
    readonly feedback_list: readonly { readonly way: string; readonly polarity: string }[];
    readonly evaluations_full: readonly {
      readonly revision: number;
      readonly verdicts: readonly { readonly criterion: string; readonly verdict: string }[];
    }[];
  };
  const latest = evaluations_full.toSorted((a, b) => a.revision - b.revision).at(-1);
  return {
    feedback: feedback_list.map(({ way, polarity }) => ({ way, polarity })),
    liked: latest?.verdicts.find(({ criterion }) => criterion === 'liked')?.verdict,
  };
}
