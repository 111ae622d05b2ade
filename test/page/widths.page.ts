/**
 * Every view at the ends of what screens are: a phone, 200 % zoom, 4K. Nothing sticks out of the window, nothing is cut
 * off, and all can use it. One profile, whose window changes its size.
 */

import { beforeAll, expect, inject, test } from 'vitest';
import type { ConversationList } from '../../src/model/api/conversation-list.ts';
import { isWiderThanWindow, mistakesOfAccess, openPage, takeScreenshot, useBrowser } from './browser.ts';
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
