/**
 * Holds the journal, the store and the content of a data folder against each other before a start touches them.
 * docs/decisions/0031 has the states. Nothing is changed here; `settle` does what a start may do once it may start.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import type { JournalOptions } from '../../journal/journal.ts';
import { acceptAnyStore, ANY_STORE } from '../../journal/journal-mark.ts';
import { type ExaminedJournal, examineJournal } from '../../journal/examine-journal.ts';
import type { Damage } from '../../model/damage.ts';
import { HighWaterFile, readHighWater } from '../../model/high-water-file.ts';
import { type ExaminedStore, examineStore } from '../../store/sqlite/examine-store.ts';
import { findStore } from '../../store/sqlite/found-store.ts';
import { MIGRATIONS } from '../../store/sqlite/migrate.ts';
import { readStoreMark } from '../../store/sqlite/store-mark.ts';
import { setAside } from '../../store/sqlite/set-aside.ts';
import { SALT_FILE, tryReadSalt } from '../../engine/redaction-rules.ts';
import { storeFileIn } from '../store-place/data-directory.ts';
import { type StoreUpgrade, upgradeOf } from '../store-place/store-upgrade.ts';
import { AcceptedLosses } from './accepted-losses.ts';
import { findUnknown } from './unknown-content.ts';

export interface Examined {
  readonly journal: ExaminedJournal;
  readonly store: ExaminedStore;
  /** Undefined where there is no store that can be read. */
  readonly upgrade: StoreUpgrade | undefined;
  /** With those that were accepted before. */
  readonly damage: readonly Damage[];
  /** Damage that nobody has decided about yet. */
  readonly undecided: readonly Damage[];
}

export function journalIn(
  directory: string,
): Pick<JournalOptions, 'directory' | 'storeMark'> & { readonly markFile: string } {
  return {
    directory: path.join(directory, 'journal'),
    markFile: path.join(directory, 'journal.high-water'),
    storeMark: () => readStoreMark(storeFileIn(directory)),
  };
}

const PUT_BACK = 'put back the whole folder of one backup';

export async function examine(directory: string, depth: 'quick' | 'whole'): Promise<Examined> {
  const journal = await examineJournal({ ...journalIn(directory), depth });
  const logs = { logBase: journal.base, logWasUsed: journal.base > 0 };
  const store = await withUnknown(directory, examineStore(storeFileIn(directory), { depth, ...logs }));
  const damage = [
    ...store.damage,
    ...journal.damage,
    ...storeAgainst(store, journal),
    ...journalAgainst(store, journal),
    ...saltDamage(directory),
  ];
  const accepted = AcceptedLosses.in(directory);
  const undecided = damage.filter(({ losesData, key }) => losesData && !accepted.has(key));
  const upgrade = upgradeOf(findStore(storeFileIn(directory)), MIGRATIONS);
  return { journal, store, upgrade, damage, undecided };
}

/** Content that nobody knows is not cut, although the store is all that its mark says. */
async function withUnknown(directory: string, store: ExaminedStore): Promise<ExaminedStore> {
  const { unreferenced } = store;
  if (store.position === undefined || store.damage.some(({ kind }) => kind.startsWith('store-'))) return store;
  const places = { storeFile: storeFileIn(directory), journal: journalIn(directory).directory };
  const unknown = await findUnknown(unreferenced, places);
  if (unknown.length === 0) return store;
  return {
    ...store,
    damage: [...store.damage, ...unknown],
    unreferenced: { ...unreferenced, is: 'orphaned' },
  };
}

/** The journal lacks what it has released, so the store beside it must be as new as the one that it was released to. */
function storeAgainst(store: ExaminedStore, journal: ExaminedJournal): readonly Damage[] {
  const { mark, logEnd = 0 } = store;
  if (mark === undefined || store.damage.some(({ kind, losesData }) => losesData && kind.startsWith('store-')))
    return [];
  const of = journal.store;
  if (of === undefined) {
    // A version from before the journal named its store, or power loss took the journal's mark.
    if (logEnd === 0 || journal.base <= logEnd) return [];
    const what = `the store knows the journal up to position ${logEnd}, and the journal begins at ${journal.base}: the store is an older copy, and what was stored in between is lost; ${PUT_BACK}`;
    return [{ kind: 'store-behind', what, losesData: true, key: `store-behind:${journal.base}:${logEnd}` }];
  }
  const key = `${of.id}:${of.commits}:${mark.id}`;
  if (of.id === ANY_STORE.id) return [];
  if (of.id !== mark.id) {
    const what = `the journal belongs to another store than the one beside it: what it has released is not here; ${PUT_BACK}`;
    return [{ kind: 'store-replaced', what, losesData: true, key: `store-replaced:${key}` }];
  }
  if (mark.commits >= of.commits) return [];
  const what = `the store has ${mark.commits} commits, and the journal beside it saw ${of.commits}: the store is an older copy, and what was stored since is lost; ${PUT_BACK}`;
  return [{ kind: 'store-behind', what, losesData: true, key: `store-behind:${key}` }];
}

function journalAgainst(store: ExaminedStore, journal: ExaminedJournal): readonly Damage[] {
  const position = knownEnd(store);
  if (position === 0 || journal.damage.some(({ losesData }) => losesData)) return [];
  if (!journal.isThere) {
    const what = `the journal is missing, and the store knows it up to position ${position}: what was accepted and not stored is lost`;
    return [{ kind: 'journal-missing', what, losesData: true, key: `journal-missing:${position}` }];
  }
  return position <= journal.end ? [] : [journalBehind(position, `ends at position ${journal.end}`)];
}

/** How far the store knows the log. */
function knownEnd({ position = 0, logEnd = 0 }: ExaminedStore): number {
  return Math.max(position, logEnd);
}

function journalBehind(position: number, how: string): Damage {
  const what = `the journal ${how}, and the store knows it up to ${position}: what was accepted and not stored may be lost; ${PUT_BACK}`;
  return { kind: 'journal-behind', what, losesData: true, key: `journal-behind:${position}` };
}

function saltDamage(directory: string): readonly Damage[] {
  const file = path.join(directory, SALT_FILE);
  const mark = readHighWater(saltMarkFile(directory));
  if (mark === undefined) return [];
  if (!existsSync(file)) {
    const what = `${file} is missing: a new one is made, and hashed user ids are others from now on`;
    return [{ kind: 'salt-missing', what, losesData: false, key: 'salt-missing' }];
  }
  if (readFileSync(file, 'utf8').trim() === '') {
    const what = `${file} is empty: put the salt back that was in it, or remove the file to start with a new one`;
    return [{ kind: 'salt-missing', what, losesData: false, key: 'salt-missing' }];
  }
  const salt = tryReadSalt(file);
  if (salt === undefined || JSON.stringify(mark) === JSON.stringify(saltMark(salt))) return [];
  const what = `${file} is not what it was: hashed user ids are others from now on`;
  return [{ kind: 'salt-changed', what, losesData: false, key: 'salt-changed' }];
}

/** Must be called when the salt of this start is known. */
export function noteSalt(directory: string): void {
  const salt = tryReadSalt(path.join(directory, SALT_FILE));
  if (salt === undefined) return;
  const file = new HighWaterFile(saltMarkFile(directory));
  file.write(saltMark(salt));
  file.close();
}

function saltMarkFile(directory: string): string {
  return path.join(directory, `${SALT_FILE}.high-water`);
}

function saltMark(salt: string): { readonly crc: number } {
  return { crc: crc32(salt) };
}

/** Remembers the decision, and sets aside what the start would otherwise destroy. Gives the files that it made. */
export async function settle(directory: string, examined: Examined): Promise<readonly string[]> {
  if (examined.undecided.length > 0) {
    // The store may know of more than is left. That is the same loss, which is not asked about again.
    const isOfJournal = examined.journal.damage.some(({ losesData }) => losesData);
    const more = isOfJournal ? [journalBehind(knownEnd(examined.store), 'has lost a part')] : [];
    AcceptedLosses.in(directory).accept([...examined.undecided, ...more], new Date());
    await acceptAnyStore(journalIn(directory).markFile);
  }
  return setAside(storeFileIn(directory), examined.store, new Date());
}
