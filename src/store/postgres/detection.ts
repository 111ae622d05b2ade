/**
 * Regression detection on the shared store. If two instances both believe to be the owner, the lock on the single row
 * of the state puts their rounds in sequence. The second one sees by the version that the state has changed.
 */
import type { DetectionRound, DetectionStore, WaitingObservation } from '../detection-store.ts';
import { BinaryRows } from './binary-copy.ts';
import type { Link } from './link.ts';
import type { Session } from './session.ts';

export class DetectionRows implements DetectionStore {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  async round(limit: number, work: (round: DetectionRound) => Uint8Array | undefined): Promise<void> {
    await this.#link.transaction(async (session) => {
      const [state] = await session.rows<{ version: number; snapshot: Uint8Array | null }>(LOCK_STATE);
      const rows = await session.rows<WaitingObservation & { id: number }>(TAKE, [limit]);
      const observations = rows.map(({ at, evaluation, payload }) => ({ at, evaluation, payload }));
      const snapshot = work({
        state: { version: state?.version ?? 0, snapshot: state?.snapshot ?? undefined },
        observations,
      });
      if (rows.length > 0) await session.run(FORGET, [rows.map(({ id }) => id)]);
      if (snapshot !== undefined) await session.run(WRITE_STATE, [snapshot]);
    });
  }
}

export async function writeObservations(session: Session, waiting: readonly WaitingObservation[]): Promise<void> {
  const rows = new BinaryRows();
  for (const { at, evaluation, payload } of waiting) rows.row(3).int8(at).text(evaluation).text(payload);
  await session.copy('detection_queue (at, evaluation, payload)', rows);
}

const LOCK_STATE = { name: 'lock-detection', sql: 'SELECT version, snapshot FROM detection FOR UPDATE' };
const TAKE = {
  name: 'take-observations',
  sql: 'SELECT id, at, evaluation, payload FROM detection_queue ORDER BY at, evaluation, id LIMIT $1',
};
const FORGET = { name: 'forget-observations', sql: 'DELETE FROM detection_queue WHERE id = ANY($1::bigint[])' };
const WRITE_STATE = {
  name: 'write-detection',
  sql: 'UPDATE detection SET version = version + 1, snapshot = $1',
};
