/** PNG: reads what Chromium writes, as luminance in a small scale, and writes pictures in grey. */
import assert from 'node:assert/strict';
import { crc32, deflateSync, inflateSync } from 'node:zlib';

export interface GreyPicture {
  readonly width: number;
  readonly height: number;
  /** Luminance from 0 to 255, row by row. */
  readonly grey: Uint8Array;
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Bytes of a pixel, by the colour type: grey, RGB, RGBA. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 6: 4 };

/** Each pixel of the result is the mean of a square of `scale` pixels; what is left at the right and the bottom is dropped. */
export function readPng(file: Buffer, scale: number): GreyPicture {
  const { width: fullWidth, channels, rows } = pixelsOf(file);
  const width = Math.floor(fullWidth / scale);
  const height = Math.floor(rows.length / scale);
  const sums = new Float64Array(width * height);
  for (let y = 0; y < height * scale; y++) {
    const row = rows[y] ?? new Uint8Array();
    const target = Math.floor(y / scale) * width;
    for (let x = 0; x < width * scale; x++) {
      const at = x * channels;
      const [red = 0, green = red, blue = red] = channels === 1 ? [row[at]] : [row[at], row[at + 1], row[at + 2]];
      const place = target + Math.floor(x / scale);
      sums[place] = (sums[place] ?? 0) + 0.299 * red + 0.587 * green + 0.114 * blue;
    }
  }
  return { width, height, grey: Uint8Array.from(sums, (sum) => Math.round(sum / scale ** 2)) };
}

export function writePng({ width, height, grey }: GreyPicture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const lines = Array.from({ length: height }, (_, y) =>
    Buffer.concat([Buffer.of(0), grey.subarray(y * width, (y + 1) * width)]),
  );
  const data = deflateSync(Buffer.concat(lines), { level: 9 });
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

function pixelsOf(file: Buffer) {
  assert(file.subarray(0, 8).equals(SIGNATURE), 'not a PNG');
  const data: Buffer[] = [];
  let header = Buffer.alloc(13);
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    const body = file.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') header = Buffer.from(body);
    if (type === 'IDAT') data.push(body);
    at += length + 12;
  }
  const channels = CHANNELS[header[9] ?? 0] ?? 0;
  assert(header[8] === 8 && channels > 0 && header[12] === 0, 'only 8 bits, grey or colours, not interlaced');
  const width = header.readUInt32BE(0);
  return { width, channels, rows: unfiltered(inflateSync(Buffer.concat(data)), width * channels, channels) };
}

/** Each row begins with its filter, which predicts a byte from those at the left, above, and above at the left. */
function unfiltered(bytes: Buffer, length: number, channels: number): readonly Uint8Array[] {
  const rows: Uint8Array[] = [];
  let above = new Uint8Array(length);
  for (let at = 0; at < bytes.length; at += length + 1) {
    const filter = bytes[at] ?? 0;
    const row = new Uint8Array(bytes.subarray(at + 1, at + 1 + length));
    for (let x = 0; x < length; x++) {
      const left = x < channels ? 0 : (row[x - channels] ?? 0);
      const corner = x < channels ? 0 : (above[x - channels] ?? 0);
      row[x] = (row[x] ?? 0) + predicted(filter, left, above[x] ?? 0, corner);
    }
    rows.push(row);
    above = row;
  }
  return rows;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  switch (filter) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) >> 1;
    default: {
      const [toLeft, toAbove, toCorner] = [above - corner, left - corner, left + above - 2 * corner].map(Math.abs) as [
        number,
        number,
        number,
      ];
      return toLeft <= toAbove && toLeft <= toCorner ? left : toAbove <= toCorner ? above : corner;
    }
  }
}
