/** Labels over HTTP: the queue that fills itself, what one person's labels do to it, undo, and the agreement. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type ReviewAgreement, reviewAgreement, type ReviewQueue, reviewQueue } from '../../../../src/api/review.ts';
import { tempDirectory } from '../../../temp-directory.ts';
import { exportRequest, traffic } from '../../../simulation/traffic.ts';
import { metricsOf, type RunningService, runService, sumOf } from '../../running-service.ts';

const SUITE = `suite: manners
version: "1"
scope: conversation
criteria:
  - { name: short, question: Was it answered in short?, weight: 0.5, check: "size(final_answer) < 60" }
  - { name: called, question: Was a tool called?, weight: 0.5, check: "size(tool_calls) > 0" }
`;
const CONVERSATIONS = 24;

async function filled(): Promise<RunningService> {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'manners.yaml'), SUITE);
  const running = await runService({ suites: ['./manners.yaml'], dataDir });
  for (const { turns } of traffic({ seed: 5, conversations: CONVERSATIONS, endMarks: 'all', turnsMax: 1 }))
    for (const turn of turns) {
      const traceId = turn[0]?.traceId ?? '';
      const body = exportRequest(turn, 'v1').replaceAll(traceId, createHash('md5').update(traceId).digest('hex'));
      const headers = { 'content-type': 'application/json' };
      expect((await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
    }
  await expect
    .poll(async () => sumOf(await metricsOf(running), 'assay_evaluations_total'), { timeout: 20_000 })
    .toBe(CONVERSATIONS);
  return running;
}

const OF = 'suite=manners&criterion=short';

async function queue({ http }: RunningService, query: string): Promise<ReviewQueue> {
  const response = await fetch(`${http}/api/v1/review/queue?${OF}&${query}`);
  expect(response.status).toBe(200);
  return reviewQueue.parse(await response.json());
}

async function agreement({ http }: RunningService): Promise<ReviewAgreement> {
  const response = await fetch(`${http}/api/v1/review/agreement?${OF}`);
  expect(response.status).toBe(200);
  return reviewAgreement.parse(await response.json());
}

async function label({ http }: RunningService, id: string, by: string, said: string | null): Promise<unknown> {
  const response = await fetch(`${http}/v1/labels/${encodeURIComponent(id)}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ suite: 'manners', criterion: 'short', label: said, by }),
  });
  expect(response.status).toBe(200);
  return response.json();
}

async function verdictOf({ http }: RunningService, id: string): Promise<'pass' | 'fail'> {
  const response = await fetch(`${http}/api/conversations/${encodeURIComponent(id)}`);
  const body = (await response.json()) as {
    readonly evaluations: readonly { readonly verdicts: { readonly short: { readonly verdict: 'pass' | 'fail' } } }[];
  };
  return body.evaluations[0]?.verdicts.short.verdict ?? expect.unreachable();
}

test('two people label the same sample, take back a label, and see how far they and the criterion agree', async () => {
  const running = await filled();
  const [first, again] = [await queue(running, 'by=ana&limit=20'), await queue(running, 'by=bo&limit=20')];
  expect(first.items).toHaveLength(20);
  expect(again.items).toEqual(first.items);
  expect(first).toMatchObject({ looked_at: CONVERSATIONS, labelled: 0 });
  expect(JSON.stringify(first)).not.toMatch(/"(?:pass|fail|verdict)"/);

  // Ana agrees with the code always, Bo never but once.
  const sample = first.items.slice(0, 12).map(({ conversation_id: id }) => id);
  const verdicts = new Map<string, 'pass' | 'fail'>();
  for (const id of sample) {
    const verdict = await verdictOf(running, id);
    verdicts.set(id, verdict);
    expect(await label(running, id, 'ana', verdict)).toMatchObject({ added: 1 });
  }
  const passes = [...verdicts.values()].filter((verdict) => verdict === 'pass').length;
  expect(passes).toBeGreaterThan(0);
  expect(passes).toBeLessThan(12);

  const after = await queue(running, 'by=ana');
  expect(after.items.map(({ conversation_id: id }) => id).filter((id) => sample.includes(id))).toEqual([]);
  expect(after.labelled).toBe(12);
  expect((await queue(running, 'by=bo')).items[0]).toMatchObject({ conversation_id: sample[0], people: 1 });
  const {
    versions: [alone],
    people: noPeople,
  } = await agreement(running);
  expect(alone).toMatchObject({
    version: '1',
    labelled: 12,
    counts: { pass_of_pass: passes, fail_of_pass: 0, pass_of_fail: 0, fail_of_fail: 12 - passes },
    agreed: { value: 1, n: 12 },
    kappa: { value: 1 },
    not_corrected_because: 'code-answers',
  });
  expect(alone?.judge).toBeUndefined();
  expect(alone?.agreed?.low).toBeLessThan(0.8);
  expect(alone?.more_labels).toBeGreaterThan(0);
  expect(noPeople).toEqual({ labellers: ['ana'], subjects: 0, disputed_applies: 0 });

  const [one = '', other = ''] = sample;
  const against = verdicts.get(one) === 'pass' ? 'fail' : 'pass';
  await label(running, one, 'bo', against);
  await label(running, other, 'bo', verdicts.get(other) ?? null);
  expect((await agreement(running)).people).toMatchObject({
    labellers: ['ana', 'bo'],
    subjects: 2,
    agreed: { value: 0.5 },
  });
  // One for, one against: nobody disagrees with the criterion by majority.
  expect((await queue(running, 'because=disagreed')).items).toEqual([]);
  expect((await agreement(running)).versions[0]).toMatchObject({ labelled: 11, disputed: 1 });

  expect(await label(running, one, 'ana', null)).toMatchObject({ added: 1 });
  expect(await label(running, one, 'ana', null)).toMatchObject({ added: 0 });
  expect((await queue(running, 'because=disagreed')).items.map(({ conversation_id: id }) => id)).toEqual([one]);
  expect((await agreement(running)).people).toMatchObject({ subjects: 1, agreed: { value: 1, n: 1 } });
  expect((await queue(running, 'by=ana&limit=1')).items[0]).toMatchObject({ conversation_id: one, people: 1 });
});

test('a balanced queue has as many that failed as passed while there are both, and tells no verdict', async () => {
  const running = await filled();
  const all = await queue(running, 'because=balanced&limit=100');
  expect(all.items).toHaveLength(CONVERSATIONS);
  expect(JSON.stringify(all)).not.toMatch(/"(?:pass|fail|verdict)"/);
  expect((await queue(running, 'because=balanced&limit=100')).items).toEqual(all.items);

  const verdicts: ('pass' | 'fail')[] = [];
  // One after the other: so many readers at once are too many.
  for (const { conversation_id: id } of all.items) verdicts.push(await verdictOf(running, id));
  const fails = verdicts.filter((verdict) => verdict === 'fail').length;
  const pairs = Math.min(fails, CONVERSATIONS - fails);
  expect(pairs).toBeGreaterThan(1);
  for (let pair = 0; pair < pairs; pair += 1)
    expect(verdicts.slice(2 * pair, 2 * pair + 2).toSorted()).toEqual(['fail', 'pass']);
});

test('what is asked of the queue wrongly is said', async () => {
  const running = await runService({ suites: ['default'] });
  const asked = async (query: string) => {
    const response = await fetch(`${running.http}/api/v1/review/queue?${query}`);
    return { status: response.status, body: (await response.json()) as { readonly error: string } };
  };
  expect(await asked('suite=defaults&criterion=x')).toMatchObject({
    status: 400,
    body: { error: /no suite "defaults"/ },
  });
  expect(await asked('suite=default&criterion=x')).toMatchObject({ status: 400, body: { error: /no criterion "x"/ } });
  expect((await asked('suite=default')).status).toBe(400);
  expect((await asked('suite=default&criterion=x&because=boredom')).status).toBe(400);
});
