/** Every block of README.md and docs is run or checked, or says why it is not. Snippets that need a service or a registry are run in test/outside/snippets. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempDirectory } from '../temp-directory.ts';
import { allBlocks, type Block, blocksOf, placeOf, ROOT } from './blocks.ts';
import { mistakesInCsv, mistakesInJson, mistakesInYaml } from './check-data.ts';
import { mistakesInTypeScript } from './check-typescript.ts';
import { treatmentOf } from './treatment.ts';
import { WRITTEN, writtenAs } from './written.ts';

const blocks = allBlocks();
const treated = (...languages: readonly string[]) =>
  blocks.filter((block) => block.notRun === undefined && languages.includes(block.language));

test('each block is run or checked, or has a reason not to be', () => {
  const byTreatment = Object.groupBy(blocks, treatmentOf);
  const counts = Object.entries(byTreatment).map(([treatment, some = []]) => {
    const languages = Object.entries(Object.groupBy(some, ({ language }) => language || 'plain'));
    return `${treatment}: ${some.length} (${languages.map(([name, of = []]) => `${name} ${of.length}`).join(', ')})`;
  });
  const reasons = Object.entries(Object.groupBy(blocks, ({ notRun }) => notRun ?? ''))
    .filter(([reason]) => reason !== '')
    .map(([reason, some = []]) => `  ${some.length} × ${reason}`);
  console.log([...counts, ...reasons].join('\n'));

  expect((byTreatment.unknown ?? []).map(placeOf)).toEqual([]);
});

test('a block of no known kind is found, and so is a reason', () => {
  const page = ['```cobol', 'STOP RUN.', '```', '', '<!-- not run: needs a mainframe -->', '', '```sh', 'ipl', '```'];

  expect(blocksOf('x.md', page.join('\n')).map((block) => [treatmentOf(block), block.notRun])).toEqual([
    ['unknown', undefined],
    ['not run', 'needs a mainframe'],
  ]);
});

test('each declared file is one block of its page', () => {
  const fitting = WRITTEN.map((one) => [
    one.page,
    one.starts,
    blocks.filter((block) => writtenAs(block) === one).length,
  ]);

  expect(fitting).toEqual(WRITTEN.map(({ page, starts }) => [page, starts, 1]));
});

/** Files that configurations name, in the reader's folder. */
const SECRETS = ['ca.crt', 'ca.pem', 'client.crt', 'client.key', 'password', 'client-secret', 'kafka', 'store'];

test('YAML, JSON and CSV have no mistakes', async () => {
  const folder = tempDirectory();
  cpSync(path.join(ROOT, 'examples/golden-traces/golden'), path.join(folder, 'golden'), { recursive: true });
  const trace = readFileSync(path.join(folder, 'golden/gt_001.yaml'), 'utf8');
  writeFileSync(path.join(folder, 'more.yaml'), trace.replace('id: gt_001', 'id: gt_002'));
  for (const secret of SECRETS) writeFileSync(path.join(folder, secret), 'secret');
  const found: string[] = [];
  for (const block of treated('yaml')) found.push(await mistakesInYaml(block, folder));
  for (const block of treated('json', 'jsonl')) found.push(mistakesInJson(block));
  for (const block of treated('csv')) found.push(mistakesInCsv(block));

  expect(found.length).toBeGreaterThan(35);
  expect(found.filter((mistakes) => mistakes !== '')).toEqual([]);
});

test('a mistake in YAML is found, with its place', async () => {
  const wrong = (text: string): Block => ({ page: 'x.md', line: 7, language: 'yaml', text, notRun: undefined });
  const folder = tempDirectory();

  expect(await mistakesInYaml(wrong('turn: { settel: 10s }'), folder)).toContain(
    'x.md:7:1:9\n    turn.settel: unknown setting',
  );
  expect(await mistakesInYaml(wrong('suite: s\nscope: turn\ncriteria: []'), folder)).toContain('x.md:7:');
  expect(await mistakesInYaml(wrong('a: [1'), folder)).toContain('x.md:7:');
});

/** The reader's own modules, as far as the pages use them. */
const BESIDE = {
  'vitest/agent.ts': `export async function answer(request: string): Promise<string> {\n  return request;\n}\n`,
};

test('TypeScript compiles against the sources', () => {
  const own = treated('ts').filter(({ page }) => page !== 'docs/start/frameworks.md');

  expect(own.length).toBeGreaterThan(9);
  expect(mistakesInTypeScript(own, BESIDE)).toBe('');
});

test('a mistake in TypeScript is found, with its place', () => {
  const text = `import { defineSuite } from 'assay/suite';\n\nexport default defineSuite({ nam: 'x' });`;

  expect(mistakesInTypeScript([{ page: 'x.md', line: 3, language: 'ts', text, notRun: undefined }], {})).toContain(
    'x.md:3 x/block-3.ts(3,30): error TS',
  );
});
