/** A database for each test, on one server for all tests of a file; `services.ts` decides which server. */
import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { type DatabasesForTests, startDatabases } from '../services.ts';
import { createDatabase } from './server.ts';

let started: Promise<DatabasesForTests> | undefined;

// Registered here and not at the start of the server, which may happen inside a test, where no later hook can be
// registered.
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
