/** How SQLite finds the rows that readers ask for: by which index, and where a scan begins. */
import type { Evaluation } from '../../model/evaluation.ts';
import { POLARITIES } from '../../model/feedback.ts';
import { type CandidateRows, type Condition, inStretch, type Stretch } from '../conversation-search.ts';
import { type EvaluationCells, evaluationFrom, isLive } from '../evaluation-columns.ts';
import { madeSince } from '../evaluation-scan.ts';
import type { EvaluationsDialect, WaitsOf } from '../rules/evaluations.ts';
import { CAME_OUT, CHANCES, FRAMES } from '../frame-columns.ts';
import type { FrameDialect } from '../rules/frame.ts';
import type { Scan, ScanDialect } from '../rules/scans.ts';
import type { IndexedSearch, Window } from '../rules/search.ts';
import { cells, type Pages, page, type Rule, rows, type Value } from '../sql.ts';
import { candidateRows, worstRows } from './candidate-rows.ts';
import { DIALECT } from './dialect.ts';

/** Rows that are read for one of a window. */
const DENSE = 4;
const PAGE = 1000;

export const READING: EvaluationsDialect & IndexedSearch & ScanDialect & FrameDialect = {
  ...DIALECT,
  inItsDays: 'TRUE',
  failedAmong: `EXISTS (SELECT 1 FROM failed_verdicts f
    WHERE f.criterion IN (SELECT value FROM json_each(?)) AND f.evaluation = e.id)`,
  contains: (text) => `instr(${text}, ?) > 0`,
  limits: { lookedAt: 50_000, searched: 20_000 },
  anyOrder: 'TRUE',
  candidates: candidateRows,
  worst: worstRows,
  rowsOf,
  wayThrough,
  waiting,
  isShadow: (table) => `${table}.suite >= 'shadow:' AND ${table}.suite < 'shadow;'`,
  madeSince: rowsSince,
  each,
  countFrame,
};

/** Counting each combination in its place of the index is four times as fast as a walk that sorts. */
function countFrame(window: string): string {
  const each = (name: string, values: readonly (number | string)[]) =>
    `(${values.map((value) => `SELECT ${value} AS ${name}`).join(' UNION ALL ')})`;
  return `SELECT * FROM (SELECT f.frame, s.feedback, o.came_out, p.foretold,
      (SELECT count(*) FROM conversations c INDEXED BY conversations_frame
        WHERE ${window} AND c.frame IS NOT NULL
          AND c.frame = f.frame AND c.feedback IS s.feedback AND c.came_out IS o.came_out
          AND c.foretold IS p.foretold) AS conversations
      FROM ${each('frame', FRAMES)} f, ${each('feedback', ['NULL', ...POLARITIES.keys()])} s,
        ${each('came_out', ['NULL', ...CAME_OUT])} o, ${each('foretold', ['NULL', ...CHANCES.keys()])} p)
    WHERE conversations > 0`;
}

const ROWS = {
  name: 'rows-of-window',
  sql: `SELECT min(id) AS first, max(id) AS last, count(*) AS size
    FROM (SELECT id FROM conversations WHERE ${inStretch({ from: { at: 0, row: 0 }, before: { at: 0, row: 0 } }, '').sql}
      ORDER BY began_at DESC, id DESC LIMIT ?)`,
};

function* rowsOf(stretch: Stretch, max: number): Rule<Pick<Window, 'rows' | 'size'>> {
  const [row] = yield* rows<{ first: number | null; last: number | null; size: number }>(ROWS, [
    ...inStretch(stretch).values,
    max,
  ]);
  return { rows: { first: row?.first ?? 0, last: row?.last ?? 0 }, size: row?.size ?? 0 };
}

/** One row after the other is several times as fast as a search for each, if not many lie between those of the window. */
function wayThrough({ rows: { first, last }, size }: Window, candidates: CandidateRows | undefined) {
  if (candidates?.count !== undefined) return { by: 'NOT INDEXED', between: [] };
  const isDense = size !== undefined && last - first < DENSE * size;
  return isDense
    ? { by: 'NOT INDEXED', between: [{ sql: 'c.id BETWEEN ? AND ?', values: [first, last] }] }
    : { by: 'INDEXED BY conversations_began', between: [] };
}

type WaitingCells = EvaluationCells & { readonly conversation: number; readonly waits_for: string };

function* waiting(
  conversations: readonly WaitsOf[],
  of: 'live' | 'shadow',
): Rule<readonly { readonly row: number; readonly waiting: Evaluation }[]> {
  const ids = new Map(conversations.map(({ row, conversationId }) => [row, conversationId]));
  const sql = `SELECT e.* FROM waiting_evaluations e WHERE ${DIALECT.among('e.conversation')}
    AND ${of === 'live' ? '' : 'NOT '}${isLive('e')} ORDER BY e.id`;
  const found = yield* rows<WaitingCells>({ name: 'waiting-of', sql }, [[...ids.keys()]]);
  return found.flatMap((row) => {
    const id = ids.get(row.conversation);
    if (id === undefined) return [];
    // The cast holds because the store's writer wrote the text.
    const waitsFor = JSON.parse(row.waits_for) as readonly string[];
    return [{ row: row.conversation, waiting: { ...evaluationFrom(id, row, DIALECT.fromStored), waitsFor } }];
  });
}

const LAST = { name: 'last-evaluation', sql: 'SELECT max(id) AS last FROM evaluations' };
const MADE_AT = {
  name: 'made-at',
  sql: 'SELECT id, created_at FROM evaluations WHERE id >= ? ORDER BY id LIMIT 1',
};

/** Rows are made in the order of time, so the first one can be found by halves; no index is kept for this. */
function* rowsSince(time: number): Rule<readonly Condition[]> {
  let low = 0;
  const made = madeSince(time);
  const [newest] = yield* rows<{ last: number | null }>(LAST);
  let high = (newest?.last ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [row] = yield* rows<{ id: number; created_at: number }>(MADE_AT, [middle]);
    if (row === undefined || row.created_at >= made) high = middle;
    else low = row.id + 1;
  }
  return [{ sql: 'e.id >= ?', values: [low] }];
}

/** A page is read whole, so that the reader does not hold on to an old state of the store between two of them. */
function* each<Cells extends readonly unknown[], T>(scan: Scan, to: (cells: Cells) => T): Pages<readonly T[]> {
  const { select, from, where, order, by, limit } = scan;
  const values = where.flatMap((one) => one.values);
  const sql = `FROM ${from} WHERE ${where.map((one) => one.sql).join(' AND ')}`;
  if (by === undefined) {
    const all = yield* cells<Cells>({ name: 'scan-all', sql: `SELECT ${select} ${sql} ORDER BY ${order}` }, values);
    yield page(all.map(to));
    return;
  }
  const { column, place } = by;
  let after: Value = by.after;
  if (limit !== undefined) {
    const last = `SELECT ${column} ${sql} AND ${column} > ? ORDER BY ${order} DESC LIMIT 1 OFFSET ?`;
    const [row] = yield* cells<readonly [string | number]>({ name: 'scan-last', sql: last }, [...values, after, limit]);
    after = row?.[0] ?? after;
  }
  const next = `SELECT ${select} ${sql} AND ${column} > ? ORDER BY ${order} LIMIT ${PAGE}`;
  for (;;) {
    const found: readonly Cells[] = yield* cells<Cells>({ name: 'scan-page', sql: next }, [...values, after]);
    if (found.length > 0) yield page(found.map(to));
    if (found.length < PAGE) return;
    // The cast holds because the cell is of that column.
    after = found.at(-1)?.[place] as string | number;
  }
}
