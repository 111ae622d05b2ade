/**
 * A high-water mark: how far something on disk had come, in a small file apart from it. It is written after what it is
 * about is durable, so that it can be behind and never ahead. Data that end before their mark have lost something.
 *
 *   file = crc32 of the text in 8 hexadecimal digits | ' ' | one line of JSON | '\n' | remains of longer marks
 *
 * It is written in place and synced only on request: after power loss an old mark does no harm, and a torn one fails
 * its checksum and counts as none.
 */
import { closeSync, fdatasync, openSync, readFileSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { tryParseJson } from './json.ts';

const CRC_DIGITS = 8;
const BLOCK_BYTES = 512;
const sync = promisify(fdatasync);

export class HighWaterFile {
  readonly #name: string;
  #descriptor: number | undefined;
  #written = '';

  constructor(name: string) {
    this.#name = name;
  }

  /** Writes nothing where the mark is what it was. */
  write(mark: object): void {
    const text = JSON.stringify(mark);
    if (text === this.#written) return;
    const line = `${crc32(text).toString(16).padStart(CRC_DIGITS, '0')} ${text}\n`;
    const bytes = Buffer.alloc(Math.ceil(line.length / BLOCK_BYTES) * BLOCK_BYTES, ' ');
    bytes.write(line);
    this.#descriptor ??= openOrMake(this.#name);
    writeSync(this.#descriptor, bytes, 0, bytes.length, 0);
    this.#written = text;
  }

  async sync(): Promise<void> {
    if (this.#descriptor !== undefined) await sync(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** Undefined where there is none that is whole. */
export function readHighWater(name: string): unknown {
  let text: string;
  try {
    text = readFileSync(name, 'utf8');
  } catch {
    // Versions before this one had none.
    return undefined;
  }
  const json = text.slice(CRC_DIGITS + 1, text.indexOf('\n'));
  return Number.parseInt(text.slice(0, CRC_DIGITS), 16) === crc32(json) ? tryParseJson(json) : undefined;
}

function openOrMake(name: string): number {
  try {
    return openSync(name, 'r+');
  } catch {
    return openSync(name, 'w+', 0o600);
  }
}
