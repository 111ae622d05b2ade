/**
 * Forgets a conversation, or all conversations of a user: in the store, the content, the journal, the experiments and the
 * kept answers of judges. The states, and what a crash does in each, are in docs/decisions/0035.
 *
 * The same procedure serves the running service and a stopped one: only who has the store differs (`steps.ts`).
 */
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ForgettableNames } from '../../store/engine-store.ts';
import { AboutMatcher } from '../../engine/about.ts';
import type { EditRecord } from '../../journal/rewrite-segment.ts';
import type { ConversationId, TraceId } from '../../model/ids.ts';
import { BatchTable } from '../../otlp/batch-table.ts';
import { blankRows } from '../../otlp/blank-rows.ts';
import { ANSWER_FILE } from '../../store/sqlite/answer-file.ts';
import type { LogPlace } from '../../store/sqlite/forgotten-rows.ts';
import type { SaidCounts } from '../../store/said-counts.ts';
import { forgetRuns } from '../../store/experiment/forget-runs.ts';
import type { StepTaker } from './steps.ts';
import { removeSetAside, setAsideIn } from './set-aside-files.ts';

export interface ForgetRequest {
  readonly about: ForgettableNames;
  readonly dryRun: boolean;
  /** Files that starts have set aside after damage may hold anything, and cannot be searched. */
  readonly dropSetAside: boolean;
  /** A dry run is for the client that waits for it, and ends with it. */
  readonly gone?: AbortSignal | undefined;
}

interface Forgotten {
  /** Stored ones, and those of which the journal has spans only. */
  readonly conversations: number;
  readonly said: SaidCounts;
  readonly experimentRuns: number;
  readonly setAsideFiles: number;
}

export type ForgetResult =
  | ({ readonly is: 'forgotten' | 'would-be-forgotten' } & Forgotten)
  /** Refused before anything was changed. */
  | { readonly is: 'refused'; readonly files: readonly string[] }
  /** Deleted, but some of it is in a file still. To be asked again. */
  | { readonly is: 'unfinished'; readonly why: string };

/** The journal, as it is rewritten. */
export interface ForgettingLog {
  readonly place: LogPlace;
  /** See `Journal.rewrite`. */
  rewrite(edit: EditRecord): Promise<void>;
}

export interface ForgettingPlaces {
  readonly store: StepTaker;
  /** Undefined where the log is Kafka, whose topics forget by their own retention. */
  readonly log: ForgettingLog | undefined;
  readonly dataDir: string;
  readonly experimentsDir: string;
  readonly idKeys: readonly string[];
}

const NOTHING_SAID: SaidCounts = { truths: 0, readings: 0, labels: 0, feedback: 0 };
const SETTLE_ATTEMPTS = 20;
const SETTLE_PAUSE_MS = 250;

export async function forget(request: ForgetRequest, places: ForgettingPlaces): Promise<ForgetResult> {
  const { about, dryRun, dropSetAside } = request;
  const { store, log, dataDir, experimentsDir, idKeys } = places;
  const files = setAsideIn(dataDir);
  if (files.length > 0 && !dropSetAside && !dryRun) return { is: 'refused', files };
  const matcher = new AboutMatcher(about, idKeys);
  const isWanted = () => !dryRun || request.gone?.aborted !== true;
  const { conversations: stored = [], said = NOTHING_SAID } = await store.take({ do: 'find', ...about });
  const inJournal = await tracesInJournal(matcher, log, isWanted);
  const openOnes = about.users.length === 0 ? [] : await conversationsInJournal(matcher, inJournal, log);
  const ofUser = [...new Set([...stored, ...openOnes])];
  const isThere = stored.length > 0 || inJournal.length > 0;
  if (dryRun) {
    const experimentRuns = await forgetRuns(experimentsDir, { about, matcher, dryRun });
    const conversations = Math.max(ofUser.length, inJournal.length > 0 ? 1 : 0);
    return { is: 'would-be-forgotten', conversations, said, experimentRuns, setAsideFiles: files.length };
  }
  const named = about.conversation === undefined ? ofUser : [about.conversation];
  const place = log?.place ?? { position: 0, logTime: 0 };
  const { dropped } = await store.take({
    do: 'drop',
    conversations: named,
    users: about.users,
    traces: inJournal,
    place,
  });
  await wipeJournal(store, log);
  const experimentRuns = await forgetRuns(experimentsDir, { about, matcher, dryRun });
  // Kept answers do not say whom they are about, so all are removed, and what they cost is lost.
  if (isThere || experimentRuns > 0) removeAnswers(dataDir);
  removeSetAside(dataDir, files);
  const conversations = Math.max(dropped?.conversations ?? 0, openOnes.length, isThere ? 1 : 0);
  const unfinished = await whatIsLeft(store);
  if (unfinished !== undefined) return { is: 'unfinished', why: unfinished };
  return {
    is: 'forgotten',
    conversations,
    said: dropped?.said ?? NOTHING_SAID,
    experimentRuns,
    setAsideFiles: files.length,
  };
}

/** Overwrites what the journal has of forgotten traces. Called when the store says that there is something, too. */
export async function wipeJournal(store: StepTaker, log: ForgettingLog | undefined): Promise<void> {
  const { traces = [] } = await store.take({ do: 'list-wipes' });
  if (log === undefined || traces.length === 0) return;
  const gone = new Set(traces);
  await log.rewrite(({ table, payload }) => {
    const { rows, isEmpty } = blankRows(table, payload, (traceId) => gone.has(traceId));
    if (rows === 0) return 'keep';
    return isEmpty ? 'cover' : 'changed';
  });
  await store.take({ do: 'end-wipes', traces });
}

async function tracesInJournal(
  matcher: AboutMatcher,
  log: ForgettingLog | undefined,
  isWanted: () => boolean,
): Promise<readonly TraceId[]> {
  const found = new Set<TraceId>();
  await log?.rewrite(({ table, payload }) => {
    if (!isWanted()) throw new Error('the client went away');
    const { signal } = BatchTable.read(table);
    const traces = signal === 'traces' ? matcher.tracesIn(payload) : matcher.tracesInLogs(payload);
    for (const traceId of traces) found.add(traceId);
    return 'keep';
  });
  return [...found];
}

/** Conversations whose turns may be open and do not name the user. */
async function conversationsInJournal(
  matcher: AboutMatcher,
  traces: readonly TraceId[],
  log: ForgettingLog | undefined,
): Promise<readonly ConversationId[]> {
  const wanted = new Set(traces);
  const found = new Set<ConversationId>();
  if (wanted.size > 0)
    await log?.rewrite(({ payload }) => {
      for (const conversation of matcher.conversationsOf(wanted, payload)) found.add(conversation);
      return 'keep';
    });
  return [...found];
}

/** Undefined once it is in no file. */
async function whatIsLeft(store: StepTaker): Promise<string | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const { isSettled, inArchive = 0 } = await store.take({ do: 'settle' });
    if (isSettled === true && inArchive === 0) return undefined;
    if (attempt === SETTLE_ATTEMPTS)
      return isSettled === true
        ? 'the archive has files with it: the running service rewrites them, and tries until it can'
        : 'a reader of the store keeps its write-ahead log: it is tried again every minute';
    await sleep(SETTLE_PAUSE_MS);
  }
}

/** See `judges-offline.ts`. A command that has it open keeps what it has in memory until it ends. */
function removeAnswers(dataDir: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    const file = path.join(dataDir, `${ANSWER_FILE}${suffix}`);
    if (existsSync(file)) rmSync(file);
  }
}

/** The id as it was asked for, as conversations are known. */
export function askedConversation(id: string): ConversationId {
  // The cast is the brand: an id that no conversation has is found nowhere.
  return id.toWellFormed() as ConversationId;
}
