/** Moving weights in the view Suites: what the page shows is to the last digit what `assay backtest` says. */
import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import type { ConversationList } from '../../src/api/conversation-list.ts';
import { type WhatIf, whatIf } from '../../src/api/what-if.ts';
import { assayBeside } from '../assay-command.ts';
import { tempDirectory } from '../temp-directory.ts';
import { mistakesOfAccess, openPage, takeScreenshot, useBrowser } from './browser.ts';
import { untilAnswered } from './sent-spans.ts';

const http = inject('http');
const ROOT = path.resolve(import.meta.dirname, '../..');
const SUITES = `${http}/suites`;
useBrowser();

beforeAll(() =>
  untilAnswered<ConversationList>(
    `${http}/api/v1/conversations?suite=scheduling&agent_version=v2&limit=200`,
    ({ conversations }) => conversations.length > 0 && conversations.every(({ state }) => state === 'scored'),
  ),
);

type Backtested = Pick<WhatIf, 'changed'> & {
  readonly before: { readonly tcr: number; readonly scored: number; readonly outcomes: object };
  readonly after: { readonly tcr: number; readonly scored: number; readonly outcomes: object };
};

async function backtested(diff: string): Promise<Backtested | undefined> {
  const folder = tempDirectory();
  cpSync(path.join(ROOT, 'suites/scheduling.yaml'), path.join(folder, 'scheduling.yaml'));
  execFileSync('git', ['apply', '-'], { cwd: folder, input: diff });
  const config = path.join(ROOT, 'examples/scheduling-agent/assay.yaml');
  const places = ['--config', config, '--data-dir', inject('dataDir'), '--since', '7d', '--json'];
  const { stdout, stderr } = await assayBeside(['backtest', 'scheduling.yaml', ...places], { cwd: folder });
  expect(stderr).toBe('');
  // The cast holds for what is asserted.
  return (JSON.parse(stdout) as readonly Backtested[])[0];
}

test('a weight that is typed shows what assay backtest says, to the last digit, and the diff makes that suite', async () => {
  const page = await openPage(SUITES);
  const section = page.locator('.suite', { hasText: 'scheduling' }).locator('.what-if').last();
  await section.getByText('What if the weights were different?').click();
  await section.getByText('0 of').waitFor();
  const asked = page.waitForResponse((response) => response.request().postData()?.includes('0.612345') === true);

  await section.getByLabel('correct_time', { exact: true }).fill('0.612345');

  const answer = whatIf.parse(await (await asked).json());
  const report = await backtested(answer.yaml);
  expect([answer.before.tcr?.value, answer.after.tcr?.value]).toEqual([report?.before.tcr, report?.after.tcr]);
  expect([answer.before.tcr?.n, answer.after.tcr?.n]).toEqual([report?.before.scored, report?.after.scored]);
  expect([answer.before.outcomes, answer.after.outcomes]).toEqual([report?.before.outcomes, report?.after.outcomes]);
  expect(answer.changed).toBe(report?.changed);
  expect(answer.changed).toBeGreaterThan(0);
  expect(answer.after.tcr?.value).not.toBe(answer.before.tcr?.value);
  await expect.poll(() => section.locator('[aria-busy=true]').count()).toBe(0);
  const row = section.getByRole('row', { name: 'TCR' });
  await expect.poll(() => row.innerText()).toContain(Number(report?.after.tcr).toFixed(3));
  expect(await row.innerText()).toContain(Number(report?.before.tcr).toFixed(3));
  expect(await section.locator('.moved-list a').count()).toBe(Math.min(20, answer.changed));
  await section.getByText("The change of the suite's file").click();
  expect(await section.locator('.diff pre').textContent()).toBe(answer.yaml);
  expect(await section.getByRole('button', { name: 'Copy the diff' }).isVisible()).toBe(true);
  expect(await mistakesOfAccess(page)).toEqual([]);
});

test('what was moved is in the address; a reload shows it, and one button takes it back', async () => {
  const page = await openPage(`${SUITES}?suite=scheduling&weights=correct_time:0.6&off=explored_alternatives`);
  const section = page.locator('.what-if[open]');
  await section.getByText('would have a different score or outcome').waitFor();

  expect(await section.getByLabel('correct_time', { exact: true }).inputValue()).toBe('0.6');
  expect(await section.getByRole('switch', { name: 'explored_alternatives' }).isChecked()).toBe(false);
  await section.getByRole('switch', { name: 'correct_duration' }).click();
  const search = () => new URL(page.url()).searchParams.get('off');
  await expect.poll(search).toBe('explored_alternatives,correct_duration');
  await page.reload();
  await section.getByText('would have a different score or outcome').waitFor();
  expect(await section.getByRole('switch', { name: 'correct_duration' }).isChecked()).toBe(false);

  await section.getByRole('button', { name: 'Reset to the suite' }).click();
  await expect.poll(() => new URL(page.url()).search).toBe('');
  await section.getByText('0 of').waitFor();
});

test('by keys alone: a slider, a number that is none yet, a switch, and a conversation that changes', async () => {
  const page = await openPage(`${SUITES}?suite=scheduling&weights=correct_time:0.6`);
  const section = page.locator('.what-if[open]');
  await section.getByText('would have a different score or outcome').waitFor();

  await section.getByLabel('Weight of correct_participants, slider').focus();
  for (let pressed = 0; pressed < 30; pressed += 1) await page.keyboard.press('ArrowRight');
  const weights = () => new URL(page.url()).searchParams.get('weights');
  await expect.poll(weights).toBe('correct_time:0.6,correct_participants:0.55');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('0.');
  await section.getByText('more than 0, or switch it off', { exact: true }).waitFor();
  await section.getByText('The weight of correct_participants is 0.').waitFor();
  await takeScreenshot(page, 'no-weight-yet');
  expect(await mistakesOfAccess(page)).toEqual([]);
  await page.keyboard.type('50');
  await expect.poll(weights).toBe('correct_time:0.6,correct_participants:0.50');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await expect.poll(() => new URL(page.url()).searchParams.get('off')).toBe('correct_participants');

  const link = section.locator('.moved-list a').first();
  const id = await link.innerText();
  await link.focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/conversations/${encodeURIComponent(id)}`);
});
