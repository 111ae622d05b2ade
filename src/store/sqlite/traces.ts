/**
 * The rows of traces, and the content that each refers to: which file holds it, how much of each file is still referred
 * to, and copying forward what is left of a file that has become mostly empty.
 *
 * New rows wait in memory and are written together, at the commit or before anything changes them (see `evaluations.ts`
 * for why). A search for a trace looks there as well.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CloseCause } from '../../model/causes.ts';
import type { TraceId } from '../../model/ids.ts';
import { decodeContent, encodeContent } from '../content-codec.ts';
import type { NewTrace, StoredTrace, TraceContent, TraceStore } from '../engine-store.ts';
import { DamagedContent } from '../damaged-content.ts';
import { PIECE_HEAD_BYTES } from './content-piece.ts';
import type { Content } from './content-in-memory.ts';
import type { ContentPlace } from './content-reader.ts';
import type { PrunedTraces } from './pruned-traces.ts';

type Row = Record<string, unknown>;

/** A row that is not written yet. */
interface Waiting {
  readonly trace: StoredTrace;
  readonly cause: CloseCause;
  readonly storedAt: number;
  readonly place: Place;
}

/** Far more than the service puts into one transaction. */
const WAITING_MAX = 1024;

type Place = readonly [file: number, offset: number, spans: number, logs: number, crc: number | null];

const PLACE_COLUMNS = 'content_file, content_offset, spans_length, logs_length, content_crc';
/** Bytes of a row's piece in its file. Pieces without a checksum have no head. */
const PIECE_BYTES = `spans_length + logs_length + (content_crc IS NOT NULL) * ${PIECE_HEAD_BYTES}`;
const TRACE_COLUMNS = 'id, trace_id, conversation, revision, position, closed_at, spans, sealed';

export class Traces implements TraceStore {
  readonly #database: DatabaseSync;
  readonly #files: Content;
  readonly #pruned: PrunedTraces;
  readonly #find: StatementSync;
  readonly #findByRow: StatementSync;
  readonly #ofConversation: StatementSync;
  readonly #placeOf: StatementSync;
  readonly #changeFileRow: StatementSync;
  readonly #insert: StatementSync;
  readonly #revise: StatementSync;
  readonly #pass: StatementSync;
  readonly #move: StatementSync;
  readonly #lastRowOf: StatementSync;
  readonly #noteWipe: StatementSync;
  #lastRow: number;
  readonly #waiting = new Map<number, Waiting>();
  readonly #waitingByTrace = new Map<TraceId, Waiting>();
  readonly #waitingByConversation = new Map<number, StoredTrace[]>();
  /** Changes of this transaction, by file. */
  readonly #fileChanges = new Map<number, { end: number; live: number }>();

  /** Files with a damaged piece, which cannot be copied forward. */
  readonly #damagedFiles = new Set<number>();

  /** `openContent` is told where the last committed piece of content ends. */
  constructor(
    database: DatabaseSync,
    {
      openContent,
      pruned,
    }: {
      readonly openContent: (last: { readonly file: number; readonly end: number }) => Content;
      readonly pruned: PrunedTraces;
    },
  ) {
    this.#database = database;
    this.#pruned = pruned;
    const last = database.prepare('SELECT file, end_offset FROM content_files ORDER BY file DESC LIMIT 1').get();
    this.#files = openContent({ file: Number(last?.file ?? 0), end: Number(last?.end_offset ?? 0) });
    this.#find = database.prepare(`SELECT ${TRACE_COLUMNS} FROM traces WHERE trace_id = ?`);
    this.#findByRow = database.prepare(`SELECT ${TRACE_COLUMNS} FROM traces WHERE id = ?`);
    this.#ofConversation = database.prepare(`SELECT ${TRACE_COLUMNS} FROM traces WHERE conversation = ? ORDER BY id`);
    this.#placeOf = database.prepare(`SELECT ${PLACE_COLUMNS} FROM traces WHERE id = ?`);
    this.#changeFileRow = database.prepare(
      `INSERT INTO content_files (file, end_offset, live_bytes) VALUES (?, ?, ?) ON CONFLICT (file)
       DO UPDATE SET end_offset = max(end_offset, excluded.end_offset), live_bytes = live_bytes + excluded.live_bytes`,
    );
    this.#insert = database.prepare(
      `INSERT INTO traces
         (id, trace_id, conversation, revision, position, closed_at, stored_at, cause, spans, sealed, ${PLACE_COLUMNS})
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#revise = database.prepare(
      `UPDATE traces SET conversation = ?, revision = ?, position = ?, closed_at = ?, cause = ?, spans = ?, sealed = ?,
         content_file = ?, content_offset = ?, spans_length = ?, logs_length = ?, content_crc = ? WHERE id = ?`,
    );
    this.#pass = database.prepare('UPDATE traces SET position = ? WHERE id = ?');
    this.#move = database.prepare('UPDATE traces SET conversation = ? WHERE id = ?');
    this.#noteWipe = database.prepare('INSERT INTO content_wipes (file, offset, length) VALUES (?, ?, ?)');
    this.#lastRowOf = database.prepare('SELECT max(id) AS row FROM traces');
    this.#lastRow = Number(this.#lastRowOf.get()?.row ?? 0);
  }

  find(traceId: TraceId): StoredTrace | undefined {
    const waiting = this.#waitingByTrace.get(traceId);
    if (waiting !== undefined) return waiting.trace;
    const row = this.#find.get(Buffer.from(traceId, 'hex'));
    return row === undefined ? undefined : toTrace(row, traceId);
  }

  wasPruned(traceId: TraceId): boolean {
    return this.#pruned.positionOf(traceId) !== undefined;
  }

  at(row: number): StoredTrace | undefined {
    const waiting = this.#waiting.get(row);
    if (waiting !== undefined) return waiting.trace;
    const found = this.#findByRow.get(row);
    // The cast is the brand: these bytes came from a trace id.
    return found === undefined ? undefined : toTrace(found, toBuffer(found.trace_id).toString('hex') as TraceId);
  }

  contentOf(trace: number): TraceContent {
    const row = this.#waitingPlace(trace) ?? this.#placeOf.get(trace);
    if (row === undefined) throw new Error(`store: no trace has row ${trace}`);
    return readContent(row, (place) => this.#files.read(place));
  }

  ofConversation(conversation: number): readonly StoredTrace[] {
    const written = this.#ofConversation
      .all(conversation)
      // The cast is the brand: these bytes came from a trace id.
      .map((row) => toTrace(row, toBuffer(row.trace_id).toString('hex') as TraceId));
    return written.concat(this.#waitingByConversation.get(conversation) ?? []);
  }

  insert({ cause, content, ...trace }: NewTrace): number {
    this.#lastRow += 1;
    const stored = { ...trace, row: this.#lastRow };
    const waiting = { trace: stored, cause, storedAt: Date.now(), place: this.#appendContent(content) };
    this.#waiting.set(stored.row, waiting);
    this.#waitingByTrace.set(stored.traceId, waiting);
    const same = this.#waitingByConversation.get(stored.conversation);
    if (same === undefined) this.#waitingByConversation.set(stored.conversation, [stored]);
    else same.push(stored);
    if (this.#waiting.size >= WAITING_MAX) this.writeWaiting();
    return stored.row;
  }

  revise(trace: NewTrace & { readonly row: number }): void {
    this.writeWaiting();
    this.#freeContent(trace.row);
    this.#revise.run(
      trace.conversation,
      trace.revision,
      trace.position,
      trace.closedAt,
      trace.cause,
      trace.spans,
      trace.sealed ? 1 : 0,
      ...this.#appendContent(trace.content),
      trace.row,
    );
  }

  pass(row: number, position: number): void {
    this.writeWaiting();
    this.#pass.run(position, row);
  }

  move(row: number, conversation: number): void {
    this.writeWaiting();
    this.#move.run(conversation, row);
  }

  /** Puts content on disk and notes what became of each file; belongs before the commit. */
  flush(): void {
    this.writeWaiting();
    this.#files.flush();
    this.#writeFileChanges();
  }

  /** After a rollback. */
  discard(): void {
    this.#forgetWaiting();
    this.#lastRow = Number(this.#lastRowOf.get()?.row ?? 0);
    this.#files.discard();
    this.#fileChanges.clear();
  }

  /** Belongs inside the transaction. */
  writeWaiting(): void {
    for (const { trace, cause, storedAt, place } of this.#waiting.values()) {
      this.#insert.run(
        trace.row,
        Buffer.from(trace.traceId, 'hex'),
        trace.conversation,
        trace.revision,
        trace.position,
        trace.closedAt,
        storedAt,
        cause,
        trace.spans,
        trace.sealed ? 1 : 0,
        ...place,
      );
    }
    this.#forgetWaiting();
  }

  #forgetWaiting(): void {
    this.#waiting.clear();
    this.#waitingByTrace.clear();
    this.#waitingByConversation.clear();
  }

  #waitingPlace(row: number): Row | undefined {
    const waiting = this.#waiting.get(row);
    if (waiting === undefined) return undefined;
    const [content_file, content_offset, spans_length, logs_length, content_crc] = waiting.place;
    return { content_file, content_offset, spans_length, logs_length, content_crc };
  }

  close(): void {
    this.#files.close();
  }

  /** Rows that meet the condition are about to go; what they hold in files is free, and is overwritten later. */
  freeContentOf(condition: string): void {
    this.writeWaiting();
    this.#database.exec(
      `INSERT INTO content_wipes (file, offset, length)
       SELECT content_file, content_offset - (content_crc IS NOT NULL) * ${PIECE_HEAD_BYTES}, ${PIECE_BYTES}
       FROM traces WHERE ${condition}`,
    );
    const rows = this.#database
      .prepare(
        `SELECT content_file AS file, sum(${PIECE_BYTES}) AS bytes FROM traces WHERE ${condition} GROUP BY content_file`,
      )
      .all();
    for (const { file, bytes } of rows) this.#changeFile(Number(file), { end: 0, live: -Number(bytes) });
  }

  /** Removes the files that no row refers to. Only between transactions: a rollback must find them. */
  removeEmptyFiles(): number {
    const empty = this.#database.prepare('SELECT file FROM content_files WHERE live_bytes <= 0').all();
    let removed = 0;
    for (const { file } of empty) {
      if (this.#files.isCurrent(Number(file))) continue;
      this.#database.prepare('DELETE FROM content_files WHERE file = ?').run(file ?? null);
      this.#database.prepare('DELETE FROM content_wipes WHERE file = ?').run(file ?? null);
      this.#files.remove(Number(file));
      removed += 1;
    }
    return removed;
  }

  /**
   * Overwrites pieces that no row refers to any more, at most so many. Only between transactions: a rollback must find
   * them. After a crash it is done again. Returns how many there were.
   */
  wipeFreed(limit: number): number {
    const pieces = this.#database
      .prepare('SELECT id, file, offset, length FROM content_wipes ORDER BY id LIMIT ?')
      .all(limit)
      .map(({ id, file, offset, length }) => ({
        id: Number(id),
        file: Number(file),
        offset: Number(offset),
        length: Number(length),
      }));
    for (const [file, ranges] of Map.groupBy(pieces, (piece) => piece.file)) this.#files.wipe(file, ranges);
    const last = pieces.at(-1);
    if (last !== undefined) this.#database.prepare('DELETE FROM content_wipes WHERE id <= ?').run(last.id);
    return pieces.length;
  }

  /** Traces with their content, some at a time; those that are damaged are left out. Only between transactions. */
  *allContent(
    together: number,
  ): Generator<readonly { readonly conversation: number; readonly content: TraceContent }[]> {
    const next = this.#database.prepare(
      `SELECT id, conversation, ${PLACE_COLUMNS} FROM traces WHERE id > ? ORDER BY id LIMIT ?`,
    );
    for (let rows = next.all(0, together); rows.length > 0; rows = next.all(Number(rows.at(-1)?.id), together)) {
      yield rows.flatMap((row) => {
        try {
          const content = readContent(row, (place) => this.#files.read(place));
          return [{ conversation: Number(row.conversation), content }];
        } catch (error) {
          if (!(error instanceof DamagedContent)) throw error;
          return [];
        }
      });
    }
  }

  /** Bytes in files that a row refers to. */
  get liveBytes(): number {
    return this.#sumOfFiles('live_bytes') + [...this.#fileChanges.values()].reduce((sum, { live }) => sum + live, 0);
  }

  /** Bytes of the files, as of the last commit. */
  get fileBytes(): number {
    return this.#sumOfFiles('end_offset');
  }

  /** Copies forward what is left in the emptiest file, where that is less than `share` of it. `from` says which files may go. */
  compactOne(share: number, from: 'full files' | 'all files' = 'full files'): boolean {
    this.writeWaiting();
    // Space that this transaction freed counts.
    this.#writeFileChanges();
    const which = from === 'all files' ? '' : 'AND live_bytes > 0 AND file < (SELECT max(file) FROM content_files)';
    const row = this.#database
      .prepare(`SELECT file FROM content_files WHERE live_bytes < end_offset * ? ${which} ORDER BY live_bytes`)
      .all(share)
      .find(({ file }) => !this.#damagedFiles.has(Number(file)));
    if (row === undefined) return false;
    if (this.#files.isCurrent(Number(row.file))) this.#files.beginFile();
    const traces = this.#database
      .prepare(`SELECT id, ${PLACE_COLUMNS} FROM traces WHERE content_file = ?`)
      .all(Number(row.file));
    const move = this.#database.prepare(
      'UPDATE traces SET content_file = ?, content_offset = ?, content_crc = ? WHERE id = ?',
    );
    for (const trace of traces) {
      const from = placeIn(trace);
      const bytes = this.#tryRead(from);
      // It stays where it is, and its file with it.
      if (bytes === undefined) continue;
      const spans = Number(trace.spans_length);
      const logs = bytes.length === spans ? undefined : bytes.subarray(spans);
      const place = this.#files.append(bytes.subarray(0, spans), logs);
      this.#free(from);
      this.#changeFile(place.file, { end: place.offset + place.length, live: pieceBytes(place) });
      move.run(place.file, place.offset, place.crc ?? null, Number(trace.id));
    }
    return true;
  }

  #tryRead(place: ContentPlace): Uint8Array | undefined {
    try {
      return this.#files.read(place);
    } catch (error) {
      if (!(error instanceof DamagedContent)) throw error;
      this.#damagedFiles.add(place.file);
      return undefined;
    }
  }

  #writeFileChanges(): void {
    for (const [file, { end, live }] of this.#fileChanges) this.#changeFileRow.run(file, end, live);
    this.#fileChanges.clear();
  }

  #sumOfFiles(column: 'live_bytes' | 'end_offset'): number {
    return Number(this.#database.prepare(`SELECT sum(${column}) AS bytes FROM content_files`).get()?.bytes ?? 0);
  }

  #appendContent(content: TraceContent): Place {
    const spans = encodeContent(content.traces);
    const logs = content.logs === undefined ? undefined : encodeContent(content.logs);
    // As one piece, so that both lie in one file.
    const place = this.#files.append(spans, logs);
    this.#changeFile(place.file, { end: place.offset + place.length, live: pieceBytes(place) });
    return [place.file, place.offset, spans.length, logs?.length ?? 0, place.crc ?? null];
  }

  #freeContent(trace: number): void {
    const row = this.#placeOf.get(trace);
    if (row === undefined) return;
    this.#free(placeIn(row));
  }

  /** No row refers to the piece any more. */
  #free(place: ContentPlace): void {
    const bytes = pieceBytes(place);
    this.#changeFile(place.file, { end: 0, live: -bytes });
    this.#noteWipe.run(place.file, place.offset + place.length - bytes, bytes);
  }

  #changeFile(file: number, change: { readonly end: number; readonly live: number }): void {
    const changes = this.#fileChanges.get(file) ?? { end: 0, live: 0 };
    changes.end = Math.max(changes.end, change.end);
    changes.live += change.live;
    this.#fileChanges.set(file, changes);
  }
}

/** From a row with the columns of a place. */
export function readContent(row: Row, read: (place: ContentPlace) => Uint8Array): TraceContent {
  const spans = Number(row.spans_length);
  const bytes = read(placeIn(row));
  return {
    traces: decodeContent(bytes.subarray(0, spans)),
    logs: bytes.length === spans ? undefined : decodeContent(bytes.subarray(spans)),
  };
}

function placeIn(row: Row): ContentPlace {
  return {
    file: Number(row.content_file),
    offset: Number(row.content_offset),
    length: Number(row.spans_length) + Number(row.logs_length),
    // A reader may find a store that has not been migrated yet.
    crc: row.content_crc === null || row.content_crc === undefined ? undefined : Number(row.content_crc),
  };
}

function pieceBytes({ length, crc }: ContentPlace): number {
  return length + (crc === undefined ? 0 : PIECE_HEAD_BYTES);
}

function toTrace(row: Row, traceId: TraceId): StoredTrace {
  return {
    row: Number(row.id),
    traceId,
    conversation: Number(row.conversation),
    revision: Number(row.revision),
    position: Number(row.position),
    closedAt: Number(row.closed_at),
    spans: Number(row.spans),
    sealed: row.sealed === 1,
  };
}

function toBuffer(value: unknown): Buffer {
  if (!(value instanceof Uint8Array)) throw new Error('store: expected bytes');
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
