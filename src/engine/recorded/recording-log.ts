/**
 * A log in a temporary file, for recorded data: what the journal is to the online service, without its promises. It
 * keeps memory flat however large the recording is.
 */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { LogEntry } from '../intake.ts';

export interface ReadableSpool {
  append(batch: SpooledBatch): LogEntry;
  read(position: number, length: number): Uint8Array;
  close(): void;
}

interface SpooledBatch {
  readonly signal: 'traces' | 'logs';
  readonly bytes: Uint8Array;
  readonly table: Uint8Array;
  readonly logTime: number;
}

export class RecordingLog implements ReadableSpool {
  readonly directory: string;
  readonly #file: number;
  #end = 0;

  constructor() {
    this.directory = mkdtempSync(path.join(tmpdir(), 'assay-'));
    this.#file = openSync(path.join(this.directory, 'spool'), 'w+');
  }

  append(batch: SpooledBatch): LogEntry {
    const position = this.#end;
    for (let written = 0; written < batch.bytes.length; ) {
      written += writeSync(this.#file, batch.bytes, written, batch.bytes.length - written, position + written);
    }
    // An empty request takes a position as well, so that positions always grow.
    this.#end += Math.max(1, batch.bytes.length);
    const { signal, table, logTime } = batch;
    return { signal, position, nextPosition: this.#end, logTime, table, payloadPosition: position };
  }

  read(position: number, length: number): Uint8Array {
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let filled = 0; filled < length; ) {
      const count = readSync(this.#file, bytes, filled, length - filled, position + filled);
      if (count === 0) throw new Error(`spool: ${length} bytes at ${position} reach past the end`);
      filled += count;
    }
    return bytes;
  }

  close(): void {
    closeSync(this.#file);
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Spool of a few batches that are in memory anyway: no file is made for them. */
export class MemorySpool implements ReadableSpool {
  readonly #batches: { readonly position: number; readonly bytes: Uint8Array }[] = [];
  #end = 0;

  append({ signal, bytes, table, logTime }: SpooledBatch): LogEntry {
    const position = this.#end;
    this.#batches.push({ position, bytes });
    this.#end += Math.max(1, bytes.length);
    return { signal, position, nextPosition: this.#end, logTime, table, payloadPosition: position };
  }

  /** Rows that follow one another are read at once, so that this may reach over several batches. */
  read(position: number, length: number): Uint8Array {
    const first = this.#batches.findLastIndex((batch) => batch.position <= position);
    const parts: Uint8Array[] = [];
    let filled = 0;
    for (let index = first; filled < length; index += 1) {
      const batch = this.#batches[index];
      if (batch === undefined) throw new Error(`spool: ${length} bytes at ${position} reach past the end`);
      const from = position + filled - batch.position;
      const part = batch.bytes.subarray(from, from + length - filled);
      parts.push(part);
      filled += part.length;
    }
    return parts.length === 1 ? (parts[0] ?? new Uint8Array()) : Buffer.concat(parts);
  }

  close(): void {}
}
