/** Scans of evaluations in SQLite: a walk along the table's own order, from the first row that is young enough. */
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { isShadowKey } from '../../model/suite-key.ts';
import {
  BEGAN_AT,
  LATEST_PAGE,
  type LatestBasis,
  madeSince,
  SCANNED_COLUMNS,
  type ScannedCells,
  type ScannedEvaluation,
  type ScanQuery,
  SCORED_AT,
  scannedFrom,
} from '../evaluation-scan.ts';
import type { Statements } from './statements.ts';

const PAGE = 1000;

const IS_LAST = `NOT EXISTS (SELECT 1 FROM evaluations n
  WHERE n.conversation = e.conversation AND n.suite = e.suite AND n.turn_id = e.turn_id AND n.revision > e.revision)`;
/** Condition that the index of shadows serves. */
const IN_SHADOW = `e.suite >= 'shadow:' AND e.suite < 'shadow;'`;

export function* scanEvaluations(statements: Statements, query: ScanQuery): Generator<readonly ScannedEvaluation[]> {
  const conditions = ['e.suite = ?', IS_LAST];
  const values: SQLInputValue[] = [query.suiteKey];
  const where = (condition: string, value: SQLInputValue | undefined) => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  if (isShadowKey(query.suiteKey)) conditions.push(IN_SHADOW);
  where(`${BEGAN_AT} >= ?`, query.since);
  where(`${SCORED_AT} >= ?`, query.scoredSince);
  where('c.agent = ?', query.agent);
  where('c.agent_version = ?', query.agentVersion);
  const isJoined = query.agent !== undefined || query.agentVersion !== undefined;
  const from = `FROM evaluations e ${isJoined ? 'CROSS JOIN conversations c ON c.id = e.conversation' : ''} WHERE`;
  const where_ = conditions.join(' AND ');
  let after = firstSince(statements, query.scoredSince ?? query.since) - 1;
  if (query.lookedAtMax !== undefined) after = Math.max(after, beyond(statements, query.suiteKey, query.lookedAtMax));
  if (query.limit !== undefined) {
    const last = statements.of(`SELECT e.id ${from} ${where_} AND e.id > ? ORDER BY e.id DESC LIMIT 1 OFFSET ?`);
    after = Number(last.get(...values, after, query.limit)?.id ?? after);
  }
  // A page is read whole, so that the reader does not hold on to an old state of the store between two of them.
  const page = asRows(
    statements.of(`SELECT ${SCANNED_COLUMNS} ${from} ${where_} AND e.id > ? ORDER BY e.id LIMIT ${PAGE}`),
  );
  for (;;) {
    const rows = page(...values, after).map(scannedFrom);
    if (rows.length > 0) yield rows;
    after = rows.at(-1)?.row ?? after;
    if (rows.length < PAGE) return;
  }
}

export function evaluationBeside(
  statements: Statements,
  { conversation, turnId }: ScannedEvaluation,
  suiteKey: string,
): ScannedEvaluation | undefined {
  const find = asRows(
    statements.of(
      `SELECT ${SCANNED_COLUMNS} FROM evaluations e WHERE e.conversation = ? AND e.suite = ? AND e.turn_id = ? ORDER BY e.revision DESC, e.id DESC LIMIT 1`,
    ),
  );
  const [row] = find(conversation, suiteKey, turnId);
  return row === undefined ? undefined : scannedFrom(row);
}

/** The last ones by a suite of each conversation. */
export function lastScanned(
  statements: Statements,
  conversations: readonly number[],
  suiteKey: string,
): readonly ScannedEvaluation[] {
  const ofConversation = asRows(
    statements.of(
      `SELECT ${SCANNED_COLUMNS} FROM evaluations e WHERE e.conversation = ? AND e.suite = ? AND ${IS_LAST} ORDER BY e.id`,
    ),
  );
  return conversations.flatMap((row) => ofConversation(row, suiteKey).map(scannedFrom));
}

/** The row before the newest so many of the suite; conditions that few of them meet are looked for in those only. */
function beyond(statements: Statements, suiteKey: string, lookedAtMax: number): number {
  const shadow = isShadowKey(suiteKey) ? `AND ${IN_SHADOW}` : '';
  const row = statements
    .of(`SELECT e.id FROM evaluations e WHERE e.suite = ? ${shadow} ORDER BY e.id DESC LIMIT 1 OFFSET ?`)
    .get(suiteKey, lookedAtMax);
  return Number(row?.id ?? 0);
}

export function* latestBases(statements: Statements, conversationsMax: number): Generator<readonly LatestBasis[]> {
  const conversations = statements.of(
    `SELECT id FROM conversations WHERE id < ? ORDER BY id DESC LIMIT ${LATEST_PAGE}`,
  );
  const bases = statements.of(
    `SELECT e.suite, e.suite_version, e.basis FROM evaluations e WHERE e.conversation = ? AND ${IS_LAST}`,
  );
  let before = Number.MAX_SAFE_INTEGER;
  for (let lookedAt = 0; lookedAt < conversationsMax; lookedAt += LATEST_PAGE) {
    const rows = conversations.all(before);
    if (rows.length === 0) return;
    yield rows
      .flatMap(({ id }) => bases.all(id ?? null))
      .map(({ suite, suite_version, basis }) => ({
        suiteKey: String(suite),
        suiteVersion: String(suite_version),
        basis: typeof basis === 'string' ? basis : undefined,
      }));
    before = Number(rows.at(-1)?.id);
  }
}

/** Rows are made in the order of time, so the first one can be found by halves; no index is kept for this. */
function firstSince(statements: Statements, since: number | undefined): number {
  if (since === undefined) return 0;
  const at = statements.of('SELECT id, created_at FROM evaluations WHERE id >= ? ORDER BY id LIMIT 1');
  let low = 0;
  const made = madeSince(since);
  let high = Number(statements.of('SELECT max(id) AS last FROM evaluations').get()?.last ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = at.get(middle);
    if (row === undefined || Number(row.created_at) >= made) high = middle;
    else low = Number(row.id) + 1;
  }
  return low;
}

function asRows(statement: StatementSync): (...values: SQLInputValue[]) => readonly ScannedCells[] {
  statement.setReturnArrays(true);
  // The cast holds because the statement selects `SCANNED_COLUMNS`.
  return (...values) => statement.all(...values) as unknown as readonly ScannedCells[];
}
