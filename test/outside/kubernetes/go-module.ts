/** The folder of a Go module, downloaded once by Go itself, for the schemas in it. */
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';

const DOWNLOAD_TIMEOUT_MS = 600_000;

export async function goModule(module: string, version: string): Promise<string> {
  const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', `${module}@${version}`], {
    // Outside any Go module.
    cwd: tmpdir(),
    timeout: DOWNLOAD_TIMEOUT_MS,
  }).catch((error: unknown) => {
    throw new Error(`${module} ${version} could not be downloaded from the Go module proxy`, { cause: error });
  });
  return (JSON.parse(stdout) as { readonly Dir: string }).Dir;
}
