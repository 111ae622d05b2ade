/** Commands built once from a Go module into node_modules/.cache, for tests that need a newer one than Debian has. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { madeOnce } from '../made-once.ts';

const BUILD_TIMEOUT_MS = 1_200_000;

export interface GoCommands {
  readonly module: string;
  readonly version: string;
  /** Packages of the module: `cmd/promtool`, or '' for its root. */
  readonly packages: readonly string[];
  readonly tags?: string;
}

/** The folder that contains them, built first if necessary. */
export async function builtFromGo(wanted: GoCommands): Promise<string> {
  // helm.sh/helm/v3 is helm.
  const name = path.basename(wanted.module.replace(/\/v\d+$/, ''));
  return await madeOnce(`${name}-${wanted.version}`, {
    make: (folder) => build(wanted, folder),
    needs: 'Go 1.26 or newer and the Go module proxy',
  });
}

async function build({ module, version, packages: folders, tags = '' }: GoCommands, made: string): Promise<void> {
  const go = (...words: string[]) =>
    promisify(execFile)('go', words, { cwd: made, timeout: BUILD_TIMEOUT_MS, maxBuffer: 64 << 20 });
  const packages = folders.map((folder) => path.join(module, folder));
  // A module of our own requires it, because `go install` rejects a module whose go.mod has replacements.
  writeFileSync(path.join(made, 'go.mod'), 'module commands-for-tests\n');
  await go('get', ...packages.map((one) => `${one}@${version}`));
  await go('build', '-mod=mod', '-tags', tags, '-o', `${made}/`, ...packages);
}
