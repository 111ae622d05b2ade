/** The thread of `suite-check.ts`: loads suites and says what they are, or what is wrong with them. */
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { loadSuites } from '../../score/load-suites.ts';
import type { SuiteReferences } from './suite-check.ts';
import { outlineOf } from '../../engine/suite-outline.ts';

const BUILTIN_SUITES = path.resolve(import.meta.dirname, '../../../suites');

const port = parentPort;
if (port !== null) {
  // The cast holds because `suite-check.ts` is the only one that starts this thread.
  const { references, ...options } = workerData as SuiteReferences;
  const { suites, shadows, mistakes } = await loadSuites(references, { ...options, builtinDir: BUILTIN_SUITES });
  port.postMessage({ suites: [...suites, ...shadows].map(outlineOf), mistakes });
}
