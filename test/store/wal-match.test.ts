/** A database and a WAL of different times, of the same size: the structure of neither shows it. */
import { cpSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { examineStore } from '../../src/store/sqlite/examine-store.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { tempDirectory } from '../temp-directory.ts';

const OPTIONS = { depth: 'quick', logBase: 0, logWasUsed: false } as const;

function note(store: Store, commits: number): void {
  for (let number = 1; number <= commits; number += 1) {
    store.begin();
    store.note('test', number + store.noted('test'));
    store.commit();
  }
}

/** Copies of one store as a power cut leaves it, at three times. */
function copies() {
  const folder = tempDirectory();
  const store = Store.open(path.join(folder, 'assay.db'));
  const copy = (name: string) => {
    const to = path.join(folder, name);
    mkdirSync(to);
    for (const file of ['assay.db', 'assay.db-wal', 'assay.high-water'])
      cpSync(path.join(folder, file), path.join(to, file));
    return to;
  };
  note(store, 3);
  store.truncateWal();
  note(store, 3);
  const older = copy('older');
  note(store, 1);
  store.truncateWal();
  note(store, 3);
  const newer = copy('newer');
  store.close();
  return { folder, older, newer };
}

function put(folder: string, { database, wal, mark }: { database: string; wal: string; mark?: string }): string {
  const to = path.join(folder, 'mixed');
  mkdirSync(to);
  cpSync(path.join(database, 'assay.db'), path.join(to, 'assay.db'));
  cpSync(path.join(wal, 'assay.db-wal'), path.join(to, 'assay.db-wal'));
  if (mark !== undefined) cpSync(path.join(mark, 'assay.high-water'), path.join(to, 'assay.high-water'));
  return path.join(to, 'assay.db');
}

test('copies of one time fit', () => {
  const { older, newer } = copies();
  for (const folder of [older, newer]) expect(examineStore(path.join(folder, 'assay.db'), OPTIONS).damage).toEqual([]);
});

test('a store that goes on with the WAL of one that was killed fits, however often', () => {
  let { newer: folder } = copies();
  for (let kills = 0; kills < 3; kills += 1) {
    const store = Store.open(path.join(folder, 'assay.db'));
    note(store, 3);
    store.begin();
    store.note('test', 0);
    store.rollback();
    note(store, 3);
    const killed = path.join(folder, 'killed');
    mkdirSync(killed);
    for (const file of ['assay.db', 'assay.db-wal', 'assay.high-water'])
      cpSync(path.join(folder, file), path.join(killed, file));
    store.close();
    folder = killed;

    expect(examineStore(path.join(folder, 'assay.db'), OPTIONS).damage).toEqual([]);
  }
});

test.each([
  ['an older database beside a newer WAL and its mark', 'older', 'newer', 'newer'],
  ['an older database beside a newer WAL, with the older mark', 'older', 'newer', 'older'],
  ['an older database beside a newer WAL, without a mark', 'older', 'newer', undefined],
  ['a newer database beside an older WAL, with the older mark', 'newer', 'older', 'older'],
] as const)('%s is found, although the sizes are the same', (_, database, wal, mark) => {
  const made = copies();
  const sizes = [made.older, made.newer].map((folder) => statSync(path.join(folder, 'assay.db')).size);
  expect(sizes[0]).toBe(sizes[1]);
  const file = put(made.folder, {
    database: made[database],
    wal: made[wal],
    ...(mark === undefined ? {} : { mark: made[mark] }),
  });

  const { damage } = examineStore(file, OPTIONS);

  expect(damage).toMatchObject([{ kind: 'store-unreadable', what: expect.stringContaining('its WAL do not fit') }]);
});
