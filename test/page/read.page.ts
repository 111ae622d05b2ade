/** Reading, from the keyboard: nothing is shown that was said of a conversation, and the estimate follows each answer. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConversationList } from '../../src/api/conversation-list.ts';
import type { EstimateAnswer, ReadingQueue } from '../../src/api/estimate.ts';
import { type AssayProcess, freeListenPorts, startAssay } from '../simulation/process.ts';
import { expectRight, mistakesOfAccess, openPage, takeScreenshot, useBrowser, WIDE } from './browser.ts';
import { sendConversations, untilAnswered } from './sent-spans.ts';

useBrowser();

const COUNT = 5;
/** Elements that have a verdict, an outcome or a score. */
const SAID_OF_IT = '.review .outcome, .review .verdict-mark, .verdict, .said-verdict, .head-outcomes, .known';

let dataDir: string;
let service: AssayProcess;
beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'assay-page-'));
  const env = { ASSAY_TURN_SETTLE: '100ms', ASSAY_CONVERSATION_IDLE: '500ms' };
  service = await startAssay({ dataDir, ports: await freeListenPorts(), env });
  const one = (index: number) => ({
    ...{ id: `c-${index}`, asked: `Question ${index}?`, answered: `Answer ${index}.` },
    tools: [{ name: 'lookup', arguments: `{"question":${index}}`, result: `<b>found ${index}</b>` }],
  });
  await sendConversations(
    service.otlpHttp,
    Array.from({ length: COUNT }, (_, index) => one(index)),
  );
  const isScored = ({ conversations }: ConversationList) =>
    conversations.filter(({ state }) => state === 'scored').length === COUNT;
  await untilAnswered<ConversationList>(`${service.http}/api/v1/conversations`, isScored);
  const response = await fetch(`${service.http}/v1/outcomes`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(
      Array.from({ length: COUNT }, (_, index) => ({ conversation_id: `c-${index}`, label: 'csat', good: false })),
    ),
  });
  expect(response.status).toBe(200);
});
afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function readAs(name: string): Promise<Page> {
  const page = await openPage(`${service.http}/read`, { expected: /status of 503/ });
  await page.getByLabel('You are').fill(name);
  await page.keyboard.press('Enter');
  await page.locator('.chat .done').waitFor();
  return page;
}

async function estimate(): Promise<EstimateAnswer> {
  const response = await fetch(`${service.http}/api/v1/estimate?agent=writer`);
  // The cast holds: other tests hold the answer against its schema.
  return (await response.json()) as EstimateAnswer;
}

async function leftFor(by: string): Promise<number> {
  const response = await fetch(`${service.http}/api/v1/readings/queue?agent=writer&by=${by}`);
  // The cast holds: other tests hold the answer against its schema.
  return ((await response.json()) as ReadingQueue).items.length;
}

const says = (page: Page) => page.locator('.says').innerText();
const shown = (page: Page) => page.locator('.said.user .words').first().innerText();

test('people who read together open a part each, which is in the address', async () => {
  const page = await readAs('eve');
  await page.getByLabel('Shared').selectOption('part 2 of 2');
  await expect.poll(() => new URL(page.url()).searchParams.get('part')).toBe('2/2');
  await page.locator('.chat .turn').first().waitFor();
  expect(await page.locator('.away').count()).toBe(0);
  expect(await mistakesOfAccess(page)).toEqual([]);
});

async function answer(page: Page, key: string): Promise<string> {
  const before = await shown(page);
  await page.keyboard.press(key);
  await expect.poll(() => shown(page)).not.toBe(before);
  return before;
}

test('an answer that the service does not take keeps its conversation, and a queue that is away can be asked for again', async () => {
  const page = await readAs('cy');
  const first = await shown(page);
  const away = { status: 503, contentType: 'application/json', body: '{"error":"the store is read only"}' };
  await page.route('**/v1/readings', (route) => route.fulfill(away));
  await page.keyboard.press('1');
  await page.getByText('Your answer was not taken: the store is read only').waitFor();
  expect([await shown(page), await says(page)]).toEqual([
    first,
    expect.stringContaining('No conversation has been read'),
  ]);

  await page.route('**/api/v1/readings/queue*', (route) => route.fulfill(away));
  await page.getByLabel('Time').selectOption('24h');
  await page.getByRole('heading', { name: 'The service cannot answer now' }).waitFor();
  expect(await mistakesOfAccess(page)).toEqual([]);
  await page.unroute('**/api/v1/readings/queue*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.chat .done').waitFor();
});

test('three answers by keys: no verdict is visible, the estimate follows, and one is taken back', async () => {
  const page = await readAs('ana');
  expect(await says(page)).toContain('No conversation has been read');
  expect((await page.locator('.done').innerText()).replaceAll(/\s+/g, ' ')).toMatch(
    /tool lookup \{"question":\d\} → <b>found \d<\/b>/,
  );
  expect(await mistakesOfAccess(page)).toEqual([]);
  const seen: string[] = [];
  for (const [index, key] of ['2', '1', '3'].entries()) {
    await page.locator('.chat .done').waitFor();
    expect(await page.locator(SAID_OF_IT).count()).toBe(0);
    expect(await page.locator('.review-main').innerText()).not.toMatch(/csat|score|no fault/);
    if (index === 0) {
      await page.keyboard.press('n');
      await page.keyboard.type('He found nothing.');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Went wrong here? lookup' }).click();
      await page.getByRole('button', { name: '✕ Went wrong here first lookup' }).waitFor();
      await page.getByRole('button', { name: /^tool lookup/ }).click();
      await page.locator('.step-detail').waitFor();
      expect(await mistakesOfAccess(page)).toEqual([]);
      await takeScreenshot(page, 'read-asked');
    }
    seen.push(await answer(page, key));
    await expect.poll(() => says(page)).toContain(`from ${index + 1} reading`);
  }

  expect(new Set(seen).size).toBe(3);
  expect(await estimate()).toMatchObject({ says: await says(page), readings: { sample: 3, unclear: 1 } });
  await page.getByText('3 conversations read, 3 by you just now').waitFor();
  await page.keyboard.press('u');
  await expect.poll(() => says(page)).toContain('from 2 readings');
  await expect.poll(() => shown(page)).toBe(seen[2]);
  expect(await page.locator('.answer-bar').innerText()).toContain('You said of the one before: went well.');
  expect((await estimate()).readings.sample).toBe(2);
  await page.keyboard.press('?');
  expect(await page.locator('.key-help').innerText()).toMatch(/2\s*answer: went badly[\s\S]*u\s*take your last answer/);
});

test('after the last one the page says so, and the overview begins with the estimate', async () => {
  const page = await readAs('ana');
  for (let left = await leftFor('ana'); left > 1; left -= 1) await answer(page, '1');
  await page.keyboard.press('1');
  await page.getByRole('heading', { name: 'That was the last one' }).waitFor();
  await expectRight(page, ['light', 'dark']);
  await takeScreenshot(page, 'read-nothing-360');
  await page.setViewportSize(WIDE);
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  const section = page.locator('.went-well');
  await section.getByText('Went well', { exact: true }).waitFor();
  const { success } = await estimate();
  expect(await section.innerText()).toContain(`${((success?.value ?? 0) * 100).toFixed(1)} %`);
  expect(await mistakesOfAccess(page)).toEqual([]);
  await section.getByRole('link', { name: 'Read conversations' }).click();
  await page.getByRole('heading', { name: 'There is nothing to read here' }).waitFor();
  expect(new URL(page.url()).searchParams.get('agent')).toBe('writer');

  await page.goto(`${service.http}/conversations/c-1`);
  await page.locator('.head-outcomes').waitFor();
  expect(await page.locator('.head-outcomes').innerText()).toMatch(/Came out\s+✕\s*bad: csat/);
  expect(await page.locator('.row-came_out').first().innerText()).toMatch(/✕\s*bad/);
});

test('the overview counts what came out bad, and leads to those that the suites call fine', async () => {
  const page = await openPage(service.http);
  const section = page.locator('.went-well');
  await section.getByText('came out bad').waitFor();
  expect(await section.innerText()).toContain(`${COUNT} of ${COUNT} conversations with real outcomes came out bad.`);

  await section.getByRole('link', { name: `The suites call ${COUNT} of these fine` }).click();

  await page.locator('.row').first().waitFor();
  expect(new URL(page.url()).search).toBe('?agent=writer&since=7d&came_out=missed');
  const filter = page.locator('.filter-bar').getByLabel('Came out');
  expect(await filter.inputValue()).toBe('missed');
  expect(await page.locator('.row').count()).toBe(COUNT);
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'missed');
  await filter.selectOption('good');
  await page.getByText('No conversation matches these filters.').waitFor();
});
