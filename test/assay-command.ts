/** The command line as users run it: a separate process, in a folder, with only the environment that is given here. */
import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { tempDirectory } from './temp-directory.ts';

export const MAIN = path.resolve(import.meta.dirname, '../src/cli/main.ts');
const OUTPUT_MAX = 1 << 26;

export interface CommandOptions {
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  readonly env?: { readonly [name: string]: string };
}

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function assay(args: readonly string[], options: CommandOptions = {}): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    cwd: options.cwd ?? tempDirectory(),
    input: options.input ?? '',
    env: environment(options.env),
    encoding: 'utf8',
    maxBuffer: OUTPUT_MAX,
  });
  return { status, stdout, stderr };
}

/** Necessary if the other side runs in this process and must not be blocked. */
export function assayBeside(args: readonly string[], options: Omit<CommandOptions, 'input'> = {}): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const cwd = options.cwd ?? tempDirectory();
  const child = execFile(
    process.execPath,
    [MAIN, ...args],
    { cwd, env: environment(options.env), maxBuffer: OUTPUT_MAX },
    (_, stdout, stderr) => resolve({ status: child.exitCode, stdout, stderr }),
  );
  child.stdin?.end();
  return promise;
}

/** Shares compiled code, so that not every process compiles it again. */
function environment(given: CommandOptions['env']): { readonly [name: string]: string } {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return { PATH, NODE_COMPILE_CACHE, ...given };
}
