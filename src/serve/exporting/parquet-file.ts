/**
 * A Parquet file that is written a group of rows at a time: only the group that is being gathered is in memory, and for
 * each group that is done the place of its columns. Readers need the end of the file, so one that breaks off is no file.
 */
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { zstdCompressSync } from 'node:zlib';
import { compressSync } from 'snappy';
import type { Cell, ColumnKind, ExportColumn, ExportRow } from './export-tables.ts';

/** A group is written when it has as many rows, or as many characters of text and bytes. */
const GROUP_ROWS = 20_000;
const GROUP_CHARACTERS = 8 << 20;
/** Milliseconds that a date can hold; a clock of a client may have said anything. */
const TIME_MAX_MS = 8.64e15;

type Schema = ConstructorParameters<typeof ParquetWriter>[0]['schema'];
type SchemaElement = Schema[number];

const ELEMENTS: Readonly<Record<ColumnKind, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  time: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } },
  boolean: { type: 'BOOLEAN' },
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  bytes: { type: 'BYTE_ARRAY' },
};

type Written = string | number | bigint | boolean | Uint8Array | null;

/** Snappy is read by every reader; ZSTD takes half of the bytes and more time. */
type Codec = 'SNAPPY' | 'ZSTD';
const COMPRESSORS = {
  SNAPPY: (input: Uint8Array) => compressSync(Buffer.from(input.buffer, input.byteOffset, input.byteLength)),
  ZSTD: (input: Uint8Array) => zstdCompressSync(input),
};

export class ParquetFile {
  readonly #columns: readonly ExportColumn[];
  readonly #writer: ParquetWriter;
  readonly #bytes = new ByteWriter();
  #gathered: Written[][];
  #rows = 0;
  #characters = 0;

  constructor(columns: readonly ExportColumn[], codec: Codec = 'SNAPPY') {
    this.#columns = columns;
    this.#gathered = columns.map(() => []);
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaOf(columns),
      codec,
      compressors: COMPRESSORS,
      createdBy: 'Assay',
    });
  }

  /** The bytes of a group that is full now. */
  add(rows: readonly ExportRow[]): Uint8Array<ArrayBuffer> {
    for (const row of rows) {
      for (const [at, { name, kind }] of this.#columns.entries()) {
        const written = writtenAs(kind, row[name]);
        if (typeof written === 'string' || written instanceof Uint8Array) this.#characters += written.length;
        this.#gathered[at]?.push(written);
      }
      this.#rows += 1;
      if (this.#rows >= GROUP_ROWS || this.#characters >= GROUP_CHARACTERS) this.#writeGroup();
    }
    return this.#taken();
  }

  /** Writes the rest of the rows, and the footer without which the file is unreadable. */
  end(): Uint8Array<ArrayBuffer> {
    if (this.#rows > 0) this.#writeGroup();
    void this.#writer.finish();
    return this.#taken();
  }

  #writeGroup(): void {
    const columnData = this.#columns.map(({ name }, at) => ({
      name,
      data: this.#gathered[at] ?? [],
      offsetIndex: false,
    }));
    // Not awaited, because the writer flushes nowhere.
    void this.#writer.write({ columnData, rowGroupSize: this.#rows });
    this.#gathered = this.#columns.map(() => []);
    this.#rows = 0;
    this.#characters = 0;
  }

  /** The writer counts on from `offset`, and fills its buffer from the beginning again. */
  #taken(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return taken;
  }
}

function schemaOf(columns: readonly ExportColumn[]): Schema {
  return [
    { name: 'assay', num_children: columns.length },
    ...columns.map(
      ({ name, kind, always }): SchemaElement => ({
        name,
        repetition_type: always ? 'REQUIRED' : 'OPTIONAL',
        ...ELEMENTS[kind],
      }),
    ),
  ];
}

function writtenAs(kind: ColumnKind, cell: Cell): Written {
  if (cell === undefined || cell === null) return null;
  if (kind === 'time') return BigInt(Math.trunc(clamped(Date.parse(String(cell)))));
  if (kind === 'int64') return BigInt(Math.round(Number(cell)));
  return cell;
}

function clamped(time: number): number {
  return Math.min(TIME_MAX_MS, Math.max(-TIME_MAX_MS, Number.isNaN(time) ? 0 : time));
}
