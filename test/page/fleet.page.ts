/** The fleet on the overview: several agents of a real service, and a thousand of a played one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { Facets } from '../../src/api/facets.ts';
import type { Fleet } from '../../src/api/fleet.ts';
import { freeListenPorts, startAssay } from '../simulation/process.ts';
import { expectRight, isWiderThanWindow, openPage, takeScreenshot, useBrowser } from './browser.ts';
import { agentAt, fleetOf } from './fleet-of.ts';
import { sendConversations, untilAnswered } from './sent-spans.ts';

const http = inject('http');
useBrowser();

const HOSTILE = '<img src=x onerror=alert(1)> \u202Egpj.agent, of a name that is longer than any column has room for';

test('with several agents the overview begins with them, and a row leads to its agent', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'assay-page-'));
  const env = { ASSAY_TURN_SETTLE: '100ms', ASSAY_CONVERSATION_IDLE: '1s' };
  const service = await startAssay({ dataDir, ports: await freeListenPorts(), env });
  onTestFinished(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const of = (agent: string, count: number, answered: string) =>
    Array.from({ length: count }, (_, index) => ({ id: `${agent} ${index}`, asked: 'Hello?', answered, agent }));
  await sendConversations(service.otlpHttp, [...of('fine', 12, 'Hello.'), ...of('mute', 3, ''), ...of(HOSTILE, 1, '')]);
  await untilAnswered<Fleet>(`${service.http}/api/v1/fleet`, ({ agents }) => agents.length === 3);
  const page = await openPage(`${service.http}/?since=6h`);
  const rows = page.locator('.fleet-link');

  await rows.first().waitFor();
  expect(await rows.locator('.fleet-agent').allInnerTexts()).toEqual(['mute', expect.stringContaining('<img'), 'fine']);
  expect(await page.locator('#fleet-words').count()).toBe(0);
  await expectRight(page, ['light', 'dark'], 'fleet-of-three');
  await rows.first().click();
  await page.waitForURL('**/?since=6h&agent=mute');
  await page.getByText('How they ended').waitFor();
  expect(await page.locator('.fleet').count()).toBe(0);
});

/** A suite of the service: the page of an agent asks for its figures. */
const KNOWN = 'default';

async function openPlayed(fleet: Fleet | undefined, agents: readonly string[], query = ''): Promise<Page> {
  const page = await openPage(`${http}/suites`);
  await page.route('**/api/v1/facets*', async (route) => {
    const response = await route.fetch();
    // The cast holds: the service answers in this shape.
    const known = (await response.json()) as Facets;
    await route.fulfill({ json: { ...known, agents } });
  });
  await page.route('**/api/v1/fleet*', (route) => (fleet === undefined ? undefined : route.fulfill({ json: fleet })));
  await page.goto(`${http}/${query}`);
  return page;
}

test('a thousand agents: few rows are in the document, and keys, words and scrolling reach all of them', async () => {
  const all = Array.from({ length: 1_000 }, (_, place) =>
    agentAt(place, { suite: KNOWN, ...(place === 1 ? { agent: HOSTILE } : {}) }),
  );
  const page = await openPlayed(
    fleetOf(all, { agents_left_out: 3 }),
    all.map(({ agent }) => agent),
    '?environment=simulation&since=7d',
  );
  const rows = page.locator('.fleet-link');
  await rows.first().waitFor();

  expect(await rows.count()).toBeLessThan(60);
  await expectRight(page, ['dark', 'light'], 'fleet');
  for (const [width, height] of [
    [390, 844],
    [1024, 768],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height });
    expect(await isWiderThanWindow(page)).toBe(false);
    await takeScreenshot(page, `fleet-at-${width}`);
  }
  for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
  expect(await page.locator('.row.active .fleet-agent').innerText()).toContain('onerror');
  await page.evaluate("document.querySelector('.fleet-frame').scrollTo(0, 1e9)");
  await rows.filter({ hasText: 'agent-0999' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('agent-05 worse');
  await page.getByText('33 of 1,000 agents').waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('j');
  await takeScreenshot(page, 'fleet-found');
  await page.keyboard.press('Enter');
  await page.waitForURL(/environment=simulation&since=7d&agent=agent-05\d\d&suite=default$/);
});

test('one agent is no fleet', async () => {
  const page = await openPlayed(undefined, ['scheduler'], '?suite=scheduling');
  await page.getByText('How they ended').waitFor();

  expect(await page.locator('.fleet').count()).toBe(0);
});

test('before the agents have come the page says so; without any in the time, too', async () => {
  const waiting = await openPlayed(undefined, ['a', 'b']);
  await waiting.getByText('Loading the agents').waitFor();
  await takeScreenshot(waiting, 'fleet-loading');

  const none = await openPlayed(fleetOf([]), ['a', 'b']);
  await none.getByText('No agent was evaluated in this time or in the one before it.').waitFor();
  await expectRight(none, ['light', 'dark'], 'fleet-none');
});
