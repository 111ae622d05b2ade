/** The frame of a window (frame-reader.ts). */
import { CALLED } from '../../model/called.ts';
import { POLARITIES } from '../../model/feedback.ts';
import { CERTAIN, cameOutAs, LOTS } from '../frame-columns.ts';
import { type Candidate, type FrameCounts, type FrameQuery, type KnownOf, RATE_OF_FAULTY } from '../frame-reader.ts';
import { type Dialect, type Rule, rows, type Value } from '../sql.ts';
import { readingsOfKeys } from './readings.ts';
import { headOf, type HeadRow, toConversationRow } from './search.ts';

interface CountRow {
  readonly frame: number;
  readonly feedback: number | null;
  readonly came_out: number | null;
  readonly conversations: number;
}

/** Condition on `conversations c`. */
function windowOf(
  { toStored }: Dialect,
  query: FrameQuery,
): { readonly sql: string; readonly values: readonly Value[] } {
  const { agent, agentVersion, environment, segment, since, until } = query;
  const equal = Object.entries({ agent, agent_version: agentVersion, environment, segment }).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: toStored(value) }],
  );
  const sql = [...equal.map(({ name }) => `c.${name} = ?`), 'c.began_at >= ?', 'c.began_at < ?'].join(' AND ');
  return { sql, values: [...equal.map(({ value }) => value), since, until] };
}

export function* frameCounts(dialect: Dialect, query: FrameQuery): Rule<FrameCounts> {
  const window = windowOf(dialect, query);
  const sql = `SELECT frame, feedback, came_out, count(*) AS conversations FROM conversations c
    WHERE ${window.sql} AND frame IS NOT NULL GROUP BY frame, feedback, came_out`;
  const all = yield* rows<CountRow>({ name: 'frame-counts', sql, varies: true }, window.values);
  return {
    counts: all.flatMap(({ conversations, ...row }) =>
      row.frame < 0 ? [] : [{ ...knownFrom(row), certain: certainOf(row.came_out), conversations }],
    ),
    unreadable: all.reduce((sum, { frame, conversations }) => sum + (frame < 0 ? conversations : 0), 0),
  };
}

function knownFrom({ frame, feedback, came_out: cameOut }: Omit<CountRow, 'conversations'>): KnownOf {
  return {
    called: CALLED[frame] ?? 'unscored',
    feedback: feedback === null ? undefined : POLARITIES[feedback],
    outcome: certainOf(cameOut) === undefined ? cameOutAs(cameOut) : undefined,
  };
}

function certainOf(cameOut: number | null): 'good' | 'bad' | undefined {
  return cameOut !== null && cameOut >= CERTAIN ? cameOutAs(cameOut) : undefined;
}

/** The order of draws at these rates: the lots' exponential law, divided by the rate. */
const ORDER = `-ln(1.0 - c.lot / ${LOTS}.0) / CASE WHEN c.frame >= ${CALLED.indexOf('graceful_failure')} THEN ${RATE_OF_FAULTY} ELSE 1.0 END`;

export function* firstToRead(dialect: Dialect, query: FrameQuery, limit: number): Rule<readonly Candidate[]> {
  const window = windowOf(dialect, query);
  const found = yield* rows<HeadRow & { readonly frame: number }>(
    {
      name: 'first-to-read',
      sql: `SELECT ${headOf(dialect)}, c.frame FROM (
          SELECT c.id AS place, ${ORDER} AS turn FROM conversations c
          WHERE ${window.sql} AND c.frame >= 0 AND coalesce(c.came_out, 0) < ${CERTAIN} ORDER BY turn, c.id LIMIT ?) first
        JOIN conversations c ON c.id = first.place ORDER BY first.turn, c.id`,
      varies: true,
    },
    [...window.values, limit],
  );
  const conversations = found.map((row) => toConversationRow(dialect, row));
  const readings = yield* readingsOfKeys(
    dialect,
    conversations.map(({ conversationId }) => conversationId),
  );
  const byConversation = Map.groupBy(readings, ({ conversationId }) => conversationId);
  return found.map((cells, at) => {
    const row = conversations[at] ?? toConversationRow(dialect, cells);
    return { row, known: knownFrom(cells), readings: byConversation.get(row.conversationId) ?? [] };
  });
}

export function* readByPeople(dialect: Dialect, query: FrameQuery): Rule<number> {
  const { key } = dialect;
  const window = windowOf(dialect, query);
  const sql = `SELECT count(*) AS conversations FROM (SELECT DISTINCT r.${key} FROM readings r
    JOIN conversations c ON c.${key} = r.${key} WHERE r.source = 'person' AND ${window.sql}) counted`;
  const [row] = yield* rows<{ conversations: number }>({ name: 'read-by-people', sql, varies: true }, window.values);
  return row?.conversations ?? 0;
}
