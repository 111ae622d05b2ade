/**
 * Ground truth that is written into a running service over HTTP, before the conversation exists and after it was
 * scored.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempDirectory } from '../temp-directory.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { metricsOf, type RunningService, runService, sumOf } from './running-service.ts';

const SUITE = `suite: right
scope: conversation
criteria:
  - { name: known, question: Is it what was expected?, weight: 0.5, needs: [truth], check: truth.turns == size(turns) }
  - { name: there, question: Is there anything?, weight: 0.5, check: size(steps) > 0 }
`;

async function put(running: RunningService, conversation: string, truth: unknown) {
  const response = await fetch(`${running.http}/v1/truth/${encodeURIComponent(conversation)}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(truth),
  });
  return { status: response.status, body: await response.json() };
}

async function verdicts(running: RunningService, conversation: string): Promise<readonly string[]> {
  const response = await fetch(`${running.http}/api/conversations/${encodeURIComponent(conversation)}`);
  if (response.status !== 200) return [];
  const { evaluations } = (await response.json()) as {
    readonly evaluations: readonly {
      readonly revision: number;
      readonly verdicts: { readonly known: { readonly verdict: string } };
    }[];
  };
  return evaluations.map(({ revision, verdicts: { known } }) => `${revision} ${known.verdict}`);
}

async function until(claim: () => Promise<boolean>): Promise<void> {
  while (!(await claim())) await new Promise((resolve) => setTimeout(resolve, 50));
}

test('truth put over HTTP decides what could not be decided, in the evaluation of what comes and of what was', async () => {
  const directory = tempDirectory();
  const suite = path.join(directory, 'right.yaml');
  writeFileSync(suite, SUITE);
  const running = await runService({ suites: [suite] });
  const [before, after] = [...traffic({ seed: 9, conversations: 2, endMarks: 'all' })];
  if (before === undefined || after === undefined) return expect.unreachable();

  expect(await put(running, before.id, { turns: before.turns.length })).toEqual({
    status: 200,
    body: { conversation_id: before.id, changed: true },
  });
  for (const { turns, agentVersion } of [before, after])
    for (const turn of turns) {
      const headers = { 'content-type': 'application/json' };
      const body = exportRequest(turn, agentVersion);
      expect((await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
    }
  await until(
    async () => (await verdicts(running, after.id)).length > 0 && (await verdicts(running, before.id)).length > 0,
  );
  expect(await verdicts(running, before.id)).toEqual(['1 pass']);
  expect(await verdicts(running, after.id)).toEqual(['1 not_applicable']);

  await put(running, after.id, { turns: -1 });
  await until(async () => (await verdicts(running, after.id))[0] === '2 fail');
  expect((await put(running, after.id, { turns: -1 })).body).toMatchObject({ changed: false });

  for (const truth of [[], ['x'], 'x', 7]) {
    const refused = await put(running, after.id, truth);
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain('a mapping, such as');
  }
  expect((await put(running, after.id, { outputs: [null] })).status).toBe(400);

  const metrics = await metricsOf(running);
  expect(sumOf(metrics, 'assay_evaluations_total') - sumOf(metrics, 'assay_evaluations_withdrawn_total')).toBe(2);
  expect(sumOf(metrics, 'assay_evaluations_revised_total')).toBe(1);
});

test('actions that task-success cannot read are a mistake where it runs, and a warning where it does not', async () => {
  const directory = tempDirectory();
  const suite = path.join(directory, 'right.yaml');
  writeFileSync(suite, SUITE);
  const withPack = await runService({ suites: [suite, 'task-success'] });
  const without = await runService({ suites: [suite] });

  expect(await put(withPack, 'c', { actions: 'x' })).toEqual({
    status: 400,
    body: {
      error: 'suite task-success cannot read this truth',
      problems: ['truth.actions is no list: expected [{name, args}]'],
    },
  });
  expect(await put(withPack, 'c', { action: 'of our own' })).toMatchObject({ status: 200 });
  expect(await put(withPack, 'c', { actions: [], outputs: [], answer: '8' })).toMatchObject({
    status: 200,
    body: { warning: expect.stringContaining('task-success cannot take it for a success: The truth has `answer`') },
  });
  expect(await put(without, 'c', { actions: 'x' })).toEqual({
    status: 200,
    body: {
      conversation_id: 'c',
      changed: true,
      warning: 'task-success would not read this truth: truth.actions is no list: expected [{name, args}]',
    },
  });
});
