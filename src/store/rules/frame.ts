/** The frame of a window (frame-reader.ts). */
import { CALLED } from '../../model/called.ts';
import { POLARITIES } from '../../model/feedback.ts';
import { isFailure } from '../../model/severity.ts';
import { CERTAIN, CHANCES, cameOutAs, LEARNS_BEHIND_MS, LOTS, LOW_LOT } from '../frame-columns.ts';
import {
  type Candidate,
  type FrameCounts,
  type FrameQuery,
  type KnownOf,
  type Lesson,
  RATE_OF_FAULTY,
} from '../frame-reader.ts';
import { type Dialect, type Rule, rows, type Value } from '../sql.ts';
import { readingsOfKeys } from './readings.ts';
import { headOf, type HeadRow, toConversationRow } from './search.ts';

export interface FrameDialect extends Dialect {
  /** Counts conversations `c` of a window by `frame`, `feedback` and `came_out`. */
  readonly countFrame: (window: string) => string;
}

interface CountRow {
  readonly frame: number;
  readonly feedback: number | null;
  readonly came_out: number | null;
  readonly foretold: number | null;
  readonly conversations: number;
}

/** Condition on `conversations c`. */
export function windowOf(
  { toStored }: Dialect,
  query: FrameQuery,
  began = 'c.began_at',
): { readonly sql: string; readonly values: readonly Value[] } {
  const { agent, agentVersion, environment, segment, since, until } = query;
  const equal = Object.entries({ agent, agent_version: agentVersion, environment, segment }).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: toStored(value) }],
  );
  const sql = [...equal.map(({ name }) => `c.${name} = ?`), `${began} >= ?`, `${began} < ?`].join(' AND ');
  return { sql, values: [...equal.map(({ value }) => value), since, until] };
}

export function* frameCounts(dialect: FrameDialect, query: FrameQuery): Rule<FrameCounts> {
  const window = windowOf(dialect, query);
  const sql = dialect.countFrame(window.sql);
  const all = yield* rows<CountRow>({ name: 'frame-counts', sql, varies: true }, window.values);
  return {
    counts: all.flatMap(({ conversations, ...row }) =>
      row.frame < 0 ? [] : [{ ...knownFrom(row, query), certain: certainOf(row.came_out), conversations }],
    ),
    unreadable: all.reduce((sum, { frame, conversations }) => sum + (frame < 0 ? conversations : 0), 0),
  };
}

function knownFrom(
  { frame, feedback, came_out: cameOut, foretold }: Omit<CountRow, 'conversations'>,
  { since, until }: Pick<FrameQuery, 'since' | 'until'>,
): KnownOf {
  // Readings of a longer window may have taught what was foretold of a part of it.
  const isForetold = foretold !== null && until - since <= LEARNS_BEHIND_MS;
  return {
    called: CALLED[frame] ?? 'unscored',
    feedback: feedback === null ? undefined : POLARITIES[feedback],
    outcome: certainOf(cameOut) === undefined ? cameOutAs(cameOut) : undefined,
    foretold: isForetold ? CHANCES[foretold] : undefined,
  };
}

function certainOf(cameOut: number | null): 'good' | 'bad' | undefined {
  return cameOut !== null && cameOut >= CERTAIN ? cameOutAs(cameOut) : undefined;
}

/** The order of draws at these rates: the lots' exponential law, divided by the rate. */
const FAULTY = CALLED.flatMap((called, place) => (isFailure(called) ? [place] : []));
const ORDER = `-ln(1.0 - c.lot / ${LOTS}.0) / CASE WHEN c.frame IN (${FAULTY.join()}) THEN ${RATE_OF_FAULTY} ELSE 1.0 END`;

/** Before it in the order no conversation has a lot that is not low. */
const LOW_END = -Math.log(1 - LOW_LOT / LOTS) / RATE_OF_FAULTY;

export function* firstToRead(
  dialect: Dialect,
  query: FrameQuery,
  limit: number,
  asked?: 'all',
): Rule<readonly Candidate[]> {
  const uncertain = asked === 'all' ? 'TRUE' : `coalesce(c.came_out, 0) < ${CERTAIN}`;
  const isLow = `c.lot < ${LOW_LOT} AND ${ORDER} < ${LOW_END}`;
  const low = yield* firstAmong(dialect, query, { limit, condition: `${isLow} AND ${uncertain}` });
  const found = low.length === limit ? low : yield* firstAmong(dialect, query, { limit, condition: uncertain });
  const conversations = found.map((row) => toConversationRow(dialect, row));
  const readings = yield* readingsOfKeys(
    dialect,
    conversations.map(({ conversationId }) => conversationId),
  );
  const byConversation = Map.groupBy(readings, ({ conversationId }) => conversationId);
  return found.map((cells, at) => {
    const row = conversations[at] ?? toConversationRow(dialect, cells);
    const certain = certainOf(cells.came_out);
    return { row, known: knownFrom(cells, query), certain, readings: byConversation.get(row.conversationId) ?? [] };
  });
}

type FramedRow = HeadRow & { readonly frame: number; readonly foretold: number | null };

function firstAmong(
  dialect: Dialect,
  query: FrameQuery,
  { limit, condition }: { readonly limit: number; readonly condition: string },
): Rule<readonly FramedRow[]> {
  const window = windowOf(dialect, query);
  const sql = `SELECT ${headOf(dialect)} FROM (
      SELECT c.id AS place, ${ORDER} AS turn FROM conversations c
      WHERE ${window.sql} AND ${condition} AND c.frame IS NOT NULL AND c.frame >= 0
      ORDER BY turn, c.id LIMIT ?) first
    JOIN conversations c ON c.id = first.place ORDER BY first.turn, c.id`;
  return rows<FramedRow>({ name: 'first-to-read', sql, varies: true }, [...window.values, limit]);
}

/** So many teach what there is to learn, and the oldest say least of today. */
const LESSONS_MAX = 600;

export function* lessons(
  { key, toStored, fromStored }: Dialect,
  { agent, before }: { readonly agent: string; readonly before: number },
): Rule<readonly Lesson[]> {
  const sql = `SELECT c.facts, r.good FROM readings r JOIN conversations c ON c.${key} = r.${key}
    WHERE r.source = 'person' AND r.good IS NOT NULL AND c.agent = ? AND c.began_at < ? AND c.facts IS NOT NULL
    ORDER BY c.began_at DESC, c.id, r.name LIMIT ${LESSONS_MAX}`;
  const found = yield* rows<{ facts: string; good: number | boolean }>({ name: 'lessons', sql }, [
    toStored(agent),
    before,
  ]);
  return found.map(({ facts, good }) => ({ facts: fromStored(facts).split('\n'), isGood: Boolean(good) }));
}

export function* certainSince(
  dialect: Dialect,
  query: FrameQuery,
  time: number,
): Rule<{ readonly known: number; readonly read: number }> {
  const { key } = dialect;
  const window = windowOf(dialect, query, '+c.began_at');
  const isRead = `c.${key} IN (SELECT ${key} FROM readings WHERE source = 'person')`;
  const sql = `SELECT count(*) AS known, coalesce(sum(CASE WHEN ${isRead} THEN 1 ELSE 0 END), 0) AS read
    FROM conversations c WHERE c.${key} IN (SELECT ${key} FROM readings WHERE put_at >= ? AND source = 'outcome')
      AND c.came_out >= ${CERTAIN} AND c.frame >= 0 AND ${window.sql}`;
  const values = [time, ...window.values];
  const [row] = yield* rows<{ known: number; read: number }>({ name: 'certain-since', sql, varies: true }, values);
  return { known: Number(row?.known ?? 0), read: Number(row?.read ?? 0) };
}

export function* readByPeople(
  dialect: Dialect,
  query: FrameQuery,
): Rule<{ readonly conversations: number; readonly firstAt: number | undefined }> {
  const { key } = dialect;
  // The sign keeps the database from walking the window: people have read few conversations of it.
  const window = windowOf(dialect, query, '+c.began_at');
  const byPeople = "source = 'person'";
  const sql = `SELECT count(*) AS conversations,
      min((SELECT min(r.put_at) FROM readings r WHERE r.${key} = c.${key} AND r.${byPeople})) AS first
    FROM conversations c WHERE c.${key} IN (SELECT ${key} FROM readings WHERE ${byPeople}) AND ${window.sql}`;
  const found = yield* rows<{ conversations: number; first: number | null }>(
    { name: 'read-by-people', sql, varies: true },
    window.values,
  );
  const [row] = found;
  return { conversations: row?.conversations ?? 0, firstAt: row?.first ?? undefined };
}
