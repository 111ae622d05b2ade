/**
 * A data folder as `kill -9` leaves it, with an older copy of it, and ways to damage a file. Scored turns are in the
 * store and no longer in the journal; accepted ones are in the journal alone.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { Journal } from '../../../src/journal/journal.ts';
import { traceIdsIn } from '../../../src/engine/intake.ts';
import type { JournalEvent } from '../../../src/model/events/journal-events.ts';
import { AnswerFile } from '../../../src/store/sqlite/answer-file.ts';
import { examine, journalIn, noteSalt, settle } from '../../../src/serve/one-machine/examination.ts';
import { filesSetAside, recoverFile } from '../../../src/serve/one-machine/recover-set-aside.ts';
import { understandRequest } from '../../../src/receive/understand-request.ts';
import { DamagedContent } from '../../../src/store/damaged-content.ts';
import { Store } from '../../../src/store/sqlite/store.ts';
import { StoreReader } from '../../../src/store/sqlite/store-reader.ts';
import { exportRequest, type TrafficSpan } from '../../simulation/traffic.ts';
import { metricsOf, runService, sumOf, turnSpan } from '../running-service.ts';

const SCORED_BEFORE = 200;
export const SCORED = 300;
const ACCEPTED = 200;
export const ALL = SCORED + ACCEPTED;
export const BATCH = 20;
const FLIPPED_BYTES = 8;

interface Folders {
  readonly base: string;
  /** The same folder earlier, after a clean stop. */
  readonly older: string;
}

export async function makeFolders(parent: string): Promise<Folders> {
  const dataDir = path.join(parent, 'running');
  const [base, older] = [path.join(parent, 'base'), path.join(parent, 'older')];
  mkdirSync(dataDir);
  writeSmallSegments(dataDir);
  const first = await runService({ suites: ['default'], dataDir });
  await sendSpans(first, { first: 1, turns: SCORED_BEFORE });
  await untilStored(first, SCORED_BEFORE);
  const answers = AnswerFile.open(path.join(dataDir, 'judge-answers.db'), { endedAfter: 0 });
  answers.keep('aa', { outcome: 'failed', reason: 'x' } as never, Date.now());
  answers.close();
  mkdirSync(path.join(dataDir, 'experiments', 'e1'), { recursive: true });
  writeFileSync(path.join(dataDir, 'experiments', 'e1', 'experiment.json'), '{}');
  await first.service.stop();
  cpSync(dataDir, older, { recursive: true });
  const second = await runService({ suites: ['default'], dataDir });
  await sendSpans(second, { first: SCORED_BEFORE + 1, turns: SCORED - SCORED_BEFORE });
  await untilStored(second, SCORED - SCORED_BEFORE);
  await second.service.stop();
  // Its turns stay open.
  const env = { ASSAY_TURN_SETTLE: '10m', ASSAY_TURN_IDLE: '10m' };
  const third = await runService({ suites: ['default'], dataDir, env });
  await fetch(`${third.http}/v1/truth/label`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"wanted":1}',
  });
  await sendSpans(third, { first: SCORED + 1, turns: ACCEPTED });
  await untilAtRest(dataDir);
  cpSync(dataDir, base, { recursive: true });
  await third.service.stop();
  rmSync(dataDir, { recursive: true });
  return { base, older };
}

/** The mark of the journal is written a while after a sync, and how far the log reaches with the next word of time. */
async function untilAtRest(folder: string): Promise<void> {
  const state = () =>
    filesOf(folder).map((name) => {
      const { mtimeMs, size } = statSync(path.join(folder, name));
      return `${name} ${mtimeMs} ${size}`;
    });
  let before: readonly string[] = [];
  for (let now = state(); String(now) !== String(before); now = state()) {
    before = now;
    await sleep(500);
  }
}

export function writeSmallSegments(dataDir: string): void {
  const settings = 'journal: { max_bytes: 8MiB }\nredaction: { hash_user_ids: true }\n';
  writeFileSync(path.join(dataDir, 'assay.yaml'), settings);
}

export async function sendSpans(
  running: Awaited<ReturnType<typeof runService>>,
  { first, turns }: { first: number; turns: number },
) {
  for (let at = first; at < first + turns; at += BATCH) {
    const spans = Array.from({ length: BATCH }, (_, index) => spanOf(at + index));
    const headers = { 'content-type': 'application/json' };
    const body = exportRequest(spans, 'v1');
    const response = await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body });
    expect(response.status).toBe(200);
  }
}

/** A turn of one step, whose answer is a kilobyte. */
export function spanOf(number: number): TrafficSpan {
  const answer = { stringValue: `answer ${number} `.repeat(80) };
  return turnSpan(number, { more: [{ key: 'gen_ai.completion', value: answer }] });
}

export async function untilStored(running: Awaited<ReturnType<typeof runService>>, turns: number): Promise<void> {
  const stored = async () => sumOf(await metricsOf(running), 'assay_conversations_due_total');
  // Also before the tests, where there is no `expect.poll`.
  await vi.waitFor(async () => expect(await stored()).toBeGreaterThanOrEqual(turns), { timeout: 30_000 });
}

/** Every file of the folder, by its path in it. */
export function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(path.join(folder, name)).isFile())
    .toSorted();
}

export const DAMAGES = ['missing', 'empty', 'half', 'head', 'middle', 'end', 'older', 'foreign'] as const;
export type DamageDone = (typeof DAMAGES)[number];

/** False where it cannot be done to this file, or leaves it as it was. */
export function damage(folder: string, name: string, how: DamageDone, older: string): boolean {
  const file = path.join(folder, name);
  const before = readFileSync(file);
  if (before.length === 0) return false;
  const flip = (at: number) => {
    const bytes = Buffer.from(before);
    const from = Math.max(0, Math.min(at, bytes.length - FLIPPED_BYTES));
    for (let index = from; index < Math.min(from + FLIPPED_BYTES, bytes.length); index += 1)
      bytes[index] = ~(bytes[index] ?? 0) & 0xff;
    writeFileSync(file, bytes);
  };
  switch (how) {
    case 'missing':
      rmSync(file);
      return true;
    case 'empty':
      truncateSync(file, 0);
      return true;
    case 'half':
      truncateSync(file, Math.floor(before.length / 2));
      return true;
    case 'head':
      flip(0);
      return true;
    case 'middle':
      flip(name.endsWith('.content') ? middleOfPiece(folder, name) : Math.floor(before.length / 2));
      return true;
    case 'end':
      flip(before.length - FLIPPED_BYTES);
      return true;
    case 'older': {
      const copy = path.join(older, name);
      const isThere = statSync(copy, { throwIfNoEntry: false })?.isFile() === true;
      if (!isThere || readFileSync(copy).equals(before)) return false;
      cpSync(copy, file);
      return true;
    }
    case 'foreign':
      writeFileSync(
        file,
        Buffer.from('this is another file, of another program\n'.repeat(1 + Math.floor(before.length / 50))),
      );
      return true;
  }
}

/**
 * The middle of a piece that is needed. Between these lie pieces that were replaced, if a turn was stored in two parts,
 * and nobody misses those.
 */
function middleOfPiece(folder: string, name: string): number {
  const copy = `${folder}-database`;
  mkdirSync(copy);
  for (const file of ['assay.db', 'assay.db-wal']) cpSync(path.join(folder, file), path.join(copy, file));
  const database = new DatabaseSync(path.join(copy, 'assay.db'));
  const pieces = database
    .prepare(
      'SELECT content_offset + spans_length / 2 AS middle FROM traces WHERE content_file = ? ORDER BY content_offset',
    )
    .all(Number.parseInt(path.basename(name), 10));
  database.close();
  rmSync(copy, { recursive: true });
  return Number(pieces[Math.floor(pieces.length / 2)]?.middle);
}

export interface Outcome {
  /** Kinds of damage, and the journal's events. */
  readonly reported: readonly string[];
  /** Whether the start waits for a person. */
  readonly asks: boolean;
  /** Turns whose spans are intact, in the store or in the journal. */
  readonly remaining: number;
  /** With what is read back from what was set aside. */
  readonly recoverable: number;
  /** Kinds of damage that a start after that one reports. */
  readonly reportedAgain: readonly string[];
}

/** A start that is told to accept what is lost, without its service. */
export async function startOn(folder: string): Promise<Outcome> {
  const examined = await examine(folder, 'quick');
  await settle(folder, examined);
  // A service ends with the advice to put the salt back.
  if (examined.damage.every(({ kind }) => kind !== 'salt-missing')) noteSalt(folder);
  const found = await openAll(folder);
  const reported = [...examined.damage.map(({ kind }) => kind), ...found.reported];
  const all = new Set(found.traces);
  for (const file of filesSetAside(folder)) {
    await recoverFile(file, async (request) => {
      const understood = understandRequest({ ...request, format: 'protobuf' }, undefined);
      if ('batch' in understood) for (const traceId of traceIdsIn(understood.batch.table)) all.add(traceId);
    });
  }
  const again = await examine(folder, 'quick');
  const reportedAgain = [...again.undecided.map(({ kind }) => kind), ...(await openAll(folder)).reported];
  return {
    reported: [...new Set(reported)],
    asks: examined.undecided.length > 0,
    remaining: found.traces.size,
    recoverable: all.size,
    reportedAgain: reportedAgain.filter((kind) => kind !== 'content-damaged'),
  };
}

async function openAll(
  folder: string,
): Promise<{ readonly traces: Set<string>; readonly reported: readonly string[] }> {
  const traces = new Set<string>();
  const reported: string[] = [];
  const file = path.join(folder, 'assay.db');
  const store = Store.open(file);
  const { position, logTime } = store.floor;
  const reader = StoreReader.open(file);
  const database = new DatabaseSync(file, { readOnly: true });
  const ids = database.prepare('SELECT id, trace_id FROM traces').all();
  database.close();
  for (const { id, trace_id: bytes } of ids) {
    const traceId = Buffer.from(bytes as Uint8Array).toString('hex');
    try {
      const content = reader.content({ row: Number(id) } as never);
      if (content !== undefined) traces.add(traceId);
    } catch (error) {
      if (!(error instanceof DamagedContent)) throw error;
      reported.push('content-damaged');
    }
  }
  reader.close();
  const { journal, recovered } = await Journal.open({
    ...journalIn(folder),
    segmentBytes: 1 << 16,
    maxBytes: 1 << 30,
    floor: { position, logTime },
    onEvent: (event: JournalEvent) => {
      if (event.type === 'journal-corrupt' || event.type === 'journal-segment-short') reported.push(event.type);
    },
  });
  for (const entry of recovered) for (const traceId of traceIdsIn(entry.table)) traces.add(traceId);
  await journal.stop();
  store.close();
  return { traces, reported };
}
