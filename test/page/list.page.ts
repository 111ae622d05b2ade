/** The list of conversations: its columns, saved views and export. */
import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { exportLine } from '../../src/api/export.ts';
import { isWiderThanWindow, mistakesOfAccess, NARROW, openPage, takeScreenshot, useBrowser } from './browser.ts';

const http = inject('http');
useBrowser();

const searchOf = (url: string) => new URL(url).search;

test('columns are chosen in a menu, stand in the address, and leave the sentence as it is', async () => {
  const page = await openPage(`${http}/conversations?agent=scheduling-agent&agent_version=v2`);
  await page.locator('.row').first().waitFor();
  const asked = await page.locator('.row .row-asked').first().innerText();

  await page.getByText('Columns', { exact: true }).click();
  await page.locator('.menu').getByLabel('Duration').check();
  await page.locator('.menu').getByLabel('Version').uncheck();
  await expect
    .poll(() => searchOf(page.url()))
    .toBe('?agent=scheduling-agent&agent_version=v2&columns=came_out%2Cscore%2Cturns%2Cduration%2Ccost');
  expect(await page.locator('.row-duration').first().innerText()).toMatch(/ms| s$/);
  expect(await page.locator('.row-version').count()).toBe(0);
  expect(await page.locator('.row .row-asked').first().innerText()).toBe(asked);
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'columns');
  await page.keyboard.press('Escape');
  expect(await page.locator('.menu-panel:visible').count()).toBe(0);
  await page.reload();
  await page.locator('.row-duration').first().waitFor();
});

test('all columns fit a narrow screen, in the menu and in the rows', async () => {
  const all = 'score,decided,suite,agent,version,environment,segment,turns,duration,tokens,cost';
  const page = await openPage(`${http}/conversations?columns=${all}`, { size: NARROW, scheme: 'dark' });
  await page.locator('.row').first().waitFor();
  await page.getByText('Columns', { exact: true }).click();

  expect(await isWiderThanWindow(page)).toBe(false);
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'columns-dark-360');
  await page.keyboard.press('Escape');
  await takeScreenshot(page, 'all-columns-dark-360');
});

test('a view is saved under a name in this browser, opened, renamed and deleted; a link needs none of it', async () => {
  const page = await openPage(`${http}/conversations?outcome=failed&columns=cost`);
  await page.locator('.row').first().waitFor();
  await page.getByText('Views', { exact: true }).click();
  await page.getByLabel('Name of this view').fill('What <b>fails</b>');
  await page.getByRole('button', { name: 'Save view' }).click();

  const link = page.getByRole('link', { name: 'What <b>fails</b>' });
  await link.waitFor();
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'views');
  await page.goto(`${http}/conversations`);
  await page.getByText('Views', { exact: true }).click();
  await link.click();
  await expect.poll(() => searchOf(page.url())).toBe('?outcome=failed&columns=cost');
  expect(await page.getByLabel('Outcome').inputValue()).toBe('failed');
  // The menu closes where it was left open.
  if ((await page.locator('.menu[open]').count()) === 0) await page.getByText('Views', { exact: true }).click();
  await page.getByRole('button', { name: 'Rename What <b>fails</b>' }).click();
  await page.getByLabel('New name of').fill('Failed ones');
  await page.getByRole('button', { name: 'Rename', exact: true }).last().click();
  await page.getByRole('link', { name: 'Failed ones' }).waitFor();
  expect(await link.count()).toBe(0);
  await page.getByRole('button', { name: 'Delete Failed ones' }).click();
  await expect.poll(() => page.getByRole('link', { name: 'Failed ones' }).count()).toBe(0);
  expect(await page.evaluate('localStorage.getItem("assay.views")')).toBe(null);
});

test('what another hand wrote into the kept views is left out', async () => {
  const page = await openPage(`${http}/conversations`);
  const views = [
    { name: 'away', address: 'https://example.com/' },
    { name: 'script', address: 'javascript:alert(1)' },
    { name: 'other', address: '/conversations/../api/v1/facets' },
    { name: '', address: '/conversations' },
    { name: 7, address: '/conversations' },
    'nothing',
    { name: 'good', address: '/conversations?words=good' },
  ];
  await page.evaluate((text) => localStorage.setItem('assay.views', text), JSON.stringify(views));
  await page.reload();
  await page.locator('.row').first().waitFor();
  await page.getByText('Views', { exact: true }).click();

  expect(await page.locator('.kept-views a').allInnerTexts()).toEqual(['good']);
  await page.evaluate(() => localStorage.setItem('assay.views', '{not JSON'));
  await page.reload();
  await page.locator('.row').first().waitFor();
  await page.getByText('Views', { exact: true }).click();
  expect(await page.locator('.kept-views a').count()).toBe(0);
});

test('a search finds other forms of a word and what tools gave, and shows the place', async () => {
  const page = await openPage(`${http}/conversations?words=conflict`);
  await page.locator('.row mark').first().waitFor();

  const found = await page.locator('.row mark').allInnerTexts();
  expect(found.map((word) => word.toLowerCase())).toContain('conflicts');
  expect(await page.locator('.row-answered', { hasText: /^check_availability, turn \d+: / }).count()).toBeGreaterThan(
    0,
  );
  expect(await page.locator('.list-state').innerText()).toMatch(/^\d+ conversations$/);
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'search');
});

test('a shared view has the suite, the columns and the times that are shown, though they are the usual ones', async () => {
  const page = await openPage(`${http}/conversations?agent=scheduling-agent&since=1h`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const shared = async () => {
    await page.getByRole('button', { name: 'Share view' }).click();
    await page.getByText('Copied').waitFor();
    return new URL(await page.evaluate('navigator.clipboard.readText()')).searchParams;
  };

  const list = await shared();
  expect(list.get('columns')).toBe('came_out,score,version,turns,cost');
  expect(Date.parse(list.get('until') ?? '') - Date.parse(list.get('since') ?? '')).toBe(3_600_000);

  await page.goto(`${http}/`);
  const overview = await shared();
  expect(overview.get('suite')).toBe('scheduling');
  expect(overview.get('since')).toMatch(/^2\d{3}-/);
});

test('the export has what the list finds', async () => {
  const page = await openPage(`${http}/conversations?outcome=failed&agent_version=v2&order=worst`);
  await page.locator('.row').first().waitFor();
  const listed = await page.locator('.list-state').innerText();

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('conversations.jsonl');
  const lines = readFileSync(await download.path(), 'utf8')
    .split('\n')
    .filter(Boolean);
  expect(lines.map((line) => exportLine.parse(JSON.parse(line)).agent_version)).toEqual(lines.map(() => 'v2'));
  expect(listed).toContain(`${lines.length} conversations`);
});

test('the line above a narrowed list says what sets it apart, and a fact is one click', async () => {
  for (const options of [{}, { size: NARROW, scheme: 'dark' as const }]) {
    const page = await openPage(`${http}/conversations?fact=calls%20in%20a%20turn%3A+4+to+7`, options);
    const first = page.locator('.set-apart a').first();
    await first.waitFor();
    const fact = await first.innerText();
    expect(await page.locator('.set-apart a').count()).toBeLessThanOrEqual(6);
    expect(await isWiderThanWindow(page)).toBe(false);
    expect(await mistakesOfAccess(page)).toEqual([]);
    await takeScreenshot(page, `set-apart${options.size === undefined ? '' : '-dark-360'}`);

    await first.click();

    await expect.poll(() => new URLSearchParams(searchOf(page.url())).getAll('fact').at(-1)).toBe(fact);
    await page.locator('.row').first().waitFor();
    await page.getByText(`and ${fact}`).first().waitFor();
  }
});

test('a menu says what went wrong in the list, and finds exactly the conversations in which it did', async () => {
  const page = await openPage(`${http}/conversations?agent=scheduling-agent`);
  await page.locator('.row').first().waitFor();
  await page.getByText('Went wrong', { exact: true }).click();
  const first = page.locator('.went-wrong li').first();
  await first.waitFor();
  const [words = '', count = ''] = (await first.innerText()).split('\n');
  expect(words).toMatch(/failed$|^the error|^it ended/);
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'went-wrong');

  await first.getByRole('link').click();
  await page.getByRole('button', { name: /^with .* remove this filter$/ }).waitFor();
  await page.getByText(new RegExp(`^${count} conversations?$`)).waitFor();
  expect(new URL(page.url()).searchParams.getAll('fact')).toHaveLength(1);
});
