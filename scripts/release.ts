/**
 * npm run release -- 0.2.0 [--checks 'npm test']
 * Prepares a release, and publishes nothing: no push, no tag, no upload. It writes the version everywhere, dates the
 * section of the changelog, runs the checks, and fills `release/` with the notes, the package, the bill of materials,
 * the third-party notices, the chart and their checksums. Then it says what is left to do.
 *
 * npm run release -- --begin 0.3.0
 * Begins the next version: the number everywhere, and an empty section of the changelog.
 */
import { execFileSync, execSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { packChart } from './release/chart.ts';
import { compareVersions } from '../src/store/migration.ts';
import { begun, notesOf, readChangelog, released } from './release/changelog.ts';
import { RELEASES, RELEASES_FILE, type Release } from './release/releases.ts';
import { storeFormats } from './release/store-formats.ts';
import { writeVersion } from './release/version-places.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const OUT = path.join(ROOT, 'release');
const CHANGELOG = path.join(ROOT, 'CHANGELOG.md');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { checks: { type: 'string', default: 'npm test' }, begin: { type: 'boolean', default: false } },
});
const [version = ''] = positionals;
const mistakes = mistakesOf(version);
for (const mistake of mistakes) process.stderr.write(`release: ${mistake}\n`);
if (mistakes.length > 0) process.exitCode = 1;
else if (values.begin) begin();
else prepare();

function mistakesOf(wanted: string): readonly string[] {
  if (!/^\d+\.\d+\.\d+$/.test(wanted)) return ['which version? npm run release -- 1.2.3'];
  const last = RELEASES.at(-1)?.version ?? '';
  const changes = git('status', '--porcelain').trim();
  const { sections, mistakes: ofChangelog } = readChangelog(readFileSync(CHANGELOG, 'utf8'));
  const next = sections.find(({ date }) => date === undefined);
  return [
    ...(compareVersions(wanted, last) > 0 ? [] : [`${wanted} is not newer than the last release, ${last}`]),
    ...(changes === '' ? [] : [`the work tree is not clean, commit or stash first:\n${changes}`]),
    ...ofChangelog.map((mistake) => `CHANGELOG.md:${mistake}`),
    ...(values.begin
      ? next === undefined
        ? []
        : [`${next.version} has begun already`]
      : next?.version !== wanted
        ? [`CHANGELOG.md has no section "## ${wanted} (unreleased)"`]
        : next.entries.size === 0
          ? ['the section of CHANGELOG.md has no entry']
          : []),
  ];
}

function begin(): void {
  writeVersion(ROOT, version);
  writeFileSync(CHANGELOG, begun(readFileSync(CHANGELOG, 'utf8'), version));
  say(`${version} has begun: commit it`);
}

function prepare(): void {
  const date = new Date().toISOString().slice(0, 10);
  const text = released(readFileSync(CHANGELOG, 'utf8'), version, date);
  writeVersion(ROOT, version);
  writeFileSync(CHANGELOG, text);
  const release: Release = { version, date, revision: `v${version}`, stores: storeFormats() };
  writeFileSync(path.join(ROOT, RELEASES_FILE), `${JSON.stringify([...RELEASES, release], undefined, 2)}\n`);
  try {
    execSync('npx biome check --write releases.json', { cwd: ROOT, stdio: 'ignore' });
    say(`checks: ${values.checks}`);
    execSync(values.checks, { cwd: ROOT, stdio: 'inherit' });
    fill(text);
  } catch (error) {
    process.stderr.write(
      `release: not prepared: ${error instanceof Error ? error.message : String(error)}\nTo undo: git checkout -- .\n`,
    );
    process.exitCode = 1;
    return;
  }
  say(`release/ has:\n${readFileSync(path.join(OUT, 'SHA256SUMS'), 'utf8')}`);
  say(`nothing is published. Next:
  git commit --all --message 'Release ${version}'
  git tag v${version}
  git push --follow-tags                                # tests of later versions upgrade from the tag
  docker build -t assay:${version} .                      # the image; push it where your cluster pulls from
  npm run release -- --begin <the next version>`);
}

function fill(changelog: string): void {
  rmSync(OUT, { recursive: true, force: true });
  for (const folder of ['npm', 'chart']) mkdirSync(path.join(OUT, folder), { recursive: true });
  writeFileSync(path.join(OUT, 'notes.md'), notesOf(changelog, version));
  execSync(`npm pack --silent --pack-destination ${JSON.stringify(path.join(OUT, 'npm'))}`, {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // The package has the same two.
  for (const file of ['sbom.cdx.json', 'THIRD-PARTY-NOTICES.txt'])
    copyFileSync(path.join(ROOT, 'dist', file), path.join(OUT, file));
  packChart(ROOT, path.join(OUT, 'chart', `assay-${version}.tgz`));
  const files = readdirSync(OUT, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(OUT, path.join(entry.parentPath, entry.name)))
    .toSorted();
  const sums = files.map((file) => `${sha256(path.join(OUT, file))}  ${file}\n`);
  writeFileSync(path.join(OUT, 'SHA256SUMS'), sums.join(''));
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
}

function say(line: string): void {
  process.stdout.write(`release: ${line}\n`);
}
