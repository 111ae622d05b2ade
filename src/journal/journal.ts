/**
 * The journal: what has been accepted and not yet been stored. A batch is acknowledged once it is here and synced.
 *
 * One writer takes whatever waits, writes it as one group and syncs once, so that many clients share a sync. Entries come
 * in the order of the log: those found when the journal is opened are handed back, then each goes to the reader as it
 * becomes durable.
 * The reader releases the rows of an entry when it no longer needs their bytes; a segment without a needed row is
 * recycled.
 *
 * States of a batch, and what a crash does there:
 *   waiting     in memory, not acknowledged   a crash loses it; the client sends it again
 *   written     in the page cache             a crash leaves it whole, torn or absent; not acknowledged, sent again;
 *                                             a torn record fails its checksum and is cut
 *   synced      on disk, given to the reader  a crash before the acknowledgement makes the client send it again, and
 *                                             the duplicate is dropped by span id
 *   released    stored elsewhere              nothing to lose
 *
 * Overflow policy: `reject`. At `maxBytes`, or when the disk is full, nothing new is accepted until segments have been
 * released or space has come back; what has been accepted stays.
 */
import { open } from 'node:fs/promises';
import type { JournalEvent } from '../model/events/journal-events.ts';
import { HighWaterFile } from '../model/high-water-file.ts';
import { UNKNOWN_SENDER } from '../model/sender.ts';
import type { JournalEntry } from './journal-entry.ts';
import { type JournalMark, JournalMarkWriter, type MarkedStore, readJournalMark } from './journal-mark.ts';
import { LogClock } from './log-clock.ts';
import { ALIGNMENT, bodyChecksum, RECORD_HEAD_BYTES, recordLength, writeRecordHead } from './record.ts';
import { type Refusal, refusalFrom } from './refusal.ts';
import { type Recovered, recover, type Segment } from './recovery.ts';
import { type EditRecord, rewriteSegment } from './rewrite-segment.ts';
import { type OpenSegment, SegmentFiles, segmentPath } from './segment-files.ts';
import { sealSegment, writeAll } from './segment-writes.ts';

type JournalBatch = Pick<JournalEntry, 'signal' | 'rows' | 'table' | 'sender'> & { readonly bytes: Uint8Array };

type Appended =
  | { readonly appended: true }
  | {
      readonly appended: false;
      readonly because: 'journal-full' | 'disk-full' | 'disk-error' | 'stopping';
      readonly detail: string;
    };

export interface JournalOptions {
  readonly directory: string;
  readonly segmentBytes: number;
  readonly maxBytes: number;
  /** File of its high-water mark (`journal-mark.ts`). Without one, an end that is missing cannot be told from a torn one. */
  readonly markFile?: string | undefined;
  /** Mark of the store that takes released rows, as it is on disk now. It reveals an older copy of the store. */
  readonly storeMark?: (() => MarkedStore | undefined) | undefined;
  /**
   * Floor that the store already knows: positions and times of the log never fall below it, even if the journal's
   * folder was lost. (A span at a position that the store has passed would be taken for one that is stored already.)
   */
  readonly floor: { readonly position: number; readonly logTime: number };
  readonly onEvent: (event: JournalEvent) => void;
}

/** Takes the entries of the log, in order, each once it is durable. */
interface EntryReader {
  take(entry: JournalEntry): void;
}

interface Waiting {
  readonly batch: JournalBatch;
  readonly length: number;
  readonly resolve: (result: Appended) => void;
}

const GROUP_RECORDS_MAX = 200;
const GROUP_BYTES_MAX = 16 << 20;

export class Journal {
  readonly #options: JournalOptions;
  readonly #files: SegmentFiles;
  readonly #clock: LogClock;
  /** Segments in the order of the log; the last one is written to. */
  readonly #segments: Segment[];
  #current: (OpenSegment & { offset: number }) | undefined;
  #endPosition: number;
  #waiting: Waiting[] = [];
  #reader: EntryReader | undefined;
  #writing: Promise<void> | undefined;
  #stopping = false;
  /** Position behind the last record that was synced. */
  #syncedEnd: number;
  readonly #mark: JournalMarkWriter | undefined;
  /** Log time of the group that is being written. */
  #groupTime: number | undefined;
  /** Length of the record that was refused last, until one of its length would fit. */
  #refusedLength: number | undefined;
  /** Work that must have the segments for itself; the writer does it between two groups. */
  readonly #tasks: (() => Promise<void>)[] = [];
  /** Base of the segment that is being rewritten, which must not be recycled meanwhile. */
  #rewriting: number | undefined;
  /** Segments on their way to become spares. */
  readonly #recycling = new Set<Promise<void>>();

  private constructor(options: JournalOptions, files: SegmentFiles, recovered: Recovered) {
    this.#options = options;
    this.#files = files;
    const known = Math.max(recovered.lastLogTime ?? 0, options.floor.logTime);
    this.#clock = new LogClock({ logTime: known > 0 ? known : undefined, wall: Date.now() });
    this.#segments = recovered.segments;
    this.#current = recovered.current;
    this.#endPosition = recovered.endPosition;
    if (this.#endPosition < options.floor.position) this.#abandonCurrent();
    this.#endPosition = Math.max(this.#endPosition, options.floor.position);
    this.#syncedEnd = Math.max(recovered.syncedEnd, options.floor.position);
    if (options.markFile !== undefined) {
      this.#mark = new JournalMarkWriter(new HighWaterFile(options.markFile), () => this.#marked());
      this.#mark.changed();
    }
  }

  static async open(
    options: JournalOptions,
  ): Promise<{ readonly journal: Journal; readonly recovered: JournalEntry[] }> {
    const files = await SegmentFiles.at(options.directory, options.segmentBytes);
    const mark = options.markFile === undefined ? undefined : readJournalMark(options.markFile);
    const recovered = await recover(options, { floor: options.floor.position, segments: mark?.segments ?? [] });
    return { journal: new Journal(options, files, recovered), recovered: recovered.entries };
  }

  /**
   * The time up to which the log is complete: no entry will come with an earlier one. A group that is being written has
   * its time already.
   */
  get time(): number {
    return this.#groupTime ?? this.#clock.now();
  }

  /** How far its time is behind the wall clock (`log-clock.ts`). */
  get behindMs(): number {
    return this.#clock.behindMs;
  }

  /** Must be called when no turn is open that would look idle. */
  catchUp(): void {
    this.#clock.catchUp();
  }

  /** The position at which the next record will be, or behind the last one. */
  get endPosition(): number {
    return this.#endPosition;
  }

  /** Rows before this position have been released. The log can be read from here, and nothing is missed. */
  get readFrom(): number {
    return this.#segments.find(({ live }) => live > 0)?.base ?? this.#endPosition;
  }

  /** Position behind the last record that was synced. */
  get syncedEnd(): number {
    return this.#syncedEnd;
  }

  get diskBytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.capacity, 0);
  }

  get segmentCount(): number {
    return this.#segments.length;
  }

  /** Entries go there from now on. To be called before the first batch is appended. */
  deliverTo(reader: EntryReader): void {
    this.#reader = reader;
  }

  /** Resolves once the batch is durable, or refused. The bytes must not change until then. */
  append(batch: JournalBatch): Promise<Appended> {
    if (this.#stopping) {
      return Promise.resolve({ appended: false, because: 'stopping', detail: 'the service is shutting down' });
    }
    const { promise, resolve } = Promise.withResolvers<Appended>();
    const length = recordLength({ tableLength: batch.table.length, payloadLength: batch.bytes.length });
    this.#waiting.push({ batch, length, resolve });
    this.#wake();
    return promise;
  }

  /** Says that `rows` rows of the entry at `position` are stored elsewhere or not wanted. */
  release(position: number, rows: number): void {
    const segment = this.#segmentOf(position);
    segment.live -= rows;
    if (segment.live < 0) throw new Error(`journal: segment ${segment.base} released ${-segment.live} rows too many`);
    if (segment.live === 0) this.#recycleReleased();
  }

  /** After a refusal: finds out whether it can be written again, also if no client asks. To be called now and then. */
  retry(): void {
    const length = this.#refusedLength;
    if (length === undefined || this.#writing !== undefined || this.#stopping) return;
    this.#writing = this.#segmentWithRoom(length)
      .then((room) => {
        if ('because' in room) return;
        this.#refusedLength = undefined;
        this.#options.onEvent({ type: 'journal-writable' });
      })
      .finally(() => {
        this.#writing = undefined;
        if (this.#hasWork) this.#wake();
      });
  }

  /**
   * Shows each record to `edit`, which may change its bytes in place or say that none is needed any more. Resolves once
   * the bytes of before are in no file of the journal: not behind its records, and in no spare either. Rejects where the
   * disk fails; it may be done again.
   */
  async rewrite(edit: EditRecord): Promise<void> {
    for (const { base } of [...this.#segments]) {
      // Batches need not wait while another segment than theirs is rewritten.
      if (base === this.#current?.base) await this.#alone(() => this.#rewriteOne(base, edit));
      else await this.#rewriteOne(base, edit);
    }
    await this.#alone(async () => {
      await Promise.all(this.#recycling);
      await this.#files.dropSpares();
    });
  }

  async #rewriteOne(base: number, edit: EditRecord): Promise<void> {
    if (!this.#segments.some((segment) => segment.base === base)) return;
    const { directory } = this.#options;
    this.#rewriting = base;
    try {
      const current = this.#current?.base === base ? this.#current : undefined;
      const isOther = await rewriteSegment({ directory, base, end: current?.offset, edit });
      if (!isOther || current === undefined) return;
      const file = await open(segmentPath(directory, base), 'r+');
      this.#current = { ...current, file };
      await current.file.close();
    } finally {
      this.#rewriting = undefined;
      this.#recycleReleased();
    }
  }

  /**
   * Begins another segment if the current one was begun before `time`, so that what is in it goes once it is released:
   * a log with little in it would keep its last records for as long as nothing follows.
   */
  async retire(time: number): Promise<void> {
    await this.#alone(async () => {
      const segment = this.#segments.at(-1);
      if (segment === undefined || segment.since >= time) return;
      // Spares hold what they held as segments.
      await this.#files.dropSpares();
      if (segment.last === segment.base) return;
      if (this.#current !== undefined) await sealSegment(this.#current, this.#clock.now());
      this.#abandonCurrent();
      await this.#segmentWithRoom(0);
    });
  }

  /** Resolves when the writer has done the work, between two groups. */
  async #alone(work: () => Promise<void>): Promise<void> {
    if (this.#stopping) throw new Error('journal: it is shutting down');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#tasks.push(() => work().then(resolve, reject));
    this.#wake();
    return promise;
  }

  /** Writes what waits, then closes. May be called twice. */
  async stop(): Promise<void> {
    this.#stopping = true;
    while (this.#writing !== undefined) await this.#writing;
    const current = this.#current;
    this.#current = undefined;
    await current?.file.close();
    await Promise.all(this.#recycling);
    await this.#files.stop();
    this.#mark?.close();
  }

  #wake(): void {
    if (this.#writing !== undefined) return;
    this.#writing = this.#writeGroups().finally(() => {
      this.#writing = undefined;
      if (this.#hasWork) this.#wake();
    });
  }

  get #hasWork(): boolean {
    return this.#waiting.length > 0 || this.#tasks.length > 0;
  }

  async #writeGroups(): Promise<void> {
    // Waits a turn of the event loop, so that requests which arrive together share the sync.
    await new Promise(setImmediate);
    while (this.#hasWork) {
      // A task never rejects: its caller gets the failure.
      await this.#tasks.shift()?.();
      const first = this.#waiting[0];
      if (first === undefined) continue;
      const current = await this.#segmentWithRoom(first.length);
      if ('because' in current) {
        this.#refuse(this.#waiting.splice(0), current);
        return;
      }
      await this.#writeGroup(current, this.#takeGroup(current));
    }
  }

  #takeGroup(current: { readonly capacity: number; readonly offset: number }): Waiting[] {
    let room = Math.min(current.capacity - current.offset - ALIGNMENT, GROUP_BYTES_MAX);
    let count = 0;
    for (const waiting of this.#waiting) {
      if (count >= GROUP_RECORDS_MAX || (waiting.length > room && count > 0)) break;
      room -= waiting.length;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #writeGroup(current: OpenSegment & { offset: number }, group: readonly Waiting[]): Promise<void> {
    const startedAt = performance.now();
    const logTime = this.#clock.now();
    this.#groupTime = logTime;
    const entries: JournalEntry[] = [];
    const buffers: Uint8Array[] = [];
    let offset = current.offset;
    for (const { batch, length } of group) {
      const position = current.base + offset;
      const head = writeRecordHead(current.salt, {
        position,
        logTime,
        kind: batch.signal,
        rows: batch.rows,
        sender: batch.sender,
        tableLength: batch.table.length,
        payloadLength: batch.bytes.length,
        bodyCrc: bodyChecksum(current.salt, batch.table, batch.bytes),
      });
      buffers.push(head, batch.table, batch.bytes);
      const padding = length - RECORD_HEAD_BYTES - batch.table.length - batch.bytes.length;
      if (padding > 0) buffers.push(Buffer.alloc(padding));
      entries.push({
        signal: batch.signal,
        position,
        nextPosition: position + length,
        logTime,
        rows: batch.rows,
        sender: batch.sender ?? UNKNOWN_SENDER,
        table: batch.table,
        payloadPosition: position + RECORD_HEAD_BYTES + batch.table.length,
      });
      offset += length;
    }
    try {
      await writeAll(current.file, buffers, current.offset);
      await current.file.datasync();
    } catch (error) {
      // After a failed sync the kernel may have thrown the pages away and forgotten: this segment can't be trusted with
      // another record. Its content up to here was synced before.
      this.#groupTime = undefined;
      this.#abandonCurrent();
      this.#refuse(group, refusalFrom(error));
      return;
    }
    const bytes = offset - current.offset;
    current.offset = offset;
    this.#endPosition = current.base + offset;
    this.#syncedEnd = this.#endPosition;
    this.#mark?.changed();
    const segment = this.#segmentOf(current.base);
    const reader = this.#reader;
    if (reader === undefined) throw new Error('journal: a batch came before anybody reads its entries');
    for (const entry of entries) {
      segment.live += entry.rows;
      segment.last = entry.position;
      segment.end = entry.nextPosition;
    }
    // All of them count as needed before the first is taken, which may release rows.
    for (const entry of entries) reader.take(entry);
    this.#groupTime = undefined;
    this.#refusedLength = undefined;
    this.#options.onEvent({
      type: 'journal-synced',
      records: group.length,
      bytes,
      tookMs: performance.now() - startedAt,
    });
    for (const waiting of group) waiting.resolve({ appended: true });
    if (current.offset > current.capacity / 2) {
      // A failure here shows again when the spare is needed, and a client can be refused.
      this.#files.prepare().catch(() => undefined);
    }
  }

  async #segmentWithRoom(length: number): Promise<(OpenSegment & { offset: number }) | Refusal> {
    const current = this.#current;
    // A slot stays free for the record that closes the segment.
    if (current !== undefined && current.offset + length + ALIGNMENT <= current.capacity) return current;
    const capacityMin = length + 2 * ALIGNMENT;
    const held = this.diskBytes;
    if (held + Math.max(capacityMin, this.#options.segmentBytes) > this.#options.maxBytes) {
      this.#recycleReleased();
      if (this.diskBytes + Math.max(capacityMin, this.#options.segmentBytes) > this.#options.maxBytes) {
        return {
          because: 'journal-full',
          detail: `${held} bytes wait to be scored and journal.max_bytes is ${this.#options.maxBytes}`,
        };
      }
    }
    try {
      if (current !== undefined) {
        await sealSegment(current, this.#clock.now());
        this.#segmentOf(current.base).isFull = true;
        this.#abandonCurrent();
      }
      const base = this.#endPosition;
      const since = this.#clock.now();
      const opened = await this.#files.create(base, { capacityMin, logTime: since });
      this.#segments.push({ base, capacity: opened.capacity, live: 0, last: base, end: base, since, isFull: false });
      this.#endPosition = base + ALIGNMENT;
      this.#current = { ...opened, offset: ALIGNMENT };
      this.#recycleReleased();
      return this.#current;
    } catch (error) {
      return refusalFrom(error);
    }
  }

  #abandonCurrent(): void {
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    this.#endPosition = current.base + current.capacity;
    current.file.close().catch((error: unknown) => {
      this.#options.onEvent({
        type: 'journal-segment-failed',
        detail: `close segment ${current.base}: ${String(error)}`,
      });
    });
  }

  #refuse(group: readonly Waiting[], refusal: Refusal): void {
    this.#refusedLength = Math.max(...group.map(({ length }) => length));
    this.#options.onEvent({ type: 'journal-refused', ...refusal, records: group.length });
    for (const waiting of group) waiting.resolve({ appended: false, ...refusal });
  }

  #recycleReleased(): void {
    const keep = this.#current?.base;
    for (let index = this.#segments.length - 1; index >= 0; index -= 1) {
      const segment = this.#segments[index];
      if (segment === undefined || segment.live > 0 || segment.base === keep) continue;
      if (segment.base === this.#rewriting) continue;
      // The last segment carries the log's position and time over a restart.
      if (index === this.#segments.length - 1) continue;
      this.#segments.splice(index, 1);
      const recycling = this.#recycle(segment)
        .catch((error: unknown) => {
          this.#options.onEvent({
            type: 'journal-segment-failed',
            detail: `recycle segment ${segment.base}: ${String(error)}`,
          });
        })
        .finally(() => this.#recycling.delete(recycling));
      this.#recycling.add(recycling);
    }
  }

  /** The mark goes first: after a crash it must not name a segment that is gone. */
  async #recycle({ base, capacity, isFull }: Segment): Promise<void> {
    await this.#mark?.writeNow();
    await this.#files.recycle(base, { capacity, isFull });
  }

  #marked(): JournalMark {
    const segments = this.#segments.map(({ base, last, end }) => ({ base, last, end }));
    return { end: this.#syncedEnd, segments, store: this.#options.storeMark?.() };
  }

  #segmentOf(position: number): Segment {
    let low = 0;
    let high = this.#segments.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#segments[middle]?.base ?? Number.POSITIVE_INFINITY) <= position) low = middle;
      else high = middle - 1;
    }
    const segment = this.#segments[low];
    if (segment === undefined || position < segment.base || position >= segment.base + segment.capacity) {
      throw new Error(`journal: no segment holds position ${position}`);
    }
    return segment;
  }
}
