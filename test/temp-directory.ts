/** A folder that is deleted after the test, or after the tests that share it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { whenDone } from './for-file.ts';

export function tempDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'assay-test-'));
  whenDone(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
