/**
 * Rows in PostgreSQL's binary COPY format, written into one growing buffer:
 *
 *   "PGCOPY\n\377\r\n\0"  flags: int32 = 0  extension: int32 = 0
 *   per row: number of fields: int16, per field: length: int32 (-1 is null), that many bytes
 *   trailer: int16 = -1
 *
 * All values are big-endian and as the receiving column's type wants them: whoever writes a row calls the methods in the order of the
 * columns that the COPY names.
 */
const SIGNATURE = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const TEXT_OID = 25;

export class BinaryRows {
  #buffer = Buffer.allocUnsafeSlow(64 << 10);
  #length = 0;
  rows = 0;

  constructor() {
    this.#length = SIGNATURE.copy(this.#buffer, 0);
  }

  row(fields: number): this {
    this.rows += 1;
    this.#reserve(2);
    this.#length = this.#buffer.writeInt16BE(fields, this.#length);
    return this;
  }

  int2(value: number | undefined): this {
    if (value === undefined) return this.#null();
    this.#field(2);
    this.#length = this.#buffer.writeInt16BE(value, this.#length);
    return this;
  }

  int4(value: number | undefined): this {
    if (value === undefined) return this.#null();
    this.#field(4);
    this.#length = this.#buffer.writeInt32BE(value, this.#length);
    return this;
  }

  int8(value: number | undefined): this {
    if (value === undefined) return this.#null();
    this.#field(8);
    // Two halves: a bigint for each number would be garbage.
    const high = Math.floor(value / 2 ** 32);
    this.#length = this.#buffer.writeInt32BE(high, this.#length);
    this.#length = this.#buffer.writeUInt32BE(value - high * 2 ** 32, this.#length);
    return this;
  }

  float8(value: number): this {
    this.#field(8);
    this.#length = this.#buffer.writeDoubleBE(value, this.#length);
    return this;
  }

  bool(value: boolean): this {
    this.#field(1);
    this.#length = this.#buffer.writeInt8(value ? 1 : 0, this.#length);
    return this;
  }

  /** 32 hexadecimal digits. */
  uuid(hex: string | undefined): this {
    if (hex === undefined) return this.#null();
    this.#field(16);
    this.#length += this.#buffer.write(hex, this.#length, 16, 'hex');
    return this;
  }

  /** Text that has been made storable; see `storable-text.ts`. */
  text(value: string | undefined): this {
    if (value === undefined) return this.#null();
    // No character takes more than three bytes for each of its UTF-16 units.
    this.#reserve(4 + value.length * 3);
    const length = this.#buffer.write(value, this.#length + 4, 'utf8');
    this.#buffer.writeInt32BE(length, this.#length);
    this.#length += 4 + length;
    return this;
  }

  bytes(value: Uint8Array | undefined): this {
    if (value === undefined) return this.#null();
    this.#field(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  texts(values: readonly string[]): this {
    this.#reserve(24);
    const at = this.#length;
    this.#length += 4;
    for (const part of values.length === 0 ? [0, 0, TEXT_OID] : [1, 0, TEXT_OID, values.length, 1]) {
      this.#length = this.#buffer.writeInt32BE(part, this.#length);
    }
    for (const value of values) this.text(value);
    this.#buffer.writeInt32BE(this.#length - at - 4, at);
    return this;
  }

  /** With the trailer; nothing may be added after it. */
  finish(): Buffer {
    this.#reserve(2);
    this.#length = this.#buffer.writeInt16BE(-1, this.#length);
    return this.#buffer.subarray(0, this.#length);
  }

  #null(): this {
    this.#reserve(4);
    this.#length = this.#buffer.writeInt32BE(-1, this.#length);
    return this;
  }

  #field(length: number): void {
    this.#reserve(4 + length);
    this.#length = this.#buffer.writeInt32BE(length, this.#length);
  }

  #reserve(length: number): void {
    const needed = this.#length + length;
    if (needed <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
