import { existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../src/model/make-folder.ts';
import { tempDirectory } from '../temp-directory.ts';

test('makes a folder with its parents, for its owner alone, and takes one that is there', () => {
  const folder = path.join(tempDirectory(), 'a/b/c');

  makeFolder(folder, '--data-dir');
  makeFolder(folder, '--data-dir');

  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('a file is no folder, and has none below it', () => {
  const file = path.join(tempDirectory(), 'file');
  writeFileSync(file, '');

  expect(() => makeFolder(file, '--data-dir')).toThrow(`--data-dir names a file, ${file}: give a folder`);
  expect(() => makeFolder(path.join(file, 'a'), '--data-dir')).toThrow(
    `--data-dir is below a file, ${file}: give a folder`,
  );
});

test.runIf(existsSync('/proc/self'))('a parent that takes no folders is named, at once', () => {
  expect(() => makeFolder('/proc/assay/data', '--data-dir')).toThrow(
    /^cannot make the folder \/proc\/assay\/data in \/proc \(E\w+\): give --data-dir a folder that can be written$/,
  );
});
