/**
 * Two backups of one service at two times, and every mixture of their parts, each part from the first, from the second or
 * missing. A mixture that has what neither backup has is found: a start asks.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { examine, settle } from '../../../src/serve/one-machine/examination.ts';
import { runService } from '../running-service.ts';
import { sendSpans, untilStored, writeSmallSegments } from './damaged-folder.ts';
import { forFile } from '../../for-file.ts';
import { randomFrom } from '../../random.ts';
import { rounds } from '../../rounds.ts';

const parent = mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'assay-mixed-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** `assay.db-shm` goes with the WAL: SQLite makes it again. The rest of a folder has no conversations. */
const PARTS = {
  database: ['assay.db'],
  wal: ['assay.db-wal', 'assay.db-shm'],
  mark: ['assay.high-water'],
  content: ['content'],
  journal: ['journal'],
  journalMark: ['journal.high-water'],
} as const;
type Part = keyof typeof PARTS;
const NAMES = ['database', 'wal', 'mark', 'content', 'journal', 'journalMark'] as const satisfies readonly Part[];
const SOURCES = ['first', 'second', 'missing'] as const;
type Source = (typeof SOURCES)[number];
type Mixture = Readonly<Record<Part, Source>>;

const MIXTURES = NAMES.reduce<readonly Partial<Mixture>[]>(
  (all, part) => all.flatMap((mixture) => SOURCES.map((source) => ({ ...mixture, [part]: source }))),
  [{}],
) as readonly Mixture[];

/**
 * Silence is right where the mixture has what one of the backups has. The database of a later backup may be what the
 * first one's comes to with its WAL. Marks may be behind or gone, as after power loss; the content may not be newer.
 */
function isWhole(mixture: Mixture, states: ReadonlyMap<string, string>): boolean {
  return (['first', 'second'] as const).some(
    (one) =>
      mixture.content === one &&
      mixture.journal === one &&
      states.get(pairOf(mixture)) === states.get(pairOf({ database: one, wal: one })),
  );
}

/** No database, no WAL, and nothing that knew of one; a database without its WAL may have no row yet. */
function isNew(
  { mark, content, journal, journalMark, ...pair }: Mixture,
  states: ReadonlyMap<string, string>,
): boolean {
  const isAlone = [mark, content, journal, journalMark].every((source) => source === 'missing');
  return isAlone && states.get(pairOf(pair)) === NO_ROWS;
}

const NO_ROWS = 'no rows';

function pairOf({ database, wal }: Pick<Mixture, 'database' | 'wal'>): string {
  return `${database} ${wal}`;
}

/** All that a database says, with its WAL. */
function stateOf(folder: string): string {
  const database = new DatabaseSync(path.join(folder, 'assay.db'));
  try {
    const rows = (table: string) => database.prepare(`SELECT * FROM ${table}`).all();
    const all = ['conversations', 'traces', 'truths', 'content_files'].map(rows);
    if (all.every(({ length }) => length === 0)) return NO_ROWS;
    return createHash('sha256').update(JSON.stringify(all)).digest('hex');
  } catch (error) {
    return String(error).includes('no such table') ? NO_ROWS : String(error);
  } finally {
    database.close();
  }
}

function mix(backups: Backups, mixture: Partial<Mixture>, folder: string): void {
  mkdirSync(folder);
  for (const part of NAMES) {
    const source = mixture[part];
    if (source === undefined || source === 'missing') continue;
    for (const name of PARTS[part]) {
      const from = path.join(backups[source], name);
      if (existsSync(from)) cpSync(from, path.join(folder, name), { recursive: true });
    }
  }
}

function statesOf(backups: Backups): ReadonlyMap<string, string> {
  const states = new Map<string, string>();
  const folder = path.join(parent, 'pair');
  for (const database of SOURCES)
    for (const wal of SOURCES) {
      mix(backups, { database, wal }, folder);
      const state = database === 'missing' ? (wal === 'missing' ? NO_ROWS : 'a WAL alone') : stateOf(folder);
      states.set(pairOf({ database, wal }), state);
      rmSync(folder, { recursive: true });
    }
  return states;
}

type Backups = Readonly<Record<'first' | 'second', string>>;

async function makeBackups(kind: 'running' | 'stopped'): Promise<Backups> {
  const made = mkdtempSync(path.join(parent, `${kind}-`));
  const dataDir = path.join(made, 'data');
  mkdirSync(dataDir);
  writeSmallSegments(dataDir);
  const backup = async (name: 'first' | 'second', from: number) => {
    const running = await runService({ suites: ['default'], dataDir });
    await sendSpans(running, { first: from, turns: 100 });
    await untilStored(running, 100);
    // Segments go, and marks are written, a little later.
    await sleep(1_500);
    if (kind === 'stopped') await running.service.stop();
    const folder = path.join(made, name);
    cpSync(dataDir, folder, { recursive: true });
    await running.service.stop();
    return folder;
  };
  const first = await backup('first', 1);
  return { first, second: await backup('second', 1_000) };
}

const BACKUPS = { running: forFile(() => makeBackups('running')), stopped: forFile(() => makeBackups('stopped')) };
/** Per cent. */
const SHARE = rounds(100, 20);

/** With or without its marks. */
function isBackup({ mark, journalMark, ...parts }: Mixture): boolean {
  const of = new Set(Object.values(parts));
  return of.size === 1 && !of.has('missing') && [mark, journalMark].every((one) => one === 'missing' || of.has(one));
}

test.each(['running', 'stopped'] as const)(
  'no mixture of two backups of a %s service passes for whole',
  {
    timeout: 300_000,
  },
  async (kind) => {
    const backups = BACKUPS[kind]();
    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
    const random = randomFrom(seed);
    const states = statesOf(backups);
    const surprises: string[] = [];
    let silent = 0;
    for (const mixture of MIXTURES) {
      // Some of the mixtures in each run.
      if (!isBackup(mixture) && random() * 100 > SHARE) continue;
      const folder = path.join(parent, `${kind}-mixed`);
      mix(backups, mixture, folder);
      const { undecided } = await examine(folder, 'quick');
      rmSync(folder, { recursive: true });
      if (undecided.length > 0) continue;
      silent += 1;
      // A WAL without frames says nothing, and SQLite removes it.
      const isEmpty =
        kind === 'stopped' && mixture.database === 'missing' && isNew({ ...mixture, wal: 'missing' }, states);
      if (!isWhole(mixture, states) && !isNew(mixture, states) && !isEmpty) surprises.push(JSON.stringify(mixture));
    }
    expect(surprises, `seed ${seed}`).toEqual([]);
    // Both backups themselves, with and without their marks.
    expect(silent).toBeGreaterThanOrEqual(8);
  },
);

test.each([
  ['an older store beside a newer journal', { database: 'first', wal: 'first', mark: 'first', content: 'first' }],
  ['the same without the mark of the store', { database: 'first', wal: 'first', mark: 'missing', content: 'first' }],
] as const)('%s asks, and says what to do', { timeout: 60_000 }, async (_, older) => {
  const backups = BACKUPS.running();
  const folder = path.join(parent, 'older');
  mix(backups, { ...older, journal: 'second', journalMark: 'second' }, folder);

  const first = await examine(folder, 'whole');
  await settle(folder, first);
  const second = await examine(folder, 'quick');
  rmSync(folder, { recursive: true });

  expect(first.undecided).toMatchObject([
    { kind: 'store-behind', what: expect.stringMatching(/older copy.*put back the whole folder of one backup/) },
  ]);
  expect(second.undecided).toEqual([]);
});
