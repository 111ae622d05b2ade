/** From conversations that came in and were read to criteria, through the API, the command and MCP. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { readingList, readingQueue } from '../../../src/api/estimate.ts';
import { learnedCriteria } from '../../../src/api/learned.ts';
import { suiteList } from '../../../src/api/suite-list.ts';
import { requestOfMessages } from '../../../src/offline/messages/recorded-messages.ts';
import { assayHere } from '../../assay-here.ts';
import { forFile } from '../../for-file.ts';
import { recordedLine, shop } from '../../learn/shop.ts';
import { toolsOverHttp } from '../../mcp/mcp-client.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { metricsOf, type RunningService, runService, sumOf } from '../running-service.ts';

const CONVERSATIONS = 120;
const SUITE = `suite: own
version: "1"
scope: conversation
criteria:
  - { name: answers, question: Does it answer?, weight: 1, check: "final_answer != ''" }
`;

const shared = forFile(async () => {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'own.yaml'), SUITE);
  const running = await runService({ suites: ['./own.yaml'], dataDir });
  const all = shop(CONVERSATIONS, 3);
  for (const [at, one] of all.entries()) await send(running, recordedLine(one), at);
  await evaluated(running, CONVERSATIONS);
  const { items } = await asked(running, `readings/queue?agent=shop&limit=100`, readingQueue);
  const kinds = new Map(all.map(({ id, kind }) => [id, kind]));
  const readingOf = ({ conversation_id: id }: (typeof items)[number]) => {
    const kind = kinds.get(id);
    return { conversation_id: id, by: 'ana', answer: kind === undefined ? 'good' : 'bad', ...(kind && { kind }) };
  };
  await put(running, items.map(readingOf));
  // All of them, because lots differ from run to run.
  const left = await asked(running, 'readings/queue?agent=shop&by=ana&limit=100', readingQueue);
  await put(running, left.items.map(readingOf));
  const learned = path.join(dataDir, 'learned.yaml');
  const out = await assayHere(['learn', '--agent', 'shop', '--url', running.http, '--out', learned]);
  return { running, dataDir, kinds, learned, out };
});

const evaluated = (running: RunningService, count: number) =>
  vi.waitFor(async () => expect(sumOf(await metricsOf(running), 'assay_evaluations_total')).toBe(count), 60_000);

async function send(running: RunningService, line: string, at: number): Promise<void> {
  const startedAt = new Date(Date.now() - 3_600_000 + at * 1000).toISOString();
  const value = { ...JSON.parse(line), agent: 'shop', started_at: startedAt };
  const body = requestOfMessages({ value, place: 'a shop', lineNumber: at + 1 });
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body: body ?? '' });
  expect(status).toBe(200);
}

async function put(running: RunningService, readings: readonly object[]): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(readings);
  expect((await fetch(`${running.http}/v1/readings`, { method: 'PUT', headers, body })).status).toBe(200);
}

async function asked<T>({ http }: RunningService, place: string, shape: { parse: (value: unknown) => T }): Promise<T> {
  return shape.parse(await (await fetch(`${http}/api/v1/${place}`)).json());
}

const KIND = 'refunds without looking';

test('readings are listed with their kinds, chances and what the suites said', async () => {
  const { running, kinds } = shared();

  const { items } = await asked(running, 'readings?agent=shop', readingList);

  expect(items).toHaveLength(CONVERSATIONS);
  expect(items.map(({ conversation_id: id, kind }) => [id, kind])).toEqual(
    items.map(({ conversation_id: id }) => [id, kinds.get(id)]),
  );
  // Nearly all turns are over when all are read.
  for (const { chance = 0, called_fine: fine } of items)
    expect([chance > 0.9 && chance <= 1, fine]).toEqual([true, true]);
});

test('a planted fault is found and certified, the same by API, command and MCP', { timeout: 120_000 }, async () => {
  const { running, learned: out, out: printed } = shared();

  const found = await asked(running, 'criteria/learned?agent=shop', learnedCriteria);

  const kind = found.kinds.find((one) => one.kind === KIND);
  const [best] = kind?.criteria ?? [];
  expect(best?.check).toBe("size(tools('refund_order')) == 0 || size(tools('get_order')) > 0");
  expect(best?.certificate).toMatchObject({ certified: true, precision: { value: 1, upper: 1 } });
  expect(best?.conversations.map((id) => shared().kinds.get(id))).toEqual(Array(5).fill(KIND));
  expect(found.says).toMatch(/^120 conversations read, \d+ of which went badly\. 2 of 2 kinds of failure can be told/);

  expect([printed.status, printed.stderr]).toEqual([0, '']);
  expect(printed.stdout).toContain(best?.certificate?.says);
  expect(readFileSync(out, 'utf8')).toContain(`check: ${best?.check}`);
  expect((await assayHere(['suite', 'test', out])).status).toBe(0);

  const tools = await toolsOverHttp(running.http);
  const shape = z.object({ learned: learnedCriteria }).loose();
  const { learned } = await tools.call('failures', { agent: 'shop', learn: true }, shape);
  expect(learned.kinds).toEqual(found.kinds);
});

test('a certificate that newer readings contradict is shown as such', { timeout: 120_000 }, async () => {
  const { learned } = shared();
  const wrong = tempDirectory();
  for (const ending of ['.yaml', '.certificates.json'])
    writeFileSync(
      path.join(wrong, `learned${ending}`),
      readFileSync(learned.replace('.yaml', ending), 'utf8').replaceAll(
        /"at": "[^"]*"/g,
        '"at": "2026-01-01T00:00:00Z"',
      ),
    );
  const running = await runService({ suites: ['./learned.yaml'], dataDir: wrong });
  const all = shop(60, 11).filter(({ kind }) => kind === undefined || kind === KIND);
  for (const [at, one] of all.entries()) await send(running, recordedLine(one), at);
  await evaluated(running, all.length);
  const before = await certificateIn(running);
  expect(before).toMatchObject({
    certified: true,
    contradicted: false,
    says: expect.stringMatching(/^Certified: 100 %/),
  });

  // Readers now find nothing wrong with those that fail it.
  await put(
    running,
    all.map(({ id }) => ({ conversation_id: id, by: 'ana', answer: 'good' })),
  );

  const after = await certificateIn(running);
  expect(after).toMatchObject({
    certified: false,
    contradicted: true,
    says: expect.stringMatching(/^No longer: .* at most \d+ % went badly\.$/),
  });
});

async function certificateIn(running: RunningService) {
  const { suites } = await asked(running, 'suites', suiteList);
  return suites[0]?.criteria.find(({ name }) => name === 'not_refunds_without_looking')?.certificate;
}

test('a window without readings says what a search takes, and a mistake in the query is told', async () => {
  const { running } = shared();

  const nothing = await asked(running, 'criteria/learned?agent=nobody', learnedCriteria);
  const { status } = await fetch(`${running.http}/api/v1/criteria/learned?agents=shop`);

  expect(nothing.says).toBe(
    '0 conversations read, 0 of which went badly: a search takes four of one kind, or four that the suites call fine.',
  );
  expect(status).toBe(400);
});
