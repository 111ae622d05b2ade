/**
 * Each view looks as it was last accepted: pictures in grey, in an eighth of the size, are kept beside this test.
 *
 *     ASSAY_TEST_PICTURES=accept npm run test:page -- pictures    accepts what views look like now
 *     ASSAY_TEST_PICTURES=record npm run test:page -- pictures    records the answers of the API again, and accepts
 *
 * Machines have other fonts, times and data. So the page has a font of boxes, a clock that stands still, and recorded
 * answers; `pictures/distance.ts` has the measurements behind the limits.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, inject, onTestFinished, test } from 'vitest';
import { keepScreenshot, openPage, type Scheme, takeScreenshot, useBrowser } from './browser.ts';
import { asking, readRecording, replaying, standStill, writeRecording } from './pictures/answers.ts';
import { differenceOf, PIXELS_MAX, pixelsApart } from './pictures/distance.ts';
import { readPng, writePng } from './pictures/png.ts';
import { startToRecord } from './pictures/record.ts';
import { SCENES, type Scene } from './pictures/scenes.ts';

const http = inject('http');
const PICTURES = path.join(import.meta.dirname, 'pictures');
const MODE = process.env.ASSAY_TEST_PICTURES ?? 'compare';
const SCALE = 8;
/** Charts are drawn after their elements are there. */
const SETTLED_WITHIN_MS = 5_000;

interface Look {
  readonly look: string;
  readonly width: number;
  /** More than screens have, to see more of a view. */
  readonly height: number;
  readonly scheme: Scheme;
}

const LOOKS: readonly Look[] = [
  { look: '1440', width: 1440, height: 1200, scheme: 'light' },
  { look: '1440-dark', width: 1440, height: 1200, scheme: 'dark' },
  { look: '390', width: 390, height: 1600, scheme: 'light' },
  // As a browser of 1440 × 900 has it at 200 %.
  { look: 'zoomed', width: 720, height: 450, scheme: 'light' },
];

useBrowser();

/** Opens the page, and waits until it has all its answers, which `prepare` gives. */
async function openScene(url: string, { shows, act }: Scene, prepare: (page: Page) => Promise<void>): Promise<Page> {
  const page = await openPage(url, { prepare });
  await page.locator(shows).first().waitFor();
  await page.waitForLoadState('networkidle');
  await act?.(page);
  await page.mouse.move(0, 0);
  await page.evaluate('document.fonts.ready');
  return page;
}

async function openRecorded(scene: Scene): Promise<Page> {
  const recording = readRecording();
  const unanswered: string[] = [];
  const how = { played: scene.played ?? {}, answer: replaying(recording, unanswered) };
  const url = `${http}${scene.address(recording)}`;
  onTestFinished(() => expect(unanswered, 'not recorded: ASSAY_TEST_PICTURES=record').toEqual([]));
  return openScene(url, scene, (page) => standStill(page, recording, how));
}

async function show(page: Page, { width, height, scheme }: Look): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
}

const smallPicture = async (page: Page) => readPng(await page.screenshot({ animations: 'disabled' }), SCALE);
const fileOf = (name: string) => path.join(PICTURES, `${name}.png`);

function acceptedPicture(name: string) {
  if (!existsSync(fileOf(name))) throw new Error(`${name} was never accepted: ASSAY_TEST_PICTURES=accept`);
  return readPng(readFileSync(fileOf(name)), 1);
}

async function record(): Promise<void> {
  const { http: recorded, recording, end } = await startToRecord();
  onTestFinished(end);
  for (const scene of SCENES) {
    const how = { played: scene.played ?? {}, answer: asking(recording) };
    await openScene(`${recorded}${scene.address(recording)}`, scene, (page) => standStill(page, recording, how));
  }
  writeRecording(recording);
}
if (MODE === 'record') test('records the answers that the views ask for', { timeout: 300_000 }, record);

test.each(SCENES)('$name looks as it was accepted', async (scene) => {
  const page = await openRecorded(scene);
  const different: string[] = [];
  for (const look of LOOKS) {
    await show(page, look);
    const name = `${scene.name}-${look.look}`;
    if (MODE !== 'compare') await accept(page, name);
    const apart = await pixelsOnceSettled(page, name);
    if (apart > PIXELS_MAX) different.push(`${name}: ${apart} of its pixels, see screenshots/picture-${name}*.png`);
  }
  expect(different, 'ASSAY_TEST_PICTURES=accept if it is meant').toEqual([]);
});

/** Beyond the limit, the picture and the difference are left in `screenshots/`. */
async function pixelsOnceSettled(page: Page, name: string): Promise<number> {
  const accepted = acceptedPicture(name);
  for (const deadline = Date.now() + SETTLED_WITHIN_MS; ; ) {
    const picture = await smallPicture(page);
    const apart = pixelsApart(picture, accepted);
    if (apart <= PIXELS_MAX) return apart;
    if (Date.now() > deadline) {
      await takeScreenshot(page, `picture-${name}`);
      keepScreenshot(writePng(differenceOf(picture, accepted, SCALE)), `picture-${name}-difference`);
      return apart;
    }
    await page.waitForTimeout(200);
  }
}

/** Keeps the picture once two in a row are the same. */
async function accept(page: Page, name: string): Promise<void> {
  let kept = await smallPicture(page);
  const again = async () => {
    const last = kept;
    kept = await smallPicture(page);
    return pixelsApart(kept, last);
  };
  await expect.poll(again, { interval: 300 }).toBe(0);
  writeFileSync(fileOf(name), writePng(kept));
}

/** Mistakes that a change of a style sheet makes, each in a view that shows it. */
const BREAKS: Readonly<Record<string, readonly { readonly mistake: string; readonly rule: string }[]>> = {
  conversation: [
    { mistake: 'the side pane is gone', rule: '.list-pane { display: none !important; }' },
    { mistake: 'a step is cut off', rule: '.done-step.lit { height: 40px; overflow: hidden; }' },
  ],
  versions: [
    { mistake: 'a column is gone', rule: 'td:nth-child(2), th:nth-child(2) { display: none; }' },
    { mistake: 'a column is too wide', rule: 'td:nth-child(2) { padding-inline: 80px; }' },
    { mistake: 'a padding is doubled', rule: '.top-bar { padding-inline: 32px; }' },
    { mistake: 'a heading lies over others', rule: 'h2 { position: relative; top: 20px; }' },
    { mistake: 'a button is gone', rule: '.top-bar button { display: none; }' },
    { mistake: 'a view is 4 px further to the right', rule: 'main > * { position: relative; left: 4px; }' },
  ],
};

test.runIf(MODE === 'compare').each(SCENES.filter(({ name }) => name in BREAKS))(
  'broken $name is seen',
  async (scene) => {
    const page = await openRecorded(scene);
    const [wide] = LOOKS;
    if (wide === undefined) throw new Error('there is no look');
    await show(page, wide);
    const name = `${scene.name}-${wide.look}`;
    expect(await pixelsOnceSettled(page, name)).toBeLessThanOrEqual(PIXELS_MAX);
    const unseen: string[] = [];
    for (const { mistake, rule } of BREAKS[scene.name] ?? []) {
      await page.evaluate(`(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(${JSON.stringify(rule)});
      document.adoptedStyleSheets = [sheet];
    })()`);
      if (pixelsApart(await smallPicture(page), acceptedPicture(name)) <= PIXELS_MAX) unseen.push(mistake);
    }
    expect(unseen).toEqual([]);
  },
);
