/** Scans of evaluations (evaluation-scan.ts): some of a suite, from the first one that is young enough. */
import type { Verdict } from '../../model/evaluation.ts';
import type { JudgeOutcome } from '../../model/judging.ts';
import { isShadowKey } from '../../model/suite-key.ts';
import type { ConversationRow } from '../conversation-row.ts';
import type { Condition, SearchDialect } from '../conversation-search.ts';
import { IS_LAST } from '../evaluation-columns.ts';
import {
  BEGAN_AT,
  SCANNED_COLUMNS,
  type ScannedCells,
  type ScannedEvaluation,
  type ScanQuery,
  SCORED_AT,
  scannedFrom,
} from '../evaluation-scan.ts';
import { cells, type Dialect, type Pages, type Rule, rows, type Statement } from '../sql.ts';
import { decodeVerdicts } from '../verdict-codec.ts';
import { ofWanted } from './evaluations.ts';
import { type HeadRow, headOf, toConversationRow } from './search.ts';

/** Rows of one statement, however many. */
export interface Scan {
  readonly select: string;
  readonly from: string;
  readonly where: readonly Condition[];
  readonly order: string;
  /** A column that has the same order, what comes before its values, and the place of its cell in a row: pages go by it. */
  readonly by?: { readonly column: string; readonly after: string | number; readonly place: number };
  /** The last so many. */
  readonly limit?: number | undefined;
}

export interface ScanDialect extends SearchDialect {
  /** Condition on `evaluations` that the index of shadows serves. */
  readonly isShadow: (table: string) => string;
  /** Leaves out rows that were made before, where that is quick to say; the caller allows for clocks that differ. */
  readonly madeSince: (time: number) => Rule<readonly Condition[]>;
  readonly each: <Cells extends readonly unknown[], T>(scan: Scan, to: (cells: Cells) => T) => Pages<readonly T[]>;
}

export function* scanEvaluations(dialect: ScanDialect, query: ScanQuery): Pages<readonly ScannedEvaluation[]> {
  const { suiteKey, agent, agentVersion, since, scoredSince, lookedAtMax, limit } = query;
  const { toStored, isShadow } = dialect;
  const where: Condition[] = [
    { sql: 'e.suite = ?', values: [toStored(suiteKey)] },
    { sql: IS_LAST, values: [] },
  ];
  const add = (sql: string, value: string | number | undefined) => {
    if (value !== undefined) where.push({ sql, values: [value] });
  };
  if (isShadowKey(suiteKey)) where.push({ sql: isShadow('e'), values: [] });
  add(`${BEGAN_AT} >= ?`, since);
  add(`${SCORED_AT} >= ?`, scoredSince);
  add('c.agent = ?', agent && toStored(agent));
  add('c.agent_version = ?', agentVersion && toStored(agentVersion));
  const made = scoredSince ?? since;
  if (made !== undefined) where.push(...(yield* dialect.madeSince(made)));
  if (lookedAtMax !== undefined) add('e.id > ?', yield* beyond(dialect, suiteKey, lookedAtMax));
  const isJoined = agent !== undefined || agentVersion !== undefined;
  const from = `evaluations e ${isJoined ? 'CROSS JOIN conversations c' : ''}`;
  if (isJoined) where.push({ sql: 'c.id = e.conversation', values: [] });
  const by = { column: 'e.id', after: 0, place: 0 };
  const scan = { select: SCANNED_COLUMNS, from, where, order: 'e.id', by, limit };
  yield* dialect.each(scan, (row: ScannedCells) => toScanned(dialect, row));
}

/** The row before the newest so many of the suite; conditions that few of them meet are looked for in those only. */
function* beyond({ isShadow, toStored }: ScanDialect, suiteKey: string, lookedAtMax: number): Rule<number | undefined> {
  const shadow = isShadowKey(suiteKey) ? `AND ${isShadow('e')}` : '';
  const statement: Statement = {
    name: 'scan-beyond',
    sql: `SELECT e.id FROM evaluations e WHERE e.suite = ? ${shadow} ORDER BY e.id DESC LIMIT 1 OFFSET ?`,
    varies: true,
  };
  const [row] = yield* rows<{ id: number }>(statement, [toStored(suiteKey), lookedAtMax]);
  return row?.id;
}

function toScanned({ fromStored }: Dialect, row: ScannedCells): ScannedEvaluation {
  const scanned = scannedFrom(row);
  return { ...scanned, suiteVersion: fromStored(scanned.suiteVersion) };
}

const BESIDE: Statement = {
  name: 'evaluation-beside',
  sql: `SELECT ${SCANNED_COLUMNS} FROM evaluations e WHERE e.conversation = ? AND e.turn_id = ? AND e.suite = ?
    ORDER BY e.revision DESC, e.id DESC LIMIT 1`,
};

/** The last one of another suite for the same conversation and turn. */
export function* besideOf(
  dialect: Dialect,
  { conversation, turnId }: ScannedEvaluation,
  suiteKey: string,
): Rule<ScannedEvaluation | undefined> {
  const [row] = yield* cells<ScannedCells>(BESIDE, [conversation, turnId, dialect.toStored(suiteKey)]);
  return row === undefined ? undefined : toScanned(dialect, row);
}

/** The last ones by a suite of each conversation, in the order in which they were made. */
export function* lastScanned(
  dialect: SearchDialect,
  conversations: readonly ConversationRow[],
  suiteKey: string,
): Rule<readonly ScannedEvaluation[]> {
  if (conversations.length === 0) return [];
  const statement: Statement = {
    name: 'last-scanned',
    sql: `SELECT ${SCANNED_COLUMNS} ${ofWanted(dialect)} AND e.suite = ? AND ${IS_LAST} ORDER BY e.id`,
  };
  const wanted = conversations.map(({ row }) => row);
  const found = yield* cells<ScannedCells>(statement, [wanted, dialect.toStored(suiteKey)]);
  return found.map((row) => toScanned(dialect, row));
}

const VERDICTS: Statement = {
  name: 'verdicts-of',
  sql: 'SELECT verdicts FROM evaluations WHERE conversation = ? AND id = ?',
};

export function* verdictsOf(_: Dialect, { conversation, row }: ScannedEvaluation): Rule<ReadonlyMap<string, Verdict>> {
  const [found] = yield* rows<{ verdicts: string }>(VERDICTS, [conversation, row]);
  return found === undefined ? new Map() : decodeVerdicts(found.verdicts).verdicts;
}

export function* conversationOf(
  dialect: Dialect,
  { conversation }: Pick<ScannedEvaluation, 'conversation'>,
): Rule<ConversationRow | undefined> {
  const sql = `SELECT ${headOf(dialect)} FROM conversations c WHERE c.id = ?`;
  const [row] = yield* rows<HeadRow>({ name: 'conversation-at', sql }, [conversation]);
  return row === undefined ? undefined : toConversationRow(dialect, row);
}

const ANSWER: Statement = {
  name: 'answer-of',
  sql: 'SELECT outcome FROM questions WHERE key = ? AND answered = ?',
};

/** The judge's answer to the question of this key, where it is kept. */
export function* answerOf({ fromStored }: Dialect, requestKey: string): Rule<JudgeOutcome | undefined> {
  const [row] = yield* rows<{ outcome: string }>(ANSWER, [Buffer.from(requestKey, 'hex'), true]);
  // The cast holds because whoever ended the question wrote the text.
  return row === undefined ? undefined : (JSON.parse(fromStored(row.outcome)) as JudgeOutcome);
}
