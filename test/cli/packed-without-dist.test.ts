import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempDirectory } from '../temp-directory.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

test('a package that was packed without dist/ names the command that packs it whole', () => {
  const folder = tempDirectory();
  for (const name of ['bin', 'package.json'])
    cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true });

  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/assay.mjs', '--version'], {
    cwd: folder,
    encoding: 'utf8',
  });

  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^assay was packed without dist\/.*`npm pack --ignore-scripts=false`\n$/);
});
