/** Kinds of failure: named while reading, moved on the board, and proposed from notes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConversationDetail } from '../../src/api/conversation-detail.ts';
import type { ConversationList } from '../../src/api/conversation-list.ts';
import type { FailuresAnswer } from '../../src/api/failures.ts';
import { type AssayProcess, freeListenPorts, startAssay } from '../simulation/process.ts';
import { expectRight, mistakesOfAccess, openPage, takeScreenshot, useBrowser } from './browser.ts';
import { sendConversations, untilAnswered } from './sent-spans.ts';

useBrowser();

const COUNT = 16;
const HOSTILE = '<img src=x onerror=alert(1)> \u202egnp.exe';

let dataDir: string;
let service: AssayProcess;
beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'assay-page-'));
  const env = { ASSAY_TURN_SETTLE: '100ms', ASSAY_CONVERSATION_IDLE: '500ms' };
  service = await startAssay({ dataDir, ports: await freeListenPorts(), env });
  const all = Array.from({ length: COUNT }, (_, index) => ({
    ...{ id: `c-${index}`, asked: `Question ${index}?`, answered: `Answer ${index}.` },
    tools: [{ name: 'lookup', arguments: '{}', result: 'found' }],
  }));
  await sendConversations(service.otlpHttp, all);
  const isScored = ({ conversations }: ConversationList) =>
    conversations.filter(({ state }) => state === 'scored').length === COUNT;
  await untilAnswered<ConversationList>(`${service.http}/api/v1/conversations`, isScored);
});
afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function put(place: string, body: unknown): Promise<void> {
  const response = await fetch(`${service.http}${place}`, {
    ...{ method: 'PUT', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(body),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
}

async function board(): Promise<FailuresAnswer> {
  const response = await fetch(`${service.http}/api/v1/failures?agent=writer`);
  // The cast holds: other tests hold the answer against its schema.
  return (await response.json()) as FailuresAnswer;
}

async function openAs(name: string, view: string): Promise<Page> {
  const page = await openPage(`${service.http}/${view}`);
  await page.getByLabel('You are').fill(name);
  await page.keyboard.press('Enter');
  return page;
}

const cards = (page: Page, column: string) =>
  page.getByRole('region', { name: column, exact: true }).locator('.kind-card h3').allInnerTexts();

test('a bad answer is one key, and its kind one more with the name; notes complete from earlier ones', async () => {
  const page = await openAs('ana', 'read');
  await page.locator('.chat .done').waitFor();
  const shown = () => page.locator('.said.user .words').first().innerText();
  expect(await page.locator('.last-kind').count()).toBe(0);
  const first = await shown();
  await page.keyboard.press('2');
  await expect.poll(shown).not.toBe(first);
  const second = await shown();
  await page.keyboard.press('k');
  await page.keyboard.type('Loops');
  await page.keyboard.press('Enter');

  await expect
    .poll(async () => (await board()).kinds.map(({ name, readings }) => [name, readings]))
    .toEqual([['Loops', 1]]);
  expect(await shown()).toBe(second);
  expect(await page.locator('.last-kind input').inputValue()).toBe('Loops');
  const before = page.locator('.last-kind').getByRole('link', { name: first });
  expect(await before.getAttribute('href')).toMatch(/^\/conversations\/c-\d+$/);
  await page.getByLabel(`Kind of failure of the conversation before, ${first}`).waitFor();
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'read-kind');
  await page.keyboard.press('n');
  await page.keyboard.type('He found nothing.');
  await page.keyboard.press('Escape');
  await page.keyboard.press('2');
  await expect.poll(shown).not.toBe(second);
  await expect.poll(() => page.locator('#earlier-notes option').count()).toBe(1);
  await expect.poll(() => page.locator('#kinds-of-failure option').count()).toBe(1);
  await page.keyboard.press('1');
  await expect.poll(() => page.locator('.last-kind').count()).toBe(0);
});

test('the board: states, a merge, a proposed kind, and a name for a single reading', async () => {
  const read = (at: number, more: object = {}) => ({ conversation_id: `c-${at}`, by: 'bo', answer: 'bad', ...more });
  await put('/v1/readings', [
    ...[0, 1, 2].map((at) => read(at, { kind: 'Wrong city', note: `Booked Graz, asked for Linz ${at}` })),
    ...[3, 4].map((at) => read(at, { kind: 'Refund not issued' })),
    ...[5, 6].map((at) => read(at, { kind: 'Refund missing' })),
    ...[7, 8, 9].map((at) => read(at, { note: `Invented a tracking number, ${at} digits` })),
    read(10, { note: HOSTILE }),
    ...[11, 12, 13, 14].map((at) => read(at, { answer: 'good' })),
  ]);
  const page = await openAs('ana', 'failures');
  await expect.poll(() => cards(page, 'Open')).toEqual(['Wrong city', 'Refund missing', 'Refund not issued', 'Loops']);
  expect(await page.locator('.kind-card').first().innerText()).toMatch(
    /3 readings of any time · [\d.]+ % \(.*\) of the conversations of this time/,
  );
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'failures');

  await page.getByRole('button', { name: 'Mended Wrong city' }).click();
  await expect.poll(() => cards(page, 'Mended')).toEqual(['Wrong city']);
  await page.getByRole('button', { name: 'Watched Refund missing' }).click();
  await expect.poll(() => cards(page, 'Watched')).toEqual(['Refund missing']);
  const field = page.getByLabel('Another name for Refund not issued');
  await field.fill(' Refund  missing');
  await page.getByRole('button', { name: 'Merge into “Refund missing”' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Enter merges all readings of both').waitFor();
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'failures-merge');
  await page.keyboard.press('Escape');
  expect(await field.inputValue()).toBe('');
  expect(await page.getByText('Enter merges all readings of both').count()).toBe(0);
  expect(await cards(page, 'Open')).toEqual(['Refund not issued', 'Loops']);
  await field.fill('Refund missing');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await expect.poll(() => cards(page, 'Open')).toEqual(['Loops']);
  expect((await board()).kinds.find(({ name }) => name === 'Refund missing')).toMatchObject({
    readings: 4,
    state: 'watched',
  });

  await page.keyboard.press('a');
  await expect.poll(async () => (await board()).kinds.map(({ name }) => name)).toContain('invented tracking number');
  const left = (await board()).without_kind_count;
  await expect.poll(() => page.locator('.unnamed-readings li').count()).toBe(left);
  await page.keyboard.press('u');
  await page.keyboard.type('Other');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await board()).without_kind_count).toBe(left - 1);
  await expect.poll(() => page.locator('.says').innerText()).toBe((await board()).says);

  await page.locator('.kind-card').first().locator('.kind-examples a').first().click();
  await page.locator('.chat').waitFor();
  await page.goBack();
  await page.locator('.kind-card').first().waitFor();
  await expectRight(page, ['light', 'dark']);
  await takeScreenshot(page, 'failures-360');
  await page.keyboard.press('?');
  expect(await page.locator('.key-help').innerText()).toMatch(/a\s*accept the first proposed kind/);
});

test('the count of a card leads to exactly its conversations, and a chip takes the kind away', async () => {
  const bad = (at: number, by: string) => ({ conversation_id: `c-${at}`, by, answer: 'bad', kind: '<b>A & B</b> +%' });
  await put('/v1/readings', [bad(11, 'cy'), bad(12, 'cy'), bad(12, 'di')]);
  const page = await openPage(`${service.http}/failures`);
  const card = page.locator('.kind-card', { hasText: '<b>A & B</b>' });
  const example = card.locator('.kind-examples a').first();
  expect(await example.innerText()).toMatch(/^Question 1[12]\?$/);
  expect(await example.getAttribute('title')).toMatch(/^c-1[12]$/);

  await card.getByRole('link', { name: '3 readings of 2 conversations' }).click();
  await page.locator('.list-state', { hasText: /^2 conversations$/ }).waitFor();
  expect(new URL(page.url()).searchParams.get('kind')).toBe('<b>A & B</b> +%');
  const chip = page.getByRole('button', { name: 'failure: <b>A & B</b> +%' });
  await chip.waitFor();
  await takeScreenshot(page, 'list-of-kind');
  expect(await mistakesOfAccess(page)).toEqual([]);
  await chip.click();
  await page.locator('.list-state', { hasText: `${COUNT} conversations` }).waitFor();
  expect(new URL(page.url()).search).toBe('?agent=writer');
  await page.getByLabel('Read as').selectOption('good');
  // The cast holds: other tests hold the answer against its schema.
  const good = (await (await fetch(`${service.http}/api/v1/conversations?read=good`)).json()) as ConversationList;
  await page.locator('.list-state', { hasText: `${good.conversations.length} conversations` }).waitFor();
  expect(new URL(page.url()).search).toBe('?agent=writer&read=good');
});

test('of many kinds those with most readings come first, the others on request or by their words', async () => {
  const named = (at: number) => ({
    conversation_id: `c-${at % COUNT}`,
    by: `r-${at}`,
    answer: 'bad',
    kind: `Kind no. ${at}`,
  });
  await put(
    '/v1/readings',
    Array.from({ length: 40 }, (_, at) => named(at)),
  );
  const page = await openPage(`${service.http}/failures`);
  const shown = () => cards(page, 'Open');
  await expect.poll(async () => (await shown()).length).toBe(10);
  const first = await shown();
  const most = (await board()).kinds.filter(({ state }) => state === 'open').map(({ name }) => name);
  expect(first).toEqual(most.slice(0, 10));
  await takeScreenshot(page, 'failures-many');

  await page.getByLabel('Find kinds by words').fill('no. KIND 37');
  await expect.poll(shown).toEqual(['Kind no. 37']);
  await page.getByLabel('Find kinds by words').fill('nothing like it');
  await page.getByText('No kind has these words in its name.').waitFor();
  await page.getByLabel('Find kinds by words').fill('');
  await page.getByRole('region', { name: 'Open', exact: true }).getByRole('button', { name: 'Show all' }).click();
  await expect.poll(shown).toEqual(most);
  await expectRight(page, ['dark', 'light'], 'failures-many');
});

test('the command that writes checks has the time of the page', async () => {
  const says = '202 conversations read, 27 of which went badly; 151 were not read in their turn, and measure nothing.';
  const criterion = { name: 'n', question: 'Is it?', check: 'true', found_in: 5, conversations: ['c-1'] };
  const page = await openPage(`${service.http}/failures?since=90d`);
  await page.route('**/api/v1/criteria/learned*', async (route) => {
    expect(new URL(route.request().url()).searchParams.get('since')).toBe('90d');
    const kinds = [{ kind: 'Loops', readings: 4, criteria: [criterion] }];
    await route.fulfill({ json: { agent: 'writer', since: '', until: '', readings: 202, bad: 27, says, kinds } });
  });
  await page.locator('.learned button').waitFor();
  await page.keyboard.press('l');
  await page.getByText(says).waitFor();
  await page.getByText('npx assay learn --agent writer --since 90d --out learned.yaml').waitFor();
});

test('a service that does not take a change says why, and the board stays', async () => {
  const page = await openPage(`${service.http}/failures`, { expected: /status of 503/ });
  await page.getByLabel('You are').fill('cy');
  await page.keyboard.press('Enter');
  await page.locator('.kind-card').first().waitFor();
  const before = (await board()).says;
  const away = { status: 503, contentType: 'application/json', body: '{"error":"the store is read only"}' };
  await page.route('**/v1/failures', (route) =>
    route.request().method() === 'PUT' ? route.fulfill(away) : route.continue(),
  );
  await page.locator('.kind-states button').first().click();
  await page.getByText('It was not taken: the store is read only').waitFor();
  expect(await page.locator('.says').innerText()).toBe(before);
});

test('without a conversation in the time, the views of an agent say when the newest was, and offer a longer time', async () => {
  for (const view of ['read', 'failures']) {
    const page = await openPage(`${service.http}/${view}`);
    await page.route('**/api/v1/facets*', async (route) => {
      const response = await route.fetch();
      const isLong = new URL(route.request().url()).searchParams.has('since');
      const all = (await response.json()) as object;
      await route.fulfill({ response, json: isLong ? all : { ...all, agents: [], agent_versions: [] } });
    });
    await page.reload();
    await page.getByRole('heading', { name: 'No agent has evaluated conversations in this time' }).waitFor();
    await page.getByText(/The newest conversation began \d\d:\d\d, and is of writer\./).waitFor();
    await expectRight(page, ['light', 'dark'], `${view}-no-agent`);
    await page.getByRole('link', { name: 'Show the last 90 days' }).click();
    await page
      .locator(view === 'read' ? '.so-far' : '.kind-card')
      .first()
      .waitFor();
    expect(new URL(page.url()).search).toBe('?agent=writer&since=90d');
    expect(await page.getByLabel('Time').inputValue()).toBe('90d');
  }
});

test('a conversation shows who read it, with the kind, the first wrong step and the note', async () => {
  const detail = await fetch(`${service.http}/api/v1/conversations/c-15`);
  // The cast holds: other tests hold the answer against its schema.
  const { turn_list: turns } = (await detail.json()) as ConversationDetail;
  const step = turns.flatMap(({ steps }) => steps).find(({ name }) => name === 'lookup');
  const said = { conversation_id: 'c-15', by: 'eve', answer: 'bad', kind: 'Wrong city', note: HOSTILE };
  await put('/v1/readings', { ...said, first_wrong: step?.span_id });
  const page = await openPage(`${service.http}/conversations/c-15`);
  const readings = page.getByRole('region', { name: 'How people read it' });
  const line = readings.locator('li', { hasText: 'eve' });
  await line.waitFor();
  expect(await line.innerText()).toMatch(/bad by eve, .*, kind Wrong city, went wrong first at lookup.*<img src=x/s);
  expect(await page.locator('img[src="x"]').count()).toBe(0);
  await expectRight(page, ['dark', 'light'], 'conversation-read');
  // A link to one reading marks it for whoever opens it.
  await line.getByTitle('A link to this reading').click();
  await page.reload();
  await readings.locator('li.lit', { hasText: 'eve' }).waitFor();
  await line.getByRole('link', { name: 'lookup' }).click();
  await page.locator('.step-detail').waitFor();
  await line.getByRole('link', { name: 'Wrong city' }).click();
  await expect.poll(() => new URL(page.url()).search).toBe('?agent=writer&kind=Wrong+city');
});
