/**
 * Deletes old data, so that the store stays within its limits: by age, and by size if it is still too large.
 * Conversations that failed are kept longest, since those are the ones people come back for. Running totals stay, and
 * are apart: a counter never goes down.
 */
import { dropHistory, dropLonely } from '../rules/dropping.ts';
import { chooseNone, dropChosen, DROPPING } from './drop-conversations.ts';
import { PRUNED_TRACE_BYTES, type Reach } from './pruned-traces.ts';
import type { Store } from './store.ts';

export interface Retention {
  /** Late spans count for this long. */
  readonly reopenMs: number;
  readonly maxBytes: number;
  readonly keepMs: number;
  readonly keepFailedMs: number;
}

/** Few enough that the scoring thread is soon back at its work; the next round goes on. */
const CONVERSATIONS_MAX = 2000;
/** Rows that were deleted leave free pages, so a step too much costs history, and a step too little only time. */
const SIZE_STEP = 500;

/** Share of live data below which a file's rest is copied forward. */
const COMPACT_UNDER = 0.3;
/** The same while more of the disk is taken than may be. */
const COMPACT_UNDER_PRESSURE = 0.9;

/** A client that could not reach us may send what it had sent before for about as long. */
const SENT_AGAIN_FOR_MS = 86_400_000;
/** Traces remembered after the journal is done with them: at most these, and a tenth of what the store may take. */
const REMEMBERED_MAX = 1_000_000;
const REMEMBERED_SHARE = 0.1;

const ANY_TIME = Number.MAX_SAFE_INTEGER;
const SUCCESSFUL = 'worst_outcome = 0';
/** `now` is retention's clock (`retention-clock.ts`), which may be behind the wall clock. */
export function prune(
  store: Store,
  retention: Retention,
  now: number = Date.now(),
): { readonly conversations: number; readonly bytes: number } {
  let conversations = 0;
  const reach = {
    position: store.readFrom,
    closedAt: store.floor.logTime - Math.max(retention.reopenMs, SENT_AGAIN_FOR_MS),
  };
  const drop = (condition: string, before: number, limit: number) =>
    dropAll(store, reach, { condition, before, limit });
  // The memory of deleted conversations must not evict existing ones.
  const maxBytes = () => retention.maxBytes + store.pruned.count * PRUNED_TRACE_BYTES;
  conversations += drop(
    `due_at IS NULL AND ${SUCCESSFUL} AND updated_at < ?`,
    now - retention.keepMs,
    CONVERSATIONS_MAX,
  );
  conversations += drop('due_at IS NULL AND updated_at < ?', now - retention.keepFailedMs, CONVERSATIONS_MAX);
  for (let step = 0; step < CONVERSATIONS_MAX / SIZE_STEP && store.usedBytes > maxBytes(); step += 1) {
    // The oldest, whatever the time is.
    const successful = drop(`due_at IS NULL AND ${SUCCESSFUL} AND updated_at <= ?`, ANY_TIME, SIZE_STEP);
    const dropped = successful > 0 ? successful : drop('due_at IS NULL AND updated_at <= ?', ANY_TIME, SIZE_STEP);
    if (dropped === 0) break;
    conversations += dropped;
  }
  store.inside(dropLonely(DROPPING, now - retention.keepFailedMs));
  store.inside(dropHistory(DROPPING, now));
  const remembered = Math.min(REMEMBERED_MAX, (retention.maxBytes * REMEMBERED_SHARE) / PRUNED_TRACE_BYTES);
  store.pruned.forget(reach, Math.floor(remembered));
  store.forgotten.expire(reach);
  if (store.diskBytes > maxBytes()) store.traces.compactOne(COMPACT_UNDER_PRESSURE, 'all files');
  else store.traces.compactOne(COMPACT_UNDER);
  return { conversations, bytes: store.usedBytes };
}

function dropAll(
  store: Store,
  reach: Reach,
  { condition, before, limit }: { readonly condition: string; readonly before: number; readonly limit: number },
): number {
  chooseNone(store);
  const count = store.run(
    `INSERT INTO temp.dropped SELECT id FROM conversations WHERE ${condition} ORDER BY updated_at LIMIT ?`,
    before,
    limit,
  );
  if (count === 0) return 0;
  dropChosen(store, reach);
  return count;
}
