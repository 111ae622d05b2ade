/** Real-world outcomes that are written into a running service, and the comparison of suites with them. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';
import { exportRequest, type TrafficConversation, traffic } from '../simulation/traffic.ts';
import { forFile } from '../for-file.ts';
import { tempDirectory } from '../temp-directory.ts';
import { type RunningService, runService } from './running-service.ts';

const SUITE = `suite: short
version: "1"
scope: conversation
criteria:
  - { name: few_turns, question: Was it short?, weight: 1, check: size(turns) <= 1 }
`;

async function put(running: RunningService, outcomes: unknown) {
  const response = await fetch(`${running.http}/v1/outcomes`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(outcomes),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function send(running: RunningService, conversations: readonly TrafficConversation[]): Promise<void> {
  for (const { turns, agentVersion } of conversations)
    for (const turn of turns) {
      const headers = { 'content-type': 'application/json' };
      const body = exportRequest(turn, agentVersion);
      expect((await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
    }
}

async function until(claim: () => Promise<boolean>): Promise<void> {
  while (!(await claim())) await new Promise((resolve) => setTimeout(resolve, 50));
}

interface Shown {
  readonly evaluations?: readonly { readonly score: number | null }[];
  readonly came_of_it?: readonly unknown[];
}

async function conversation(running: RunningService, id: string): Promise<Shown> {
  const response = await fetch(`${running.http}/api/conversations/${encodeURIComponent(id)}`);
  return (await response.json()) as Shown;
}

test('what came of conversations is imported, shown with them, and held against what the suite said', async () => {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'short.yaml'), SUITE);
  const running = await runService({ suites: ['./short.yaml'], dataDir });
  const conversations = [...traffic({ seed: 5, conversations: 12, endMarks: 'all', turnsMax: 3 })];
  await send(running, conversations);
  const assay = (...args: readonly string[]) => assayHere(args, { cwd: dataDir });
  const validity = (...args: readonly string[]) => assay('validity', '--data-dir', dataDir, ...args);
  const [first] = conversations;
  if (first === undefined) return expect.unreachable();
  const scored = async (id: string) => (await conversation(running, id)).evaluations?.[0]?.score;
  for (const { id } of conversations) await until(async () => (await scored(id)) !== undefined);
  expect(await validity()).toMatchObject({
    status: 3,
    stderr: expect.stringContaining('no outcomes are in the store'),
  });

  // Users were content if the suite is.
  const content = new Set<string>();
  for (const { id } of conversations) if ((await scored(id)) === 1) content.add(id);
  const rows = conversations.map(({ id }) => `"${id}",${content.has(id) ? 5 : 2}`);
  const file = path.join(dataDir, 'csat.csv');
  writeFileSync(file, ['conversation_id,csat', ...rows, 'never-came,1', ''].join('\n'));
  const imported = () =>
    assay('labels', 'import', file, '--outcome', '--good-from', '4', '--url', running.http, '--json');
  expect(JSON.parse((await imported()).stdout)).toEqual({
    ...{ label: 'csat', outcomes: 13, changed: 13, empty: 0, contradicted: 0 },
    // The suite failed all that users were not content with; one outcome is of a conversation that never came.
    ...{ known: 12, bad: 12 - content.size, called_fine: 0, examples: [] },
  });
  expect(JSON.parse((await imported()).stdout)).toMatchObject({ changed: 0 });
  expect((await conversation(running, first.id)).came_of_it).toEqual([
    { label: 'csat', good: content.has(first.id), value: content.has(first.id) ? '5' : '2' },
  ]);
  const explained = await assay('explain', first.id, '--data-dir', dataDir);
  expect(explained.stdout).toMatch(/came of it: csat [25] \((?:good|bad)\)/);

  const good = content.size;
  expect(good).toBeGreaterThan(2);
  expect(good).toBeLessThan(10);
  const told = JSON.parse((await validity('--json')).stdout) as unknown;
  expect(told).toMatchObject({
    ...{ label: 'csat', entries: 13, labelled: 12, not_in_store: 1, left_out: 0, not_scored: 0 },
    suites: [{ suite: 'short', suite_version: '1', good, bad: 12 - good, agreement: { value: 1 } }],
  });
  expect((await validity()).stdout).toMatch(
    /csat is the outcome: 12 conversations have one and are scored\n {2}of 13 outcomes/,
  );
  expect(await validity('--agent', 'nobody')).toMatchObject({ status: 3, stderr: expect.stringMatching(/leave out/) });
  expect(await validity('--label', 'nps')).toMatchObject({ status: 3, stderr: expect.stringContaining('csat (13)') });
  expect(await validity('--good-from', '4')).toMatchObject({ status: 2 });

  expect(await put(running, { conversation_id: first.id, label: 'csat', good: null })).toEqual({
    status: 200,
    body: { outcomes: 1, changed: 1 },
  });
  expect(JSON.parse((await validity('--json')).stdout)).toMatchObject({ labelled: 11 });
});

test('after a file of outcomes the command says what the suites miss, with the latest five', async () => {
  const dataDir = tempDirectory();
  const running = await runService({ suites: ['default'], dataDir });
  const assay = (...args: readonly string[]) => assayHere(args, { cwd: dataDir });
  const conversations = [...traffic({ seed: 7, conversations: 60, endMarks: 'all', turnsMax: 1 })];
  await send(running, conversations);
  const list = async (query: string) => {
    const response = await fetch(`${running.http}/api/v1/conversations?limit=200&${query}`);
    return (
      (await response.json()) as {
        readonly conversations: readonly Record<'conversation_id' | 'agent' | 'state', string>[];
      }
    ).conversations;
  };
  // A turn is scored before its conversation is over.
  await until(async () => (await list('')).filter(({ state }) => state === 'scored').length === conversations.length);
  const fine = await list('called_fine=true');
  expect(fine.length).toBeGreaterThan(5);
  const file = path.join(dataDir, 'refund.csv');
  const rows = conversations.map(({ id }, index) => `"${id}",${index < 3 ? 1 : 0}`);
  writeFileSync(file, ['conversation_id,refund', ...rows, 'never-came,0', 'nor-this,1', ''].join('\n'));

  const { stdout, status } = await assay('labels', 'import', file, '--outcome', '--url', running.http);

  expect(status).toBe(0);
  const missed = await list('called_fine=true&came_out=bad');
  expect(missed.length).toBeGreaterThan(5);
  const share = ((missed.length / 57) * 100).toFixed(1);
  expect(stdout).toContain('outcomes of conversations that the service does not have: 2\n');
  expect(stdout).toContain(
    `57 of 60 outcomes are bad; the suites call ${missed.length} of them fine (${share} %)\n${' '.repeat(4)}`,
  );
  const estimate = await fetch(`${running.http}/api/v1/estimate?agent=${missed[0]?.agent}&since=36500d`);
  expect(await estimate.json()).toMatchObject({ outcomes: { good: 3, bad: 57, bad_called_fine: missed.length } });
  const examples = stdout.split('\n').filter((line) => line.startsWith(' '.repeat(4)));
  expect(examples.map((line) => line.trim().split(/ {2,}/)[0])).toEqual(
    missed.slice(0, 5).map(({ conversation_id: id }) => id),
  );
  expect(stdout).toContain(`All that are bad and called fine: ${running.http}/conversations?came_out=missed\n`);
});

test('an outcome with a mistake is refused, and all that came with it', async () => {
  const running = await runService({ suites: ['default'] });
  const good = { conversation_id: 'c', label: 'csat', good: true };

  const refused = await put(running, [good, { ...good, good: 'yes' }, { ...good, lable: 'csat' }, { label: '' }]);

  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toMatch(/1\.good: true, false, or null/);
  expect((await put(running, [])).status).toBe(400);
  expect(await put(running, [good])).toMatchObject({ body: { changed: 1 } });
});

const asked = forFile(() => runService({ suites: [] }));

test.each(['a\u001b[31m', 'a\nb', 'a\u202eb'])('a label that a terminal would obey is refused: %j', async (label) => {
  const { status, body } = await put(asked(), { conversation_id: 'a', label, good: true });

  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain('a name without control characters');
});
