/** COPY FROM STDIN as a query of `pg`: the rows are in memory already, so that they are sent whole. */
import type { Duplex } from 'node:stream';
import type { Connection, Submittable } from 'pg';

const CHUNK_BYTES = 1 << 20;

export class CopyIn implements Submittable {
  /** Set by `Client.query`, which also watches the time through it. */
  callback: (error: Error | undefined, rows?: number) => void;
  readonly #sql: string;
  readonly #bytes: Buffer;
  #rows = 0;
  #failed = false;

  constructor(sql: string, bytes: Buffer, callback: (error: Error | undefined, rows?: number) => void) {
    this.#sql = sql;
    this.#bytes = bytes;
    this.callback = callback;
  }

  submit(connection: Connection): void {
    connection.query(this.#sql);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    const { stream } = connection;
    stream.cork();
    for (let at = 0; at < this.#bytes.length; at += CHUNK_BYTES) {
      const chunk = this.#bytes.subarray(at, at + CHUNK_BYTES);
      const header = Buffer.allocUnsafe(5);
      header.write('d', 0, 'latin1');
      header.writeInt32BE(chunk.length + 4, 1);
      // Not by the connection's own method, which copies.
      stream.write(header);
      stream.write(chunk);
    }
    stream.uncork();
    connection.endCopyFrom();
  }

  handleCommandComplete(message: { readonly text: string }): void {
    this.#rows = Number(/^COPY (\d+)/.exec(message.text)?.[1] ?? 0);
  }

  handleError(error: Error): void {
    if (this.#failed) return;
    this.#failed = true;
    this.callback(error);
  }

  handleReadyForQuery(): void {
    if (!this.#failed) this.callback(undefined, this.#rows);
  }
}

/** Members of `pg`'s connection that its published interface leaves out. */
interface CopyConnection {
  readonly stream: Duplex;
  endCopyFrom(): void;
}
