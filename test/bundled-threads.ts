/**
 * For the configuration of vitest: the two threads that each service starts, in few files. To load their six hundred
 * modules takes most of a start, and tests start hundreds of services. Tests of real processes load them as they are.
 */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import type { Plugin } from 'vitest/config';

const ROOT = path.resolve(import.meta.dirname, '..');
const THREADS = ['src/serve/scoring-thread', 'src/serve/reading/reading-thread'];
/** They have code that is not JavaScript. */
const EXTERNAL = ['snappy', 'lz4-napi'];

/** Each run has its own: two at once must not write into the same files. */
const directory = path.join(ROOT, 'node_modules/.cache', `assay-threads-${process.pid}`);

/** For `globalSetup`, which calls the returned function after the tests. */
export default async function setup(): Promise<() => void> {
  await build({
    cwd: ROOT,
    input: Object.fromEntries(THREADS.map((thread) => [path.basename(thread), `${thread}.ts`])),
    platform: 'node',
    external: EXTERNAL,
    logLevel: 'warn',
    output: { dir: directory, format: 'esm' },
    plugins: [{ name: 'places', transform: (code, file) => withPlaces(code, file) }],
  });
  process.env.BUNDLED_THREADS = pathToFileURL(`${directory}/`).href;
  return () => rmSync(directory, { recursive: true, force: true });
}

/** Files of the repository are found from the place of the source. */
function withPlaces(code: string, file: string): string {
  return code
    .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file)))
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href));
}

/** Puts `start-bundled-thread.ts` in the place of the module that starts threads. */
export function bundledThreads(): Plugin {
  const instead = path.join(ROOT, 'test/start-bundled-thread.ts');
  const sources = path.join(ROOT, 'src/');
  return {
    name: 'bundled-threads',
    enforce: 'pre',
    resolveId: (source, importer) =>
      source.endsWith('/model/start-thread.ts') && importer?.startsWith(sources) === true ? instead : undefined,
  };
}
