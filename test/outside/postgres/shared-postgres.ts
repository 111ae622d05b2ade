/**
 * A database for each test, on one server for all tests of a file: the server that `ASSAY_TEST_POSTGRES` names (a URL of a user who
 * may create databases), one in a container where a Docker engine answers, or one started here.
 */
import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { startPostgresContainer } from '../containers.ts';
import { dockerAnswers } from '../services.ts';
import { createDatabase, startPostgres } from './server.ts';

interface SharedServer {
  /** Of a user who may create databases. */
  readonly url: string;
  close(): Promise<void>;
}

let started: Promise<SharedServer> | undefined;

export async function freshDatabase(): Promise<string> {
  const named = process.env.ASSAY_TEST_POSTGRES;
  const { url } = named !== undefined && named !== '' ? { url: named } : await sharedServer();
  return createDatabase(url, `assay_${randomBytes(6).toString('hex')}`);
}

function sharedServer(): Promise<SharedServer> {
  started ??= dockerAnswers().then((docker) => (docker ? startPostgresContainer() : startPostgres()));
  return started;
}

// Here, where the file that imports this is read: within a test it would be ignored.
afterAll(async () => {
  const server = started;
  started = undefined;
  await (await server)?.close();
});
