import path from 'node:path';
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { tempDirectory } from '../temp-directory.ts';

function read(env: Readonly<Record<string, string>>, file?: string) {
  const cwd = tempDirectory();
  if (file !== undefined) writeFileSync(path.join(cwd, 'assay.yaml'), file);
  const { settings, mistakes } = loadSettings({ flags: {}, env, cwd });
  return { cwd, archive: settings.archive, problems: mistakes.map(({ problem }) => problem) };
}

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };

test('without a place nothing is archived', () => {
  expect(read(CREDENTIALS)).toMatchObject({ archive: undefined, problems: [] });
});

test('a folder is relative to the file, and to the current folder in a variable', () => {
  const inFile = read({}, 'archive: { url: kept/archive, every: 1h }\n');
  expect(inFile.archive).toEqual({ url: path.join(inFile.cwd, 'kept/archive'), everyMs: 3_600_000 });
  const given = read({ ASSAY_ARCHIVE_URL: 'archive' });
  expect(given.archive).toEqual({ url: path.join(given.cwd, 'archive'), everyMs: 300_000 });
});

test.each([
  ['s3://bucket/some/prefix', CREDENTIALS, []],
  ['s3://bucket', CREDENTIALS, []],
  ['s3://bucket', {}, ['a bucket needs credentials']],
  ['s3://bucket', { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: '' }, ['a bucket needs credentials']],
  ['s3:bucket', CREDENTIALS, ['s3:bucket names no bucket']],
  ['s3://bucket/pre fix', CREDENTIALS, ['s3://bucket/pre fix names no bucket']],
] as const)('%s with %o: %j', (url, variables, problems) => {
  expect(read({ ...variables, ASSAY_ARCHIVE_URL: url }).problems).toEqual(problems);
});
