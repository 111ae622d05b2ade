/** The review, from the keyboard: two people, undo, the agreement that follows, and a run that is kept as a golden trace. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, inject, test } from 'vitest';
import type { ConversationList } from '../../src/api/conversation-list.ts';
import type { ReviewAgreement } from '../../src/api/review.ts';
import { tempDirectory } from '../temp-directory.ts';
import { mistakesOfAccess, NARROW, openPage, takeScreenshot, useBrowser } from './browser.ts';
import { untilAnswered } from './sent-spans.ts';

const http = inject('http');
useBrowser();

const OF = 'suite=scheduling&criterion=correct_participants';

beforeAll(async () => {
  await untilAnswered<ConversationList>(
    `${http}/api/v1/conversations?suite=scheduling&limit=200`,
    ({ conversations }) => conversations.filter(({ state }) => state === 'scored').length >= 60,
  );
});

async function reviewAs(name: string, query = OF): Promise<Page> {
  const page = await openPage(`${http}/review?${query}`);
  await page.getByLabel('You are').fill(name);
  await page.keyboard.press('Enter');
  await page.locator('.chat').waitFor();
  return page;
}

async function agreement(): Promise<ReviewAgreement> {
  const response = await fetch(`${http}/api/v1/review/agreement?${OF}`);
  // The cast holds: other tests hold the answer against its schema.
  return (await response.json()) as ReviewAgreement;
}

const position = (page: Page) => page.locator('.review-main > .position').innerText();

test('twenty labels from the keyboard: the verdict is hidden before, and kappa follows', {
  timeout: 120_000,
}, async () => {
  const page = await reviewAs('ana');
  await expect.poll(() => position(page)).toMatch(/^1 of /);
  for (let label = 0; label < 20; label += 1) {
    await expect.poll(() => position(page)).toMatch(new RegExp(`^${label + 1} of .*${label} answers? given`));
    await page.locator('.chat').waitFor();
    expect(await page.locator('.said-verdict').count()).toBe(0);
    expect(await page.locator('.turn-verdicts').count()).toBe(0);
    if (label === 3) await takeScreenshot(page, 'review-asked');
    await page.keyboard.press(label % 4 === 0 ? '2' : '1');
    await page.locator('.said-verdict').waitFor();
    if (label === 19) break;
    await page.keyboard.press('Enter');
  }
  await expect.poll(async () => page.locator('.agreement').innerText()).toMatch(/20 labels/);
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'review-answered');
  const shown = await page.locator('.agreement-figures').innerText();
  const { versions } = await agreement();
  expect(versions[0]).toMatchObject({ labelled: 20 });
  expect(shown).toContain(
    `Kappa\n${versions[0]?.kappa?.value.toFixed(3).replace('-0.000', '0.000').replace('-', '−')}`,
  );

  // Undo takes the last one back, and says so to the service.
  await page.keyboard.press('u');
  await expect.poll(async () => page.locator('.agreement').innerText()).toMatch(/19 labels/);
  expect(await page.locator('.said-verdict').count()).toBe(0);
  expect((await agreement()).versions[0]).toMatchObject({ labelled: 19 });
});

test('a second person gets the same conversations, and their agreement is shown', async () => {
  const page = await reviewAs('bo');
  expect(await position(page)).toMatch(/labelled by 1 other person/);
  await page.keyboard.press('n');
  await page.keyboard.type('Not the ones he named.');
  await page.keyboard.press('Escape');
  // The whole conversation is read before the verdict is shown.
  await page.keyboard.press('w');
  await page.keyboard.press('2');
  const badly = page.getByRole('button', { name: 'Went badly' });
  await expect.poll(() => badly.getAttribute('aria-pressed')).toBe('true');
  expect(await page.locator('.said-verdict').count()).toBe(0);
  await page.keyboard.press('2');
  await page.locator('.said-verdict').waitFor();
  expect(await badly.isDisabled()).toBe(true);
  await expect.poll(async () => page.locator('.people').innerText()).toMatch(/ana, bo[\s\S]*Agreed/);
  expect((await agreement()).people).toMatchObject({ labellers: ['ana', 'bo'], subjects: 1 });
  await page.keyboard.press('w');
  await page.keyboard.press('1');
  expect(await page.getByText('only before its verdict is shown').isVisible()).toBe(true);
});

test('on a narrow screen, with nothing left to label, and with words that are unknown', async () => {
  const page = await openPage(`${http}/review?${OF}&because=unsure`, { size: NARROW });
  await page.getByText('Type your name').waitFor();
  expect(await mistakesOfAccess(page)).toEqual([]);
  await page.getByLabel('You are').fill('cy');
  await page.keyboard.press('Enter');
  await page.getByText('There is nothing to label here').waitFor();
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'review-nothing-360');
});

test('a run is kept as the draft of a golden trace, which has no mistakes', async () => {
  const page = await reviewAs('dan');
  const link = page.getByRole('link', { name: 'Golden trace' });
  await link.waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  const folder = tempDirectory();
  mkdirSync(path.join(folder, 'golden'));
  const file = path.join(folder, 'golden', 'kept.yaml');
  await download.saveAs(file);
  const lint = execFileSync(process.execPath, [path.resolve('src/cli/main.ts'), 'golden', 'lint', file], {
    encoding: 'utf8',
  });
  expect(lint).toContain('1 golden trace without mistakes, 1 draft among them');
});
