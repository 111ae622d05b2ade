/**
 * Reads recorded OTLP data from files, from an archive (a folder, or a bucket), and from the folder of a journal
 * with its log times. Files are JSON lines, one
 * JSON document (as written by the Collector's file exporter and most dumps), or protobuf (one request, or many with a
 * 4-byte length before each). They may be compressed with gzip or zstd. A line of JSON may also be a conversation in
 * another format (`messages/conversation-formats.ts`).
 */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { archivedContent, contentIn, isArchive, isParquet } from '../archive/archived-content.ts';
import { isBucketUrl } from '../archive/open-object-store.ts';
import type { Settings } from '../config/settings.ts';
import { offlineRedaction } from '../engine/redaction-rules.ts';
import {
  indexedRequest,
  protobufBatch,
  type RecordedBatch,
  recordedMessages,
} from '../engine/recorded/recorded-batch.ts';
import { tryReadSegmentHead } from '../journal/record.ts';
import { listSegmentBases, segmentPath } from '../journal/segment-files.ts';
import { scanSegment } from '../journal/segment-scan.ts';
import { UnreadableInput } from '../model/unreadable-input.ts';
import type { Json } from '../model/json.ts';
import { transcodeTraces } from '../otlp/json-transcoder.ts';
import type { RedactionRules } from '../model/redaction.ts';
import { unreadable } from '../model/why-unreadable.ts';
import { errorMessage } from '../model/error-message.ts';
import { RequestRedactor } from '../redact/request-redactor.ts';
import {
  isOpenLine,
  type OtlpRequest,
  readProtobufRequest,
  startsLikeJson,
  tryFrames,
  tryReadJsonRequest,
} from '../reader/request-bytes.ts';
import { ACCEPTED, inMessages } from './messages/conversation-formats.ts';
import { conversationIdOf, requestOfMessages } from './messages/recorded-messages.ts';

/** The batches as the service would have stored them. */
export function redactRecorded(batches: Batches, settings: Settings): AsyncGenerator<RecordedBatch> {
  return redactBatches(batches, offlineRedaction(settings));
}

type Batches = AsyncIterable<RecordedBatch> | Iterable<RecordedBatch>;

export async function* redactBatches(
  batches: Batches,
  rules: RedactionRules | undefined,
): AsyncGenerator<RecordedBatch> {
  const redactor = rules === undefined ? undefined : new RequestRedactor(rules);
  for await (const batch of batches) {
    const redacted = redactor?.redact(batch.signal, batch.bytes);
    if (redacted === undefined) yield batch;
    else yield { ...batch, ...indexedRequest(batch.signal, redacted.bytes), rejected: batch.rejected };
  }
}

/** A file could not be read; the message says where and what to do. */
export class RecordingError extends UnreadableInput {}

const DECOMPRESSED_MAX = 2 ** 31;
/** Characters of an id shown in a message. */
const ID_SHOWN_MAX = 100;
const LINE_BYTES_MAX = 256 << 20;

interface HowToRead {
  /** Messages without a time begin at the modification time of their file, or now; else at a made-up time. */
  readonly untimed?: 'begin with the file';
}

/** `-` is standard input. Recorded files have no log time: everything in them was accepted at once. */
export async function* readRecording(file: string, { untimed }: HowToRead = {}): AsyncGenerator<RecordedBatch> {
  let modifiedMs = Date.now();
  if (isBucketUrl(file)) {
    yield* ofArchive(file, archivedContent(file));
    return;
  }
  if (file !== '-') {
    const info = await stat(file).catch((error: unknown) => {
      throw new RecordingError(unreadable(file, error));
    });
    if (info.isDirectory()) {
      yield* isArchive(file) ? ofArchive(file, archivedContent(path.resolve(file))) : readJournal(file);
      return;
    }
    modifiedMs = Math.floor(info.mtimeMs);
  }
  const stream = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 1 << 20 });
  const name = file === '-' ? 'standard input' : file;
  let first: Buffer | undefined;
  let rest: Buffer[] | undefined;
  let line: Buffer[] = [];
  let lineBytes = 0;
  let lineNumber = 1;
  const known = { name, lineOf: new Map<string, number>(), untimedFrom: untimed && modifiedMs };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (first === undefined) {
      first = chunk;
      // Compressed data and protobuf are read whole; JSON is read line by line.
      if (!startsLikeJson(chunk)) rest = [];
    }
    if (rest !== undefined) {
      rest.push(chunk);
      continue;
    }
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      line.push(chunk.subarray(from, at));
      if (lineNumber === 1 && isOpenLine(Buffer.concat(line))) {
        rest = [...line, chunk.subarray(at)];
        break;
      }
      yield* readJsonLine(Buffer.concat(line), { ...known, number: lineNumber });
      line = [];
      lineBytes = 0;
      lineNumber += 1;
      from = at + 1;
    }
    if (rest !== undefined) continue;
    line.push(chunk.subarray(from));
    lineBytes += chunk.length - from;
    if (lineBytes > LINE_BYTES_MAX)
      throw new RecordingError(`${name}:${lineNumber}: a line of more than ${LINE_BYTES_MAX} bytes`);
  }
  if (rest !== undefined) {
    const whole = decompress(Buffer.concat(rest), name);
    if (isParquet(whole)) yield* ofArchive(name, contentIn(Uint8Array.from(whole), name));
    else yield* readWhole(whole, known);
  } else yield* readJsonLine(Buffer.concat(line), { ...known, number: lineNumber });
}

/** The files one after the other, as one recording. */
export async function* readRecordings(files: readonly string[], how?: HowToRead): AsyncGenerator<RecordedBatch> {
  for (const file of files) yield* readRecording(file, how);
}

/** Reads an export request in OTLP/JSON. */
export function recordedRequest(json: string, name: string): readonly RecordedBatch[] {
  return [...readJsonLine(Buffer.from(json), { name, number: undefined })];
}

function* readWhole(bytes: Buffer, known: Omit<LinePlace, 'number'>): Generator<RecordedBatch> {
  if (startsLikeJson(bytes)) {
    const firstEnd = bytes.indexOf(10);
    if (firstEnd !== -1 && isOpenLine(bytes.subarray(0, firstEnd))) {
      yield* readJsonLine(bytes, { ...known, number: undefined });
      return;
    }
    let from = 0;
    for (let number = 1; from < bytes.length; number += 1) {
      const at = bytes.indexOf(10, from);
      const end = at === -1 ? bytes.length : at;
      yield* readJsonLine(bytes.subarray(from, end), { ...known, number });
      from = end + 1;
    }
    return;
  }
  const framed = tryFrames(bytes);
  for (const message of framed ?? [bytes]) yield readProtobuf(message, known.name);
}

interface LinePlace {
  readonly name: string;
  /** Line number, from 1; undefined for a document over several lines. */
  readonly number: number | undefined;
  /** Lines of the conversations that were recorded as messages, by their ids. */
  readonly lineOf?: Map<string, number>;
  readonly untimedFrom?: number | undefined;
}

function* readJsonLine(line: Buffer, { name, number, ...known }: LinePlace): Generator<RecordedBatch> {
  const text = line.toString().trim();
  if (text === '') return;
  const place = number === undefined ? name : `${name}:${number}`;
  try {
    const request = tryReadJsonRequest(text);
    if (request !== undefined) yield batchOf(request);
    else {
      const spans = requestOfText(text, { place, lineNumber: number ?? 1, ...known });
      yield protobufBatch('traces', transcodeTraces(Buffer.from(spans)));
    }
  } catch (error) {
    throw new RecordingError(`${place}: ${errorMessage(error)}`);
  }
}

function requestOfText(
  text: string,
  {
    place,
    lineNumber,
    lineOf,
    untimedFrom,
  }: Omit<LinePlace, 'name' | 'number'> & { readonly place: string; readonly lineNumber: number },
): string {
  const value = inMessages(parse(text)) ?? null;
  const request = requestOfMessages({ value, place, lineNumber, untimedFrom });
  if (request === undefined)
    throw new Error(`neither "resourceSpans" nor "resourceLogs" is in it: expected ${ACCEPTED}`);
  const id = conversationIdOf(value);
  const before = id === undefined ? undefined : lineOf?.get(id);
  if (before !== undefined)
    throw new Error(
      `the conversation ${JSON.stringify(id).slice(0, ID_SHOWN_MAX)} is in line ${before} already: a line is a whole conversation, so give each an id of its own, and name a case that was run several times by \`case\``,
    );
  if (id !== undefined) lineOf?.set(id, lineNumber);
  return request;
}

function parse(text: string): Json {
  try {
    // The cast is what JSON.parse gives.
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new Error(`it is not JSON (${errorMessage(error)})`);
  }
}

function readProtobuf(bytes: Uint8Array, name: string): RecordedBatch {
  try {
    return batchOf(readProtobufRequest(bytes));
  } catch (error) {
    throw new RecordingError(
      `${name}: neither OTLP/JSON nor an OTLP protobuf export request (as spans: ${errorMessage(error)})`,
    );
  }
}

function batchOf({ signal, bytes }: OtlpRequest): RecordedBatch {
  return protobufBatch(signal, bytes);
}

function decompress(bytes: Buffer, name: string): Buffer {
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes, { maxOutputLength: DECOMPRESSED_MAX });
    if (bytes.length >= 4 && bytes.readUInt32LE(0) === 0xfd2fb528) {
      return zstdDecompressSync(bytes, { maxOutputLength: DECOMPRESSED_MAX });
    }
    return bytes;
  } catch (error) {
    throw new RecordingError(`${name}: decompress: ${errorMessage(error)}`);
  }
}

async function* ofArchive(place: string, contents: ReturnType<typeof archivedContent>): AsyncGenerator<RecordedBatch> {
  try {
    for await (const { traces, logs } of contents)
      yield* recordedMessages({ traces: [traces], logs: logs === undefined ? [] : [logs] });
  } catch (error) {
    throw new RecordingError(`${place}: ${errorMessage(error)}`);
  }
}

async function* readJournal(directory: string): AsyncGenerator<RecordedBatch> {
  const bases = await listSegmentBases(directory);
  if (bases.length === 0) {
    throw new RecordingError(
      `${directory}: a folder without journal segments: give files, or the journal folder of a data directory`,
    );
  }
  for (const base of bases) {
    const file = await open(segmentPath(directory, base), 'r');
    try {
      const headBytes = Buffer.alloc(64);
      await file.read(headBytes, 0, 64, 0);
      const head = tryReadSegmentHead(headBytes);
      if (head === undefined) continue;
      for await (const found of scanSegment(file, head)) {
        if (found.found !== 'record') continue;
        const { kind, rows, logTime } = found.head;
        const bytes = Buffer.from(found.payload);
        yield { signal: kind === 'logs' ? 'logs' : 'traces', bytes, table: found.table, rows, rejected: 0, logTime };
      }
    } finally {
      await file.close();
    }
  }
}
