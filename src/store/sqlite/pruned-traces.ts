/**
 * Traces whose conversation retention has deleted, kept as long as their spans may be redelivered: by the journal,
 * which is replayed at a start, or by a client that retries. Without them such spans would be a new turn, evaluated and
 * counted a second time.
 *
 * A row is written in the transaction that deletes the conversation. It holds ids and times only, nothing of what was
 * said, and goes when the journal cannot give the trace's rows any more and they would be too late for a turn anyway.
 * The journal bounds what it may replay; of the rest the newest are kept, up to a limit.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { TraceId } from '../../model/ids.ts';

/** Bounds behind which a trace cannot be redelivered: its position in the log, and the log time at which it closed. */
export interface Reach {
  readonly position: number;
  readonly closedAt: number;
}

/** Bytes of a row in its table and its index, rounded up. */
export const PRUNED_TRACE_BYTES = 96;

export class PrunedTraces {
  readonly #database: DatabaseSync;
  readonly #position: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#position = database.prepare('SELECT position FROM pruned_traces WHERE trace_id = ?');
  }

  /** Position up to which the log's rows of the trace were stored before they were deleted; undefined where none were. */
  positionOf(traceId: TraceId): number | undefined {
    const row = this.#position.get(Buffer.from(traceId, 'hex'));
    return row === undefined ? undefined : Number(row.position);
  }

  get count(): number {
    return Number(this.#database.prepare('SELECT count(*) AS rows FROM pruned_traces').get()?.rows ?? 0);
  }

  /** Rows of `traces` that meet the condition are about to go. */
  note(condition: string, reach: Reach): void {
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO pruned_traces (trace_id, position, closed_at)
         SELECT trace_id, position, closed_at FROM traces WHERE (${condition}) AND (position > ? OR closed_at >= ?)`,
      )
      .run(reach.position, reach.closedAt);
  }

  /** Forgets what is out of reach, and the oldest beyond `max` of what only a client could send again. */
  forget(reach: Reach, max: number): void {
    this.#database
      .prepare('DELETE FROM pruned_traces WHERE closed_at < ? AND position <= ?')
      .run(reach.closedAt, reach.position);
    const tooMany = this.count - max;
    if (tooMany <= 0) return;
    this.#database
      .prepare(
        `DELETE FROM pruned_traces WHERE trace_id IN
           (SELECT trace_id FROM pruned_traces WHERE position <= ? ORDER BY closed_at LIMIT ?)`,
      )
      .run(reach.position, tooMany);
  }
}
