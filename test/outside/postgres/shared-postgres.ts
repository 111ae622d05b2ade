/** A database for each test, on one server for all tests of a file; `services.ts` says whose server that is. */
import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { type DatabasesForTests, startDatabases } from '../services.ts';
import { createDatabase } from './server.ts';

let started: Promise<DatabasesForTests> | undefined;

export async function freshDatabase(): Promise<string> {
  const { url } = await sharedServer();
  return createDatabase(url, `assay_${randomBytes(6).toString('hex')}`);
}

function sharedServer(): Promise<DatabasesForTests> {
  if (started === undefined) {
    started = startDatabases();
    const server = started;
    afterAll(async () => {
      started = undefined;
      await (await server).close();
    });
  }
  return started;
}
