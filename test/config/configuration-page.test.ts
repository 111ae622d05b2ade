/** The page about the configuration, and the declarations it is generated from. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { configurationPage } from '../../scripts/configuration-page.ts';
import { isSetting, type Section, settingsIn } from '../../src/config/section.ts';
import { ALL_SECTIONS, SECTIONS } from '../../src/config/sections.ts';
import { loadSettings } from '../../src/config/settings.ts';
import type { Declarations, Setting } from '../../src/config/setting.ts';
import { tempDirectory } from '../temp-directory.ts';

const PAGE = path.resolve(import.meta.dirname, '../../docs/reference/configuration.md');
const SETTINGS = ALL_SECTIONS.flatMap(({ declared }) => settingsIn(declared));

function load(yaml: string) {
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, 'assay.yaml'), yaml);
  const { settings, mistakes } = loadSettings({ flags: {}, env: {}, cwd });
  return { settings: JSON.parse(JSON.stringify(settings).replaceAll(cwd, '')), mistakes };
}

const [everything = '', judges = '', kafka = '', rare = ''] = [
  ...configurationPage().matchAll(/```yaml\n([\s\S]*?)```/g),
].map(([, block = '']) => block);

test('the page is what the declarations give: npm run docs:config', () => {
  expect(readFileSync(PAGE, 'utf8')).toBe(configurationPage());
});

test('no name on the page is empty', () => {
  const prose = configurationPage().replaceAll(/```[\s\S]*?```/g, '');

  // Names are between single backquotes, so two in a row have nothing between them.
  expect(prose.split('\n').filter((line) => line.includes('``'))).toEqual([]);
});

test('the settings that the text says are read again are those of which the reference says so', () => {
  const page = configurationPage();
  const [, listed = ''] = /these settings are read again: (.*?);/s.exec(page) ?? [];
  const names = [...listed.matchAll(/`(.*?)`/g)].map(([, name = '']) => name);
  const rows = page.slice(page.indexOf('## Common settings')).matchAll(/^\| `([\w.]+)`.*\| (yes|no) \|$/gm);
  const isListed = (key: string) => names.some((name) => key === name || key.startsWith(`${name}.`));

  expect(names.length).toBeGreaterThan(5);
  for (const [, key = '', isTaken] of rows) expect([key, isListed(key)]).toEqual([key, isTaken === 'yes']);
});

test('a file of the defaults changes nothing', () => {
  expect(load(everything)).toEqual(load(''));
  expect(load(kafka)).toEqual(load(''));
  // Judges of the rare block are none of the defaults.
  expect(load(rare.replace(/^judges:.*\n(?: .*\n)+/m, ''))).toEqual(load(''));
});

test('every setting is in the reference of its level', () => {
  const page = configurationPage();
  const [, common = '', few = ''] = page.split(/^## (?:Common|Rare|Removed) settings$/m);

  for (const { key, rare: isRare } of SETTINGS.filter((setting) => !setting.variableOnly))
    expect([key, common.includes(`| \`${key}\` |`), few.includes(`| \`${key}\` |`)]).toEqual([
      key,
      !isRare,
      isRare === true,
    ]);
});

test('a judge of the defaults is one of which only the model is given', () => {
  const least = load('judges: {default: {provider: openai, model: gpt-5-mini}}');

  expect(load(judges)).toEqual(least);
  expect(least.mistakes).toEqual([]);
});

test.each([everything, judges, kafka, rare])('every example is a value that is taken', (block) => {
  const uncommented = block.replaceAll(/^( *)# (\w+: )/gm, '$1$2');
  const { mistakes } = load(uncommented.replaceAll(/\/run\/secrets\/[\w-]+|\w+\.(pem|key)\b/g, 'assay.yaml'));

  // The existing file holds no token and no headers; only openinference has projects; LLM_KEY is not set.
  const others = /the token cannot|not a header|has projects/;
  expect(mistakes.filter(({ problem }) => !others.test(problem))).toEqual([]);
});

test('every setting says in one sentence what it is, and has a name of its own', () => {
  const all = SETTINGS.flatMap((setting) => [setting, ...Object.values<Setting<unknown>>(setting.members ?? {})]);

  expect(all.filter(({ help }) => !/^[A-Za-z`].*\.$/.test(help)).map(({ key }) => key)).toEqual([]);
  expect(all.filter(({ takes }) => takes === '' || takes.includes('Invalid')).map(({ key }) => key)).toEqual([]);
  for (const names of [SETTINGS.map(({ key }) => key), SETTINGS.flatMap(({ variable }) => variable ?? [])])
    expect(names).toEqual([...new Set(names)]);
});

test('a section that is reloaded in parts gives its settings under the names of their declarations', () => {
  const { settings } = loadSettings({ flags: {}, env: {}, cwd: tempDirectory() });
  const inParts = Object.entries<Section<unknown>>(SECTIONS).filter(([, { declared }]) => reloads(declared).size > 1);

  expect(inParts.map(([member]) => member)).toEqual(['conversation']);
  for (const [member, { declared }] of inParts)
    expect(Object.keys(Object.entries(settings).find(([name]) => name === member)?.[1] ?? {})).toEqual(
      Object.keys(declared),
    );
});

function reloads(declared: Declarations) {
  return new Set(Object.values(declared).map((one) => (isSetting(one) ? one.reload : undefined)));
}
