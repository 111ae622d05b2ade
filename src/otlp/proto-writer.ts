/**
 * Writes protobuf into one growing buffer. A nested message is opened and closed around its fields; its length is put
 * in when it closes, which moves what was written by a byte or two where the length needs more room than was left.
 */
const TWO_TO_32 = 0x1_0000_0000;

export class ProtoWriter {
  #buffer: Buffer;
  #at = 0;
  /** Where each open message's content begins. */
  readonly #open: number[] = [];

  constructor(options: { readonly initialBytes: number }) {
    this.#buffer = Buffer.allocUnsafe(Math.max(64, options.initialBytes));
  }

  get length(): number {
    return this.#at;
  }

  /** Written bytes. Nothing may be written afterwards: the memory is the writer's. */
  finish(): Buffer {
    if (this.#open.length > 0) throw new Error(`finish a protobuf message: ${this.#open.length} messages are open`);
    return this.#buffer.subarray(0, this.#at);
  }

  openMessage(field: number): void {
    this.#tag(field, 2);
    this.#reserve(1);
    this.#at += 1;
    this.#open.push(this.#at);
  }

  closeMessage(): void {
    const start = this.#open.pop();
    if (start === undefined) throw new Error('close a protobuf message: none is open');
    const length = this.#at - start;
    const width = varintLength(length);
    if (width > 1) {
      this.#reserve(width - 1);
      this.#buffer.copyWithin(start + width - 1, start, this.#at);
    }
    this.#at = start - 1;
    this.#varint32(length);
    this.#at += length;
  }

  /** Opens a message whose length takes five bytes whatever it is, so that closing it moves nothing. */
  openWideMessage(field: number): void {
    this.#tag(field, 2);
    this.#reserve(5);
    this.#at += 5;
    this.#open.push(this.#at);
  }

  closeWideMessage(): void {
    const start = this.#open.pop();
    if (start === undefined) throw new Error('close a protobuf message: none is open');
    let rest = this.#at - start;
    for (let at = start - 5; at < start - 1; at++) {
      this.#buffer[at] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#buffer[start - 1] = rest;
  }

  text(field: number, text: string): void {
    const bytes = Buffer.byteLength(text, 'utf8');
    this.#tag(field, 2);
    this.#reserve(bytes + 5);
    this.#varint32(bytes);
    this.#at += this.#buffer.write(text, this.#at, 'utf8');
  }

  bytes(field: number, bytes: Uint8Array): void {
    this.#tag(field, 2);
    this.#reserve(bytes.length + 5);
    this.#varint32(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** A field of type uint32, bool or enum. */
  uint32(field: number, value: number): void {
    this.#tag(field, 0);
    this.#reserve(5);
    this.#varint32(value);
  }

  int64(field: number, value: bigint): void {
    this.#tag(field, 0);
    this.#reserve(10);
    let rest = BigInt.asUintN(64, value);
    while (rest > 0x7fn) {
      this.#buffer[this.#at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#buffer[this.#at++] = Number(rest);
  }

  fixed32(field: number, value: number): void {
    this.#tag(field, 5);
    this.#reserve(4);
    this.#at = this.#buffer.writeUInt32LE(value, this.#at);
  }

  /** `high` and `low` are the halves, unsigned. */
  fixed64(field: number, low: number, high: number): void {
    this.#tag(field, 1);
    this.#reserve(8);
    this.#at = this.#buffer.writeUInt32LE(low, this.#at);
    this.#at = this.#buffer.writeUInt32LE(high, this.#at);
  }

  double(field: number, value: number): void {
    this.#tag(field, 1);
    this.#reserve(8);
    this.#at = this.#buffer.writeDoubleLE(value, this.#at);
  }

  /** Room for `bytes` more, to be written by the caller straight into the buffer that is returned, from `length` on. */
  room(bytes: number): Buffer {
    this.#reserve(bytes);
    return this.#buffer;
  }

  /** The caller wrote so many bytes into what `room` gave. */
  advance(bytes: number): void {
    this.#at += bytes;
  }

  #tag(field: number, type: number): void {
    this.#reserve(5);
    this.#varint32(field * 8 + type);
  }

  #varint32(value: number): void {
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.#buffer[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#buffer[this.#at++] = rest;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + bytes));
    larger.set(this.#buffer.subarray(0, this.#at));
    this.#buffer = larger;
  }
}

export function varintLength(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x20_0000) return 3;
  return value < 0x1000_0000 ? 4 : 5;
}

export function splitInteger(value: bigint): { readonly low: number; readonly high: number } {
  const bits = BigInt.asUintN(64, value);
  return { low: Number(bits & 0xffff_ffffn), high: Number(bits / BigInt(TWO_TO_32)) };
}
