/**
 * A database for each test, on one server for all tests of a file: the server that `ASSAY_TEST_POSTGRES` names (a URL of a user who
 * may create databases), or one started here.
 */
import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { createDatabase, startPostgres, type PostgresServer } from './server.ts';

let started: Promise<PostgresServer> | undefined;

export async function freshDatabase(): Promise<string> {
  const named = process.env.ASSAY_TEST_POSTGRES;
  if (named !== undefined && named !== '') return createDatabase(named, `assay_${randomBytes(6).toString('hex')}`);
  return (await sharedServer()).createDatabase();
}

function sharedServer(): Promise<PostgresServer> {
  if (started === undefined) {
    started = startPostgres();
    const server = started;
    afterAll(async () => {
      started = undefined;
      await (await server).close();
    });
  }
  return started;
}
