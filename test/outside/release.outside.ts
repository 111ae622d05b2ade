/** `npm run release` in a clone of its own: it prepares a release, and publishes, tags and commits nothing. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const NOBODY = ['-c', 'user.name=nobody', '-c', 'user.email=nobody@example.org'];
const NEXT = '7.0.0';
const clone = mkdtempSync(path.join(tmpdir(), 'assay-release-'));

const git = (...args: readonly string[]) => execFileSync('git', [...NOBODY, ...args], { cwd: clone, encoding: 'utf8' });
const release = (...args: readonly string[]) =>
  spawnSync(process.execPath, ['scripts/release.ts', ...args], { cwd: clone, encoding: 'utf8' });
const read = (file: string) => readFileSync(path.join(clone, file), 'utf8');

beforeAll(() => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const file of files.toString().trim().split('\n'))
    if (existsSync(path.join(ROOT, file))) cpSync(path.join(ROOT, file), path.join(clone, file));
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(clone, 'node_modules'));
  // A next version with one entry, independent of the entries so far.
  const [head = '', ...sections] = read('CHANGELOG.md').split(/^(?=## )/m);
  const past = sections.filter((section) => !section.includes('(unreleased)'));
  const next = `## ${NEXT} (unreleased)\n\n- [FEATURE] Store: it keeps more.\n\n`;
  writeFileSync(path.join(clone, 'CHANGELOG.md'), [head, next, ...past].join(''));
  git('init', '--quiet');
  // A link is no folder, so `node_modules/` does not exclude it.
  writeFileSync(path.join(clone, '.git/info/exclude'), 'node_modules\n');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'everything');
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

test.each([
  ['a version that was released', ['0.1.0'], /not newer than the last release/],
  ['a version without entries', ['9.9.9'], /no section "## 9\.9\.9 \(unreleased\)"/],
  ['no version', [], /which version\?/],
])('%s is refused, and nothing is changed', (_what, args, message) => {
  const { status, stderr } = release(...args);

  expect([status, stderr]).toEqual([1, expect.stringMatching(message)]);
  expect(git('status', '--porcelain')).toBe('');
});

test('a work tree with changes is refused', () => {
  writeFileSync(path.join(clone, 'README.md'), `${read('README.md')}\n`);
  const { status, stderr } = release(NEXT);
  git('checkout', '--', 'README.md');

  expect([status, stderr]).toEqual([1, expect.stringContaining('not clean')]);
});

test('a release whose checks fail says how to undo it', () => {
  const { status, stderr } = release(NEXT, '--checks', 'false');
  git('checkout', '--', '.');

  expect([status, stderr]).toEqual([1, expect.stringContaining('git checkout -- .')]);
  expect(existsSync(path.join(clone, 'release'))).toBe(false);
});

test('a release is prepared, and its files agree', () => {
  const { status, stdout, stderr } = release(
    NEXT,
    '--checks',
    'npx vitest run test/release test/store/migrations.test.ts',
  );
  expect(status, stdout + stderr).toBe(0);

  const today = new Date().toISOString().slice(0, 10);
  expect(read('CHANGELOG.md')).toContain(`\n## ${NEXT} (${today})\n`);
  expect(JSON.parse(read('releases.json')).at(-1)).toMatchObject({ version: NEXT, date: today, revision: `v${NEXT}` });
  expect(read(`release/notes.md`)).toBe(`# Assay ${NEXT}\n\n### Store\n\n- [FEATURE] It keeps more.\n`);
  expect(JSON.parse(read('release/sbom.cdx.json')).metadata.component.version).toBe(NEXT);
  expect(read('release/THIRD-PARTY-NOTICES.txt')).toContain('(MIT)');
  for (const line of read('release/SHA256SUMS').trim().split('\n')) {
    const [sum, file = ''] = line.split('  ');
    const content = readFileSync(path.join(clone, 'release', file));
    expect(createHash('sha256').update(content).digest('hex'), file).toBe(sum);
  }
  const listed = (archive: string) => execFileSync('tar', ['-tzf', archive], { cwd: clone, encoding: 'utf8' });
  const chart = `release/chart/assay-${NEXT}.tgz`;
  expect(listed(chart).split('\n')).toEqual(
    expect.arrayContaining(['assay/Chart.yaml', 'assay/templates/single.yaml']),
  );
  expect(listed(chart)).not.toContain('assay/ci/');
  expect(execFileSync('tar', ['-xzOf', chart, 'assay/Chart.yaml'], { cwd: clone, encoding: 'utf8' })).toContain(
    `version: ${NEXT}\nappVersion: ${NEXT}\n`,
  );
  expect(listed(`release/npm/assay-${NEXT}.tgz`)).toContain('package/dist/cli/main.js');
  expect(git('tag')).toBe('');
  expect(git('rev-list', '--count', 'HEAD')).toBe('1\n');
  expect(stdout).toContain(`git tag v${NEXT}`);
});

test('the next version begins after it', () => {
  git('commit', '--quiet', '--all', '--message', 'release');
  const { status, stderr } = release('--begin', '7.1.0');
  expect(status, stderr).toBe(0);

  expect(read('CHANGELOG.md')).toContain('## 7.1.0 (unreleased)\n\n## ');
  expect(read('deploy/helm/assay/Chart.yaml')).toContain('appVersion: 7.1.0');
});
