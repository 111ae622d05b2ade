/** Results of evaluations that wait for a backend (result-store.ts). Two senders at once send some of them twice. */
import type { TakenResults, WaitingResult } from '../result-store.ts';
import { change, type Dialect, type Rule, rows, transaction } from '../sql.ts';

/** By number rather than by counting: numbers have few gaps, and a million rows need not be looked at. */
const TRIM = {
  name: 'trim-results',
  sql: 'DELETE FROM result_queue WHERE id <= (SELECT max(id) FROM result_queue) - ?',
};
const TAKE = { name: 'take-results', sql: 'SELECT id, payload FROM result_queue ORDER BY id LIMIT ?' };

function take(
  { fromStored }: Dialect,
  { limit, keep }: { readonly limit: number; readonly keep: number },
): Rule<TakenResults> {
  return transaction({ what: 'the taking of results' }, function* () {
    const dropped = yield* change(TRIM, [keep]);
    const oldest = yield* rows<WaitingResult>(TAKE, [limit]);
    return { results: oldest.map(({ id, payload }) => ({ id, payload: fromStored(payload) })), dropped };
  });
}

function forget({ among }: Dialect, ids: readonly number[]): Rule<void> {
  return transaction({ what: 'the end of results' }, function* () {
    yield* change({ name: 'forget-results', sql: `DELETE FROM result_queue WHERE ${among('id')}` }, [ids]);
  });
}

export const RESULTS = { take, forget };
