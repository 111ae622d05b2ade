import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { tempDirectory } from '../temp-directory.ts';

function load(yaml: string, env: { readonly [name: string]: string } = {}) {
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, 'assay.yaml'), yaml);
  writeFileSync(path.join(cwd, 'key'), 'open sesame\n');
  const { settings, mistakes } = loadSettings({ flags: {}, env, cwd });
  return { ...settings.alerts, detection: settings.detection, problems: mistakes.map(({ problem }) => problem) };
}

test('webhooks are read with their secrets, which stand elsewhere', () => {
  const { webhooks, problems } = load(
    `alerts:
  webhooks:
    - { url_env: HOOK, format: slack }
    - { name: ci, url: "https://ci.example/x", secret_file: key, on: [version_worse] }
`,
    { HOOK: 'https://hooks.example/secret' },
  );

  expect(problems).toEqual([]);
  expect(webhooks).toEqual([
    {
      name: 'hooks.example',
      key: expect.stringMatching(/^[0-9a-f]{16}$/),
      url: 'https://hooks.example/secret',
      format: 'slack',
      secret: undefined,
      on: ['regressed', 'partly_back', 'recovered', 'version_worse'],
    },
    {
      name: 'ci',
      key: expect.stringMatching(/^[0-9a-f]{16}$/),
      url: 'https://ci.example/x',
      format: 'json',
      secret: 'open sesame',
      on: ['version_worse'],
    },
  ]);
});

test.each([
  ['no URL', '{ name: x }', /number 1: it has no URL/],
  ['a URL that is none', '{ url: "ftp://x" }', /number 1: its URL is not one/],
  ['a variable that is not set', '{ url_env: NOWHERE }', /NOWHERE is not set/],
  ['a secret file that is not there', '{ url: "http://x", secret_file: gone }', /gone/],
  ['an event that there is not', '{ url: "http://x", on: [worse] }', /worse/],
  ['a field that there is not', '{ url: "http://x", retries: 3 }', /not right/],
])('a webhook with %s is refused, and the message names it', (_what, webhook, problem) => {
  expect(load(`alerts: { webhooks: [${webhook}] }`).problems).toEqual([expect.stringMatching(problem)]);
});

test('the same place twice is refused: each notice would come twice', () => {
  const { problems } = load('alerts: { webhooks: [{ url: "http://x/a" }, { name: other, url: "http://x/a" }] }');

  expect(problems).toEqual(['other is there twice'].map(() => expect.stringMatching(/is there twice/)));
});

test('detection takes what is written, and refuses what makes no sense', () => {
  expect(load('detection: { active: false, learn_history: 2d, false_alarms_per_month: 1 }').detection).toMatchObject({
    active: false,
    learnHistoryMs: 172_800_000,
    baselineMemoryMs: 14 * 86_400_000,
    baselineGapMs: 86_400_000,
    falseAlarmsPerMonth: 1,
  });
  // A baseline that forgets sooner than it has learnt would never be complete.
  expect(load('detection: { learn_history: 21d }').detection.baselineMemoryMs).toBe(42 * 86_400_000);
  expect(load('detection: { learn_history: 7s }').detection.baselineGapMs).toBe(3500);
  expect(load('detection: { learn_history: half }').problems).toHaveLength(1);
});
