/**
 * Makes a separate environment for a row: a virtual environment by uv, a folder of npm, a project of Maven. Packages
 * that rows share are fetched once, because each package manager keeps its own cache.
 */
import { type ExecFileOptions, execFile, execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Installation } from '../capture/install.ts';
import { javaProject } from './java-project.ts';
import { packageName, pinned, type Row } from './row.ts';

export interface Environment extends Installation {
  readonly versions: Readonly<Record<string, string>>;
}

export interface InstallOptions {
  /** Versions to install; a package that is not in it gets its newest release. */
  readonly pins: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

const ROOT = path.join(tmpdir(), 'assay-conformance');
/** Caches of the package managers, apart from the user's, so that they can be emptied. */
const CACHE = path.join(ROOT, '.cache');
const CACHE_MAX_KB = 2_500_000;
const AGENTS = path.join(import.meta.dirname, 'agents');
const CAPTURE = path.resolve(import.meta.dirname, '../capture');

/** Throws if the packages cannot be installed; the message has the end of what the package manager printed. */
export async function install(row: Row, options: InstallOptions): Promise<Environment> {
  const folder = path.join(ROOT, row.id);
  mkdirSync(folder, { recursive: true });
  mkdirSync(CACHE, { recursive: true });
  const versions = await INSTALLERS[row.language](folder, row, options);
  return { ...placed(folder, row), versions };
}

export function remove(row: Row): void {
  rmSync(path.join(ROOT, row.id), { recursive: true, force: true });
  const kilobytes = Number(execFileSync('du', ['-sk', CACHE], { encoding: 'utf8' }).split('\t')[0]);
  if (kilobytes > CACHE_MAX_KB) rmSync(CACHE, { recursive: true, force: true });
}

const INSTALLERS = { python: fromPyPI, javascript: fromNpm, java: fromMaven };

function placed(folder: string, row: Row): Installation {
  const source = row.file.startsWith('capture:')
    ? path.join(CAPTURE, 'frameworks', row.file.slice('capture:'.length))
    : path.join(AGENTS, row.file);
  if (row.language === 'java') return { folder, ...javaProject.command(folder, source) };
  const isPython = row.language === 'python';
  const driver = isPython ? 'driver.py' : 'driver.mjs';
  copyFileSync(path.join(CAPTURE, driver), path.join(folder, driver));
  const file = path.join(folder, isPython ? 'run.py' : 'run.mjs');
  copyFileSync(source, file);
  return { folder, file, command: isPython ? path.join(folder, 'venv/bin/python') : process.execPath };
}

async function fromPyPI(folder: string, row: Row, { pins, timeoutMs }: InstallOptions) {
  const uv = await uvCommand(timeoutMs);
  const python = path.join(folder, 'venv/bin/python');
  if (!existsSync(python)) await run(uv, ['venv', '--quiet', '--python', 'python3', 'venv'], { cwd: folder });
  const wanted = [...row.packages, 'opentelemetry-exporter-otlp-proto-http'].map((name) =>
    pinned(row, name, pins[packageName(name)]),
  );
  const given = ['pip', 'install', '--quiet', '--python', python, ...wanted];
  await run(uv, given, { cwd: folder, timeout: timeoutMs });
  const listed = await run(uv, ['pip', 'list', '--python', python, '--format', 'json'], { cwd: folder });
  // The cast is the format of `pip list`.
  const all = JSON.parse(listed) as readonly { readonly name: string; readonly version: string }[];
  const versionOf = new Map(all.map(({ name, version }) => [name.toLowerCase().replaceAll('_', '-'), version]));
  return versionsOf(row, (name) => versionOf.get(name.toLowerCase().replaceAll('_', '-')));
}

/** uv resolves in seconds what takes pip minutes, and links its files instead of copying them. */
async function uvCommand(timeout: number): Promise<string> {
  const tools = path.join(ROOT, '.tools');
  const uv = path.join(tools, 'bin/uv');
  if (existsSync(uv)) return uv;
  await run('python3', ['-m', 'venv', tools], { timeout });
  await run(path.join(tools, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', 'uv'], { timeout });
  return uv;
}

async function fromNpm(folder: string, row: Row, { pins, timeoutMs }: InstallOptions) {
  const file = path.join(folder, 'package.json');
  if (!existsSync(file)) writeFileSync(file, JSON.stringify({ private: true, type: 'module' }));
  const wanted = row.packages.map((name) => pinned(row, name, pins[packageName(name)]));
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', '--loglevel=error'];
  await run('npm', ['install', ...flags, ...wanted], { cwd: folder, timeout: timeoutMs });
  return versionsOf(row, (name) => {
    const manifest = path.join(folder, 'node_modules', name, 'package.json');
    // The cast is the format of package.json.
    return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version?: string }).version;
  });
}

async function fromMaven(folder: string, row: Row, { pins, timeoutMs }: InstallOptions) {
  return javaProject.build(folder, {
    packages: row.packages.map((name) => pinned(row, name, pins[packageName(name)])),
    source: path.join(AGENTS, row.file),
    run: (command, given) =>
      run(command, command === 'mvn' ? [`-Dmaven.repo.local=${path.join(CACHE, 'maven')}`, ...given] : given, {
        cwd: folder,
        timeout: timeoutMs,
      }),
  });
}

function versionsOf(row: Row, versionOf: (name: string) => string | undefined): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const bounded of row.packages) {
    const name = packageName(bounded);
    const version = versionOf(name);
    if (version !== undefined) found[name] = version;
  }
  return found;
}

const PRINTED_MAX = 600;

function run(command: string, given: readonly string[], options: ExecFileOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = {
      ...process.env,
      UV_CACHE_DIR: path.join(CACHE, 'uv'),
      npm_config_cache: path.join(CACHE, 'npm'),
    };
    const settings = { ...options, env, maxBuffer: 64 << 20, killSignal: 'SIGKILL', encoding: 'utf8' } as const;
    execFile(command, given, settings, (error, printed, complained) => {
      if (error === null) resolve(printed);
      else {
        const why = error.killed === true ? `not done after ${options.timeout} ms` : `${complained}${printed}`;
        reject(new Error(`${path.basename(command)} ${given[0]}: ${withoutHelp(why).slice(0, PRINTED_MAX)}`));
      }
    });
  });
}

/** Maven colours its output and ends each failure with a page of advice. */
function withoutHelp(printed: string): string {
  const lines = stripVTControlCharacters(printed).split('\n');
  return lines
    .filter((line) => line.trim() !== '' && !/Help 1|re-run Maven|^npm error (A complete|code)/.test(line))
    .join('\n');
}
