/**
 * Exports as they are kept below the robot's folder, so that they can be read again by another version of Assay:
 * `<row>/<behaviour>.bin` with traces, `.logs.bin` with log records, and `.played.json` with what the model server and
 * the application saw.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Served } from '../capture/model-server.ts';
import type { ReceivedRequest } from '../capture/receiver.ts';
import { transcodeLogs, transcodeTraces } from '../../src/otlp/json-transcoder.ts';

export interface KeptExport {
  readonly traces: readonly Uint8Array[];
  readonly logs: readonly Uint8Array[];
}

export interface Played {
  readonly served: readonly Served[];
  /** Answers as the application saw them, by turn. */
  readonly answers: readonly (readonly [number, string | null])[];
}

export interface Place {
  readonly folder: string;
  readonly behaviour: string;
}

export function exportIn(requests: readonly ReceivedRequest[]): KeptExport {
  const bytesOf = (signal: 'traces' | 'logs', transcode: (bytes: Buffer) => Uint8Array) =>
    requests
      .filter((request) => request.signal === signal)
      .map(({ encoding, bytes }) => (encoding === 'json' ? transcode(bytes) : bytes));
  return { traces: bytesOf('traces', transcodeTraces), logs: bytesOf('logs', transcodeLogs) };
}

export function keep(place: Place, { traces, logs }: KeptExport, played: Played): void {
  mkdirSync(place.folder, { recursive: true });
  if (traces.length > 0) writeFileSync(fileOf(place, 'bin'), framed(traces));
  if (logs.length > 0) writeFileSync(fileOf(place, 'logs.bin'), framed(logs));
  writeFileSync(fileOf(place, 'played.json'), JSON.stringify(played));
}

export function tryReadKept(place: Place): { readonly exported: KeptExport; readonly played: Played } | undefined {
  if (!existsSync(fileOf(place, 'played.json'))) return undefined;
  // The cast is the format that `keep` writes.
  const played = JSON.parse(readFileSync(fileOf(place, 'played.json'), 'utf8')) as Played;
  return { exported: { traces: frames(fileOf(place, 'bin')), logs: frames(fileOf(place, 'logs.bin')) }, played };
}

function fileOf({ folder, behaviour }: Place, suffix: string): string {
  return path.join(folder, `${behaviour}.${suffix}`);
}

/** As the Collector's file exporter writes protobuf: each request with its length before it. */
function framed(requests: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    requests.flatMap((bytes) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

function frames(file: string): readonly Uint8Array[] {
  if (!existsSync(file)) return [];
  const bytes = readFileSync(file);
  const found: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    found.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return found;
}
