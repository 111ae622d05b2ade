/**
 * The two lines of Prometheus that the rules must work with: Debian's (2.42 in bookworm), from the PATH, and one of 3.x, built once
 * from its Go module into node_modules/.cache. Nothing is skipped: what is missing fails, and says what it needs.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

/** 3.13.5. The newest that all the modules it needs are to be had for from the Go module proxy. */
const MODULE = 'github.com/prometheus/prometheus';
const MODULE_VERSION = 'v0.313.5';
const CACHE = path.resolve(import.meta.dirname, '../../../node_modules/.cache/assay');
const BUILD_TIMEOUT_MS = 1_200_000;

export interface PrometheusBinaries {
  readonly line: '2.x' | '3.x';
  readonly promtool: string;
  readonly prometheus: string;
}

export const LINES = ['2.x', '3.x'] as const;

export async function prometheusBinaries(line: PrometheusBinaries['line']): Promise<PrometheusBinaries> {
  return line === '2.x' ? await debianPrometheus() : await builtPrometheus();
}

async function debianPrometheus(): Promise<PrometheusBinaries> {
  const { stdout, stderr } = await promisify(execFile)('promtool', ['--version']).catch((error: unknown) => {
    throw new Error('promtool is not on the PATH: .ci/services installs it (Debian package prometheus)', {
      cause: error,
    });
  });
  if (!/version 2\./.test(stdout + stderr)) throw new Error(`promtool on the PATH is not 2.x: ${stdout}${stderr}`);
  return { line: '2.x', promtool: 'promtool', prometheus: 'prometheus' };
}

async function builtPrometheus(): Promise<PrometheusBinaries> {
  const directory = path.join(CACHE, `prometheus-${MODULE_VERSION}`);
  if (!existsSync(directory)) await build(directory);
  return {
    line: '3.x',
    promtool: path.join(directory, 'promtool'),
    prometheus: path.join(directory, 'prometheus'),
  };
}

async function build(directory: string): Promise<void> {
  // Made under another name first: what was interrupted is not taken for complete.
  const made = `${directory}.${process.pid}`;
  mkdirSync(made, { recursive: true });
  const go = (...command: string[]) =>
    promisify(execFile)('go', command, { cwd: made, timeout: BUILD_TIMEOUT_MS, maxBuffer: 64 << 20 });
  try {
    // A module of our own requires it, because its go.mod has replacements, which `go install` does not take. Without the clouds'
    // service discovery it is built in two minutes.
    writeFileSync(path.join(made, 'go.mod'), 'module prometheus-for-tests\n');
    const commands = ['promtool', 'prometheus'].map((command) => `${MODULE}/cmd/${command}`);
    await go('get', ...commands.map((command) => `${command}@${MODULE_VERSION}`));
    await go('build', '-mod=mod', '-tags', 'remove_all_sd', '-o', `${made}/`, ...commands);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    throw new Error('Prometheus 3 for tests could not be built. It needs Go 1.25 or newer and the Go module proxy.', {
      cause: error,
    });
  }
  if (existsSync(directory)) rmSync(made, { recursive: true });
  else renameSync(made, directory);
}
