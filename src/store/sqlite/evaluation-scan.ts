/** Scans of evaluations in SQLite: a walk along the table's own order, from the first row that is young enough. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { isShadowKey } from '../../model/suite-key.ts';
import {
  SCANNED_COLUMNS,
  type ScannedCells,
  type ScannedEvaluation,
  type ScanQuery,
  scannedFrom,
} from '../evaluation-scan.ts';

const PAGE = 1000;

const IS_LAST = `NOT EXISTS (SELECT 1 FROM evaluations n
  WHERE n.conversation = e.conversation AND n.suite = e.suite AND n.turn_id = e.turn_id AND n.revision > e.revision)`;
/** Condition that the index of shadows serves. */
const IN_SHADOW = `e.suite >= 'shadow:' AND e.suite < 'shadow;'`;

export function* scanEvaluations(database: DatabaseSync, query: ScanQuery): Generator<readonly ScannedEvaluation[]> {
  const conditions = ['e.suite = ?', IS_LAST];
  const values: SQLInputValue[] = [query.suiteKey];
  const where = (condition: string, value: SQLInputValue | undefined) => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  if (isShadowKey(query.suiteKey)) conditions.push(IN_SHADOW);
  where('e.created_at >= ?', query.since);
  where('c.agent = ?', query.agent);
  where('c.agent_version = ?', query.agentVersion);
  const isJoined = query.agent !== undefined || query.agentVersion !== undefined;
  const from = `FROM evaluations e ${isJoined ? 'CROSS JOIN conversations c ON c.id = e.conversation' : ''} WHERE`;
  const where_ = conditions.join(' AND ');
  let after = firstSince(database, query.since) - 1;
  if (query.limit !== undefined) {
    const last = database.prepare(`SELECT e.id ${from} ${where_} AND e.id > ? ORDER BY e.id DESC LIMIT 1 OFFSET ?`);
    after = Number(last.get(...values, after, query.limit)?.id ?? after);
  }
  // A page is read whole, so that the reader does not hold on to an old state of the store between two of them.
  const page = asRows(
    database.prepare(`SELECT ${SCANNED_COLUMNS} ${from} ${where_} AND e.id > ? ORDER BY e.id LIMIT ${PAGE}`),
  );
  for (;;) {
    const rows = page(...values, after).map(scannedFrom);
    if (rows.length > 0) yield rows;
    after = rows.at(-1)?.row ?? after;
    if (rows.length < PAGE) return;
  }
}

export function evaluationBeside(
  prepared: (sql: string) => StatementSync,
  { conversation, turnId }: ScannedEvaluation,
  suiteKey: string,
): ScannedEvaluation | undefined {
  const find = asRows(
    prepared(
      `SELECT ${SCANNED_COLUMNS} FROM evaluations e WHERE e.conversation = ? AND e.suite = ? AND e.turn_id = ? ORDER BY e.revision DESC, e.id DESC LIMIT 1`,
    ),
  );
  const [row] = find(conversation, suiteKey, turnId);
  return row === undefined ? undefined : scannedFrom(row);
}

/** Rows are made in the order of time, so the first one can be found by halves; no index is kept for this. */
function firstSince(database: DatabaseSync, since: number | undefined): number {
  if (since === undefined) return 0;
  const at = database.prepare('SELECT id, created_at FROM evaluations WHERE id >= ? ORDER BY id LIMIT 1');
  let low = 0;
  let high = Number(database.prepare('SELECT max(id) AS last FROM evaluations').get()?.last ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = at.get(middle);
    if (row === undefined || Number(row.created_at) >= since) high = middle;
    else low = Number(row.id) + 1;
  }
  return low;
}

function asRows(statement: StatementSync): (...values: SQLInputValue[]) => readonly ScannedCells[] {
  statement.setReturnArrays(true);
  // The cast holds because the statement selects `SCANNED_COLUMNS`.
  return (...values) => statement.all(...values) as unknown as readonly ScannedCells[];
}
