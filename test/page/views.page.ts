import type { Page } from 'playwright-core';
import { beforeAll, expect, inject, test } from 'vitest';
import type { ConversationList } from '../../src/api/conversation-list.ts';
import { isWiderThanWindow, mistakesOfAccess, NARROW, openPage, takeScreenshot, useBrowser, WIDE } from './browser.ts';
import { untilAnswered } from './sent-spans.ts';

const http = inject('http');
useBrowser();

/** A conversation of the bad release that failed. */
let failed: string;
beforeAll(async () => {
  const { conversations } = await untilAnswered<ConversationList>(
    `${http}/api/v1/conversations?order=worst&agent_version=v2&outcome=hard_failure&limit=200`,
    (list) => list.conversations.some(({ state }) => state === 'scored'),
  );
  failed = conversations.find(({ state }) => state === 'scored')?.conversation_id ?? '';
});

const LOOKS = [
  { scheme: 'light', size: WIDE, width: WIDE.width },
  { scheme: 'dark', size: WIDE, width: WIDE.width },
  { scheme: 'light', size: NARROW, width: NARROW.width },
  { scheme: 'dark', size: NARROW, width: NARROW.width },
] as const;
/** The first four are seen in every look, the rest in two. */
const VIEWS: readonly { readonly name: string; readonly address: () => string; readonly shows: string }[] = [
  { name: 'overview', address: () => '/?suite=scheduling', shows: 'How they ended' },
  {
    name: 'conversations',
    address: () => '/conversations?order=worst&outcome=failed',
    shows: 'The turn ended without an answer',
  },
  { name: 'conversation', address: () => `/conversations/${failed}`, shows: 'correct_participants' },
  { name: 'suites', address: () => '/suites', shows: 'correct_participants' },
  {
    name: 'other-weights',
    address: () => '/suites?suite=scheduling&weights=correct_time:0.6&off=explored_alternatives',
    shows: 'would have a different score or outcome',
  },
  {
    name: 'nothing-in-this-time',
    address: () => '/?until=2001-01-02T00:00:00Z&since=2001-01-01T00:00:00Z',
    shows: 'No conversation was evaluated',
  },
  { name: 'nothing-matches', address: () => '/conversations?words=zzzz', shows: 'No conversation matches' },
  { name: 'no-such-conversation', address: () => '/conversations/nobody', shows: 'There is nothing here' },
  { name: 'no-such-filter', address: () => '/conversations?outcome=bad', shows: 'does not know' },
];

const IN_ALL = VIEWS.slice(0, 4);
const EVERY = [
  ...IN_ALL.flatMap((view) => LOOKS.map((look) => ({ ...view, ...look }))),
  ...VIEWS.slice(4).flatMap((view) => [LOOKS[0], LOOKS[3]].map((look) => ({ ...view, ...look }))),
];

test.each(EVERY)(
  '$name, $scheme, $width px wide: all can use it, and nothing sticks out',
  async ({ name, address, shows, scheme, size, width }) => {
    const expected = /status of (?:400|404)/;
    const page = await openPage(`${http}${address()}`, { scheme, size, expected });
    await page.getByText(shows).filter({ visible: true }).first().waitFor();
    await page.waitForLoadState('networkidle');

    expect(await mistakesOfAccess(page)).toEqual([]);
    expect(await isWiderThanWindow(page)).toBe(false);
    await takeScreenshot(page, `${name}-${scheme}-${width}`);
  },
);

const focused = (page: Page) => page.evaluate('document.activeElement?.id ?? ""');

/** Presses as one task of the browser: nothing is drawn between them. */
const pressAtOnce = (page: Page, ...keys: readonly string[]) =>
  page.evaluate(
    `for (const key of ${JSON.stringify(keys)}) document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))`,
  );

test('keys that come before the page has drawn the last one go on from where it led', async () => {
  const page = await openPage(`${http}/conversations?order=worst`);
  await page.locator('.row').first().waitFor();

  await pressAtOnce(page, 'j', 'j', 'j', 'Enter');
  await expect.poll(() => page.locator('.position').innerText()).toMatch(/^3 of /);
  await pressAtOnce(page, 'k', 'k');
  await expect.poll(() => page.locator('.position').innerText()).toMatch(/^1 of /);
  await pressAtOnce(page, 'j', 'j', 'k');
  await expect.poll(() => page.locator('.position').innerText()).toMatch(/^2 of /);
});

test('everything can be done by keys', async () => {
  const page = await openPage(`${http}/conversations?order=worst`);
  await page.locator('.row').first().waitFor();

  await page.keyboard.press('j');
  await page.keyboard.press('j');
  const second = await page.locator('.row.active .row-link').getAttribute('href');
  await page.keyboard.press('Enter');
  await page.locator('.detail-pane h2').waitFor();
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(second);
  await page.keyboard.press('j');
  await expect.poll(() => page.locator('.position').innerText()).toMatch(/^3 of /);
  await page.keyboard.press('k');
  await expect.poll(() => page.locator('.position').innerText()).toMatch(/^2 of /);
  await page.keyboard.press('k');
  await expect.poll(() => page.locator('.position').innerText()).toMatch(/^1 of /);
  await page.keyboard.press('Escape');
  await expect.poll(() => new URL(page.url()).pathname).toBe('/conversations');
  await page.keyboard.press('/');
  expect(await focused(page)).toBe('words');
  await page.keyboard.type('gj');
  await page.keyboard.press('Escape');
  expect(await focused(page)).toBe('');
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await expect.poll(() => new URL(page.url()).pathname).toBe('/suites');
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'keys');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('the address has all that is chosen: reload and back show the same', async () => {
  const page = await openPage(`${http}/conversations`);
  await page.locator('.row').first().waitFor();

  await page.getByLabel('Outcome').selectOption('hard_failure');
  await expect.poll(() => new URL(page.url()).search).toBe('?outcome=hard_failure');
  await page.getByRole('combobox', { name: 'Version' }).selectOption('v2');
  await expect.poll(() => new URL(page.url()).search).toBe('?outcome=hard_failure&agent_version=v2');
  await expect.poll(() => page.locator('.row .outcome:not(.hard_failure)').count()).toBe(0);
  const rows = await page.locator('.row').count();
  await page.reload();
  await expect.poll(() => page.locator('.row').count()).toBe(rows);
  expect(await page.getByLabel('Outcome').inputValue()).toBe('hard_failure');
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect.poll(() => new URL(page.url()).search).toBe('?agent_version=v2');
  await page.goBack();
  await page.goBack();
  await expect.poll(() => new URL(page.url()).search).toBe('?outcome=hard_failure');
  expect(await page.getByRole('combobox', { name: 'Version' }).inputValue()).toBe('');
});

test('a copied link has the filters of the list, and a tab the first words of the user', async () => {
  const page = await openPage(`${http}/conversations?order=worst&agent_version=v2`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: http });
  await page.locator('.row-link').first().click();
  await page.locator('.said.user .words').first().waitFor();
  const asked = await page.locator('.said.user .words').first().innerText();

  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('Copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url());
  expect(new URL(page.url()).search).toBe('?order=worst&agent_version=v2');
  expect(asked.startsWith((await page.title()).replace(/…? · Assay$/, ''))).toBe(true);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.title()).toBe('Conversations · Assay');
});

test('a part of the address that nothing goes by is named', async () => {
  const page = await openPage(`${http}/conversations?foo=1`);
  const note = page.getByText('Nothing here goes by this part of the address');
  await note.waitFor();
  expect(await note.innerText()).toContain('foo=1');
  expect(await mistakesOfAccess(page)).toEqual([]);

  await page.goto(`${http}/suites?suite=nope&weights=a:1`);
  await note.waitFor();
  expect(await note.innerText()).toContain('suite=nope');
  await page.goto(`${http}/suites?suite=scheduling&weights=a:1`);
  await page.getByText('It has no criterion for the weight a:1.').waitFor();
  expect(await note.count()).toBe(0);
});

test('a verdict shows its spans, a span names its verdicts, and a link to it shows the same', async () => {
  const page = await openPage(`${http}/conversations/${failed}`);
  const verdict = page.locator('.verdict.fail .verdict-name:enabled').first();
  const criterion = await verdict.locator('b').innerText();

  await verdict.click();
  await page.locator('.done-step.lit').first().waitFor();
  expect(new URL(page.url()).searchParams.get('verdict')).toContain(`:${criterion}`);
  await page.locator('.turn.lit .turn-verdicts').getByRole('button', { name: criterion }).first().waitFor();
  await page.reload();
  await page.locator('.done-step.lit').first().waitFor();
  expect(await page.locator('.verdict.chosen b').first().innerText()).toBe(criterion);
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'evidence');
});

test('figures lead to the conversations behind them', async () => {
  const page = await openPage(`${http}/?suite=scheduling`);
  await page.getByRole('link', { name: /^hard failure/ }).click();

  await expect.poll(() => new URL(page.url()).pathname).toBe('/conversations');
  expect(new URL(page.url()).searchParams.get('outcome')).toBe('hard_failure');
  await page.locator('.row .hard_failure').first().waitFor();
});

test('a drag over the chart chooses a time, in whole buckets', async () => {
  const page = await openPage(`${http}/?suite=scheduling&since=1h`);
  const chart = page.locator('.chart .u-over');
  const box = await chart.boundingBox();
  if (box === null) return expect.unreachable();
  const at = (share: number) => [box.x + share * box.width, box.y + box.height / 2] as const;
  await page.mouse.move(...at(0.5));
  await page.mouse.down();
  await page.mouse.move(...at(0.7), { steps: 5 });
  await page.mouse.up();

  await page.waitForURL(/until=/);
  const { searchParams: asked } = new URL(page.url());
  const [since, until] = ['since', 'until'].map((name) => Date.parse(asked.get(name) ?? ''));
  expect((until ?? 0) - (since ?? 0)).toBeGreaterThanOrEqual(12 * 60_000);
  expect((until ?? 0) - (since ?? 0)).toBeLessThan(23 * 60_000);
  expect((since ?? 1) % 300_000).toBe(0);
  await page.getByRole('button', { name: /^until/ }).waitFor();
  // A click chooses nothing.
  await page.goto(`${http}/?suite=scheduling&since=1h`);
  await chart.click();
  expect(new URL(page.url()).search).toBe('?suite=scheduling&since=1h');
});

test('the chart has its figures in words, too', async () => {
  const page = await openPage(`${http}/?suite=scheduling`);
  await page.getByText('As a table').click();

  await expect.poll(() => page.locator('.chart-table tbody tr').count()).toBeGreaterThan(0);
  expect(await page.locator('.chart-table tbody td').first().innerText()).toMatch(/^\d+\.\d %$/);
});

test('a theme that somebody chose stays, whatever the system has', async () => {
  const page = await openPage(`${http}/suites`, { scheme: 'light' });
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const light = await ground();

  // The first press shows another look than that of the system.
  await page.getByRole('button', { name: 'Theme: as the system' }).click();
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
  const dark = await ground();
  await page.reload();
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor();

  expect(dark).not.toBe(light);
  expect(await ground()).toBe(dark);
});

test('half the window, as at 200 % zoom, has the same without scrolling sideways', async () => {
  const page = await openPage(`${http}/conversations/${failed}`, { size: { width: 720, height: 450 } });
  await page.locator('.verdict').first().waitFor();

  expect(await isWiderThanWindow(page)).toBe(false);
  await takeScreenshot(page, 'zoomed');
});
