/**
 * Every view at the ends of what screens are: a phone, 200 % zoom, 4K. Nothing sticks out of the window, nothing is cut
 * off, and all can use it. One profile, whose window changes its size.
 */

import { beforeAll, expect, inject, test } from 'vitest';
import type { ConversationList } from '../../src/api/conversation-list.ts';
import { isWiderThanWindow, mistakesOfAccess, NARROW, openPage, takeScreenshot, useBrowser } from './browser.ts';
import { untilAnswered } from './sent-spans.ts';

const http = inject('http');
useBrowser();

const SIZES = [
  { name: '360', width: 360, height: 800 },
  // As a browser of 1440 × 900 has it at 200 %.
  { name: 'zoomed', width: 720, height: 450 },
  { name: '4k', width: 3840, height: 2160 },
];

let failed: string;
beforeAll(async () => {
  const { conversations } = await untilAnswered<ConversationList>(
    `${http}/api/v1/conversations?order=worst&agent_version=v2&outcome=hard_failure&state=scored&limit=1`,
    (list) => list.conversations.length > 0,
  );
  failed = conversations[0]?.conversation_id ?? '';
});

const VIEWS = [
  { name: 'overview', address: () => '/?suite=scheduling', shows: '.endings, .moved' },
  { name: 'conversations', address: () => '/conversations?order=worst', shows: '.row' },
  { name: 'conversation', address: () => `/conversations/${failed}?order=worst`, shows: '.verdict' },
  { name: 'read', address: () => '/read', shows: '.so-far' },
  { name: 'failures', address: () => '/failures', shows: '.says' },
  { name: 'review', address: () => '/review?suite=scheduling&criterion=correct_time', shows: 'h1, h2' },
  { name: 'suites', address: () => '/suites', shows: '.criterion-name, td' },
];

/** Texts that end beyond the window and cannot be scrolled to. */
const CUT_OFF = `[...document.querySelectorAll('main h1, main h2, main h3, main button, main select, main a, main td, main p')]
  .filter((one) => {
    const box = one.getBoundingClientRect();
    if (box.width <= 1 || box.right <= innerWidth + 1) return false;
    for (let up = one.parentElement; up !== null; up = up.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(up).overflowX) && up.scrollWidth > up.clientWidth) return false;
    return true;
  })
  .map((one) => one.className + ' ' + one.textContent.slice(0, 40))`;

/** Buttons, links and the place in the list, of the head of a conversation, that lie over one another. */
const OVERLAPS = `(() => {
  const boxes = [...document.querySelectorAll('.detail-head :is(button, a, .position)')].map((one) => ({
    words: one.textContent,
    box: one.getBoundingClientRect(),
  }));
  return boxes.flatMap(({ words, box }, index) =>
    boxes
      .slice(index + 1)
      .filter(
        ({ box: other }) =>
          box.left < other.right - 0.5 &&
          other.left < box.right - 0.5 &&
          box.top < other.bottom - 0.5 &&
          other.top < box.bottom - 0.5,
      )
      .map((other) => words + ' and ' + other.words),
  );
})()`;

test('nothing in the head of a conversation lies over anything else, from a phone to 4K', async () => {
  const page = await openPage(`${http}/conversations?order=worst`);
  await page.locator('.row-link').first().click();
  await page.locator('.detail-head .position').waitFor();
  await page.getByRole('button', { name: 'Copy test case' }).waitFor();

  for (const width of [360, 414, 480, 560, 600, 601, 640, 720, 768, 900, 1024, 1199, 1200, 1280, 1440, 1920, 3840]) {
    await page.setViewportSize({ width, height: 900 });
    await page.waitForTimeout(50);
    expect([width, await page.evaluate(OVERLAPS)]).toEqual([width, []]);
    expect([width, await isWiderThanWindow(page)]).toEqual([width, false]);
    if (width === 360 || width === 640) await takeScreenshot(page, `head-${width}`);
  }
});

test('on a phone all views, the name of who labels, and the change of a figure are in sight', async () => {
  const page = await openPage(`${http}/suites?suite=scheduling&weights=correct_time:0.6`, { size: NARROW });
  const rightOf = (selector: string) =>
    page
      .locator(selector)
      .last()
      .evaluate(
        (one) => (one as unknown as { getBoundingClientRect(): { right: number } }).getBoundingClientRect().right,
      );
  await page.locator('.before-after').waitFor();

  expect(await page.evaluate("document.querySelector('.top-bar nav').scrollWidth")).toBe(
    await page.evaluate("document.querySelector('.top-bar nav').clientWidth"),
  );
  expect(await page.locator('.before-after thead th').last().innerText()).toBe('Change');
  expect(await rightOf('.before-after thead th')).toBeLessThanOrEqual(NARROW.width);
  await page.goto(`${http}/review`);
  await page.locator('.labeller').waitFor();
  expect(await rightOf('.labeller')).toBeLessThanOrEqual(NARROW.width);
});

test('a long version leaves the time, the turns and the cost of a row in sight on a phone', async () => {
  const page = await openPage(`${http}/conversations?order=worst`, { size: NARROW });
  await page.locator('.row-version').first().waitFor();
  await page.evaluate("document.querySelector('.row-version').textContent = 'v'.repeat(200)");

  const edges = await page.evaluate(`['.row-time', '.row-score', '.row-turns', '.row-cost'].map((one) => {
    const { left, right, width } = document.querySelector(one).getBoundingClientRect();
    return left >= 0 && right <= innerWidth && width > 8;
  })`);
  expect(edges).toEqual([true, true, true, true]);
});

test('at 390 px no filter of a view is cut off, and a day with its time fits the list at any width', async () => {
  const page = await openPage(`${http}/read`, { size: { width: 390, height: 844 } });
  for (const [view, shows] of [
    ['read', '.so-far'],
    ['failures', '.says'],
    ['', '.figures'],
  ] as const) {
    await page.goto(`${http}/${view}`);
    await page.locator(shows).first().waitFor();
    const cut = `[...document.querySelectorAll('.filter-bar :is(select, input, button)')]
      .filter((one) => one.getBoundingClientRect().right > innerWidth)
      .map((one) => one.textContent)`;
    expect([view, await page.evaluate(cut)]).toEqual([view, []]);
    await takeScreenshot(page, `filters-${view}-390`);
  }
  await page.goto(`${http}/conversations`);
  await page.locator('.row-time').first().waitFor();
  for (const width of [390, 900, 1440, 2560]) {
    await page.setViewportSize({ width, height: 844 });
    await page.waitForTimeout(50);
    const hidden = await page.evaluate(`(() => {
      const time = document.querySelector('.row-time');
      time.firstElementChild.textContent = '29 Sept, 23:08';
      return time.scrollWidth - time.clientWidth;
    })()`);
    expect([width, hidden]).toEqual([width, 0]);
  }
});

test.each(VIEWS)('$name fits a phone, 200 % zoom and 4K', async ({ name, address, shows }) => {
  const page = await openPage(`${http}${address()}`);
  await page.locator(shows).first().waitFor();
  await page.waitForLoadState('networkidle');

  for (const { name: size, ...viewport } of SIZES) {
    await page.setViewportSize(viewport);
    await page.waitForTimeout(150);
    expect([size, await isWiderThanWindow(page)]).toEqual([size, false]);
    expect([size, await page.evaluate(CUT_OFF)]).toEqual([size, []]);
    expect([size, await mistakesOfAccess(page)]).toEqual([size, []]);
    await takeScreenshot(page, `${name}-${size}`);
  }
});
