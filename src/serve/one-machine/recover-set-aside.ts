/**
 * Reads what starts have set aside (`journal/quarantine`, `content/quarantine`) back in: as requests, the way in that
 * everything takes. Spans that are there already are duplicates, which change nothing, so it may be done again.
 */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { Journal } from '../../journal/journal.ts';
import { isSetAside, readSetAside } from '../../journal/read-set-aside.ts';
import { understandRequest } from '../../receive/understand-request.ts';
import { contentDirectory } from '../../store/sqlite/content-reader.ts';
import { readSetAsideContent } from '../../store/sqlite/read-set-aside.ts';
import { storeFileIn } from '../store-place/data-directory.ts';
import { LossUndecided } from '../store-place/loss-undecided.ts';
import { examine, journalIn } from './examination.ts';

interface RecoveredRequest {
  readonly signal: 'traces' | 'logs';
  /** An export request in protobuf. */
  readonly bytes: Uint8Array;
  /** Rows that the record must have after a wrong bit was corrected. */
  readonly mendedRows?: number;
}

export interface RecoveredFile {
  readonly file: string;
  readonly requests: number;
  readonly records: number;
  /** Requests of these in which one wrong bit was corrected. */
  readonly mended: number;
  /** Bytes that hold nothing whole. */
  readonly unreadableBytes: number;
  /** Why some of it was not taken. */
  readonly problem: string | undefined;
}

/**
 * Takes a recovered request: a running service, or the journal of a stopped one. Rejects with the reason if it is not
 * taken.
 */
export type TakeRequest = (request: RecoveredRequest) => Promise<void>;

export function filesSetAside(dataDir: string): readonly string[] {
  const inFolder = (folder: string, isOurs: (name: string) => boolean) =>
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter(isOurs)
          .map((name) => path.join(folder, name))
          .toSorted()
      : [];
  return [
    ...inFolder(path.join(journalIn(dataDir).directory, 'quarantine'), isSetAside),
    ...inFolder(path.join(contentDirectory(storeFileIn(dataDir)), 'quarantine'), (name) => name.endsWith('.content')),
  ];
}

export async function recoverFile(file: string, take: TakeRequest): Promise<RecoveredFile> {
  let requests = 0;
  let records = 0;
  let mended = 0;
  let problem: string | undefined;
  const one = async (request: RecoveredRequest) => {
    const understood = understandRequest({ ...request, format: 'protobuf' }, undefined);
    if ('malformed' in understood) {
      problem ??= understood.malformed;
      return;
    }
    const { mendedRows, ...received } = request;
    if (mendedRows !== undefined && mendedRows !== understood.batch.rows) {
      problem ??= `a request has ${understood.batch.rows} records, and its journal record says ${mendedRows}`;
      return;
    }
    await take(received);
    requests += 1;
    if (mendedRows !== undefined) mended += 1;
    records += understood.batch.rows;
  };
  const requestsIn = file.endsWith('.content') ? contentRequests(file) : readSetAside(file);
  for (;;) {
    const next = await requestsIn.next();
    if (next.done === true) return { file, requests, records, mended, unreadableBytes: next.value, problem };
    await one(next.value);
  }
}

async function* contentRequests(file: string): AsyncGenerator<RecoveredRequest, number, undefined> {
  const pieces = readSetAsideContent(file);
  for (;;) {
    const next = pieces.next();
    if (next.done === true) return next.value;
    yield { signal: 'traces', bytes: next.value.traces };
    if (next.value.logs !== undefined) yield { signal: 'logs', bytes: next.value.logs };
  }
}

/** Opens the journal of a service that does not run. The next start scores what it takes. */
export async function openStoppedJournal(
  settings: Settings,
): Promise<{ readonly take: TakeRequest; readonly close: () => Promise<void> }> {
  const { dataDir } = settings;
  const { undecided, store } = await examine(dataDir, 'quick');
  if (undecided.length > 0) {
    const what = undecided.map((one) => `  ${one.what}`).join('\n');
    throw new LossUndecided(`data are lost, and nobody has decided about it: start the service first\n${what}`);
  }
  const { journal } = await Journal.open({
    ...journalIn(dataDir),
    segmentBytes: settings.journal.segmentBytes,
    maxBytes: settings.journal.maxBytes,
    floor: { position: store.position ?? 0, logTime: 0 },
    onEvent: () => {
      // The next start reports what is damaged.
    },
  });
  // The next start reads the entries.
  journal.deliverTo({ take: () => {} });
  const take: TakeRequest = async (request) => {
    const understood = understandRequest({ ...request, format: 'protobuf' }, undefined);
    if ('malformed' in understood) throw new Error(understood.malformed);
    const appended = await journal.append(understood.batch);
    if (!appended.appended) throw new Error(`${appended.because}: ${appended.detail}`);
  };
  return { take, close: () => journal.stop() };
}
