/**
 * The release before this version, as users run it: its source from the history, with the packages that it names. Tests
 * start it on data, and then this version on the same.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RELEASES } from '../../../scripts/release/releases.ts';
import { version as current } from '../../../src/cli/version.ts';
import { compareVersions } from '../../../src/store/migration.ts';
import { madeOnce } from '../made-once.ts';

export interface LastRelease {
  readonly version: string;
  /** Its launcher, for Node. */
  readonly program: string;
}

const ROOT = path.resolve(import.meta.dirname, '../../..');
const LAUNCHER = 'bin/assay.mjs';

export async function lastRelease(): Promise<LastRelease> {
  const release = RELEASES.findLast(({ version }) => compareVersions(version, current) < 0);
  if (release === undefined) throw new Error(`no release before ${current} is listed in releases.json`);
  const { version, revision } = release;
  const named = process.env.ASSAY_TEST_LAST_RELEASE;
  if (named !== undefined && named !== '') return { version, program: path.join(named, LAUNCHER) };
  const commit = commitOf(version, revision);
  const isLinked = hasSamePackages(commit);
  const folder = await madeOnce(`release-${commit.slice(0, 12)}-${isLinked ? 'linked' : 'installed'}`, {
    make: async (made) => build(commit, { isLinked, made }),
    needs: 'the history of the repository, and a registry of npm packages',
  });
  return { version, program: path.join(folder, LAUNCHER) };
}

/** Built, because Node runs no TypeScript below node_modules, where the folder is kept. */
function build(commit: string, { isLinked, made }: { readonly isLinked: boolean; readonly made: string }): void {
  const source = mkdtempSync(path.join(tmpdir(), 'assay-release-'));
  const packages = path.join(source, 'node_modules');
  try {
    const archive = execFileSync('git', ['archive', '--format=tar', commit], { cwd: ROOT, maxBuffer: 1 << 29 });
    execFileSync('tar', ['-xf', '-', '-C', source], { input: archive });
    if (isLinked) symlinkSync(path.join(ROOT, 'node_modules'), packages);
    else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: source, stdio: 'pipe' });
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: source, stdio: 'pipe' });
    for (const part of ['package.json', 'bin', 'dist', 'suites', ...(isLinked ? [] : ['node_modules'])])
      cpSync(path.join(source, part), path.join(made, part), { recursive: true, verbatimSymlinks: true });
    if (isLinked) symlinkSync(path.join(ROOT, 'node_modules'), path.join(made, 'node_modules'));
  } finally {
    rmSync(source, { recursive: true, force: true });
  }
}

/** Nothing is skipped: a machine without the history cannot test an upgrade, and says so. */
function commitOf(version: string, revision: string): string {
  try {
    return git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`).trim();
  } catch (error) {
    const remedy = 'fetch it (git fetch --unshallow --tags), or name a folder with its source and packages in';
    throw new Error(
      `the last release, ${version}, is ${revision}, which this history does not have: ${remedy} ASSAY_TEST_LAST_RELEASE`,
      { cause: error },
    );
  }
}

/** Its packages are most often those of this version, and need not be fetched again. */
function hasSamePackages(commit: string): boolean {
  if (!existsSync(path.join(ROOT, 'node_modules'))) return false;
  const here = readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8');
  return packagesIn(git('show', `${commit}:package-lock.json`)) === packagesIn(here);
}

function packagesIn(lock: string): string {
  const { packages }: { readonly packages: Readonly<Record<string, unknown>> } = JSON.parse(lock);
  const { '': _itself, ...others } = packages;
  return JSON.stringify(others);
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 1 << 26,
  });
}
