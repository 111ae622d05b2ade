/** Scans of evaluations in SQLite: a walk along the table's own order, from the first row that is young enough. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { OUTCOMES } from '../../model/evaluation.ts';
import { isShadowKey } from '../../model/suite-key.ts';
import type { ScannedEvaluation, ScanQuery } from '../evaluation-scan.ts';

const PAGE = 1000;
const COLUMNS = `e.id, e.conversation, e.turn_id, e.suite_version, e.revision, e.score, e.outcome, e.labels, e.basis, e.scored_at, e.created_at,
  e.steps, e.cost_nanos`;
/** In the order of the columns. */
type Row = readonly [
  id: number,
  conversation: number,
  turnId: string,
  suiteVersion: string,
  revision: number,
  score: number | null,
  outcome: number,
  labels: string,
  basis: string | null,
  scoredAt: number | null,
  createdAt: number,
  steps: number | null,
  costNanos: number | null,
];

const IS_LAST = `NOT EXISTS (SELECT 1 FROM evaluations n
  WHERE n.conversation = e.conversation AND n.suite = e.suite AND n.turn_id = e.turn_id AND n.revision > e.revision)`;
/** What the index of shadows is for. */
const IN_SHADOW = `e.suite >= 'shadow:' AND e.suite < 'shadow;'`;
const BILLION = 1e9;

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
  const page = asRows(database.prepare(`SELECT ${COLUMNS} ${from} ${where_} AND e.id > ? ORDER BY e.id LIMIT ${PAGE}`));
  for (;;) {
    const rows = page(...values, after).map(toScanned);
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
      `SELECT ${COLUMNS} FROM evaluations e WHERE e.conversation = ? AND e.suite = ? AND e.turn_id = ? ORDER BY e.revision DESC, e.id DESC LIMIT 1`,
    ),
  );
  const [row] = find(conversation, suiteKey, turnId);
  return row === undefined ? undefined : toScanned(row);
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

/** Rows as arrays: half of the time of a scan would go into making objects of them. */
function asRows(statement: StatementSync): (...values: SQLInputValue[]) => readonly Row[] {
  statement.setReturnArrays(true);
  // The cast holds because the statement selects `COLUMNS`.
  return (...values) => statement.all(...values) as unknown as readonly Row[];
}

function toScanned(row: Row): ScannedEvaluation {
  const [id, conversation, turnId, suiteVersion, revision, score, outcomeIndex, labels, basis, scoredAt, createdAt] =
    row;
  const [, , , , , , , , , , , steps, costNanos] = row;
  const outcome = OUTCOMES[outcomeIndex];
  if (outcome === undefined) throw new Error(`store: ${outcomeIndex} is not the number of an outcome`);
  return {
    row: id,
    conversation,
    turnId,
    suiteVersion,
    revision,
    score: score ?? undefined,
    outcome,
    labels,
    basis: basis ?? undefined,
    at: scoredAt ?? createdAt,
    steps: steps ?? undefined,
    costUsd: costNanos === null ? undefined : costNanos / BILLION,
  };
}
