/**
 * A real browser, Debian's Chromium, with what fails every test of the page: an error on the console, an exception, a
 * request to another host, and anything that the content security policy stopped.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Git ignores it. */
const SCREENSHOTS = path.join(ROOT, 'screenshots');
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const WATCH_POLICY = `window.stoppedByPolicy = [];
document.addEventListener('securitypolicyviolation', (event) => stoppedByPolicy.push(event.violatedDirective + ' ' + event.blockedURI));`;

export const WIDE = { width: 1440, height: 900 };
export const NARROW = { width: 360, height: 800 };
export type Scheme = 'light' | 'dark';

interface PageOptions {
  readonly scheme?: Scheme;
  readonly size?: typeof WIDE;
  /** Words on the console that are not a mistake here, such as the browser's about an answer 401. */
  readonly expected?: RegExp;
  /** Where people sign in: another host that the page may send the browser to. */
  readonly identityProvider?: string;
  /** Called before the address is opened. */
  readonly prepare?: (page: Page) => Promise<void>;
}

let browser: Browser;

export function useBrowser(): void {
  beforeAll(async () => {
    const executablePath = process.env.ASSAY_TEST_CHROMIUM ?? CHROMIUM.find((file) => existsSync(file));
    if (executablePath === undefined) throw new Error('there is no Chromium: .ci/services installs it');
    // Containers that run tests as root have no sandbox.
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(() => browser.close());
}

/** Opens an address, in a profile of its own. After the test nothing may have gone wrong in it. */
export async function openPage(
  url: string,
  { scheme = 'light', size = WIDE, expected, identityProvider = url, prepare }: PageOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ viewport: size, colorScheme: scheme, timezoneId: 'Europe/Berlin' });
  const page = await context.newPage();
  const mistakes: string[] = [];
  const note = (text: string) => {
    if (expected?.test(text) !== true) mistakes.push(text);
  };
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) note(message.text());
  });
  page.on('response', (response) => {
    if (response.status() < 500) return;
    response.text().then(
      (said) => note(`${response.url()} answered with a status of ${response.status()}: ${said.slice(0, 500)}`),
      () => undefined,
    );
  });
  page.on('pageerror', (error) => mistakes.push(String(error)));
  page.on('request', (request) => {
    const hosts = [url, identityProvider].map((one) => new URL(one).host);
    if (!hosts.includes(new URL(request.url()).host)) mistakes.push(`a request to ${request.url()}`);
  });
  await page.addInitScript(WATCH_POLICY);
  await page.addInitScript(axe.source);
  onTestFinished(async () => {
    const stopped = await page.evaluate('window.stoppedByPolicy');
    await context.close();
    expect({ mistakes, stopped }).toEqual({ mistakes: [], stopped: [] });
  });
  await prepare?.(page);
  await page.goto(url);
  return page;
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** Mistakes of accessibility that a machine can find, by the rules of WCAG 2.2 A and AA and axe's own. */
export async function mistakesOfAccess(page: Page): Promise<string[]> {
  // The cast holds: it is axe's own result, of which only this is read.
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as AxeResult;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

export async function takeScreenshot(page: Page, name: string): Promise<void> {
  keepScreenshot(await page.screenshot(), name);
}

export function keepScreenshot(picture: Buffer, name: string): void {
  mkdirSync(SCREENSHOTS, { recursive: true });
  writeFileSync(path.join(SCREENSHOTS, `${name}.png`), picture);
}

/**
 * Wide and narrow, each in a colour scheme: nothing is wrong for readers of screens, and nothing wider than the window.
 * Screenshots have the width behind their name.
 */
export async function expectRight(page: Page, [wide, narrow]: readonly [Scheme, Scheme], name?: string): Promise<void> {
  for (const [size, scheme] of [
    [WIDE, wide],
    [NARROW, narrow],
  ] as const) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    expect(await mistakesOfAccess(page)).toEqual([]);
    expect(await isWiderThanWindow(page)).toBe(false);
    if (name !== undefined) await takeScreenshot(page, `${name}-${size.width}`);
  }
}

/** Nothing of the page is wider than the window. */
export async function isWiderThanWindow(page: Page): Promise<boolean> {
  return (await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')) === true;
}
