/**
 * The site of the documentation as a reader meets it: built from the pages with packages of the registry, opened in
 * Chromium, and searched. The build itself fails for a link to a page that does not exist.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePorts } from '../free-ports.ts';
import { openPage, useBrowser } from '../page/browser.ts';
import { copyTracked } from './clean-copy.ts';

useBrowser();

const clone = mkdtempSync(path.join(tmpdir(), 'assay-site-'));
const site = path.join(clone, 'site');
let served: ChildProcess;
let url = '';

function built(): string {
  return execFileSync('npm', ['run', '--silent', 'docs:site'], { cwd: clone, encoding: 'utf8', stdio: 'pipe' });
}

beforeAll(async () => {
  copyTracked(clone);
  built();
  const [port = 0] = await freePorts(1);
  url = `http://localhost:${port}/`;
  const vitepress = path.join(site, 'node_modules/vitepress/bin/vitepress.js');
  served = spawn(process.execPath, [vitepress, 'preview', '--port', String(port)], { cwd: site, stdio: 'ignore' });
  await vi.waitFor(async () => expect((await fetch(url)).status).toBe(200), { timeout: 30_000 });
});
afterAll(() => {
  served?.kill();
  rmSync(clone, { recursive: true, force: true });
});

test('a word is found, and its result leads to the page that explains it', async () => {
  const page = await openPage(url);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByPlaceholder('Search').fill('tail sampling');
  await page.getByRole('option').first().click();

  await expect.poll(() => page.url()).toContain('/operate/collector');
  await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toContain('Collector');
});

test('braces and angle brackets of the pages are text, and comments are not shown', async () => {
  const page = await openPage(`${url}reference/suite-language`);
  const text = await page.getByRole('main').innerText();

  expect(text).toContain('Booked at {{ booking.time }}.');
  expect(text).not.toContain('<!--');
});

test('the first page leads to each folder', async () => {
  const page = await openPage(url);

  for (const name of ['frameworks', 'suites', 'operating', 'configuration']) {
    await expect.poll(() => page.getByRole('main').getByRole('link', { name, exact: true }).count()).toBe(1);
  }
});

test('a link to a page that does not exist fails the build', () => {
  writeFileSync(path.join(clone, 'docs/start/lost.md'), '# Lost\n\n[nowhere](nowhere.md)\n');

  expect(built).toThrow(/dead link/);
});
