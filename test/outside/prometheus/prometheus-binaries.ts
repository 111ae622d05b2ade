/**
 * The two lines of Prometheus that the rules must work with: Debian's (2.42 in bookworm), from the PATH, and one of
 * 3.x, built from its Go module. Nothing is skipped: a missing one fails the test and names what it needs.
 */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { builtFromGo } from './go-commands.ts';

export interface PrometheusBinaries {
  readonly promtool: string;
  readonly prometheus: string;
}

/** Time limit of whoever may be the first to ask on a machine, which builds one of them. */
export const BUILT_WITHIN_MS = 1_500_000;
export const LINES = ['2.x', '3.x'] as const;
export type Line = (typeof LINES)[number];

export async function prometheusBinaries(line: Line): Promise<PrometheusBinaries> {
  return line === '2.x' ? await debianPrometheus() : await builtPrometheus();
}

async function debianPrometheus(): Promise<PrometheusBinaries> {
  const { stdout, stderr } = await promisify(execFile)('promtool', ['--version']).catch((error: unknown) => {
    throw new Error('promtool is not on the PATH: .ci/services installs it (Debian package prometheus)', {
      cause: error,
    });
  });
  if (!/version 2\./.test(stdout + stderr)) throw new Error(`promtool on the PATH is not 2.x: ${stdout}${stderr}`);
  return { promtool: 'promtool', prometheus: 'prometheus' };
}

/**
 * 3.13.5, the newest whose modules are all available from the proxy. Without the clouds' service discovery it builds in
 * two minutes.
 */
async function builtPrometheus(): Promise<PrometheusBinaries> {
  const directory = await builtFromGo({
    module: 'github.com/prometheus/prometheus',
    version: 'v0.313.5',
    packages: ['cmd/promtool', 'cmd/prometheus'],
    tags: 'remove_all_sd',
  });
  return { promtool: path.join(directory, 'promtool'), prometheus: path.join(directory, 'prometheus') };
}
