/**
 * Rounds of regression detection (detection-store.ts). If two instances both believe to be the owner, the lock on the
 * single row of the state puts their rounds in sequence. The second one sees by the version that the state has changed.
 */
import type { DetectionRound, RoundEnd, WaitingObservation } from '../detection-store.ts';
import { change, type Dialect, type Rule, rows, transaction } from '../sql.ts';

const TAKE = {
  name: 'take-observations',
  sql: 'SELECT id, at, evaluation, payload FROM detection_queue ORDER BY at, evaluation, id LIMIT ?',
};
const WRITE_STATE = {
  name: 'write-detection',
  sql: `INSERT INTO detection (one, version, snapshot) VALUES (true, 1, ?)
    ON CONFLICT (one) DO UPDATE SET version = detection.version + 1, snapshot = excluded.snapshot`,
};

function round({ among, forUpdate }: Dialect, limit: number, work: (round: DetectionRound) => RoundEnd): Rule<void> {
  return transaction({ what: 'a round of detection' }, function* () {
    const lock = { name: 'lock-detection', sql: `SELECT version, snapshot FROM detection ${forUpdate}` };
    const [state] = yield* rows<{ version: number; snapshot: Uint8Array | null }>(lock);
    const taken = yield* rows<WaitingObservation & { id: number }>(TAKE, [limit]);
    const end = work({
      state: { version: state?.version ?? 0, snapshot: state?.snapshot ?? undefined },
      observations: taken.map(({ at, evaluation, payload }) => ({ at, evaluation, payload })),
    });
    if (end === 'later') return;
    const forget = { name: 'forget-observations', sql: `DELETE FROM detection_queue WHERE ${among('id')}` };
    if (taken.length > 0) yield* change(forget, [taken.map(({ id }) => id)]);
    if (end !== undefined) yield* change(WRITE_STATE, [end]);
  });
}

export const DETECTION = { round };
