/**
 * Contents that could make the page stand still. The tests assert how much the browser has to lay out and to read at once,
 * because that does not depend on the machine. The longest task is printed, which other work of the machine makes longer.
 */
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, inject, test } from 'vitest';
import type { ConversationDetail } from '../../src/api/conversation-detail.ts';
import type { ConversationList } from '../../src/api/conversation-list.ts';
import { openPage, useBrowser } from './browser.ts';
import { sendConversations, untilAnswered } from './sent-spans.ts';

const http = inject('http');
const otlp = inject('otlp');
useBrowser();

const MEGABYTE = 1_000_000;
const STEPS = 4_990;
const TURNS = 1_000;
const TURNS_A_REQUEST = 200;
const BIG = JSON.stringify({ list: Array.from({ length: 400_000 }, (_, at) => ({ at, to: '<b>' })) });
const TEXTS = {
  'one-line': 'x'.repeat(10 * MEGABYTE),
  lines: 'a line of words here\n'.repeat(MEGABYTE / 2),
  hidden: '\u202e\u0007a'.repeat(2 * MEGABYTE),
  directions: 'a\u05d0 (b\u05d1)'.repeat(MEGABYTE),
};

beforeAll(async () => {
  const agent = 'heavy';
  for (const [id, answered] of Object.entries(TEXTS)) {
    await sendConversations(otlp, [{ id, asked: 'Write much.', answered, agent }]);
  }
  await sendConversations(otlp, [
    { id: 'big', asked: 'Send it.', answered: 'Sent.', agent, tools: [{ name: 'send', arguments: BIG, result: '1' }] },
  ]);
  const tools = Array.from({ length: STEPS }, (_, at) => ({
    name: `look_up_${at}`,
    arguments: JSON.stringify({ at, words: 'some words '.repeat(20) }),
    result: '1',
  }));
  await sendConversations(otlp, [{ id: 'steps', asked: 'Look up everything.', answered: 'Done.', agent, tools }]);
  for (let from = 0; from < TURNS; from += TURNS_A_REQUEST) {
    const turns = Array.from({ length: TURNS_A_REQUEST }, (_, at) => ({
      id: 'turns',
      asked: `Question ${from + at}? ${'word '.repeat(100)}`,
      answered: `Answer ${from + at}. ${'word '.repeat(400)}`,
      agent,
      tools: [{ name: 'look_up', arguments: '{}', result: '1' }],
    }));
    await sendConversations(otlp, turns);
  }
  await untilAnswered<ConversationDetail>(
    `${http}/api/v1/conversations/turns`,
    ({ turn_list: turns, state }) => turns.length === TURNS && state === 'scored',
  );
  await untilAnswered<ConversationList>(
    `${http}/api/v1/conversations?agent=heavy`,
    ({ conversations }) => conversations.length === 7 && conversations.every(({ state }) => state === 'scored'),
  );
});

const WATCH_TASKS = `window.tasks = [];
new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) tasks.push(duration); })
  .observe({ type: 'longtask', buffered: true });`;

/** Elements and characters that the browser lays out, and the longest task since the last look. */
async function weigh(page: Page, what: string): Promise<{ readonly elements: number; readonly characters: number }> {
  await page.waitForTimeout(100);
  const [elements, characters, longest] = (await page.evaluate(`[
    document.querySelectorAll('main *').length,
    document.querySelector('main').innerText.length,
    Math.round(Math.max(0, ...tasks.splice(0))),
  ]`)) as readonly [number, number, number];
  console.log(`${what}: ${elements} elements, ${characters} characters, longest task ${longest} ms`);
  return { elements, characters };
}

interface Opened {
  readonly page: Page;
  /** Bytes of each answer of the API. */
  readonly answers: readonly number[];
}

async function open(address: string): Promise<Opened> {
  const page = await openPage(`${http}/`);
  const answers: number[] = [];
  page.on('response', (response) => {
    if (!response.url().includes('/api/')) return;
    response.body().then(
      (body) => answers.push(body.length),
      () => {
        // An answer to the page before this one.
      },
    );
  });
  await page.addInitScript(WATCH_TASKS);
  await page.goto(`${http}${address}`);
  return { page, answers };
}

/** Shows one more slice. */
async function readOn(text: Locator): Promise<void> {
  const left = text.locator('.aside').last();
  const before = await left.innerText();
  await text.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => left.innerText(), { timeout: 10_000 }).not.toBe(before);
}

test.each(Object.keys(TEXTS))('an answer of ten megabytes, %s: little is loaded and laid out at once', async (id) => {
  const { page, answers } = await open(`/conversations/${id}`);
  const answer = page.locator('.said.agent');
  await answer.waitFor();
  expect((await weigh(page, `${id}, opened`)).characters).toBeLessThan(20_000);

  for (let slice = 0; slice < 5; slice += 1) {
    await readOn(answer);
    const { elements, characters } = await weigh(page, `${id}, slice ${slice}`);
    expect(elements).toBeLessThan(3_000);
    expect(characters).toBeLessThan(90_000);
  }
  await answer.getByRole('button', { name: 'To the end' }).click();
  await answer.getByRole('button', { name: 'Show earlier' }).waitFor();
  await weigh(page, `${id}, at the end`);
  expect(Math.max(...answers)).toBeLessThan(2 * MEGABYTE);
});

test('arguments of ten megabytes: little is loaded and laid out at once', async () => {
  const { page, answers } = await open('/conversations/big');
  await page.getByRole('button', { name: 'send' }).click();
  const detail = page.locator('.step-detail');
  await detail.locator('.payload').first().waitFor();
  for (let slice = 0; slice < 3; slice += 1) {
    await readOn(detail.locator('.step-field').first());
    expect((await weigh(page, `arguments, slice ${slice}`)).elements).toBeLessThan(1_500);
  }
  await detail.getByRole('button', { name: 'To the end' }).first().click();
  await expect.poll(() => detail.locator('.payload').first().innerText(), { timeout: 10_000 }).toMatch(/\]\}$/);
  expect(Math.max(...answers)).toBeLessThan(2 * MEGABYTE);
});

test('five thousand steps: some are in the document, and more when somebody asks', async () => {
  const { page } = await open('/conversations/steps');
  await page.locator('.done-line').first().waitFor();
  expect((await weigh(page, 'steps, opened')).elements).toBeLessThan(1_500);

  await page.getByRole('button', { name: 'Show steps 41 to 80' }).click();
  await expect.poll(() => page.locator('.done-line').count()).toBe(80);
  await page.locator('.done-line').last().click();
  await page.locator('.step-detail').last().waitFor();
  expect((await weigh(page, 'steps, one opened')).elements).toBeLessThan(2_500);
});

test('a thousand turns: the first ones, and each criterion once, until somebody asks for more', async () => {
  const { page } = await open('/conversations/turns');
  await page.locator('.turn').first().waitFor();
  expect((await weigh(page, 'turns, opened')).elements).toBeLessThan(4_000);

  expect(await page.locator('.turn').count()).toBe(20);
  const suites = await page.locator('.evaluation').count();
  expect(suites).toBeGreaterThan(0);
  expect(suites).toBeLessThan(10);
  await page.getByRole('button', { name: 'Show turns 21 to 40' }).click();
  await expect.poll(() => page.locator('.turn').count()).toBe(40);
  await weigh(page, 'turns, more of them');
  const { conversations } = (await (
    await fetch(`${http}/api/v1/conversations?agent=heavy&words=turns`)
  ).json()) as ConversationList;
  expect(conversations[0]?.evaluations).toHaveLength(50);
  expect(conversations[0]?.evaluations_left_out).toBe(TURNS - 50);
});

test('the list of them searches and scrolls', async () => {
  const { page } = await open('/conversations?agent=heavy');
  await expect.poll(() => page.locator('.row').count(), { timeout: 10_000 }).toBe(7);
  // Its question has the word: nobody has to be asked where else it is, least of all for the rows of the list before.
  const places: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/excerpts/')) places.push(request.url());
  });
  await page.locator('#words').fill('everything');
  await page.locator('#words').press('Enter');
  await expect.poll(() => page.locator('.row').count(), { timeout: 10_000 }).toBe(1);
  expect((await weigh(page, 'list, searched')).elements).toBeLessThan(500);
  expect(places).toEqual([]);
});
