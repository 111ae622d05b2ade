/**
 * Requests that no exporter would send but protobuf allows: fields in any order and any number, unknown fields, lengths
 * with padding, values in pieces. And the same corrupted: bits flipped, bytes cut, doubled or moved. All from one seed.
 */
import type { Signal } from './reference-reading.ts';

/** sfc32: small, fast and the same everywhere. */
export class Random {
  #a: number;
  #b = 0x9e3779b9;
  #c = 0x243f6a88;
  #d = 1;

  constructor(seed: number) {
    this.#a = seed | 0;
    for (let i = 0; i < 12; i++) this.bits();
  }

  bits(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return sum >>> 0;
  }

  below(limit: number): number {
    return Math.floor((this.bits() / 0x1_0000_0000) * limit);
  }

  chance(probability: number): boolean {
    return this.bits() < probability * 0x1_0000_0000;
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.below(items.length)] ?? items[0];
  }
}

type Emit = (out: number[], random: Random, depth: number) => void;
type Field = readonly [tag: number, weight: number, emit: Emit];

const varint: Emit = (out, random) => {
  const count = random.pick([1, 1, 1, 2, 3, 5, 9, 10]);
  for (let i = 1; i < count; i++) out.push(random.below(128) | 0x80);
  out.push(random.below(128));
};
const bytesOf =
  (length: number): Emit =>
  (out, random) => {
    for (let i = 0; i < length; i++) out.push(random.below(256));
  };
const KEYS = [
  'gen_ai.operation.name',
  'a',
  '',
  'service.name',
  'event.name',
  '__proto__',
  'constructor',
  'ключ',
  '0',
] as const;
const text: Emit = (out, random) => {
  const found = random.chance(0.7)
    ? Buffer.from(random.pick([...KEYS, 'assay', 'x'.repeat(130), '{"role":"user"}']))
    : undefined;
  const content: number[] = [];
  if (found === undefined) bytesOf(random.below(12))(content, random, 0);
  else content.push(...found);
  delimited(out, random, content);
};
const id =
  (length: number): Emit =>
  (out, random) => {
    const content: number[] = [];
    const actual = random.chance(0.85) ? length : random.below(20);
    if (random.chance(0.1)) content.push(...new Array<number>(actual).fill(0));
    else bytesOf(actual)(content, random, 0);
    delimited(out, random, content);
  };

function delimited(out: number[], random: Random, content: readonly number[]): void {
  length(out, random, content.length);
  for (const byte of content) out.push(byte);
}

/** Sometimes padded, which is legal up to five bytes. */
function length(out: number[], random: Random, value: number): void {
  let rest = value;
  const padded = random.chance(0.03);
  let width = 1;
  while (rest > 0x7f) {
    out.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
    width++;
  }
  if (padded && width < 5) out.push(rest | 0x80, 0);
  else out.push(rest);
}

function message(fields: () => readonly Field[], mean: number, least = 0): Emit {
  return (out, random, depth) => {
    const content: number[] = [];
    const all = fields();
    const total = all.reduce((sum, [, weight]) => sum + weight, 0);
    const count = depth > 9 ? 0 : least + random.below(mean * 2);
    for (let i = 0; i < count; i++) {
      if (random.chance(0.02)) {
        unknownField(content, random);
        continue;
      }
      let at = random.below(total);
      for (const [tag, weight, emit] of all) {
        at -= weight;
        if (at >= 0) continue;
        putTag(content, random, tag);
        emit(content, random, depth + 1);
        break;
      }
    }
    delimited(out, random, content);
  };
}

function putTag(out: number[], random: Random, tag: number): void {
  length(out, random, tag);
}

function unknownField(out: number[], random: Random): void {
  const number = random.pick([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 16, 99, 2047, 2 ** 20]);
  const type = random.pick([0, 1, 2, 2, 5]);
  putTag(out, random, number * 8 + type);
  if (type === 0) varint(out, random, 0);
  else if (type === 1) bytesOf(8)(out, random, 0);
  else if (type === 2) text(out, random, 0);
  else bytesOf(4)(out, random, 0);
}

const fixed64 = bytesOf(8);
const fixed32 = bytesOf(4);
const keyValue: Emit = (out, random, depth) => keyValueMessage(out, random, depth);
const anyValue: Emit = (out, random, depth) => anyValueMessage(out, random, depth);
const arrayValue = message(() => [[0x0a, 1, anyValue]], 2);
const keyValueList = message(() => [[0x0a, 1, keyValue]], 2);
const keyValueMessage = message(
  () => [
    [0x0a, 4, text],
    [0x12, 5, anyValue],
  ],
  2,
);
const anyValueMessage = message(
  () => [
    [0x0a, 6, text],
    [0x10, 1, varint],
    [0x18, 2, varint],
    [0x21, 1, fixed64],
    [0x2a, 2, arrayValue],
    [0x32, 2, keyValueList],
    [0x3a, 1, text],
  ],
  1,
);
const resource = message(
  () => [
    [0x0a, 6, keyValue],
    [0x10, 1, varint],
  ],
  2,
);
const scope = message(
  () => [
    [0x0a, 3, text],
    [0x12, 2, text],
    [0x1a, 2, keyValue],
    [0x20, 1, varint],
  ],
  2,
);
const event = message(
  () => [
    [0x09, 1, fixed64],
    [0x12, 2, text],
    [0x1a, 3, keyValue],
    [0x20, 1, varint],
  ],
  2,
);
const link = message(
  () => [
    [0x0a, 3, id(16)],
    [0x12, 3, id(8)],
    [0x1a, 1, text],
    [0x22, 2, keyValue],
    [0x28, 1, varint],
    [0x35, 1, fixed32],
  ],
  3,
);
const status = message(
  () => [
    [0x12, 2, text],
    [0x18, 2, varint],
  ],
  1,
);
const spanFields = message(
  () => [
    [0x1a, 1, text],
    [0x22, 3, id(8)],
    [0x2a, 3, text],
    [0x30, 1, varint],
    [0x39, 2, fixed64],
    [0x41, 2, fixed64],
    [0x4a, 9, keyValue],
    [0x50, 1, varint],
    [0x5a, 2, event],
    [0x60, 1, varint],
    [0x6a, 2, link],
    [0x70, 1, varint],
    [0x7a, 2, status],
    [0x85, 1, fixed32],
    [0x0a, 1, id(16)],
    [0x12, 1, id(8)],
  ],
  6,
);
const recordFields = message(
  () => [
    [0x09, 2, fixed64],
    [0x10, 1, varint],
    [0x1a, 1, text],
    [0x2a, 3, anyValue],
    [0x32, 6, keyValue],
    [0x38, 1, varint],
    [0x45, 1, fixed32],
    [0x4a, 2, id(16)],
    [0x52, 2, id(8)],
    [0x59, 1, fixed64],
    [0x62, 1, text],
  ],
  4,
);
/** Random fields would hardly ever make a span, so its ids are written first. */
const span: Emit = (out, random, depth) => {
  const content: number[] = [];
  spanFields(content, random, depth);
  const ids: number[] = [0x0a];
  id(16)(ids, random, depth);
  ids.push(0x12);
  id(8)(ids, random, depth);
  delimited(out, random, [...ids, ...contentOf(content)]);
};

/** The content after the length of a message just written. */
function contentOf(bytes: readonly number[]): readonly number[] {
  let at = 0;
  while ((bytes[at] ?? 0) > 0x7f) at++;
  return bytes.slice(at + 1);
}

const scopeGroup = (record: Emit) =>
  message(
    () => [
      [0x0a, 3, scope],
      [0x12, 5, record],
      [0x1a, 1, text],
    ],
    2,
    1,
  );
const group = (record: Emit) =>
  message(
    () => [
      [0x0a, 3, resource],
      [0x12, 4, scopeGroup(record)],
      [0x1a, 1, text],
    ],
    2,
    1,
  );
const requests: Record<Signal, Emit> = {
  traces: message(() => [[0x0a, 1, group(span)]], 1, 1),
  logs: message(() => [[0x0a, 1, group(recordFields)]], 1, 1),
};

export function randomRequest(signal: Signal, random: Random): Buffer {
  const out: number[] = [];
  requests[signal](out, random, 0);
  return Buffer.from(contentOf(out));
}

/** One to four changes of the kind that networks, disks and attackers make. */
export function mutate(bytes: Uint8Array, random: Random): Buffer {
  let mutant = Buffer.from(bytes);
  for (let changes = 1 + random.below(4); changes > 0; changes--) {
    const at = random.below(mutant.length + 1);
    const end = Math.min(mutant.length, at + random.below(16));
    switch (random.below(7)) {
      case 0:
        if (at < mutant.length) mutant[at] = (mutant[at] ?? 0) ^ (1 << random.below(8));
        break;
      case 1:
        if (at < mutant.length) mutant[at] = random.pick([0, 1, 0x7f, 0x80, 0xff, 0x0a, 0x12, 0x0b, 0x0c]);
        break;
      case 2:
        mutant = Buffer.from(mutant.subarray(0, at));
        break;
      case 3:
        mutant = Buffer.concat([mutant.subarray(0, at), mutant.subarray(end)]);
        break;
      case 4:
        mutant = Buffer.concat([mutant.subarray(0, end), mutant.subarray(at)]);
        break;
      case 5:
        mutant = Buffer.concat([mutant.subarray(0, at), Buffer.from([random.below(256)]), mutant.subarray(at)]);
        break;
      default:
        if (at < mutant.length) mutant.fill(random.below(256), at, end);
    }
  }
  return mutant;
}
