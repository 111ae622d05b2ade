/** The rows of the history of evaluations (history.ts). */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { HISTORY_COLUMNS, HISTORY_WIDTHS, HistoryChanges, historyValues } from '../history.ts';

const { place, sums } = HISTORY_COLUMNS;
const COLUMNS = [...place, ...sums];

export class HistoryRows {
  readonly changes = new HistoryChanges();
  readonly #add: StatementSync;
  readonly #deleteOld: StatementSync;

  constructor(database: DatabaseSync) {
    this.#add = database.prepare(
      `INSERT INTO history (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})
       ON CONFLICT (${place.join(', ')}) DO UPDATE SET ${sums.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
    );
    this.#deleteOld = database.prepare('DELETE FROM history WHERE width = ? AND begins < ?');
  }

  /** Belongs inside the transaction of the evaluations. */
  flush(): void {
    for (const row of this.changes.changed()) this.#add.run(...historyValues(row));
    this.changes.clear();
  }

  /** `now` is retention's clock. */
  deleteOld(now: number): void {
    for (const { ms, keptMs } of HISTORY_WIDTHS) this.#deleteOld.run(ms, now - keptMs);
  }
}
