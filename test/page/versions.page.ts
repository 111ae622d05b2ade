/** The view Versions: two experiments that `assay run` makes of an example, and the two versions of the shared traffic. */
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import type { ComparisonJson } from '../../src/api/comparison.ts';
import { experimentList } from '../../src/api/experiments.ts';
import { versionsCompared } from '../../src/api/versions.ts';
import { counted } from '../../src/page/text/format.ts';
import { assayBeside } from '../assay-command.ts';
import { isWiderThanWindow, mistakesOfAccess, NARROW, openPage, takeScreenshot, useBrowser, WIDE } from './browser.ts';

const http = inject('http');
const ROOT = path.resolve(import.meta.dirname, '../..');
const EXPERIMENTS = `${http}/versions?tab=experiments`;
const PLACE = ['--experiments', path.join(inject('dataDir'), 'experiments')];
const AT = { cwd: inject('dataDir') };
useBrowser();

async function run(name: string, env: Readonly<Record<string, string>>): Promise<void> {
  const cases = path.join(ROOT, 'examples/release-gate/scheduling.cases.yaml');
  const agent = path.join(ROOT, 'examples/release-gate/agent.ts');
  const how = ['--suite', 'scheduling', '--seed', '1', '--name', name, '--settle', '300ms'];
  const { status, stderr } = await assayBeside(['run', cases, '--agent', agent, ...how, ...PLACE], { ...AT, env });
  expect([status, stderr.includes('mistake')]).toEqual([0, false]);
}

let printed: ComparisonJson;
beforeAll(async () => {
  await run('before', {});
  await run('after', { EXAMPLE_AGENT_REGRESS: 'wrong-time', EXAMPLE_AGENT_VERSION: 'v2' });
  const { stdout } = await assayBeside(['compare', 'before', 'after', '--json', ...PLACE], AT);
  // The cast holds for what the command prints.
  printed = JSON.parse(stdout) as ComparisonJson;
});

const LOOKS = [
  { scheme: 'light', size: WIDE, width: WIDE.width },
  { scheme: 'dark', size: NARROW, width: NARROW.width },
] as const;

test.each(LOOKS)('two experiments, $scheme, $width px wide: all can use it, and nothing sticks out', async (look) => {
  const { scheme, size, width } = look;
  const page = await openPage(EXPERIMENTS, { scheme, size });
  await page.getByText('Cases that flipped').waitFor();
  await page.getByText('Regression: ').waitFor();
  await takeScreenshot(page, `experiments-${scheme}-${width}`);
  await page.locator('.flipped-line').first().click();
  await page.getByRole('region', { name: 'In B' }).getByText('Agent', { exact: true }).first().waitFor();

  expect(await mistakesOfAccess(page)).toEqual([]);
  expect(await isWiderThanWindow(page)).toBe(false);
  await takeScreenshot(page, `flipped-case-${scheme}-${width}`);
});

test.each(LOOKS)(
  'two versions online, $scheme, $width px wide: all can use it, and nothing sticks out',
  async (look) => {
    const { scheme, size, width } = look;
    const page = await openPage(`${http}/versions?suite=scheduling`, { scheme, size });
    await page.getByText('Each by itself').waitFor();
    await page.waitForLoadState('networkidle');

    expect(await mistakesOfAccess(page)).toEqual([]);
    expect(await isWiderThanWindow(page)).toBe(false);
    await takeScreenshot(page, `versions-${scheme}-${width}`);
  },
);

test('of two versions online, a criterion leads to the conversations of each that failed it', async () => {
  const query = 'agent=scheduling-agent&a=v1&b=v2&suite=scheduling&since=7d';
  const answer = await fetch(`${http}/api/v1/versions/compare?${query}`);
  const { criteria, success } = versionsCompared.parse(await answer.json());
  const failed = criteria.find(({ criterion }) => criterion === 'correct_time')?.failed.b ?? 0;
  const page = await openPage(`${http}/versions?${query}`);
  const row = page.getByRole('row', { name: 'correct_time' });

  expect(success.word).toBe('worse');
  expect(failed).toBeGreaterThan(0);
  await row.getByRole('link', { name: `${counted(failed, 'conversation')} failed in B` }).click();
  await page.getByText(counted(failed, 'conversation'), { exact: true }).waitFor();
  const { searchParams } = new URL(page.url());
  expect([searchParams.get('agent_version'), searchParams.get('criterion')]).toEqual(['v2', 'correct_time']);
});

test('the table says what assay compare says, and a link shows the same', async () => {
  const page = await openPage(EXPERIMENTS);
  const row = page.getByRole('row', { name: 'correct_time' });
  await row.waitFor();
  const [suite] = printed.suites;
  const compared = suite?.criteria.find(({ criterion }) => criterion === 'correct_time');
  if (suite === undefined || compared === undefined || 'because' in compared) throw new Error('nothing was compared');

  const text = (await row.innerText()).replaceAll(/\s+/g, ' ');
  expect(text).toContain(`100.0 % ${(compared.b * 100).toFixed(1)} % −${(-compared.change * 100).toFixed(1)} points`);
  expect(text).toContain('worse');
  expect(compared.word).toBe('worse');
  await page.getByText('4 criteria did not change').waitFor();
  await page.getByText(`${suite.flipped.length} lost something, 0 won`).waitFor();
  const { searchParams } = new URL(page.url());
  expect([searchParams.get('a'), searchParams.get('b')]).toEqual([printed.a.id, printed.b.id]);
});

test('by keys: the first case that got worse, the next one, and back', async () => {
  const page = await openPage(EXPERIMENTS);
  await page.locator('.flipped-line').first().waitFor();
  const open = () => new URL(page.url()).searchParams.get('case');
  const [first, second] = printed.suites[0]?.flipped ?? [];

  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect.poll(open).toBe(first?.case);
  await page.getByRole('region', { name: 'In A' }).waitFor();
  await page.keyboard.press('j');
  await expect.poll(open).toBe(second?.case);
  await page.keyboard.press('Escape');
  await expect.poll(open).toBeNull();
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await page.getByText('How they ended').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('v');
  await expect.poll(() => new URL(page.url()).pathname).toBe('/versions');
});

test.each([
  ['none', 'There is no experiment yet', 'npx assay run failed.jsonl'],
  ['one', 'There is one experiment so far', 'npx assay show'],
])('with %s it says how to make the next one', async (which, heading, command) => {
  const page = await openPage(`${http}/suites`, { scheme: 'dark', size: NARROW });
  const list = await fetch(`${http}/api/v1/experiments?limit=1`);
  const all = experimentList.parse(await list.json());
  const experiments = which === 'none' ? [] : all.experiments;
  await page.route('**/api/v1/experiments?*', (route) => route.fulfill({ json: { ...all, experiments } }));

  await page.goto(EXPERIMENTS);

  await page.getByRole('heading', { name: heading }).waitFor();
  expect((await page.locator('.command pre').allInnerTexts()).join('\n')).toContain(command);
  expect(await mistakesOfAccess(page)).toEqual([]);
  expect(await isWiderThanWindow(page)).toBe(false);
  await takeScreenshot(page, `experiments-${which}`);
});
