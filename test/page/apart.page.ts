/** States in which two sides do not see the same: two tabs, two clocks, traffic that has stopped, a store that is away. */
import { expect, inject, test } from 'vitest';
import type { ConversationDetail } from '../../src/api/conversation-detail.ts';
import type { ConversationList } from '../../src/api/conversation-list.ts';
import { mistakesOfAccess, openPage, takeScreenshot, useBrowser } from './browser.ts';
import { untilAnswered } from './sent-spans.ts';

const http = inject('http');
useBrowser();

const HOUR_MS = 3_600_000;

test('two tabs that label the same conversation: the second says what the first said, and replaces it when asked again', async () => {
  await untilAnswered<ConversationList>(
    `${http}/api/v1/conversations?suite=scheduling&state=scored&limit=200`,
    ({ conversations }) => conversations.length >= 60,
  );
  const address = `${http}/review?suite=scheduling&criterion=correct_duration`;
  const first = await openPage(address);
  await first.getByLabel('You are').fill('twice');
  await first.keyboard.press('Enter');
  await first.locator('.chat').waitFor();
  const second = await first.context().newPage();
  await second.goto(address);
  await second.getByLabel('You are').fill('twice');
  await second.keyboard.press('Enter');
  await second.locator('.chat').waitFor();
  const golden = await first.getByRole('link', { name: 'Golden trace' }).first().getAttribute('href');
  const id = decodeURIComponent(golden?.split('/').at(-1) ?? '');
  const said = async () => {
    const response = await fetch(`${http}/api/v1/conversations/${encodeURIComponent(id)}`);
    // The cast holds: other tests hold the answer against its schema.
    const { labels } = (await response.json()) as ConversationDetail;
    return labels.filter(({ by }) => by === 'twice').map(({ label }) => label);
  };

  await first.keyboard.press('1');
  await first.locator('.said-verdict').waitFor();
  expect(await said()).toEqual(['pass']);
  await second.keyboard.press('2');
  await second.getByText('You said “Pass” elsewhere').waitFor();
  expect(await mistakesOfAccess(first)).toEqual([]);
  await takeScreenshot(second, 'two-tabs');
  expect(await said()).toEqual(['pass']);
  expect(await second.locator('.said-verdict').count()).toBe(0);
  await second.keyboard.press('2');
  await second.locator('.said-verdict').waitFor();
  expect(await said()).toEqual(['fail']);
  await second.keyboard.press('u');
  await expect.poll(said).toEqual([]);
});

test('a device whose clock is hours off shows the times of the service, and says so', async () => {
  const page = await openPage(`${http}/?suite=scheduling`);
  await page.getByText('How they ended').waitFor();
  expect(await page.getByText('The clock of this device').count()).toBe(0);
  const since = await page.locator('.filter-bar').getByLabel('Time').inputValue();

  await page.clock.setSystemTime(new Date(Date.now() - 20 * HOUR_MS));
  await page.reload();
  await page.getByText(/^The clock of this device is (?:20 h 0|19 h 59) min behind that of the service/).waitFor();
  await page.getByText('How they ended').waitFor();
  expect(await page.locator('.filter-bar').getByLabel('Time').inputValue()).toBe(since);
  // A day is that of the service: no date stands before the times of today.
  expect(await page.locator('.moved time').first().innerText()).toMatch(/^\d\d:\d\d$/);
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'clock-behind');
  await page.clock.setSystemTime(new Date(Date.now() + HOUR_MS));
  await page.reload();
  await page.getByText('ahead of that of the service').waitFor();
});

test('where nothing has come for hours, the overview says since when', async () => {
  const page = await openPage(`${http}/?suite=scheduling`);
  await page.getByText('How they ended').waitFor();
  expect(await page.getByText('No conversation for').count()).toBe(0);

  await page.route('**/api/v1/conversations?limit=1', async (route) => {
    const response = await route.fetch();
    // The cast holds: other tests hold the answer against its schema.
    const { conversations, ...list } = (await response.json()) as ConversationList;
    const at = new Date(Date.now() - 3 * HOUR_MS).toISOString();
    await route.fulfill({ json: { ...list, conversations: conversations.map((one) => ({ ...one, began_at: at })) } });
  });
  await page.reload();
  await page.getByText(/^No conversation for 3 h 0 min: the last one began at \d/).waitFor();
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'no-data-for-a-while');
});

test('a store that is away is said to be away in the list, with what goes on meanwhile', async () => {
  const page = await openPage(`${http}/conversations`, { expected: /status of 503/ });
  await page.locator('.row').first().waitFor();
  const body = '{"error":"the store is read only: no space is left on its disk"}';
  await page.route('**/api/v1/conversations?*', (route) =>
    route.fulfill({ status: 503, contentType: 'application/json', body, headers: { 'retry-after': '5' } }),
  );

  await page.getByLabel('Order').selectOption('worst');
  await page.getByText('no space is left on its disk (ask again after 5 s)').waitFor();
  await page.getByText('Receiving spans does not depend on this').waitFor();
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'list-away');
  await page.unroute('**/api/v1/conversations?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.row').first().waitFor();
});
