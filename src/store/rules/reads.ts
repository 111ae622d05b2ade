/** Reads of a store for people and for pages that need one statement each. */
import type { Evaluation } from '../../model/evaluation.ts';
import type { Feedback } from '../../model/feedback.ts';
import type { ConversationId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import type { StoredTotal } from '../conversation-reader.ts';
import type { ConversationRow } from '../conversation-row.ts';
import { type EvaluationCells, evaluationFrom, IS_LAST, isLive, SHOWN_COLUMNS } from '../evaluation-columns.ts';
import {
  type FleetCells,
  type FleetHistory,
  type FleetHistoryQuery,
  fleetHistoryFrom,
  fleetStatement,
} from '../fleet-history.ts';
import {
  type HistoryCells,
  type HistoryQuery,
  type HistoryRow,
  type HistorySumQuery,
  historyRowFrom,
  historyStatement,
  type SummedCells,
  type SummedHistory,
  summedFrom,
} from '../history.ts';
import type { CountedPlace } from '../read-evaluation.ts';
import { feedbackFrom, truthFrom } from '../said-of-conversation.ts';
import { type Dialect, type Pages, type Rule, rows } from '../sql.ts';
import type { ScanDialect } from './scans.ts';
import { type HeadRow, headOf, toConversationRow } from './search.ts';

const PLACES_READ_MAX = 200_000;

export function* find(dialect: Dialect, conversationId: string): Rule<ConversationRow | undefined> {
  const sql = `SELECT ${headOf(dialect)} FROM conversations c WHERE c.${dialect.key} = ? AND c.first_closed_at IS NOT NULL`;
  const [row] = yield* rows<HeadRow>({ name: 'find-conversation', sql }, [dialect.keyOf(conversationId)]);
  return row === undefined ? undefined : toConversationRow(dialect, row);
}

/** Every conversation's last evaluations, in the order of the conversations' ids, suites and turns. */
export function* allEvaluations({ byBytes, fromStored, each }: ScanDialect): Pages<readonly Evaluation[]> {
  const names = ['c.conversation_id', ...SHOWN_COLUMNS.map(({ name }) => `e.${name}`)];
  const scan = {
    select: names.join(', '),
    from: 'evaluations e JOIN conversations c ON c.id = e.conversation',
    where: [{ sql: `${isLive('e')} AND ${IS_LAST}`, values: [] }],
    order: ['c.conversation_id', 'e.suite', 'e.turn_id'].map(byBytes).join(', '),
  };
  yield* each(scan, ([id, ...shown]: readonly [string, ...unknown[]]) => {
    // The casts hold because these are the columns, and the store's writer wrote the id.
    const row = Object.fromEntries(SHOWN_COLUMNS.map(({ name }, at) => [name, shown[at]]));
    return evaluationFrom(fromStored(id) as ConversationId, row as unknown as EvaluationCells, fromStored);
  });
}

/** Ground truth that somebody attached. */
export function* truthOf({ key, keyOf }: Dialect, { conversationId }: ConversationRow): Rule<Json | undefined> {
  const statement = { name: 'truth-of', sql: `SELECT truth FROM truths WHERE ${key} = ?` };
  const [row] = yield* rows<{ truth: string }>(statement, [keyOf(conversationId)]);
  return truthFrom(row?.truth);
}

/** Feedback of its users, oldest first. */
export function* feedbackOf(
  { key, keyOf, fromStored }: Dialect,
  { conversationId }: ConversationRow,
): Rule<readonly Feedback[]> {
  const statement = { name: 'feedback-of', sql: `SELECT body FROM feedback WHERE ${key} = ?` };
  const found = yield* rows<{ body: string }>(statement, [keyOf(conversationId)]);
  return feedbackFrom(
    conversationId,
    found.map(({ body }) => fromStored(body)),
  );
}

const HISTORY = {
  name: 'history',
  sql: 'SELECT * FROM history WHERE suite = ? AND width = ? AND begins >= ? AND begins < ? ORDER BY begins',
};

/** Oldest first; each of many instances has rows of its own. */
export function* history(
  { toStored, fromStored }: Dialect,
  { suite, width, since, until }: HistoryQuery,
): Rule<readonly HistoryRow[]> {
  const found = yield* rows<HistoryCells>(HISTORY, [toStored(suite), width, since, until]);
  return found.map((row) => historyRowFrom(row, fromStored));
}

export function* summedHistory(dialect: Dialect, query: HistorySumQuery): Rule<readonly SummedHistory[]> {
  const { sql, values } = historyStatement(dialect, query);
  const found = yield* rows<SummedCells>({ name: 'summed-history', sql, varies: true }, values);
  return found.map((row) => summedFrom(row, dialect.fromStored));
}

export function* fleetHistory(dialect: Dialect, query: FleetHistoryQuery): Rule<readonly FleetHistory[]> {
  const { sql, values } = fleetStatement(dialect, query);
  const found = yield* rows<FleetCells>({ name: 'fleet-history', sql, varies: true }, values);
  return found.map((row) => fleetHistoryFrom(row, dialect.fromStored));
}

/** Summed over instances, where there are many. */
export function* totals({ byBytes, fromStored }: Dialect): Rule<readonly StoredTotal[]> {
  const sql = `SELECT metric, labels, sum(value) AS value FROM totals GROUP BY metric, labels
    ORDER BY ${byBytes('metric')}, ${byBytes('labels')}`;
  const found = yield* rows<StoredTotal>({ name: 'all-totals', sql });
  return found.map(({ metric, labels, value }) => ({ metric, labels: fromStored(labels), value }));
}

const COUNTED_PLACES = {
  name: 'counted-places',
  sql: `SELECT agent, agent_version, environment, segment, min(begins) AS first, max(begins) AS last
    FROM (SELECT * FROM history WHERE width = ? AND begins >= ? AND evaluations > 0
      ORDER BY begins DESC LIMIT ${PLACES_READ_MAX}) latest
    GROUP BY agent, agent_version, environment, segment`,
};

interface PlaceCells {
  readonly agent: string;
  readonly agent_version: string;
  readonly environment: string;
  readonly segment: string;
  readonly first: number;
  readonly last: number;
}

/** From the history of the given width: as many of its latest rows as may be read. */
export function* countedPlaces(
  { fromStored }: Dialect,
  { width, since }: { readonly width: number; readonly since: number },
): Rule<readonly CountedPlace[]> {
  const found = yield* rows<PlaceCells>(COUNTED_PLACES, [width, since]);
  return found.map(({ agent, agent_version, environment, segment, first, last }) => ({
    agent: fromStored(agent),
    agentVersion: fromStored(agent_version),
    environment: fromStored(environment),
    segment: fromStored(segment),
    first,
    last,
  }));
}

const FIRST_TIMES = { name: 'first-times-of', sql: 'SELECT labels, at FROM first_times WHERE metric = ?' };

/** When each series of a metric was seen first. */
export function* firstTimes(
  { fromStored }: Dialect,
  metric: string,
): Rule<readonly { readonly labels: string; readonly at: number }[]> {
  const found = yield* rows<{ labels: string; at: number }>(FIRST_TIMES, [metric]);
  return found.map(({ labels, at }) => ({ labels: fromStored(labels), at }));
}
