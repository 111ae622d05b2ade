/** A database for each test, on one server for all tests of a file; `services.ts` says whose server that is. */
import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { type DatabasesForTests, startDatabases } from '../services.ts';
import { createDatabase } from './server.ts';

let started: Promise<DatabasesForTests> | undefined;

// Here and not where it is started: that may be inside of a test, where nothing can be left for later.
afterAll(async () => {
  const server = await started;
  started = undefined;
  await server?.close();
});

export async function freshDatabase(): Promise<string> {
  started ??= startDatabases();
  const { url } = await started;
  return createDatabase(url, `assay_${randomBytes(6).toString('hex')}`);
}
