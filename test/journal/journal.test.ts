import { openSync, closeSync, readdirSync, readFileSync, statSync, truncateSync, writeSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Journal, type JournalOptions } from '../../src/journal/journal.ts';
import type { JournalEntry } from '../../src/journal/journal-entry.ts';
import { readJournalMark } from '../../src/journal/journal-mark.ts';
import { JournalReader } from '../../src/journal/journal-reader.ts';
import { ALIGNMENT, recordLength } from '../../src/journal/record.ts';
import { SegmentFiles } from '../../src/journal/segment-files.ts';
import type { JournalEvent } from '../../src/model/events/journal-events.ts';
import { randomFrom } from '../random.ts';
import { tempDirectory } from '../temp-directory.ts';

const SEGMENT = 1 << 16;

interface Opened {
  readonly journal: Journal;
  readonly recovered: readonly JournalEntry[];
  readonly live: JournalEntry[];
  readonly events: JournalEvent[];
}

async function openJournal(directory: string, options: Partial<JournalOptions> = {}): Promise<Opened> {
  const live: JournalEntry[] = [];
  const events: JournalEvent[] = [];
  const { journal, recovered } = await Journal.open({
    directory,
    segmentBytes: SEGMENT,
    maxBytes: 100 * SEGMENT,
    floor: { position: 0, logTime: 0 },
    onEvent: (event) => events.push(event),
    ...options,
  });
  journal.deliverTo({ take: (entry) => live.push(entry) });
  onTestFinished(() => journal.stop());
  return { journal, recovered, live, events };
}

function batch(text: string, size = 100) {
  const bytes = Buffer.alloc(size, text);
  return { signal: 'traces' as const, bytes, table: Buffer.from(`table of ${text}`), rows: 1 };
}

function texts(directory: string, entries: readonly JournalEntry[]): string[] {
  const reader = new JournalReader(directory);
  const found = entries.map((entry) => {
    const length = entry.nextPosition - entry.payloadPosition;
    return Buffer.from(reader.read(entry.payloadPosition, Math.min(8, length))).toString();
  });
  reader.close();
  return found;
}

function segments(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.segment'))
    .sort()
    .map((name) => path.join(directory, name));
}

function overwrite(file: string, at: number, bytes: Uint8Array): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, at);
  closeSync(descriptor);
}

test('gives back after a restart what was appended, in order, with table and log time', async () => {
  const directory = tempDirectory();
  const first = await openJournal(directory);
  const results = await Promise.all(
    ['one.....', 'two.....', 'three...'].map((text) => first.journal.append(batch(text))),
  );
  await first.journal.stop();

  const second = await openJournal(directory);

  expect(results).toEqual([{ appended: true }, { appended: true }, { appended: true }]);
  expect(second.recovered).toEqual(first.live);
  expect(texts(directory, second.recovered)).toEqual(['one.....', 'two.....', 'three...']);
});

test('clients that append together share one sync', async () => {
  const { journal, events } = await openJournal(tempDirectory());

  await Promise.all(Array.from({ length: 50 }, (_, index) => journal.append(batch(String(index)))));

  const groups = events.filter((event) => event.type === 'journal-synced');
  expect(groups.map(({ records }) => records)).toEqual([50]);
});

test('cuts a torn record at the end and appends in its place', async () => {
  const directory = tempDirectory();
  const first = await openJournal(directory);
  await first.journal.append(batch('kept....'));
  await first.journal.append(batch('torn....'));
  const last = first.live[1];
  await first.journal.stop();
  const file = segments(directory)[0] ?? '';
  overwrite(file, (last?.payloadPosition ?? 0) + 50, Buffer.from('x'));

  const second = await openJournal(directory);
  await second.journal.append(batch('after...'));
  await second.journal.stop();
  const third = await openJournal(directory);

  expect(texts(directory, second.recovered)).toEqual(['kept....']);
  expect(second.events.some(({ type }) => type === 'journal-corrupt')).toBe(false);
  expect(texts(directory, third.recovered)).toEqual(['kept....', 'after...']);
});

test('sets a corrupt middle aside, reports it once, and keeps what lies behind it', async () => {
  const directory = tempDirectory();
  const first = await openJournal(directory);
  for (const text of ['one.....', 'two.....', 'three...']) await first.journal.append(batch(text));
  await first.journal.stop();
  const middle = first.live[1];
  overwrite(segments(directory)[0] ?? '', (middle?.payloadPosition ?? 0) + 10, Buffer.from('x'));

  const second = await openJournal(directory);
  await second.journal.stop();
  const third = await openJournal(directory);

  expect(texts(directory, second.recovered)).toEqual(['one.....', 'three...']);
  const reports = second.events.filter((event) => event.type === 'journal-corrupt');
  expect(reports).toHaveLength(1);
  expect(readFileSync(reports[0]?.quarantinedAt ?? '').includes('two')).toBe(true);
  expect(texts(directory, third.recovered)).toEqual(['one.....', 'three...']);
  expect(third.events.some(({ type }) => type === 'journal-corrupt')).toBe(false);
});

test.each([
  ['its first bytes', 0],
  ['its salt', 8],
])('a segment with a damaged head (%s) is read by its records, reported once, and written to again', async (_, at) => {
  const directory = tempDirectory();
  const first = await openJournal(directory);
  for (const text of ['one.....', 'two.....']) await first.journal.append(batch(text));
  await first.journal.stop();
  overwrite(segments(directory)[0] ?? '', at, Buffer.alloc(8, 0xff));

  const second = await openJournal(directory);
  await second.journal.append(batch('new.....'));
  await second.journal.stop();
  const third = await openJournal(directory);

  expect(texts(directory, second.recovered)).toEqual(['one.....', 'two.....']);
  expect(second.events.filter(({ type }) => type === 'journal-corrupt')).toHaveLength(1);
  expect(texts(directory, third.recovered)).toEqual(['one.....', 'two.....', 'new.....']);
  expect(third.events.some(({ type }) => type === 'journal-corrupt')).toBe(false);
});

test('a segment without a readable record is set aside whole, and positions go on behind it', async () => {
  const directory = tempDirectory();
  const first = await openJournal(directory);
  await first.journal.append(batch('lost....'));
  await first.journal.stop();
  overwrite(segments(directory)[0] ?? '', 0, Buffer.alloc(SEGMENT, 0xff));

  const second = await openJournal(directory);
  await second.journal.append(batch('new.....'));

  expect(second.recovered).toEqual([]);
  expect(second.events.some(({ type }) => type === 'journal-corrupt')).toBe(true);
  expect(second.live[0]?.position).toBeGreaterThan(first.live[0]?.position ?? 0);
});

test('a last record that was synced and is damaged is corrupt, not torn: it is set aside and reported', async () => {
  const directory = tempDirectory();
  const markFile = path.join(tempDirectory(), 'journal.high-water');
  const first = await openJournal(directory, { markFile });
  for (const text of ['one.....', 'two.....']) await first.journal.append(batch(text));
  await first.journal.stop();
  overwrite(segments(directory)[0] ?? '', (first.live[1]?.payloadPosition ?? 0) + 10, Buffer.from('x'));

  const second = await openJournal(directory, { markFile });
  await second.journal.append(batch('three...'));
  await second.journal.stop();
  const third = await openJournal(directory, { markFile });

  const [report] = second.events.filter((event) => event.type === 'journal-corrupt');
  expect(readFileSync(report?.quarantinedAt ?? '').includes('two')).toBe(true);
  expect(texts(directory, third.recovered)).toEqual(['one.....', 'three...']);
  expect(third.events.some(({ type }) => type === 'journal-corrupt')).toBe(false);
});

test('a segment that was cut keeps what is left, is reported once, and is not written to any more', async () => {
  const directory = tempDirectory();
  const first = await openJournal(directory);
  for (const text of ['one.....', 'two.....', 'three...']) await first.journal.append(batch(text));
  await first.journal.stop();
  truncateSync(segments(directory)[0] ?? '', first.live[2]?.position ?? 0);

  const second = await openJournal(directory);
  await second.journal.append(batch('four....'));
  await second.journal.stop();
  const third = await openJournal(directory);

  expect(second.events.filter(({ type }) => type === 'journal-segment-short')).toHaveLength(1);
  expect(second.live[0]?.position).toBeGreaterThan(SEGMENT);
  expect(texts(directory, third.recovered)).toEqual(['one.....', 'two.....', 'four....']);
  expect(third.events.some(({ type }) => type === 'journal-segment-short')).toBe(false);
});

test('the mark never names a segment that is gone, and names the end of what was synced', async () => {
  const directory = tempDirectory();
  const markFile = path.join(tempDirectory(), 'journal.high-water');
  const { journal, live } = await openJournal(directory, { markFile });
  for (let index = 0; index < 12; index += 1) await journal.append(batch('large...', SEGMENT / 3));
  for (const { position, rows } of live.slice(0, 6)) journal.release(position, rows);
  await journal.stop();

  const mark = readJournalMark(markFile);
  const bases = segments(directory).map((file) => Number(path.basename(file, '.segment')));
  expect(mark?.end).toBe(live.at(-1)?.nextPosition);
  expect(mark?.segments.length).toBeGreaterThan(1);
  expect(bases).toEqual(expect.arrayContaining((mark?.segments ?? []).map(({ base }) => base)));
  expect(mark?.segments.at(-1)).toMatchObject({ last: live.at(-1)?.position, end: live.at(-1)?.nextPosition });
});

test('whatever byte the log ends at, every whole record before it is recovered and none after it', async () => {
  const directory = tempDirectory();
  const first = await openJournal(directory);
  for (const text of ['a', 'b', 'c']) await first.journal.append(batch(text.repeat(8), 40));
  await first.journal.stop();
  const file = segments(directory)[0] ?? '';
  const whole = readFileSync(file);
  const ends = first.live.map(({ nextPosition }) => nextPosition);
  const end = ends.at(-1) ?? 0;

  for (let cut = ALIGNMENT; cut <= end; cut += 7) {
    const torn = Buffer.from(whole);
    torn.fill(0, cut);
    overwrite(file, 0, torn);
    const { recovered, journal } = await openJournal(directory);
    await journal.stop();
    // A record's padding may be missing, because it has no content.
    const expected = first.live.filter((entry) => entry.payloadPosition + 40 <= cut).length;
    expect(recovered.length, `cut at ${cut}`).toBe(expected);
  }
});

test('recycles a segment once all its rows are released, and never the one that is written to', async () => {
  const directory = tempDirectory();
  const { journal, live } = await openJournal(directory);
  for (let index = 0; index < 40; index += 1) await journal.append(batch('x', 8000));
  const before = journal.segmentCount;

  for (const entry of live) journal.release(entry.position, entry.rows);

  expect(before).toBeGreaterThan(3);
  expect(journal.segmentCount).toBe(1);
  await journal.append(batch('more'));
  expect(journal.segmentCount).toBe(1);
});

test('segments of a burst are kept for the next one, and go when they were not needed for ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const directory = path.join(tempDirectory(), 'journal');
  const files = await SegmentFiles.at(directory, 1 << 16);
  onTestFinished(() => files.stop());
  const spares = () => readdirSync(directory).filter((name) => name.startsWith('spare-')).length;
  let base = 0;
  const use = async (count: number) => {
    const bases = Array.from({ length: count }, () => (base += 1 << 16));
    for (const at of bases) await (await files.create(at, { capacityMin: 0, logTime: 0 })).file.close();
    return bases;
  };
  const giveBack = async (bases: readonly number[]) => {
    for (const at of bases) await files.recycle(at, { capacity: 1 << 16, isFull: true });
  };

  await giveBack(await use(12));
  expect(spares()).toBe(8);

  const later = async (left: number) => {
    await vi.advanceTimersByTimeAsync(600_000);
    await vi.waitFor(() => expect(spares()).toBe(left), { interval: 1 });
  };
  // There were three when it began to count.
  await later(7);
  // Four of seven are needed: one of the other three goes.
  await giveBack(await use(4));
  await later(6);
  await later(2);
  await vi.advanceTimersByTimeAsync(6_000_000);
  expect(spares()).toBe(2);

  const together = await use(20);
  await Promise.all(together.map((at) => giveBack([at])));
  expect(spares()).toBe(8);
  await files.stop();
  expect(vi.getTimerCount()).toBe(0);
});

test('records left in a recycled segment are not taken for new ones', async () => {
  const directory = tempDirectory();
  const first = await openJournal(directory);
  for (let index = 0; index < 30; index += 1) await first.journal.append(batch('old.....', 8000));
  for (const entry of first.live) first.journal.release(entry.position, entry.rows);
  const known = first.live.length;
  for (let index = 0; index < 8; index += 1) await first.journal.append(batch('new.....', 8000));
  await first.journal.stop();

  const second = await openJournal(directory);

  const kept = texts(directory, second.recovered);
  expect(kept.filter((text) => text === 'new.....')).toHaveLength(8);
  expect(second.recovered.every(({ position }) => first.live.some((entry) => entry.position === position))).toBe(true);
  expect(first.live).toHaveLength(known + 8);
});

test('refuses at its limit, keeps what it has, and takes new data after a release', async () => {
  const { journal, live } = await openJournal(tempDirectory(), { maxBytes: 3 * SEGMENT });
  const results = [];
  for (let index = 0; index < 30; index += 1) results.push(await journal.append(batch('x', 8000)));
  const accepted = results.filter(({ appended }) => appended).length;

  const held = live.length;
  for (const entry of [...live]) journal.release(entry.position, entry.rows);
  const after = await journal.append(batch('y', 8000));

  expect(held).toBe(accepted);
  expect(accepted).toBe(
    3 * Math.floor((SEGMENT - 2 * ALIGNMENT) / recordLength({ tableLength: 10, payloadLength: 8000 })),
  );
  expect(results.at(-1)).toMatchObject({ appended: false, because: 'journal-full' });
  expect(after).toEqual({ appended: true });
});

test('a record larger than a segment gets a segment of its own', async () => {
  const directory = tempDirectory();
  const first = await openJournal(directory);
  await first.journal.append(batch('small...'));
  await first.journal.append(batch('large...', 5 * SEGMENT));
  await first.journal.append(batch('small2..'));
  await first.journal.stop();

  const second = await openJournal(directory);

  expect(texts(directory, second.recovered)).toEqual(['small...', 'large...', 'small2..']);
});

test('log time never goes back, and stands still while the journal is closed', async () => {
  const directory = tempDirectory();
  const first = await openJournal(directory);
  await first.journal.append(batch('one'));
  const before = first.journal.time;
  await first.journal.stop();

  const second = await openJournal(directory, { floor: { position: 0, logTime: before + 5000 } });
  await second.journal.append(batch('two'));

  expect(second.live[0]?.logTime).toBeGreaterThanOrEqual(before + 5000);
  expect(second.live[0]?.logTime).toBeLessThan(before + 65_000);
});

test('positions stay above what the store has seen, even where the journal was lost', async () => {
  const { journal, live } = await openJournal(tempDirectory(), { floor: { position: 12_345_678, logTime: 1 } });

  await journal.append(batch('one'));

  expect(live[0]?.position).toBeGreaterThan(12_345_678);
});

test('random appends, releases, damage at the end and restarts never lose an acknowledged record', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  const directory = tempDirectory();
  const acknowledged = new Map<number, string>();
  let counter = 0;
  for (let round = 0; round < 12; round += 1) {
    const { journal, recovered, live } = await openJournal(directory);
    const found = new Map(recovered.map((entry, index) => [entry.position, texts(directory, recovered)[index]]));
    for (const [position, text] of acknowledged) expect(found.get(position), `seed ${seed}`).toBe(text);
    const entries = [...recovered, ...live];
    for (let index = 0; index < 10; index += 1) {
      counter += 1;
      const text = String(counter).padStart(8, '0');
      const from = live.length;
      await journal.append(batch(text, 8 * (1 + Math.floor(random() * 2000))));
      const entry = live[from];
      if (entry !== undefined) {
        acknowledged.set(entry.position, text);
        entries.push(entry);
      }
    }
    for (const entry of entries) {
      if (random() > 0.5 || !acknowledged.has(entry.position)) continue;
      acknowledged.delete(entry.position);
      journal.release(entry.position, entry.rows);
    }
    await journal.stop();
    // A crash in the middle of the next write leaves this behind the last record.
    const file = segments(directory).at(-1) ?? '';
    const last = [...entries].sort((a, b) => a.position - b.position).at(-1);
    const base = Number(path.basename(file, '.segment'));
    const at = (last?.nextPosition ?? base + ALIGNMENT) - base;
    if (at > 0 && at < statSync(file).size - 64) overwrite(file, at, Buffer.alloc(64, Math.floor(random() * 256)));
    // A restart delivers released rows again if their segment is still held.
    for (const entry of entries) if (!acknowledged.has(entry.position)) acknowledged.delete(entry.position);
  }
});

test('after a refusal the journal finds out by itself that it can be written again, and says so once', async () => {
  const { journal, live, events } = await openJournal(tempDirectory(), { maxBytes: 2 * SEGMENT });
  const large = () => journal.append(batch('large...', SEGMENT / 2));
  expect([await large(), await large(), await large()]).toMatchObject([
    { appended: true },
    { appended: true },
    { appended: false, because: 'journal-full' },
  ]);
  const retried = async () => {
    journal.retry();
    // The retry holds the writer, so that this waits for it.
    await journal.append(batch('x'));
    return events.filter(({ type }) => type === 'journal-writable').length;
  };

  journal.retry();
  await new Promise(setImmediate);
  expect(events.some(({ type }) => type === 'journal-writable')).toBe(false);
  for (const { position, rows } of live.splice(0)) journal.release(position, rows);

  expect(await retried()).toBe(1);
  expect(await retried()).toBe(1);
});
