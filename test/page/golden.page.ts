/**
 * A conversation taken elsewhere: beside its golden trace, to the tracing backend, to the source of a field, and into the
 * folder of its suite, where `assay suite test` finds it.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConversationList } from '../../src/api/conversation-list.ts';
import { assay, assayBeside } from '../assay-command.ts';
import { type AssayProcess, freeListenPorts, startAssay } from '../simulation/process.ts';
import { tempDirectory } from '../temp-directory.ts';
import { isWiderThanWindow, mistakesOfAccess, NARROW, openPage, takeScreenshot, useBrowser, WIDE } from './browser.ts';
import { untilAnswered } from './sent-spans.ts';

useBrowser();

const EXAMPLE = path.resolve(import.meta.dirname, '../../examples/golden-traces');
const TRACE = 'b2'.repeat(16);
const TEMPLATE = 'https://tempo.example/explore?left={"q":"{trace_id}"}&span={span_id}&to={end_ms}&c={conversation_id}';

let dataDir: string;
let service: AssayProcess;
beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'assay-page-'));
  cpSync(EXAMPLE, dataDir, { recursive: true });
  const suite = readFileSync(path.join(EXAMPLE, 'tickets.yaml'), 'utf8');
  // The candidate has a stricter budget of its own, and asks nothing about the path.
  const next = suite
    .replace('scope:', 'version: "2"\nscope:')
    .replace(/^.*name: path.*\n/m, '')
    .replace('0.3', '0.7');
  writeFileSync(path.join(dataDir, 'next.yaml'), next.replace('at_least: 0.8', 'at_least: 0.1'));
  const config = path.join(dataDir, 'assay.yaml');
  const settings = { suites: ['./tickets.yaml'], shadow_suites: ['./next.yaml'], page: { trace_url: TEMPLATE } };
  writeFileSync(config, JSON.stringify(settings));
  const times = { ASSAY_TURN_SETTLE: '100ms', ASSAY_TURN_IDLE: '300ms', ASSAY_CONVERSATION_IDLE: '500ms' };
  const ports = await freeListenPorts();
  service = await startAssay({ dataDir, ports, env: times, arguments: ['--config', config] });
  for (const body of readFileSync(path.join(EXAMPLE, 'runs.jsonl'), 'utf8').trim().split('\n')) {
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(`${service.otlpHttp}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
  }
  const isScored = ({ conversations }: ConversationList) =>
    conversations.filter(({ state }) => state === 'scored').length === 3;
  await untilAnswered<ConversationList>(`${service.http}/api/v1/conversations`, isScored);
});
afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Both themes and both widths; what a machine can find is asked in two of the four. */
async function looksRight(page: Page, name: string): Promise<void> {
  for (const [scheme, size, isAsked] of [
    ['light', WIDE, true],
    ['light', NARROW, false],
    ['dark', NARROW, true],
    ['dark', WIDE, false],
  ] as const) {
    await page.setViewportSize(size);
    // A colour that fades is not that of either scheme.
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    if (isAsked) expect(await mistakesOfAccess(page)).toEqual([]);
    expect(await isWiderThanWindow(page)).toBe(false);
    await takeScreenshot(page, `${name}-${scheme}-${size.width}`);
  }
}

test('a run beside its golden trace is shown in the words of `assay golden diff`', async () => {
  const page = await openPage(`${service.http}/conversations/lucky`);
  await page.getByRole('button', { name: 'Compare with golden trace' }).click();
  await page.getByText('Does not follow the trace').waitFor();

  expect(new URL(page.url()).searchParams.get('beside')).toBe('golden');
  const { stdout } = assay([
    'golden',
    'diff',
    path.join(EXAMPLE, 'golden/gt_001.yaml'),
    'lucky',
    '--file',
    path.join(EXAMPLE, 'runs.jsonl'),
    '--json',
  ]);
  // The cast holds for what is compared below: other tests hold it against the API's schema.
  const told = JSON.parse(stdout) as { trajectory_score: number; steps: { text: string; notes: string[] }[] };
  const shown = await page.locator('.golden').innerText();
  expect(shown).toContain(`trajectory score ${told.trajectory_score.toFixed(2)}`);
  expect(shown).toContain('the answer is as expected');
  expect(await page.locator('.golden-line').count()).toBe(told.steps.length);
  for (const [index, { text, notes }] of told.steps.entries()) {
    const line = await page.locator('.golden-line').nth(index).innerText();
    for (const said of [text, ...notes]) expect(line).toContain(said);
  }
  expect(await page.locator('.golden-line.wrong_arguments td').first().innerText()).toBe(
    '1.\nsearch_tickets({"account_id": "ACC-4821", "limit": 3})',
  );
  await looksRight(page, 'golden');

  // A call opens its step below; the view stays for whoever gets the link.
  await page.locator('.golden-call').first().click();
  await page.getByRole('region', { name: 'Step list_customers' }).waitFor();
  await page.reload();
  await page.getByText('Does not follow the trace').waitFor();
  await page.locator('.done-step.chosen .step-detail').waitFor();
  await page.getByRole('button', { name: 'Hide the golden trace' }).click();
  await expect.poll(() => page.locator('.golden').count()).toBe(0);
});

test('the suite in shadow stands beside the live verdicts, with what differs', async () => {
  const page = await openPage(`${service.http}/conversations/lucky`);
  const line = page.locator('.shadow-line');
  await line.waitFor();

  expect((await line.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
    /^In shadow, version 2: success 1\.00\. path is not asked; score ✕ ?fail → ✓ ?pass ?; 2 the same\.$/,
  );
  expect(await page.getByRole('heading', { name: 'In shadow' }).count()).toBe(0);
});

test('each field of a step says where it comes from', async () => {
  const page = await openPage(`${service.http}/conversations/lucky`);
  // A criterion failed at it, so it is open.
  const detail = page.getByRole('region', { name: 'Step search_tickets' });
  expect(await detail.getByText('gen_ai.tool.call.arguments').count()).toBe(0);
  await detail.getByText('where from').click();
  await detail.getByText('gen_ai.tool.call.arguments').waitFor();

  const row = (name: string) => detail.locator('tr', { has: page.getByRole('rowheader', { name, exact: true }) });
  expect(await row('Name').innerText()).toMatch(/search_tickets\s+gen_ai\.tool\.name otel-genai/);
  expect(await row('Arguments').innerText()).toMatch(/gen_ai\.tool\.call\.arguments otel-genai/);
  await detail.scrollIntoViewIfNeeded();
  await looksRight(page, 'where-from');
  await page.getByRole('button', { name: /^Show \d+ more spans?$/ }).click();
  await page.locator('.done-line', { hasText: 'support' }).first().click();
  const other = page.getByRole('region', { name: 'Step support' });
  await other.getByText('where from').click();
  await other.getByRole('rowheader', { name: 'Kind', exact: true }).waitFor();
});

test('turns and steps link to the tracing backend, which gets no referrer', async () => {
  const page = await openPage(`${service.http}/conversations/lucky`);
  const asked: { readonly url: string; readonly referrer: string | undefined }[] = [];
  await page.context().route('https://tempo.example/**', async (route) => {
    asked.push({ url: route.request().url(), referrer: route.request().headers().referer });
    await route.fulfill({ contentType: 'text/html', body: 'a trace' });
  });
  const ofTurn = page.getByRole('link', { name: 'open trace' });
  await ofTurn.waitFor();
  const href = (await ofTurn.getAttribute('href')) ?? '';
  expect(href).toBe(
    `https://tempo.example/explore?left={"q":"${TRACE}"}&span=b2b2b2b2b2b2b2b0&to=${1_763_720_064_000 + 60_000}&c=lucky`,
  );
  expect(await ofTurn.getAttribute('rel')).toBe('noreferrer');
  const [opened] = await Promise.all([page.context().waitForEvent('page'), ofTurn.click()]);
  await opened.waitForLoadState();
  expect(asked).toEqual([{ url: new URL(href).href, referrer: undefined }]);
  expect(await opened.evaluate('window.opener')).toBeNull();
  await opened.close();

  const link = page.getByRole('region', { name: 'Step search_tickets' }).getByRole('link', { name: 'open span' });
  expect(await link.getAttribute('href')).toMatch(/&span=b2b2b2b2b2b2b2\d\d&to=\d+&c=lucky$/);
});

test('a golden trace and a test case go to the folder of the suite, and `assay suite test` finds both', async () => {
  const page = await openPage(`${service.http}/conversations/good`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.http });
  const folder = tempDirectory();
  cpSync(EXAMPLE, folder, { recursive: true });
  const link = page.getByRole('link', { name: 'Golden trace', exact: true });
  await link.waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  const golden = path.join(folder, 'golden', 'kept.yaml');
  await download.saveAs(golden);
  const run = () => assayBeside(['suite', 'test', 'tickets.yaml'], { cwd: folder });

  expect((await run()).stdout).toContain('not run  tickets: golden trace good in golden/kept.yaml: it is a draft');
  writeFileSync(golden, readFileSync(golden, 'utf8').replace('status: draft\n', ''));
  await page.getByRole('button', { name: 'Copy test case' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  // The cast holds: the clipboard gives texts.
  const copied = (await page.evaluate('navigator.clipboard.readText()')) as string;
  writeFileSync(path.join(folder, 'tickets.test.yaml'), copied);

  expect(await run()).toMatchObject({
    status: 0,
    stdout: [
      'pass  tickets: good: successful completion',
      'pass  tickets: golden trace good',
      'pass  tickets: golden trace gt_001',
      '3 tests passed\n',
    ].join('\n'),
  });
});
