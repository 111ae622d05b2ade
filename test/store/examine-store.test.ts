import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { examineStore } from '../../src/store/sqlite/examine-store.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { tempDirectory } from '../temp-directory.ts';

test('an older copy of the database beside a newer WAL is found, although its structure looks whole', () => {
  const [now, restored] = ['now', 'restored'].map((name) => path.join(tempDirectory(), name)) as [string, string];
  mkdirSync(restored, { recursive: true });
  const grow = (store: Store, rows: number) => {
    store.begin();
    const insert = `INSERT INTO open_words (conversation, words) SELECT value + (SELECT count(*) FROM open_words), ?
      FROM json_each('[${Array.from({ length: rows }, (_, index) => index).join()}]')`;
    store.run(insert, 'words '.repeat(500));
    store.commit();
  };
  const file = path.join(now, 'assay.db');
  const first = Store.open(file);
  grow(first, 100);
  first.close();
  copyFileSync(file, path.join(restored, 'assay.db'));
  const second = Store.open(file);
  grow(second, 200);
  second.close();
  const third = Store.open(file);
  third.begin();
  third.note('position', 7);
  third.commit();
  for (const name of ['assay.db-wal', 'assay.high-water'])
    copyFileSync(path.join(now, name), path.join(restored, name));
  const options = { depth: 'quick', logBase: 0, logWasUsed: true } as const;

  expect(examineStore(file, options).damage).toEqual([]);
  expect(examineStore(path.join(restored, 'assay.db'), options).damage).toMatchObject([
    { kind: 'store-unreadable', what: expect.stringContaining('its WAL is of a larger database') },
  ]);
  third.close();
});
