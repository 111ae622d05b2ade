import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { examineStore } from '../../src/store/sqlite/examine-store.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { tempDirectory } from '../temp-directory.ts';

test.each(['as it was left', 'written from its beginning again'])(
  'an older copy of the database beside a newer WAL, %s, is found, although its structure looks whole',
  (how) => {
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
    let last = Store.open(file);
    grow(last, 600);
    if (how === 'as it was left') {
      last.close();
      last = Store.open(file);
    } else {
      // As by itself once it is large: the file keeps its size.
      last.run('PRAGMA wal_checkpoint(RESTART)');
    }
    last.begin();
    last.note('position', 7);
    last.commit();
    for (const name of ['assay.db-wal', 'assay.high-water'])
      copyFileSync(path.join(now, name), path.join(restored, name));
    const options = { depth: 'quick', logBase: 0, logWasUsed: true } as const;

    expect(examineStore(file, options).damage).toEqual([]);
    expect(examineStore(path.join(restored, 'assay.db'), options).damage).toMatchObject([
      { kind: 'store-unreadable', what: expect.stringContaining('it and its WAL do not fit') },
    ]);
    last.close();
  },
);
