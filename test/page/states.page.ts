import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type AssayProcess, freeListenPorts, startAssay } from '../simulation/process.ts';
import { createToken } from './created-token.ts';
import { isWiderThanWindow, mistakesOfAccess, NARROW, openPage, takeScreenshot, useBrowser } from './browser.ts';
import { sendConversations } from './sent-spans.ts';

useBrowser();

async function startEmpty(env: Readonly<Record<string, string>> = {}): Promise<AssayProcess & { dataDir: string }> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'assay-page-'));
  const token = env.ASSAY_ACCESS_REQUIRED === undefined ? '' : createToken(dataDir, 'read', 'first');
  expect(token).toBeDefined();
  const times = { ASSAY_TURN_SETTLE: '100ms', ASSAY_CONVERSATION_IDLE: '1s' };
  const service = await startAssay({ dataDir, ports: await freeListenPorts(), env: { ...times, ...env } });
  onTestFinished(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return { ...service, dataDir };
}

test('with nothing yet, the page says how to send the first span, and becomes it by itself', async () => {
  const service = await startEmpty();
  const page = await openPage(`${service.http}/`);
  await page.getByRole('heading', { name: 'No conversation has come yet' }).waitFor();
  const commands = page.locator('.command pre');
  await commands.filter({ hasText: 'curl' }).waitFor();

  expect(await commands.first().innerText()).toBe(`export OTEL_EXPORTER_OTLP_ENDPOINT=${service.otlpHttp}`);
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'start');
  await page.setViewportSize(NARROW);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await isWiderThanWindow(page)).toBe(false);
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'start-dark-360');
  const port = Number(new URL(service.http).port) + 10;
  await page.getByRole('link', { name: `http://127.0.0.1:${port}/` }).waitFor();
  expect(await commands.filter({ hasText: 'npx assay demo' }).innerText()).toBe(
    `npx assay demo --http-port ${port} --otlp-http-port ${port + 1} --otlp-grpc-port ${port + 2}`,
  );
  // As it is pasted into a terminal.
  execFileSync('sh', ['-c', await commands.filter({ hasText: 'curl' }).innerText()]);
  await page.getByText('How they ended').waitFor();
  await takeScreenshot(page, 'first-conversation');
});

test('signed out: a token lets a person in, for this tab, and signing out forgets it', async () => {
  const service = await startEmpty({ ASSAY_ACCESS_REQUIRED: 'true' });
  const reader = createToken(service.dataDir, 'read', 'reader');
  const sender = createToken(service.dataDir, 'ingest', 'sender');
  const page = await openPage(`${service.http}/`, { expected: /status of (?:401|403)/ });
  const use = async (token: string) => {
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Use it in this tab' }).click();
  };

  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'signed-out');
  await use('assay_unknown');
  await page.getByText('This token is not known').waitFor();
  // The service knows of a new token within a second.
  await page.waitForTimeout(1_500);
  await use(reader);
  await page.getByRole('heading', { name: 'No conversation has come yet' }).waitFor();
  const kept = () => page.evaluate('JSON.stringify([Object.values(localStorage), document.cookie])');
  expect(await kept()).toBe('[[],""]');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await use(sender);
  await page.getByRole('heading', { name: 'Your role may not see this' }).waitFor();
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'wrong-role');
});

test('a token of a role that may not read is no dead end: another token, or signing out', async () => {
  const service = await startEmpty({ ASSAY_ACCESS_REQUIRED: 'true' });
  const reader = createToken(service.dataDir, 'read', 'reader');
  const sender = createToken(service.dataDir, 'ingest', 'sender');
  const page = await openPage(`${service.http}/`, { expected: /status of (?:401|403)/ });
  const refused = page.getByRole('heading', { name: 'Your role may not see this' });
  const use = async (label: string, token: string) => {
    await page.getByLabel(label).fill(token);
    await page.getByRole('button', { name: 'Use it in this tab' }).click();
  };
  // The service knows of a new token within a second.
  await page.waitForTimeout(1_500);
  await use('Token', sender);
  await refused.waitFor();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await use('Token', sender);
  await refused.waitFor();
  await page.reload();
  await use('Use another token', reader);

  await page.getByRole('heading', { name: 'No conversation has come yet' }).waitFor();
  await refused.waitFor({ state: 'detached' });
});

test('a service that is gone is said to be gone, and the page goes on when it is back', async () => {
  const ports = await freeListenPorts();
  const dataDir = mkdtempSync(path.join(tmpdir(), 'assay-page-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const first = await startAssay({ dataDir, ports });
  const page = await openPage(`${first.http}/`, { expected: /ERR_|Failed to load resource|status of 503/ });
  await page.getByRole('heading', { name: 'No conversation has come yet' }).waitFor();

  await first.stop();
  await page.getByText('The service does not answer').waitFor();
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'away');
  const second = await startAssay({ dataDir, ports });
  onTestFinished(async () => {
    await second.stop();
  });
  await page.getByText('The service does not answer').waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'No conversation has come yet' }).waitFor();
});

test('a service that stops behind an overview is announced in words, until it is back', async () => {
  const ports = await freeListenPorts();
  const dataDir = mkdtempSync(path.join(tmpdir(), 'assay-page-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const env = { ASSAY_TURN_SETTLE: '100ms', ASSAY_CONVERSATION_IDLE: '1s' };
  const first = await startAssay({ dataDir, ports, env });
  await sendConversations(first.otlpHttp, [{ id: 'greeting', asked: 'Hello?', answered: 'Hello.' }]);
  const page = await openPage(`${first.http}/`, { expected: /ERR_|Failed to load resource|status of 503/ });
  await page.getByText('How they ended').waitFor();

  await first.stop();
  const note = page.getByText('What is shown may be old. The service does not answer.');
  await note.waitFor({ timeout: 15_000 });
  await page.getByText('How they ended').waitFor();
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'away-overview');
  const second = await startAssay({ dataDir, ports, env });
  onTestFinished(async () => {
    await second.stop();
  });
  await note.waitFor({ state: 'detached', timeout: 15_000 });
  await page.getByText('How they ended').waitFor();
});

test('a part of the page that cannot be read says why, and the rest stays', async () => {
  const service = await startEmpty();
  const page = await openPage(`${service.http}/suites`, { expected: /status of 503/ });
  await page.getByText('Did the user get an answer').waitFor();
  const away = { status: 503, contentType: 'application/json', body: '{"error":"the store is read only"}' };
  await page.route('**/api/v1/suites*', (route) => route.fulfill({ ...away, headers: { 'retry-after': '2' } }));

  await page.getByLabel('Time').selectOption('30d');
  await page.getByRole('heading', { name: 'The service cannot answer now' }).waitFor();
  await page.getByText('the store is read only (ask again after 2 s)').waitFor();
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'store-away');
  await page.unroute('**/api/v1/suites*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Did the user get an answer').waitFor();
});

test('a judge that nobody has checked is said to be that, beside what is left of its budget', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'assay-page-'));
  const config = path.join(dataDir, 'assay.yaml');
  const judge =
    'provider: openai, model: played, base_url: "http://127.0.0.1:9", prices: { input_per_million: 1, output_per_million: 1 }';
  writeFileSync(config, `judges: { default: { ${judge} } }\njudging: { budget: { per_hour: 2 } }\n`);
  const service = await startAssay({
    ...{ dataDir, ports: await freeListenPorts(), arguments: ['--config', config] },
    env: { ASSAY_TURN_SETTLE: '100ms', ASSAY_CONVERSATION_IDLE: '1s' },
  });
  onTestFinished(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  await sendConversations(service.otlpHttp, [{ id: 'greeting', asked: 'Hello?', answered: 'Hello.' }]);
  const page = await openPage(`${service.http}/`);
  const section = page.locator('.judges');
  await section.getByText('Spent: 0.00 of 2.00 in the last hour.').waitFor();

  expect(await section.innerText()).toContain('default (played). Unchecked: nobody has labelled what it was asked.');
  expect(await mistakesOfAccess(page)).toEqual([]);
  await takeScreenshot(page, 'judge-unchecked');
});
