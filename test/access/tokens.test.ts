import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { TokenFile } from '../../src/access/token-file.ts';
import { readTokens } from '../../src/access/token-document.ts';
import { fileSource, storeSource, TokenList } from '../../src/access/token-list.ts';
import { hashOf, newToken } from '../../src/access/token.ts';
import type { KeptToken } from '../../src/model/access.ts';
import type { AccessEvent } from '../../src/model/events/access-events.ts';
import { tempDirectory } from '../temp-directory.ts';

const made = (name: string, expiresAt?: number) => newToken('read', { name, now: 1000, expiresAt });

test('a token has its role and id in it, and 256 bits of its own', () => {
  const tokens = Array.from({ length: 200 }, (_, n) => made(`n${n}`));

  for (const { token, kept } of tokens) {
    expect(token).toMatch(/^assay_read_[a-z0-9]{10}_[A-Za-z0-9]{43}$/);
    expect(token).toContain(`_${kept.id}_`);
    expect(kept.sha256).toBe(hashOf(token));
  }
  expect(new Set(tokens.map(({ token }) => token.slice(-43))).size).toBe(200);
  expect(43 * Math.log2(62)).toBeGreaterThanOrEqual(256);
});

test('the file has hashes and no token, and nobody else may read it', async () => {
  const file = path.join(tempDirectory(), 'access', 'tokens.json');
  const tokens = new TokenFile(file);
  const { token, kept } = made('grafana', 2_000_000);

  expect(await tokens.add(kept)).toBe(true);

  expect(await tokens.list()).toEqual([kept]);
  expect(readFileSync(file, 'utf8')).not.toContain(token.slice(-43));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
});

test('a name is there once; by its name or its id a token is revoked', async () => {
  const tokens = new TokenFile(path.join(tempDirectory(), 'tokens.json'));
  const [a, b] = [made('a').kept, made('b').kept];
  await tokens.add(a);
  await tokens.add(b);

  expect(await tokens.add(made('a').kept)).toBe(false);
  expect(await tokens.revoke('nobody')).toBeUndefined();
  expect(await tokens.revoke('a')).toEqual(a);
  expect(await tokens.revoke(b.id)).toEqual(b);
  expect(await tokens.list()).toEqual([]);
});

test('tokens that are created at once are all there', async () => {
  const file = path.join(tempDirectory(), 'tokens.json');
  const names = Array.from({ length: 8 }, (_, n) => `client-${n}`);

  await Promise.all(names.map((name) => new TokenFile(file).add(made(name).kept)));

  expect((await new TokenFile(file).list()).map(({ name }) => name).sort()).toEqual(names);
});

test('a list in YAML is taken, as people write secrets', () => {
  const sha256 = hashOf('whatever');

  expect(
    readTokens(`- { name: prometheus, role: read, sha256: ${sha256}, expires: 2027-01-01 }`, 'tokens.yaml'),
  ).toEqual([
    {
      id: sha256.slice(0, 10),
      name: 'prometheus',
      role: 'read',
      sha256,
      createdAt: undefined,
      expiresAt: Date.UTC(2027),
    },
  ]);
  expect(readTokens('', 'tokens.yaml')).toEqual([]);
});

test.for([
  ['no YAML', '{', /tokens\.yaml/],
  ['another role', `- { name: a, role: root, sha256: ${'a'.repeat(64)} }`, /0\.role: expected one of ingest, read/],
  ['a token in place of its hash', '- { name: a, role: read, sha256: assay_read_x }', /0\.sha256: expected/],
  ['a name twice', `[${`{ name: a, role: read, sha256: ${'a'.repeat(64)} },`.repeat(2)}]`, /each name once/],
  ['a field that is not known', `- { name: a, role: read, sha256: ${'a'.repeat(64)}, hash: x }`, /hash/],
  ['a text', 'tokens', /expected/],
] as const)('%s is refused with what is wrong', ([, text, expected]) => {
  expect(() => readTokens(text, 'tokens.yaml')).toThrow(expected);
});

function listOf(...sources: ConstructorParameters<typeof TokenList>[0]) {
  const events: AccessEvent[] = [];
  const changes: { added: readonly KeptToken[]; removed: readonly KeptToken[] }[] = [];
  const list = new TokenList(sources, {
    event: (event) => events.push(event),
    change: (change) => changes.push(change),
  });
  onTestFinished(() => list.stop());
  return { list, events, changes };
}

test('a token works and stops to while the service runs', async () => {
  const file = path.join(tempDirectory(), 'tokens.json');
  const kept = new TokenFile(file);
  const { list, changes } = listOf(fileSource('tokens', file, kept, 5));
  await list.start();
  const { token, kept: one } = made('grafana');
  expect(list.find(token)).toBeUndefined();

  await kept.add(one);
  await expect.poll(() => list.find(token)).toEqual(one);
  await kept.revoke('grafana');
  await expect.poll(() => list.find(token)).toBeUndefined();

  expect(changes).toEqual([
    { added: [one], removed: [] },
    { added: [], removed: [one] },
  ]);
});

test('a place that cannot be read keeps what was read of it, and says so', async () => {
  const { token, kept } = made('grafana');
  let isAway = false;
  const store = {
    list: async () => {
      if (isAway) throw new Error('connection refused');
      return [kept];
    },
    add: async () => true,
    revoke: async () => undefined,
  };
  const { list, events } = listOf(storeSource('the store', store, 5));
  await list.start();

  isAway = true;
  await expect.poll(() => list.mayHaveMore).toBe(true);
  expect(list.find(token)).toEqual(kept);
  expect(events[0]).toEqual({ type: 'tokens-unreadable', from: 'the store', problem: 'connection refused' });
  isAway = false;
  await expect.poll(() => events.at(-1)).toEqual({ type: 'tokens-readable', from: 'the store' });
});

test('a file that was spoilt keeps the tokens that were read, until it is a file of tokens again', async () => {
  const directory = tempDirectory();
  mkdirSync(path.join(directory, 'mounted'));
  const file = path.join(directory, 'mounted', 'tokens.yaml');
  const { token, kept } = made('grafana');
  const written = (sha256: string) => `- { name: grafana, role: read, sha256: ${sha256} }\n`;
  writeFileSync(file, written(kept.sha256));
  const { list, events } = listOf(fileSource(file, file, new TokenFile(file), 5));
  await list.start();

  writeFileSync(file, 'half a fi: [');
  await expect.poll(() => list.mayHaveMore).toBe(true);
  expect(list.find(token)?.name).toBe('grafana');
  writeFileSync(file, written(hashOf('another token altogether')));
  await expect.poll(() => list.find(token)).toBeUndefined();

  expect(list.mayHaveMore).toBe(false);
  expect(events.map(({ type }) => type)).toContain('tokens-unreadable');
});
