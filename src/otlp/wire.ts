/**
 * The protobuf wire format, read with bounds: every method is told where the enclosing message ends and never looks at
 * a byte behind it, so a length that lies is found where it lies. The reader of a message passes its own end to the
 * reader of each field, and checks nothing else.
 *
 *   message := field*                          field := tag payload
 *   tag     := varint (number << 3 | type)     type 0 varint, 1 eight bytes, 2 length and bytes, 5 four bytes
 *   varint  := up to ten bytes, seven bits each, low ones first, the top bit set on all but the last
 *
 * Types 3 and 4 (groups) were given up before OTLP existed and are refused; so is a varint of more than ten bytes.
 */
export type WireProblem = 'truncated' | 'malformed' | 'group' | 'overlong' | 'too-deep';

export class WireError extends Error {
  override readonly name = 'WireError';
  readonly problem: WireProblem;
  readonly offset: number;

  constructor(problem: WireProblem, offset: number, what: string) {
    super(`protobuf at byte ${offset}: ${what}`);
    this.problem = problem;
    this.offset = offset;
  }
}

export class WireReader {
  readonly bytes: Uint8Array;
  /** The next byte to read. */
  at: number;
  /** The halves of the last varint that `varint` read, each as an unsigned 32-bit number. */
  low = 0;
  high = 0;

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  /** Field number << 3 | wire type. */
  tag(end: number): number {
    const { at } = this;
    if (at < end) {
      const first = this.bytes[at] ?? 0;
      if (first >= 8 && first < 0x80) {
        this.at = at + 1;
        return first;
      }
    }
    return this.#longTag(end);
  }

  /** Reads a length and gives the offset at which what it measures ends, at most `end`. */
  lengthEnd(end: number): number {
    const { at, bytes } = this;
    let stop: number;
    if (at + 1 < end) {
      const first = bytes[at] ?? 0;
      if (first < 0x80) {
        this.at = at + 1;
        stop = at + 1 + first;
      } else {
        const second = bytes[at + 1] ?? 0;
        if (second < 0x80) {
          this.at = at + 2;
          stop = at + 2 + ((first & 0x7f) | (second << 7));
        } else {
          stop = this.#longLengthEnd(end);
        }
      }
    } else {
      stop = this.#longLengthEnd(end);
    }
    if (stop > end) {
      throw new WireError(
        'truncated',
        at,
        `a length of ${stop - this.at} bytes, but the enclosing message ends ${end - this.at} bytes later`,
      );
    }
    return stop;
  }

  /** Reads a varint into `low` and `high`, and returns `low`: what a field of 32 bits keeps. */
  varint(end: number): number {
    const { bytes } = this;
    let { at } = this;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (at >= end) throw truncated(at, 'a varint');
      const byte = bytes[at++] ?? 0;
      if (shift < 28) low |= (byte & 0x7f) << shift;
      else if (shift === 28) {
        low |= (byte & 0x7f) << 28;
        high = (byte & 0x7f) >>> 4;
      } else high |= (byte & 0x7f) << (shift - 32);
      if (byte < 0x80) {
        this.at = at;
        this.low = low >>> 0;
        this.high = high >>> 0;
        return this.low;
      }
    }
    throw new WireError('overlong', this.at, 'a varint of more than ten bytes');
  }

  fixed32(end: number): number {
    const at = this.#take(4, end);
    const { bytes } = this;
    return (
      ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>>
      0
    );
  }

  /** Reads eight bytes and gives the offset at which they begin. */
  fixed64At(end: number): number {
    return this.#take(8, end);
  }

  /** Passes over the payload of a field that has just been announced by `tag`. */
  skip(tag: number, end: number): void {
    switch (tag & 7) {
      case 0:
        this.varint(end);
        return;
      case 1:
        this.#take(8, end);
        return;
      case 2:
        this.at = this.lengthEnd(end);
        return;
      case 5:
        this.#take(4, end);
        return;
      case 3:
      case 4:
        throw new WireError('group', this.at, `field ${tag >>> 3} is a group, which OTLP does not use`);
      default:
        throw new WireError('malformed', this.at, `field ${tag >>> 3} has wire type ${tag & 7}, which does not exist`);
    }
  }

  #take(length: number, end: number): number {
    const { at } = this;
    if (at + length > end) throw truncated(at, `a field of ${length} bytes`);
    this.at = at + length;
    return at;
  }

  #longTag(end: number): number {
    const start = this.at;
    const tag = this.#varint32(end, 'tag', 0x0f);
    if (tag >>> 3 === 0) throw new WireError('malformed', start, 'field number 0, which does not exist');
    return tag;
  }

  #longLengthEnd(end: number): number {
    const length = this.#varint32(end, 'length', 0x07);
    return this.at + length;
  }

  /** At most five bytes, the fifth at most `fifthMax`. */
  #varint32(end: number, what: string, fifthMax: number): number {
    const start = this.at;
    let at = start;
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (at >= end) throw truncated(at, `a ${what}`);
      const byte = this.bytes[at++] ?? 0;
      if (shift === 28 && byte > fifthMax) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        this.at = at;
        return value >>> 0;
      }
    }
    throw new WireError('malformed', start, `a ${what} that does not fit its type`);
  }
}

function truncated(offset: number, what: string): WireError {
  return new WireError('truncated', offset, `expected ${what}, but the enclosing message ends here`);
}
