/** `assay token`, and the commands that ask a service for which one is needed. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assay } from '../assay-command.ts';
import { assayHere } from '../assay-here.ts';
import { runService } from '../serve/running-service.ts';
import { tempDirectory } from '../temp-directory.ts';

test('a token is printed once, alone on standard output; listed by name; and revoked', async () => {
  const cwd = tempDirectory();

  const created = await assayHere(['token', 'create', '--role', 'read', '--name', 'grafana', '--expires', '90d'], {
    cwd,
  });
  const again = await assayHere(['token', 'create', '--role', 'read', '--name', 'grafana'], { cwd });
  const listed = await assayHere(['token', 'list', '--json'], { cwd });
  const shown = await assayHere(['token', 'list'], { cwd });

  expect(created.status).toBe(0);
  expect(created.stdout).toMatch(/^assay_read_[a-z0-9]{10}_[A-Za-z0-9]{43}\n$/);
  expect(created.stderr).toMatch(/token grafana \([a-z0-9]{10}\) with the role read, until 20/);
  expect(again).toMatchObject({ status: 2, stdout: '' });
  const [token] = JSON.parse(listed.stdout);
  expect(token).toMatchObject({ name: 'grafana', role: 'read', expired: false });
  expect(Date.parse(token.expires) - Date.parse(token.created)).toBe(90 * 86_400_000);
  expect(shown.stdout).toMatch(/grafana +\S+ +read/);

  expect((await assayHere(['token', 'revoke', 'grafana'], { cwd })).stdout).toContain('revoked token grafana');
  expect(await assayHere(['token', 'revoke', 'grafana'], { cwd })).toMatchObject({ status: 3 });
  expect(await assayHere(['token', 'list'], { cwd })).toMatchObject({ status: 0, stdout: '' });

  const audit = readFileSync(path.join(cwd, 'data/access/audit.log'), 'utf8').trim().split('\n');
  expect(audit.map((line) => JSON.parse(line).what)).toEqual(['token-created', 'token-revoked']);
  expect(audit.join('')).not.toContain(created.stdout.trim());
});

test.for([
  [['--role', 'root', '--name', 'a'], /--role/],
  [['--role', 'read', '--name', 'two words'], /--name: expected a name/],
  [['--role', 'read', '--name', 'a', '--expires', 'soon'], /--expires: expected a duration/],
  [['--role', 'read'], /--name/],
] as const)('%o is a mistake', async ([args, expected]) => {
  const { status, stdout, stderr } = await assayHere(['token', 'create', ...args]);

  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(expected);
});

test('the service does not start on another address without a token: one sentence, exit code 2', async () => {
  const { status, stdout, stderr } = assay(['serve', '--host', '0.0.0.0']);

  expect([status, stdout]).toEqual([2, '']);
  expect(stderr.trim().split('\n').at(-1)).toMatch(
    /^0\.0\.0\.0 can be reached from other machines, and there is no token: create one/,
  );
});

test('commands ask with the token that they are given', { timeout: 60_000 }, async () => {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'assay.yaml'), 'access: { required: true }');
  const tokenOf = async (role: string) =>
    (await assayHere(['token', 'create', '--role', role, '--name', role, '--data-dir', dataDir])).stdout.trim();
  const [read, review] = [await tokenOf('read'), await tokenOf('review')];
  const { http } = await runService({ suites: ['default'], dataDir });
  const cwd = tempDirectory();
  writeFileSync(
    path.join(cwd, 'labels.jsonl'),
    '{"conversation":"c","suite":"default","criterion":"answered","label":"pass","by":"ana"}\n',
  );
  const asked = [['doctor'], ['detect'], ['inspect'], ['explain', 'c'], ['labels', 'import', 'labels.jsonl']];
  const ask = (args: readonly string[], token: string | undefined) =>
    assayHere([...args, '--url', http], { cwd, env: { ASSAY_TOKEN: token ?? '' } });

  const without = await Promise.all(asked.map((args) => ask(args, undefined)));
  const with_ = await Promise.all(asked.map((args) => ask(args, review)));

  for (const { status, stderr } of without) {
    expect(status).toBe(3);
    expect(stderr).toMatch(
      /answered 401: a token with the role \w+ is needed.*\n {2}give the token by --token or ASSAY_TOKEN/,
    );
  }
  for (const { stderr } of with_) expect(stderr).not.toMatch(/ answered 40[13]/);
  expect(with_[0]?.stdout).toContain(`Assay at ${http}`);
  expect(await ask(['labels', 'import', 'labels.jsonl'], read)).toMatchObject({
    status: 3,
    stderr: expect.stringContaining('answered 403: this token has the role read, and review is needed'),
  });
  expect((await assayHere(['doctor', '--url', http, '--token', read])).stdout).toContain(`Assay at ${http}`);
});
