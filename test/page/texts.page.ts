import { inject, beforeAll, expect, test } from 'vitest';
import type { ConversationDetail } from '../../src/api/conversation-detail.ts';
import type { ConversationList } from '../../src/api/conversation-list.ts';
import type { Facets } from '../../src/api/facets.ts';
import { isWiderThanWindow, NARROW, openPage, takeScreenshot, useBrowser } from './browser.ts';
import { sendConversations, untilAnswered } from './sent-spans.ts';

const http = inject('http');
const otlp = inject('otlp');
useBrowser();

const HOSTILE = 'evil/<img src=x onerror="document.title=1">?#';
const REVERSED = 'from\u202edrawkcab';
const MANY = 400;
const STEPS = 3_000;
const LONG = 'word '.repeat(60_000);

beforeAll(async () => {
  const tools = Array.from({ length: STEPS }, (_, index) => ({
    name: `look_up_${index}`,
    arguments: '{}',
    result: '1',
  }));
  await sendConversations(otlp, [
    {
      id: HOSTILE,
      asked: '<script>document.title = "broken"</script><img src="https://example.com/x.png"> مرحبا \u202egnol\u202c',
      answered: '# Markdown\n[link](javascript:alert(1))\n\u0007\u200b{"json": true}\nError: at x (y.js:1:1)',
      tools: [{ name: '<b>tool</b>', arguments: '{"to":"<svg onload=alert(1)>"}', result: '"\u202eevil"' }],
    },
    { id: 'long-answer', asked: 'Write much.', answered: `${LONG}THE END` },
    { id: REVERSED, asked: 'Hello?', answered: 'Hello.' },
    { id: 'many-steps', asked: 'Look up everything.', answered: 'Done.', tools },
  ]);
  await sendConversations(
    otlp,
    Array.from({ length: MANY }, (_, index) => ({ id: `row-${index}`, asked: `Question ${index}?`, answered: 'Yes.' })),
  );
  await untilAnswered<Facets>(`${http}/api/v1/facets`, ({ conversations }) => conversations >= MANY + 4);
  await untilAnswered<ConversationList>(
    `${http}/api/v1/conversations?agent=writer&state=open&limit=1`,
    ({ conversations, next }) => conversations.length === 0 && next === null,
  );
});

test('words of a span are words: nothing runs, nothing is fetched, and hidden characters are seen', async () => {
  const page = await openPage(`${http}/conversations/${encodeURIComponent(HOSTILE)}`);
  await page.locator('.said.user').waitFor();

  expect(await page.locator('.conversation-id').innerText()).toBe(HOSTILE);
  expect(await page.locator('.said.user .words').innerText()).toContain('<script>document.title = "broken"</script>');
  expect(await page.locator('.said.user .hidden-character').allInnerTexts()).toEqual(['U+202E', 'U+202C']);
  expect(await page.locator('.said.agent .hidden-character').first().innerText()).toBe('U+0007 U+200B');
  expect(await page.locator('main img, main script, main b b').count()).toBe(0);
  expect(await page.locator('.said a').count()).toBe(0);
  // The first words of the user, cut, with hidden characters written out.
  expect(await page.title()).toBe('<script>document.title = "broken"</script><img src="https://… · Assay');
  expect(await page.locator('.said .words[dir=auto]').count()).toBe(2);
  await page.getByRole('button', { name: '<b>tool</b>' }).click();
  await page.locator('.step-detail .payload').first().waitFor();
  await takeScreenshot(page, 'hostile');
});

test('hidden characters are written out in a filter, and a terminal gets none from a copied command', async () => {
  const page = await openPage(`${http}/conversations?agent=${encodeURIComponent('evil\u202etnega')}`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: http });
  const agents = page.getByRole('combobox', { name: 'Agent' });
  await agents.waitFor();

  expect(await agents.locator('option:checked').innerText()).toBe('evil[U+202E]tnega');
  await page.goto(`${http}/conversations/${encodeURIComponent(REVERSED)}`);
  await page.locator('.said.user').waitFor();
  await page.getByRole('button', { name: 'Copy command' }).click();
  await page.getByText('Copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    `npx assay explain 'from'"$(printf '\\342\\200\\256')"'drawkcab' --url ${http}`,
  );
});

test('a long answer comes a slice at a time, to its end, and few slices are in the document', async () => {
  const page = await openPage(`${http}/conversations/long-answer`);
  const answer = page.locator('.said.agent');
  await answer.waitFor();
  const length = async () => (await answer.innerText()).length;

  expect(await length()).toBeLessThan(5_000);
  await answer.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(length).toBeGreaterThan(19_000);
  const seen = [await answer.locator('.words').innerText()];
  for (const more = answer.getByRole('button', { name: 'Show more' }); (await more.count()) > 0; ) {
    const left = await answer.locator('.aside').last().innerText();
    await more.click();
    await expect
      .poll(async () => (await more.count()) === 0 || (await answer.locator('.aside').last().innerText()) !== left)
      .toBe(true);
    seen.push(await answer.locator('.words > span').last().innerText());
    expect(await length()).toBeLessThan(70_000);
  }
  expect(seen.join('').replace(/\s+/g, '')).toBe(`${LONG}THE END`.replace(/\s+/g, ''));
  await answer.getByRole('button', { name: 'To the beginning' }).click();
  await expect.poll(() => answer.locator('.words').innerText()).toMatch(/^word word/);
  await answer.getByRole('button', { name: 'To the end' }).click();
  await expect.poll(() => answer.locator('.words').innerText()).toContain('THE END');
  await answer.getByRole('button', { name: 'Show earlier' }).click();
  await expect.poll(length).toBeGreaterThan(19_000);
  expect(await answer.locator('.words').innerText()).toContain('THE END');
});

test('of thousands of steps the first are in the document, and the last one can be reached', async () => {
  const page = await openPage(`${http}/conversations/many-steps`);
  await page.locator('.done-line').first().waitFor();

  expect(await page.locator('.done-line').count()).toBe(40);
  await page.getByRole('button', { name: 'Show steps 41 to 80' }).click();
  await expect.poll(() => page.locator('.done-line').count()).toBe(80);
  // A link to the last one shows it without those between.
  const { turn_list: turns } = (await (
    await fetch(`${http}/api/v1/conversations/many-steps`)
  ).json()) as ConversationDetail;
  const last = turns[0]?.steps.findLast(({ kind }) => kind === 'tool');
  await page.goto(`${http}/conversations/many-steps?step=${encodeURIComponent(last?.step_id ?? '')}`);
  await page.locator('.done-step.chosen .step-detail').waitFor();
  expect(await page.locator('.done-step.chosen').innerText()).toMatch(/look_up_\d{3,4}/);
  expect(await page.locator('.done-line').count()).toBeLessThanOrEqual(80);
  await takeScreenshot(page, 'many-steps');
});

test('a long list goes on as somebody reads it, and keeps few rows in the document', async () => {
  const page = await openPage(`${http}/conversations?agent=writer`);
  await page.locator('.row').first().waitFor();
  const seen = new Set<string>();
  let rowsMax = 0;

  for (const deadline = Date.now() + 30_000; seen.size < MANY + 4 && Date.now() < deadline; ) {
    const rows = await page.locator('.row-link').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    rowsMax = Math.max(rowsMax, rows.length);
    for (const href of rows) if (href !== null) seen.add(href);
    await page.locator('.row-frame').evaluate((frame) => frame.scrollBy(0, 500));
    await page.waitForTimeout(30);
  }

  expect(seen.size).toBe(MANY + 4);
  expect(rowsMax).toBeLessThan(60);
  await expect.poll(() => page.locator('.list-state').innerText()).toContain(`${MANY + 4} conversations`);
});

test('rows do not move by themselves: what came is counted, and shown when somebody asks', async () => {
  const page = await openPage(`${http}/conversations?words=newcomer`);
  await page.getByText('No conversation matches').waitFor();
  const [first] = [`newcomer-${Date.now()}`];

  await sendConversations(otlp, [{ id: first, asked: 'newcomer?', answered: 'Yes.' }]);
  const fresh = page.getByRole('button', { name: '1 new or changed' });
  await fresh.waitFor({ timeout: 30_000 });
  expect(await page.locator('.row').count()).toBe(0);
  await fresh.click();
  await page.locator('.row').first().waitFor();
});

test('a narrow screen has hostile words within its edges', async () => {
  const page = await openPage(`${http}/conversations/${encodeURIComponent(HOSTILE)}`, { size: NARROW });
  await page.locator('.said.user').waitFor();

  expect(await isWiderThanWindow(page)).toBe(false);
  await takeScreenshot(page, 'hostile-narrow');
});
