/**
 * A conversation of many turns on screens of three sizes: each click that promises to show something brings it into
 * sight, where nothing covers it, and so do a link and a key.
 */
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, inject, test } from 'vitest';
import type { ConversationList } from '../../src/api/conversation-list.ts';
import { isWiderThanWindow, mistakesOfAccess, NARROW, openPage, takeScreenshot, useBrowser, WIDE } from './browser.ts';
import { sendConversations, untilAnswered } from './sent-spans.ts';

const [http, otlp] = [inject('http'), inject('otlp')];
useBrowser();

const ID = 'long-story';
const TURNS = 45;
const FAILS_IN = [3, 24, 25, 44];
const SIZES = [
  ['wide', WIDE],
  ['at 200 % zoom', { width: 720, height: 450 }],
  ['on a phone', NARROW],
] as const;
const MARKED_UP =
  '**Noted**, with `one` thing:\n\n| what | when |\n|---|---|\n| refund | <b>today</b> |\n\n- [more](https://example.com/x)';

beforeAll(async () => {
  for (let number = 1; number <= TURNS; number += 1) {
    const isBad = FAILS_IN.includes(number);
    const result = isBad ? '{"error":"the bank did not answer"}' : '{"ok":true}';
    const tool = { name: 'pay_back', arguments: `{"order":${number}}`, result };
    const asked = `Please pay back order ${number}.`;
    const answered = isBad ? `I have paid back order ${number}.` : `${MARKED_UP} ${number}`;
    await sendConversations(otlp, [{ id: ID, agent: 'teller', asked, answered, tools: [tool] }]);
  }
  await untilAnswered<ConversationList>(`${http}/api/v1/conversations?words=long-story`, ({ conversations }) =>
    conversations.some(({ state, turns }) => state === 'scored' && turns === TURNS),
  );
});

const open = (size: typeof WIDE, query = '') => openPage(`${http}/conversations/${ID}${query}`, { size });

/** It is within the window, and the element that is at its place belongs to it. */
async function expectInSight(found: Locator): Promise<void> {
  await found.first().waitFor();
  const isShown = (element: Element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const at = document.elementFromPoint(left + Math.min(width / 2, 60), top + Math.min(height / 2, 12));
    return at !== null && (element.contains(at) || at.contains(element));
  };
  await expect.poll(() => found.first().evaluate(isShown), { message: String(found) }).toBe(true);
}

const litStep = (page: Page) => page.locator('.done-step.lit .done-head');
const numberOf = async (turn: Locator) => Number(/\d+/.exec(await turn.locator('h3').innerText())?.[0]);

test.each(SIZES)(
  '%s: a verdict, each of its turns and each number bring their place into sight',
  async (name, size) => {
    const page = await open(size);
    await page.locator('.verdict.fail').first().waitFor();
    expect(await isWiderThanWindow(page)).toBe(false);
    expect(await mistakesOfAccess(page)).toEqual([]);
    await takeScreenshot(page, `long-${name.replaceAll(/\W+/g, '-')}`);

    const verdicts = page.locator('.verdict.fail .verdict-name:enabled');
    for (let index = 0; index < (await verdicts.count()); index += 1) {
      await verdicts.nth(index).click();
      await expectInSight(page.locator('.turn.lit').first().locator('.done-head, .said').first());
    }
    const turns = page.locator('.verdict.fail .turn-link:enabled');
    expect(await turns.count()).toBeGreaterThanOrEqual(FAILS_IN.length);
    for (let index = 0; index < (await turns.count()); index += 1) {
      const number = Number(/\d+/.exec(await turns.nth(index).innerText())?.[0]);
      await turns.nth(index).click();
      const turn = page.locator('.turn.lit');
      await expect.poll(() => numberOf(turn)).toBe(number);
      const lit = (await litStep(page).count()) > 0 ? litStep(page) : turn.locator('.said').first();
      await expectInSight(lit);
    }
    for (const number of [1, 44, 25]) {
      await page.locator('.moves button.turn-number', { hasText: new RegExp(`^Turn ${number}\\b`) }).click();
      await expect.poll(() => numberOf(page.locator('.turn.lit'))).toBe(number);
      await expectInSight(page.locator('.turn.lit .said.user'));
    }
    // The page knows every part of the address that it wrote, and nothing lies over the turn.
    expect(await page.locator('.away').count()).toBe(0);
  },
);

test.each(SIZES)('%s: `n` goes from failure to failure, and a mark leads back to its verdict', async (_, size) => {
  const page = await open(size);
  await page.locator('.verdict.fail').first().waitFor();
  const seen = new Set<number>();
  for (let press = 0; press < 8; press += 1) {
    const before = page.url();
    await page.keyboard.press('n');
    await expect.poll(() => page.url()).not.toBe(before);
    const turn = page.locator('.turn.lit');
    await expectInSight(turn.locator('.turn-verdicts button').first());
    seen.add(await numberOf(turn));
  }
  expect([...seen].sort((a, b) => a - b)).toEqual(FAILS_IN);
  await page.locator('.turn.lit .turn-verdicts button').first().click();
  await expectInSight(page.locator('.given.chosen'));
});

test('a second click shows it again after somebody scrolled away, and a link shows the same to somebody else', async () => {
  const page = await open(WIDE);
  const link = page.locator('.verdict.fail .turn-link', { hasText: 'Turn 44' }).first();
  await link.click();
  await expectInSight(litStep(page));
  await page.locator('.detail-pane').evaluate((pane) => pane.scrollTo(0, 0));
  await link.click();
  await expectInSight(litStep(page));
  for (const [, size] of SIZES) {
    await page.setViewportSize(size);
    await page.reload();
    await expectInSight(litStep(page));
  }
});

test('a failed call is open with its values, words have their markup as elements, and nothing of a span leads away', async () => {
  const page = await open(WIDE, '?turn=none');
  await page.locator('.turn').nth(2).locator('.done-line').first().waitFor();

  expect(await page.locator('.turn').nth(0).locator('.step-detail').count()).toBe(0);
  await page.locator('.turn').nth(2).locator('.step-detail').getByText('the bank did not answer').first().waitFor();
  const answer = page.locator('.turn').nth(0).locator('.said.agent');
  await answer.locator('table').waitFor();
  expect(await answer.locator('b').first().innerText()).toBe('Noted');
  expect(await answer.locator('td').allInnerTexts()).toEqual(['refund', '<b>today</b>']);
  expect(await answer.locator('a, img, td b').count()).toBe(0);
  expect(await answer.innerText()).toContain('https://example.com/x');
});

test('a verdict is called wrong where it stands: the label says that the verdict was in sight, and counts in no agreement', async () => {
  const page = await open(WIDE);
  const given = page.locator('.verdict.fail .given').first();
  const criterion = await page.locator('.verdict.fail b').first().innerText();
  await given.locator('..').getByRole('button', { name: 'Right?' }).first().click();
  await page.getByPlaceholder('your name').fill('bo');
  await page.getByPlaceholder('your name').press('Enter');
  await page.getByPlaceholder('why (may be left out)').fill('The bank did it later.');
  expect(await mistakesOfAccess(page)).toEqual([]);
  await page.getByRole('button', { name: 'Wrong: it is a pass' }).click();
  await page.getByText('Kept, with your name.').waitFor();

  await page.reload();
  await page.locator('.given', { hasText: 'bo says pass' }).waitFor();
  const said = page.locator('.known li', { hasText: 'by bo' });
  await said.waitFor();
  expect(await said.innerText()).toMatch(/by bo, .*, with the verdict in sight: The bank did it later\./s);
  const agreement = await fetch(`${http}/api/v1/review/agreement?suite=default&criterion=${criterion}`);
  expect(await agreement.json()).toMatchObject({ labels: 0, people: { labellers: [] } });
});
