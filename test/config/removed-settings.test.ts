import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { REMOVED } from '../../src/config/removed-settings.ts';
import { settingsIn } from '../../src/config/section.ts';
import { ALL_SECTIONS } from '../../src/config/sections.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { tempDirectory } from '../temp-directory.ts';

function load(yaml: string, env: { readonly [name: string]: string } = {}) {
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, 'assay.yaml'), yaml);
  return loadSettings({ flags: {}, env, cwd });
}

test('a removed name is no mistake, and the warning says where it is and what holds', () => {
  const { settings, mistakes, strangers } = load(
    'turn:\n  reopen: 1h\n  settle: 2s\njudges: { default: { provider: openai, model: m, retries: 9 } }\n',
    { ASSAY_STORE_LEASE: '5s' },
  );

  expect(mistakes).toEqual([]);
  expect(strangers.map(({ name }) => name)).toEqual([
    'turn.reopen (line 2)',
    'ASSAY_STORE_LEASE',
    'judges.default.retries (line 4)',
  ]);
  expect(strangers[0]?.hint).toBe('removed in 0.2.0: late spans count for 24h');
  expect(settings.turn).toMatchObject({ settleMs: 2000, reopenMs: 86_400_000 });
});

test('a secret that stood in a variable of another name is still taken, unless it is given as it is today', () => {
  const file = 'http: { write_token_env: MINE }';
  const env = { MINE: 'abcdefghabcdefgh' };

  expect(load(file, env).settings.http.writeToken).toBe(env.MINE);
  expect(load(file, { ...env, ASSAY_HTTP_WRITE_TOKEN: 'ijklmnopijklmnop' }).settings.http.writeToken).toBe(
    'ijklmnopijklmnop',
  );
  expect(load(file, env).secretVariables).toEqual(['MINE']);
});

test('a secret that is not there is a mistake: nothing starts without the token that somebody relies on', () => {
  expect(load('http: { write_token_env: MINE }').mistakes.map(({ path: where }) => where)).toEqual([
    'http.write_token_env',
  ]);
});

test.each([
  ['telemetry: { endpoint: "http://c:4318", active: false }', {}, false],
  ['telemetry: { active: true }', {}, true],
  ['telemetry: { endpoint: "http://c:4318" }', {}, true],
  ['', { ASSAY_TELEMETRY: 'true' }, true],
  ['telemetry: { endpoint: "http://c:4318" }', { ASSAY_TELEMETRY: 'false' }, false],
] as const)('%s with %o still switches telemetry: %s', (file, env, isOn) => {
  expect(load(file, env).settings.telemetry !== undefined).toBe(isOn);
});

test.each([
  ['kafka: { brokers: a:1, read: false }', {}, { read: false, accept: true }],
  ['kafka: { brokers: a:1, accept: false, read: true }', {}, { read: true, accept: false }],
  ['kafka: { brokers: a:1 }', { ASSAY_KAFKA_READ: 'false' }, { read: false, accept: true }],
])('%s with %o still says what an instance does', (file, env, does) => {
  expect(load(file, env).settings.kafka).toMatchObject(does);
});

test('no removed name is that of a setting', () => {
  const names = ALL_SECTIONS.flatMap(({ declared }) => settingsIn(declared)).flatMap(({ key, variable = key }) => [
    key,
    variable,
  ]);

  expect(REMOVED.filter(({ key, variable = key }) => names.includes(key) || names.includes(variable))).toEqual([]);
});

test.each([
  ['when_cut: not_applicable', true],
  ['when_unsupported: ask_again', true],
  ['when_cut: count', false],
  ['when_cut: not_applicable, strict: false', false],
])('a judge with %s is strict: %s', (member, isStrict) => {
  const { settings, mistakes } = load(`judges: { default: { provider: openai, model: m, ${member} } }`);

  expect(mistakes).toEqual([]);
  expect(settings.judging.judges[0]?.strict).toBe(isStrict);
});
