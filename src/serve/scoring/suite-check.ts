/**
 * Looks at suites before they are used, in a thread of its own that is gone afterwards: a module that was loaded once stays as it was in the thread
 * that loaded it, with all that it imports.
 */
import { startThread } from '../../model/start-thread.ts';
import type { Mistake } from '../../model/mistake.ts';
import type { SuiteLoading } from '../../engine/suite-loading.ts';
import type { SuiteOutline } from '../../engine/suite-outline.ts';

export interface SuiteReferences extends SuiteLoading {
  readonly references: readonly string[];
  /** Suites that run in shadow. */
  readonly shadows: readonly string[];
  readonly baseDir: string;
}

export interface CheckedSuites {
  /** Suites in shadow after the live ones. */
  readonly suites: readonly SuiteOutline[];
  readonly mistakes: readonly Mistake[];
}

const TIMEOUT_MS = 30_000;

export async function checkSuites(of: SuiteReferences): Promise<CheckedSuites> {
  const worker = startThread({ module: 'suite-check-thread', from: import.meta.url }, { workerData: of });
  const { promise, resolve, reject } = Promise.withResolvers<CheckedSuites>();
  const timer = setTimeout(
    () => reject(new Error(`the suites were not loaded within ${TIMEOUT_MS / 1000} s`)),
    TIMEOUT_MS,
  );
  worker.on('message', resolve);
  worker.on('error', reject);
  worker.on('exit', (code) => reject(new Error(`the thread that loads the suites ended with code ${code}`)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
