/**
 * Copies a store of one machine into the one that many instances share: everything, in parts, each of which is there
 * whole or not at all. Must run while nothing writes to the source, because copied rows are not read again. At the end
 * what is there is counted against what was to be there.
 */
import { COPIED_TABLES } from './copied-tables.ts';
import type { PostgresAddress } from './postgres/link.ts';
import { StoreImport } from './postgres/store-import.ts';
import { type StoreCounts, StoreExport } from './sqlite/store-export.ts';

interface CopyOptions {
  readonly from: string;
  readonly to: PostgresAddress;
  /** The instance under whose name the totals are. */
  readonly as: string;
  /** Where conversations are there already that were not copied from here. */
  readonly intoExisting: boolean;
  readonly onProgress: (done: { readonly conversations: number; readonly of: number }) => void;
}

interface Copied {
  readonly source: StoreCounts;
  /** In this run. */
  readonly copied: StoreCounts;
  /** Conversations of the source that the target holds. */
  readonly target: StoreCounts;
  /** They had gone on in the target, and were left as they are there. */
  readonly leftAlone: number;
}

/** The bytes of these are in memory at once. */
const WORDS_PER_PART = 1000;
const CONVERSATIONS_PER_PART = 200;

export class TargetInUse extends Error {}

export class SourceIsWaiting extends Error {
  constructor(evaluations: number) {
    super(
      `${evaluations} evaluations in the source wait for a judge: start Assay on it once more, until they are complete or judging.limit is over`,
    );
  }
}

export async function copyStore(options: CopyOptions): Promise<Copied> {
  const source = StoreExport.open(options.from);
  try {
    const target = await StoreImport.open(options.to, options.as);
    try {
      return await copy(source, target, options);
    } finally {
      await target.close();
    }
  } finally {
    source.close();
  }
}

async function copy(source: StoreExport, target: StoreImport, options: CopyOptions): Promise<Copied> {
  const cameTo = await target.cameTo();
  if (cameTo === undefined && !options.intoExisting && (await target.hasConversations())) {
    throw new TargetInUse('there are conversations in the target that were not copied from here');
  }
  const waiting = source.waiting();
  if (waiting > 0) throw new SourceIsWaiting(waiting);
  const times = source.storedBetween();
  if (times !== undefined) await target.makeDays(times.first, times.last);
  const counts = source.counts();
  const copied = { conversations: 0, traces: 0, evaluations: 0 };
  let looked = 0;
  for (const part of partsOf(source, cameTo ?? 0)) {
    add(copied, await target.take(part));
    looked += part.length;
    options.onProgress({ conversations: looked, of: counts.conversations });
  }
  for (const table of COPIED_TABLES) await target.takeRows(table, source.rowsOf(table));
  await target.takeLabels(source.labels());
  await target.takeTotals(source.totals());
  await target.takeFirstTimes(source.firstTimes());
  await target.takeHistory(source.history());
  for (const part of wordsOf(source)) await target.takeWords(part);
  return { source: counts, copied, ...(await verify(source, target)) };
}

/** A conversation of which there is not the same on both sides went on in the target. */
async function verify(source: StoreExport, target: StoreImport): Promise<Pick<Copied, 'target' | 'leftAlone'>> {
  const there = { conversations: 0, traces: 0, evaluations: 0 };
  let leftAlone = 0;
  for (const part of partsOf(source, 0)) {
    const count = await target.countOf(part);
    add(there, count);
    if (isSame(count, sumOf(part))) continue;
    for (const one of part) if (!isSame(await target.countOf([one]), sumOf([one]))) leftAlone += 1;
  }
  return { target: there, leftAlone };
}

function* wordsOf(source: StoreExport) {
  for (let row = 0; ; ) {
    const part = source.words(row, WORDS_PER_PART);
    const last = part.at(-1);
    if (last === undefined) return;
    yield part;
    row = last.row;
  }
}

function* partsOf(source: StoreExport, after: number) {
  for (let row = after; ; ) {
    const part = source.conversations(row, CONVERSATIONS_PER_PART);
    const last = part.at(-1);
    if (last === undefined) return;
    yield part;
    row = last.row;
  }
}

function sumOf(part: ReturnType<StoreExport['conversations']>): StoreCounts {
  return {
    conversations: part.length,
    traces: part.reduce((sum, { traces }) => sum + traces.length, 0),
    evaluations: part.reduce((sum, { evaluations }) => sum + evaluations.length, 0),
  };
}

function isSame(a: StoreCounts, b: StoreCounts): boolean {
  return a.conversations === b.conversations && a.traces === b.traces && a.evaluations === b.evaluations;
}

function add(to: { conversations: number; traces: number; evaluations: number }, some: StoreCounts): void {
  to.conversations += some.conversations;
  to.traces += some.traces;
  to.evaluations += some.evaluations;
}
