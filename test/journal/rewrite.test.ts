import { cpSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { examineJournal } from '../../src/journal/examine-journal.ts';
import { Journal } from '../../src/journal/journal.ts';
import type { JournalEntry } from '../../src/journal/journal-entry.ts';
import { JournalReader } from '../../src/journal/journal-reader.ts';
import { randomFrom } from '../random.ts';
import { tempDirectory } from '../temp-directory.ts';

const SEGMENT = 1 << 16;

async function open(folder: string) {
  const directory = path.join(folder, 'journal');
  const markFile = path.join(folder, 'journal.high-water');
  const live: JournalEntry[] = [];
  const { journal, recovered } = await Journal.open({
    directory,
    markFile,
    segmentBytes: SEGMENT,
    maxBytes: 100 * SEGMENT,
    floor: { position: 0, logTime: 0 },
    onEvent: () => {},
  });
  journal.deliverTo({ take: (entry) => live.push(entry) });
  onTestFinished(() => journal.stop());
  return { directory, markFile, journal, recovered, live };
}

function batch(text: string, size = 5000) {
  return {
    signal: 'traces' as const,
    bytes: Buffer.alloc(size, text),
    table: Buffer.from(`table of ${text}`),
    rows: 1,
  };
}

function filesWith(directory: string, text: string): readonly string[] {
  return readdirSync(directory).filter((name) => readFileSync(path.join(directory, name)).includes(text));
}

const blank = (text: string) => (record: { readonly payload: Uint8Array; readonly table: Uint8Array }) => {
  if (!Buffer.from(record.payload).includes(text)) return 'keep' as const;
  record.payload.fill(0);
  record.table.fill(0x2d);
  return 'changed' as const;
};

test('changes records in full segments and in the one that is written to; the others stay where they are', async () => {
  const folder = tempDirectory();
  const { journal, live, directory, markFile } = await open(folder);
  for (let index = 0; index < 30; index += 1)
    await journal.append(batch(index % 3 === 0 ? 'secret' : `kept-${index}.`));

  // Batches that come meanwhile are written between two segments.
  const [, appended] = await Promise.all([journal.rewrite(blank('secret')), journal.append(batch('meanwhile'))]);

  expect(appended).toEqual({ appended: true });
  expect(filesWith(directory, 'secret')).toEqual([]);
  await journal.append(batch('afterwards'));
  await journal.stop();
  const examined = await examineJournal({ directory, markFile, depth: 'whole' });
  expect([examined.damage, examined.corruptBytes]).toEqual([[], 0]);
  const again = await open(folder);
  expect(again.recovered.map(({ position, rows }) => [position, rows])).toEqual(
    live.map(({ position, rows }) => [position, rows]),
  );
  const reader = new JournalReader(directory);
  onTestFinished(() => reader.close());
  for (const [index, { payloadPosition }] of live.entries()) {
    if (index >= 30 || index % 3 === 0) continue;
    expect(Buffer.from(reader.read(payloadPosition, 8)).toString()).toBe(`kept-${index}.kept-${index}.`.slice(0, 8));
  }
});

test('what lies behind the records of a recycled segment goes, and so do spares', async () => {
  const folder = tempDirectory();
  const { journal, live, directory } = await open(folder);
  for (let index = 0; index < 40; index += 1) await journal.append(batch('secret'));
  for (const { position, rows } of live) journal.release(position, rows);
  for (let index = 0; index < 15; index += 1) await journal.append(batch('kept'));
  expect(filesWith(directory, 'secret').length).toBeGreaterThan(1);

  // Nothing says so of those that were released and not recycled yet.
  await journal.rewrite(blank('secret'));

  expect(filesWith(directory, 'secret')).toEqual([]);
  expect(filesWith(directory, 'kept').length).toBeGreaterThan(0);
});

test('a record of which nothing is needed becomes a hole, which no start takes for damage', async () => {
  const folder = tempDirectory();
  const { journal, directory, markFile } = await open(folder);
  for (const text of ['secret', 'kept', 'secret']) await journal.append(batch(text));
  await journal.rewrite(({ payload }) => (Buffer.from(payload).includes('secret') ? 'cover' : 'keep'));
  await journal.stop();

  const examined = await examineJournal({ directory, markFile, depth: 'whole' });
  const again = await open(folder);

  expect(filesWith(directory, 'secret')).toEqual([]);
  expect([examined.damage, examined.corruptBytes]).toEqual([[], 0]);
  expect(again.recovered).toHaveLength(1);
  expect(await again.journal.append(batch('more'))).toEqual({ appended: true });
});

test('a copy of the folder at any moment of a rewriting holds all records, and may be rewritten again', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  const folder = tempDirectory();
  const { journal } = await open(folder);
  for (let index = 0; index < 40; index += 1)
    await journal.append(batch(random() < 0.3 ? 'secret' : 'kept', 100 + Math.floor(random() * 9000)));
  const copies: string[] = [];
  const copy = () => {
    const to = tempDirectory();
    cpSync(folder, to, { recursive: true });
    copies.push(to);
  };
  await journal.rewrite((record) => {
    const done = blank('secret')(record);
    if (random() < 0.3) copy();
    return done;
  });
  copy();
  await journal.stop();

  for (const killed of copies) {
    const again = await open(killed);
    expect(again.recovered, `seed ${seed}`).toHaveLength(40);
    await again.journal.rewrite(blank('secret'));
    await again.journal.stop();
    expect(filesWith(again.directory, 'secret'), `seed ${seed}`).toEqual([]);
    expect((await open(killed)).recovered, `seed ${seed}`).toHaveLength(40);
  }
  expect(copies.length).toBeGreaterThan(1);
});

test('retires a segment that was begun before a time, so that released records go although nothing follows', async () => {
  const folder = tempDirectory();
  const { journal, live, directory } = await open(folder);
  for (const text of ['secret', 'secret']) await journal.append(batch(text));
  for (const { position, rows } of live.slice(0, 1)) journal.release(position, rows);

  await journal.retire(0);
  expect(journal.segmentCount).toBe(1);
  await journal.retire(Date.now() + 1000);
  expect([journal.segmentCount, filesWith(directory, 'secret').length]).toEqual([2, 1]);
  for (const { position, rows } of live.slice(1)) journal.release(position, rows);
  // It has nothing in it, and is not retired again and again.
  await journal.retire(Date.now() + 1000);
  // Behind what was recycled before.
  await journal.rewrite(() => 'keep');

  expect([journal.segmentCount, filesWith(directory, 'secret')]).toEqual([1, []]);
  await journal.append(batch('kept'));
  await journal.stop();
  expect((await open(folder)).recovered).toHaveLength(1);
});
