/**
 * Content that no row refers to, and content files of another store: a start cuts what a crash left, because the journal
 * has it as well, and nothing else.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { understandRequest } from '../../../src/receive/understand-request.ts';
import { examine } from '../../../src/serve/one-machine/examination.ts';
import { ContentFiles } from '../../../src/store/sqlite/content-files.ts';
import { exportRequest } from '../../simulation/traffic.ts';
import { ALL, BATCH, makeFolders, SCORED, spanOf, startOn } from './damaged-folder.ts';

const parent = mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'assay-unknown-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** Made by the first test that needs them: a service belongs to a test. */
let made: ReturnType<typeof makeFolders> | undefined;
function folders(): ReturnType<typeof makeFolders> {
  made ??= makeFolders(parent);
  return made;
}

function copyOf(folder: string): string {
  const copy = path.join(mkdtempSync(path.join(parent, 'copy-')), 'data');
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** As a transaction does before its commit. Gives the number of the file. */
function appendTurns(content: string, numbers: readonly number[], last: { file: number; end: number }): void {
  const files = new ContentFiles(content, { durable: false, last });
  for (const number of numbers) {
    const bytes = Buffer.from(exportRequest([spanOf(number)], 'v1'));
    const understood = understandRequest({ signal: 'traces', format: 'json', bytes }, undefined);
    if ('malformed' in understood) throw new Error(understood.malformed);
    files.append(understood.batch.bytes);
  }
  files.flush();
  files.close();
}

/** The end of what rows refer to. The folder's database is left as it was. */
function lastOf(folder: string): { file: number; end: number } {
  const database = new DatabaseSync(path.join(copyOf(folder), 'assay.db'));
  const row = database.prepare('SELECT file, end_offset FROM content_files ORDER BY file DESC LIMIT 1').get();
  database.close();
  return { file: Number(row?.file), end: Number(row?.end_offset) };
}

function setAside(folder: string): readonly string[] {
  const quarantine = path.join(folder, 'content', 'quarantine');
  if (!existsSync(quarantine)) return [];
  return readdirSync(quarantine, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

const range = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

test.each([
  ['behind what rows refer to', 'tail'],
  ['in a new file', 'file'],
] as const)('content of a transaction that was not committed is cut without a word, %s', async (_, where) => {
  const folder = copyOf((await folders()).base);
  const last = lastOf(folder);
  const place = where === 'tail' ? last : { file: last.file + 1, end: 0 };
  const content = path.join(folder, 'content');
  appendTurns(content, range(SCORED + 1, BATCH), place);

  const outcome = await startOn(folder);

  expect(outcome).toEqual({ reported: [], asks: false, remaining: ALL, recoverable: ALL, reportedAgain: [] });
  expect(setAside(folder)).toEqual([]);
  expect(readdirSync(content)).toEqual(['00000000.content']);
});

test('content of the store as it was written for a part of a trace is in a row and in the journal, and is cut', async () => {
  const folder = copyOf((await folders()).base);
  // A copy forward that was not committed: rows refer to the same spans at another place.
  appendTurns(path.join(folder, 'content'), range(1, BATCH), lastOf(folder));

  expect(await startOn(folder)).toMatchObject({ reported: [], asks: false, remaining: ALL });
  expect(setAside(folder)).toEqual([]);
});

test('content that neither the store nor the journal has is asked about, set aside and read back', async () => {
  const folder = copyOf((await folders()).base);
  appendTurns(path.join(folder, 'content'), range(ALL + 1, BATCH), lastOf(folder));
  const { damage } = await examine(folder, 'whole');

  const outcome = await startOn(folder);

  expect(damage).toMatchObject([
    {
      kind: 'content-unknown',
      losesData: true,
      what: expect.stringContaining(`with ${BATCH} turns, of which ${BATCH} are`),
    },
  ]);
  expect(outcome).toEqual({
    reported: ['content-unknown'],
    asks: true,
    remaining: ALL,
    recoverable: ALL + BATCH,
    reportedAgain: [],
  });
});

test('an older copy of all but the content is seen by it, and the newer content is kept', async () => {
  const folder = copyOf((await folders()).older);
  rmSync(path.join(folder, 'content'), { recursive: true });
  cpSync(path.join((await folders()).base, 'content'), path.join(folder, 'content'), { recursive: true });

  const outcome = await startOn(folder);

  expect(outcome).toMatchObject({ reported: ['content-unknown'], asks: true, reportedAgain: [] });
  expect(outcome.remaining).toBeLessThan(SCORED);
  expect(outcome.recoverable).toBe(SCORED);
});

test('a content file that the store does not know is set aside and reported, although its turns are all stored', async () => {
  const folder = copyOf((await folders()).base);
  const content = path.join(folder, 'content');
  cpSync(path.join(content, '00000000.content'), path.join(content, '00000001.content'));
  const before = readFileSync(path.join(content, '00000001.content'));
  const { damage, undecided } = await examine(folder, 'whole');

  const outcome = await startOn(folder);

  expect([damage.map(({ kind }) => kind), undecided]).toEqual([['content-unknown'], []]);
  expect(outcome).toMatchObject({ reported: ['content-unknown'], asks: false, remaining: ALL, reportedAgain: [] });
  expect(setAside(folder)).toEqual(['00000001.content']);
  const [aside = ''] = readdirSync(path.join(content, 'quarantine'));
  expect(readFileSync(path.join(content, 'quarantine', aside, '00000001.content')).equals(before)).toBe(true);
});

test('a content file of another store is asked about, set aside whole, and not read back', async () => {
  const folder = copyOf((await folders()).base);
  const content = path.join(folder, 'content');
  const { end } = lastOf(folder);
  rmSync(path.join(content, '00000000.content'));
  appendTurns(content, range(10_000, SCORED * 2), { file: 0, end: 0 });
  const foreign = readFileSync(path.join(content, '00000000.content'));
  expect(foreign.length).toBeGreaterThan(end);
  const { undecided } = await examine(folder, 'quick');

  const outcome = await startOn(folder);

  expect(undecided).toMatchObject([{ kind: 'content-replaced', what: expect.stringContaining("not this store's") }]);
  expect(outcome).toMatchObject({ reported: ['content-replaced', 'content-damaged'], asks: true, reportedAgain: [] });
  // The journal has those that were accepted, and the last that were stored.
  expect(outcome.remaining).toBeGreaterThanOrEqual(ALL - SCORED);
  expect(outcome.recoverable).toBe(outcome.remaining);
  expect(setAside(folder)).toEqual(['00000000.content.foreign']);
  const [aside = ''] = readdirSync(path.join(content, 'quarantine'));
  expect(readFileSync(path.join(content, 'quarantine', aside, '00000000.content.foreign')).equals(foreign)).toBe(true);
});
