/** The contract of object storage, on a folder and on a bucket; and what a bucket says where it does not do it. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { keyOf, tryReadKey } from '../../src/archive/archive-keys.ts';
import type { ObjectStore } from '../../src/archive/object-store.ts';
import { openObjectStore } from '../../src/archive/open-object-store.ts';
import { S3Store } from '../../src/archive/s3-store.ts';
import { tempDirectory } from '../temp-directory.ts';
import { BUCKET, type PlayedBucket, playBucket, variablesOf } from './played-bucket.ts';

const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();
const bytes = (written: string) => new TextEncoder().encode(written);

async function keysIn(store: ObjectStore, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const page of store.list(prefix)) keys.push(...page);
  return keys.toSorted();
}

const opened: Readonly<Record<string, () => Promise<ObjectStore>>> = {
  'a folder': async () => openObjectStore(path.join(tempDirectory(), 'not', 'there')),
  'a bucket': async () => openObjectStore(`s3://${BUCKET}`, variablesOf(await playBucket())),
  'a bucket with a prefix': async () => openObjectStore(`s3://${BUCKET}/some/prefix/`, variablesOf(await playBucket())),
};

describe.each(Object.entries(opened))('%s', (_name, open) => {
  test('an object is what was put last, until it is deleted', async () => {
    const store = await open();
    expect(await store.get('table=a/day=1/x.parquet')).toBeUndefined();
    await store.put('table=a/day=1/x.parquet', bytes('one'));
    await store.put('table=a/day=1/x.parquet', bytes('two'));
    expect(text(await store.get('table=a/day=1/x.parquet'))).toBe('two');
    await store.delete('table=a/day=1/x.parquet');
    await store.delete('table=a/day=1/x.parquet');
    expect(await store.get('table=a/day=1/x.parquet')).toBeUndefined();
  });

  test('a list has all keys with the prefix, and no others', async () => {
    const store = await open();
    const keys = ['a', 'b', 'c', 'd', 'e'].map((name) => `table=a/day=1/${name}.parquet`);
    for (const key of [...keys, 'table=b/day=1/a.parquet', 'table=a/day=2/a.parquet']) await store.put(key, bytes(key));
    expect(await keysIn(store, 'table=a/')).toEqual([...keys, 'table=a/day=2/a.parquet'].toSorted());
    expect(await keysIn(store, 'table=a/day=1/')).toEqual(keys);
    expect(await keysIn(store, 'table=none/')).toEqual([]);
  });
});

test('a file that was not finished is in no list, and the next put replaces it', async () => {
  const folder = tempDirectory();
  const store = openObjectStore(folder);
  await store.put('table=a/day=1/x.parquet', bytes('whole'));
  const unfinished = path.join(folder, 'table=a/day=1/y.parquet.unfinished');
  writeFileSync(unfinished, 'ha');
  expect(await keysIn(store, 'table=a/')).toEqual(['table=a/day=1/x.parquet']);
  await store.put('table=a/day=1/y.parquet', bytes('whole'));
  expect(existsSync(unfinished)).toBe(false);
  expect(readdirSync(path.join(folder, 'table=a/day=1'))).toEqual(['x.parquet', 'y.parquet']);
});

async function failing(fault: PlayedBucket['fault'], requestMs = 10_000) {
  const played = await playBucket();
  played.fault = fault;
  const store = new S3Store({
    url: `${played.url}/${BUCKET}`,
    prefix: '',
    region: 'eu-central-1',
    credentials: { accessKeyId: 'played', secretAccessKey: 'not-to-be-shown', sessionToken: 'short-lived' },
    requestMs,
  });
  return { played, store };
}

test('a refusal says what was asked and the code of the server, and no secret', async () => {
  const { store } = await failing(() => 503);
  const problem = await store.put('k.parquet', bytes('x')).catch(String);
  expect(problem).toBe('Error: write k.parquet: the object store answered 503 SlowDown');
  await expect(store.get('k.parquet')).rejects.toThrow('read k.parquet: the object store answered 503 SlowDown');
  await expect(store.delete('k.parquet')).rejects.toThrow('delete k.parquet');
  await expect(keysIn(store, '')).rejects.toThrow('list the bucket');
});

test('a server that never answers is given up at the deadline', async () => {
  const { store } = await failing(() => 'silent', 100);
  await expect(store.put('k.parquet', bytes('x'))).rejects.toThrow(/PUT to 127\.0\.0\.1:\d+: .*timeout/);
});

test('a put whose answer is lost fails, and its repetition replaces the object', async () => {
  let isLost = true;
  const { played, store } = await failing(() => (isLost ? 'broken off' : undefined));
  await expect(store.put('k.parquet', bytes('x'))).rejects.toThrow('PUT to');
  expect(text(played.objects.get('k.parquet'))).toBe('x');
  isLost = false;
  await store.put('k.parquet', bytes('y'));
  expect(text(await store.get('k.parquet'))).toBe('y');
  expect(played.asked.every(({ headers }) => headers['x-amz-security-token'] === 'short-lived')).toBe(true);
  expect(played.asked[0]?.headers.authorization).toContain('/eu-central-1/s3/aws4_request');
});

test('a bucket without credentials is refused with the names of the variables', () => {
  expect(() => openObjectStore('s3://bucket', {})).toThrow(
    's3://bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  );
});

test('a key says table, day and batch, and keys of others say nothing', () => {
  const place = { name: '20261130104512345-00ff00ff00ff', day: 20_787 };
  const key = keyOf('verdicts', place);
  expect(key).toBe('table=verdicts/day=2026-11-30/20261130104512345-00ff00ff00ff.parquet');
  expect(tryReadKey(key)).toEqual({ table: 'verdicts', ...place });
  for (const other of ['x.parquet', `${key}.unfinished`, 'table=verdicts/day=today/x.parquet'])
    expect(tryReadKey(other)).toBeUndefined();
});
