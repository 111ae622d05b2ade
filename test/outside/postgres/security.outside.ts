/** Passwords and certificates: correct ones are accepted, and wrong ones give a clear message. */
import { chmodSync, chownSync, copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Link, type PostgresAddress } from '../../../src/store/postgres/link.ts';
import { type Certificates, makeCertificates } from '../test-authority.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { type PostgresServer, startPostgres } from './server.ts';

let server: PostgresServer;
let url: string;
beforeAll(async () => {
  server = await startPostgres();
  url = `postgres://assay@localhost:${server.port}/postgres`;
});
afterAll(() => server.close());

/** Makes the server require TLS and a password. */
async function secure(): Promise<Certificates> {
  const directory = tempDirectory();
  const certificates = makeCertificates(directory);
  const client = new Client({ connectionString: server.url });
  await client.connect();
  const { rows } = await client.query('SHOW data_directory');
  const data = String(rows[0].data_directory);
  const { uid, gid } = statSync(data);
  const own = path.join(data, 'tls');
  mkdirSync(own, { recursive: true });
  for (const name of ['broker.key', 'broker.pem']) {
    copyFileSync(path.join(directory, name), path.join(own, name));
    chmodSync(path.join(own, name), 0o600);
    chownSync(path.join(own, name), uid, gid);
  }
  chownSync(own, uid, gid);
  await client.query(`ALTER ROLE assay PASSWORD 'secret'`);
  await client.query(`ALTER SYSTEM SET ssl_cert_file = '${own}/broker.pem'`);
  await client.query(`ALTER SYSTEM SET ssl_key_file = '${own}/broker.key'`);
  await client.query(`ALTER SYSTEM SET ssl = on`);
  writeFileSync(path.join(data, 'pg_hba.conf'), 'hostssl all all all scram-sha-256\n');
  await client.query('SELECT pg_reload_conf()');
  await client.end();
  return certificates;
}

function linkTo(address: PostgresAddress): Link {
  const link = new Link({ address, name: 'test', leaseMs: 30_000, statementMs: 10_000 });
  onTestFinished(() => link.destroy());
  return link;
}

test('a session is encrypted and its password checked; a mistake in either is named', async () => {
  const { ca } = await secure();
  const attempt = (address: Omit<PostgresAddress, 'url'>) =>
    linkTo({ url, ...address }).use((session) =>
      session.once<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'),
    );

  expect(await attempt({ password: 'secret', tls: { ca } })).toEqual([{ ssl: true }]);
  await expect(attempt({ password: 'wrong', tls: { ca } })).rejects.toThrow(/password authentication failed/);
  await expect(attempt({ tls: { ca } })).rejects.toThrow(/password/);
  await expect(attempt({ password: 'secret', tls: {} })).rejects.toThrow(/self-signed|unable to verify|certificate/);
  await expect(attempt({ password: 'secret' })).rejects.toThrow(/no encryption|pg_hba/);
});

test('a server that is not there, and a database that is not, are named without the password', async () => {
  const missing = linkTo({ url: 'postgres://assay@127.0.0.1:1/assay', password: 'secret' });
  const error: unknown = await missing.use(() => Promise.resolve()).catch((caught: unknown) => caught);

  expect(String(error)).toMatch(/connect to PostgreSQL at 127\.0\.0\.1:1\/assay: .*ECONNREFUSED/);
  expect(String(error)).not.toContain('secret');
});
