/** Rows of the list are chosen by boxes and keys, and become a link to just these and a file of cases. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, inject, test } from 'vitest';
import type { ConversationList } from '../../src/api/conversation-list.ts';
import { isWiderThanWindow, mistakesOfAccess, NARROW, openPage, takeScreenshot, useBrowser, WIDE } from './browser.ts';
import { sendConversations, untilAnswered } from './sent-spans.ts';

const [http, otlp] = [inject('http'), inject('otlp')];
useBrowser();

const LIST = `${http}/conversations?agent=picker`;
const IDS = ['pick-1', 'pick-2', 'pick-3', 'pick-4', 'pick-5'];

beforeAll(async () => {
  for (const id of IDS)
    await sendConversations(otlp, [{ id, agent: 'picker', asked: `Please look at ${id}.`, answered: 'I have.' }]);
  await untilAnswered<ConversationList>(
    `${http}/api/v1/conversations?agent=picker`,
    ({ conversations }) => conversations.filter(({ state }) => state === 'scored').length === IDS.length,
  );
});

test.each([
  ['wide', WIDE],
  ['on a phone', NARROW],
])('%s: chosen rows are a link to them alone, and a file of their cases', async (name, size) => {
  const page = await openPage(LIST, { size });
  await page.getByRole('button', { name: 'Select' }).click();
  const box = (id: string) => page.getByRole('checkbox', { name: `Choose Please look at ${id}.` });
  const bar = page.getByRole('region', { name: 'Chosen conversations' });
  await box('pick-2').check();
  // All from the one before to it.
  await box('pick-4').click({ modifiers: ['Shift'] });
  await bar.getByText('3 conversations chosen').waitFor();
  expect(await isWiderThanWindow(page)).toBe(false);
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, `chosen-${name.replaceAll(/\W+/g, '-')}`);

  const saving = page.waitForEvent('download');
  await bar.getByRole('button', { name: 'Save as dataset cases' }).click();
  const cases = readFileSync(await (await saving).path(), 'utf8')
    .trimEnd()
    .split('\n');
  expect(cases.map((line) => JSON.parse(line).input).toSorted()).toEqual(
    ['pick-2', 'pick-3', 'pick-4'].map((id) => `Please look at ${id}.`),
  );
  await bar.getByText('3 cases saved').waitFor();

  await bar.getByRole('link', { name: 'Show only these' }).click();
  await page.getByText('only 3 chosen conversations').waitFor();
  await expect.poll(() => page.locator('.row').count()).toBe(3);
});

test('x chooses the row that the keys are at, and esc ends the choice', async () => {
  const page = await openPage(LIST, { size: WIDE });
  await page.locator('.row').nth(4).waitFor();
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
  const bar = page.getByRole('region', { name: 'Chosen conversations' });
  await bar.getByText('2 conversations chosen').waitFor();
  await page.keyboard.press('x');
  await bar.getByText('1 conversation chosen').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => bar.count()).toBe(0);
});
