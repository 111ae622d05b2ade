/** The rows of the history of evaluations (history.ts). */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { HISTORY_COLUMNS, HistoryChanges, historyValues } from '../history.ts';

const { place, sums } = HISTORY_COLUMNS;
const COLUMNS = [...place, ...sums];

export class HistoryRows {
  readonly changes = new HistoryChanges();
  readonly #add: StatementSync;

  constructor(database: DatabaseSync) {
    this.#add = database.prepare(
      `INSERT INTO history (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})
       ON CONFLICT (${place.join(', ')}) DO UPDATE SET ${sums.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
    );
  }

  /** Belongs inside the transaction of the evaluations. */
  flush(): void {
    for (const row of this.changes.changed()) this.#add.run(...historyValues(row));
    this.changes.clear();
  }
}
