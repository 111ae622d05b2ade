/**
 * Changes to a protobuf message, gathered while it is walked: where bytes in a field change, so does the length of the
 * field, and of each message around it. Bytes of fields that do not change are copied as they are.
 *
 * Most requests have no change, so the walk notes the changes alone. The fields around them are found again from outside.
 */
import { varintLength } from '../otlp/proto-writer.ts';
import { WireReader } from '../otlp/wire.ts';
import { type Replacement, splice } from './splice.ts';

const LENGTH_DELIMITED = 2;

export class Edits {
  #replacements: Replacement[] = [];

  begin(): void {
    this.#replacements = [];
  }

  /** Either a whole field, or all bytes behind the length of one; in the order in which they stand. */
  replace(start: number, end: number, by: Uint8Array): void {
    this.#replacements.push({ start, end, by });
  }

  /** The bytes with all changes; undefined where there are none. */
  apply(bytes: Buffer): Buffer | undefined {
    if (this.#replacements.length === 0) return undefined;
    const all = [...this.#replacements, ...lengthsAround(bytes, this.#replacements)];
    return splice(
      bytes,
      all.sort((a, b) => a.start - b.start),
    );
  }
}

/** New lengths of the fields around replacements. */
function lengthsAround(bytes: Buffer, replacements: readonly Replacement[]): readonly Replacement[] {
  const lengths: Replacement[] = [];
  const reader = new WireReader(bytes, 0);
  let next = 0;
  /** Gives by how many bytes the message grows that the reader stands at. */
  const growthOf = (messageEnd: number): number => {
    let growth = 0;
    for (let { at } = reader; at < messageEnd; { at } = reader) {
      const replacement = replacements[next];
      if (replacement === undefined || replacement.start >= messageEnd) break;
      const { start, end, by } = replacement;
      const tag = reader.tag(messageEnd);
      const lengthAt = reader.at;
      reader.skip(tag, messageEnd);
      const fieldEnd = reader.at;
      if (start >= fieldEnd) continue;
      if (start === at) {
        next += 1;
        growth += by.length - (end - start);
        continue;
      }
      if ((tag & 7) !== LENGTH_DELIMITED) throw new Error(`a replacement at ${start} within the number at ${at}`);
      reader.at = lengthAt;
      reader.lengthEnd(messageEnd);
      const fieldStart = reader.at;
      const isWhole = start === fieldStart && end === fieldEnd;
      if (isWhole) next += 1;
      const grown = isWhole ? by.length - (end - start) : growthOf(fieldEnd);
      reader.at = fieldEnd;
      if (grown === 0) continue;
      const length = varint(fieldEnd - fieldStart + grown);
      lengths.push({ start: lengthAt, end: fieldStart, by: length });
      growth += grown + length.length - (fieldStart - lengthAt);
    }
    return growth;
  };
  growthOf(bytes.length);
  return lengths;
}

function varint(value: number): Uint8Array {
  const bytes = new Uint8Array(varintLength(value));
  let rest = value;
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = (rest & 0x7f) | (at < bytes.length - 1 ? 0x80 : 0);
    rest >>>= 7;
  }
  return bytes;
}
