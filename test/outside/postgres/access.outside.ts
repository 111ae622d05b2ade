/** Tokens and sessions in the store that instances share: what one instance or command does, the others know of. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { newToken } from '../../../src/access/token.ts';
import { storeSource, TokenList } from '../../../src/access/token-list.ts';
import { PostgresAccess } from '../../../src/store/postgres/access.ts';
import { assay } from '../../assay-command.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { freshDatabase } from './shared-postgres.ts';

function accessTo(url: string): PostgresAccess {
  const access = new PostgresAccess({ url }, 'test');
  onTestFinished(() => access.close());
  return access;
}

const made = (name: string, expiresAt?: number) => newToken('read', { name, now: 1000, expiresAt });

test('before an instance has made the tables there are no tokens, and the first token makes them', async () => {
  const access = accessTo(await freshDatabase());
  expect(await access.list()).toEqual([]);
  const { kept } = made('grafana', 5000);

  expect(await access.add(kept, 'ana')).toBe(true);

  expect(await access.list()).toEqual([kept]);
});

test('a name is there once until it is revoked; who did what stays in the table, and no token', async () => {
  const url = await freshDatabase();
  const access = accessTo(url);
  const { token, kept } = made('grafana');
  await access.add(kept, 'ana');

  expect(await access.add(made('grafana').kept, 'ana')).toBe(false);
  expect(await access.revoke('nobody', 'rob')).toBeUndefined();
  expect(await access.revoke('grafana', 'rob')).toEqual(kept);
  expect(await access.revoke(kept.id, 'rob')).toBeUndefined();
  expect(await access.add(made('grafana').kept, 'eve')).toBe(true);

  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query('SELECT * FROM assay.access_tokens ORDER BY revoked_by');
  expect(rows.map(({ created_by, revoked_by }) => [created_by, revoked_by])).toEqual([
    ['ana', 'rob'],
    ['eve', null],
  ]);
  expect(JSON.stringify(rows)).not.toContain(token.slice(-43));
});

test('instances know of a token, and that it was revoked, without a restart', async () => {
  const url = await freshDatabase();
  const lists = [accessTo(url), accessTo(url)].map(
    (access) =>
      new TokenList([storeSource('the store', access, 20)], { event: () => undefined, change: () => undefined }),
  );
  for (const list of lists) {
    await list.start();
    onTestFinished(() => list.stop());
  }
  const { token, kept } = made('grafana');

  await accessTo(url).add(kept, 'ana');
  await expect
    .poll(() => lists.map((list) => list.find(token)?.name), { timeout: 10_000 })
    .toEqual(['grafana', 'grafana']);
  await accessTo(url).revoke('grafana', 'ana');
  await expect.poll(() => lists.map((list) => list.find(token)), { timeout: 10_000 }).toEqual([undefined, undefined]);
});

test('all instances have one key of sessions, whoever is first, and know which were ended', async () => {
  const url = await freshDatabase();
  const instances = [accessTo(url), accessTo(url), accessTo(url)];

  const secrets = await Promise.all(instances.map((instance) => instance.secret()));
  await instances[0]?.end('session:old', { at: 1000, forgetBefore: 0 });
  await instances[0]?.end('session:a', { at: 5000, forgetBefore: 2000 });
  await instances[1]?.end('session:a', { at: 4000, forgetBefore: 2000 });

  expect(new Set(secrets).size).toBe(1);
  expect(secrets[0]?.length).toBeGreaterThanOrEqual(43);
  expect(await instances[2]?.ended()).toEqual(new Map([['session:a', 5000]]));
});

test('`assay token` keeps them there when the configuration names such a store', async () => {
  const url = await freshDatabase();
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, 'assay.yaml'), "kafka: { brokers: ['127.0.0.1:1'] }\n");
  const env = { ASSAY_STORE_URL: url };

  const created = assay(['token', 'create', '--role', 'ingest', '--name', 'agents'], { cwd, env });
  const listed = assay(['token', 'list'], { cwd, env });

  expect(created.stdout).toMatch(/^assay_ingest_/);
  expect(listed.stdout).toMatch(/agents +\S+ +ingest/);
  expect(await accessTo(url).list()).toHaveLength(1);
  expect(assay(['token', 'revoke', 'agents'], { cwd, env }).status).toBe(0);
});
