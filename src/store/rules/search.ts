/** Searches for conversations that a page shows, page by page (conversation-search.ts says which and in which order). */
import { CONVERSATION_COLUMNS } from '../conversation-columns.ts';
import { type ConversationRow, conversationRowFrom, type RowCells } from '../conversation-row.ts';
import {
  type CandidateRows,
  type Condition,
  type ConversationSearch,
  type Ends,
  EVERYWHERE,
  type FoundConversations,
  inStretch,
  lookedAtMax,
  nearMax,
  type Place,
  readingCondition,
  type RowLimits,
  type SearchDialect,
  searchPlan,
  type Stretch,
  stretchOf,
} from '../conversation-search.ts';
import type { ConversationId } from '../../model/ids.ts';
import type { ConversationParts, PartsAsked } from '../page-reader.ts';
import { type Dialect, type Rule, rows, type Statement } from '../sql.ts';

export type Window = Stretch & {
  readonly hasOlder: boolean;
  readonly rows: Ends;
  /** Conversations in it; undefined where an index gives them. */
  readonly size?: number | undefined;
};

/** How a database finds the rows of a search. */
export interface IndexedSearch extends SearchDialect {
  /** Conversations that one page looks at. */
  readonly limits: RowLimits;
  /** Condition that a conversation is there, in the order in which some are counted fastest. */
  readonly anyOrder: string;
  /** Undefined where no index has them, or too many. */
  readonly candidates: (search: ConversationSearch) => Rule<CandidateRows | undefined>;
  /** Candidates for a page of the worst, from the window that it looks at. */
  readonly worst: (search: ConversationSearch, window: Stretch) => Rule<CandidateRows | undefined>;
  /** Which rows the latest conversations of a stretch have, where that decides how they are read. */
  readonly rowsOf: (stretch: Stretch, max: number) => Rule<Pick<Window, 'rows' | 'size'>>;
  readonly wayThrough: (
    window: Window,
    candidates: CandidateRows | undefined,
  ) => { readonly by: string; readonly between: readonly Condition[] };
}

export interface HeadRow extends RowCells {
  readonly id: number;
  readonly conversation_id: string;
}

const HEAD = [{ name: 'id' }, { name: 'conversation_id' }, ...CONVERSATION_COLUMNS, { name: 'came_out' }];

/** Columns of `conversations c`. */
export function headOf({ columns }: Dialect): string {
  return columns('c', HEAD);
}

export function toConversationRow({ fromStored }: Dialect, row: HeadRow): ConversationRow {
  // The cast is the brand: the store's writer wrote it.
  const id = fromStored(row.conversation_id) as ConversationId;
  return conversationRowFrom({ row: row.id, id }, row, fromStored);
}

export function* search(dialect: IndexedSearch, asked: ConversationSearch): Rule<FoundConversations> {
  const stretch = stretchOf(asked);
  const given = (yield* withIds(dialect, asked)) ?? (yield* read(dialect, asked)) ?? (yield* dialect.candidates(asked));
  if (given?.count !== undefined) {
    const window = { ...stretch, from: given.last ?? stretch.from, hasOlder: given.last !== undefined };
    const page = yield* pageIn(dialect, asked, { ...window, rows: EVERYWHERE }, given);
    const isWhole = asked.cursor === undefined && given.last === undefined;
    return isWhole ? { ...page, total: yield* totalOf(dialect, asked, page, given) } : page;
  }
  if (asked.order === 'latest') {
    const near = yield* windowOf(dialect, stretch, nearMax(asked));
    const page = yield* pageIn(dialect, asked, near, given);
    if (page.rows.length === asked.limit || !near.hasOlder) return page;
  }
  const window = yield* windowOf(dialect, stretch, lookedAtMax(asked, dialect.limits));
  return yield* pageIn(dialect, asked, window, given ?? (yield* dialect.worst(asked, window)));
}

/** Each page looks at all of them, however old they are. */
function* withIds({ key, keyOf, among }: Dialect, { ids }: ConversationSearch): Rule<CandidateRows | undefined> {
  if (ids === undefined) return undefined;
  const sql = `SELECT id FROM conversations WHERE ${IS_THERE} AND ${among(key)}`;
  const found = yield* rows<{ readonly id: number }>({ name: 'with-ids', sql }, [ids.map(keyOf)]);
  const isOneOf = () => ({ sql: among('c.id'), values: [found.map(({ id }) => id)] });
  return { isOneOf, count: found.length };
}

/** People have read few of all conversations. More, and those with words, are looked for among the newest. */
const READ_MAX = 2000;

function* read(dialect: IndexedSearch, asked: ConversationSearch): Rule<CandidateRows | undefined> {
  const [condition] = readingCondition(dialect, asked);
  if (condition === undefined || asked.words !== undefined) return undefined;
  const sql = `SELECT c.id FROM conversations c WHERE ${IS_THERE} AND ${condition.sql} LIMIT ${READ_MAX + 1}`;
  const found = yield* rows<{ readonly id: number }>(
    { name: 'conversations-read', sql, varies: true },
    condition.values,
  );
  if (found.length > READ_MAX) return undefined;
  const isOneOf = () => ({ sql: dialect.among('c.id'), values: [found.map(({ id }) => id)] });
  return { isOneOf, count: found.length };
}

function* pageIn(
  dialect: IndexedSearch,
  asked: ConversationSearch,
  window: Window,
  candidates: CandidateRows | undefined,
): Rule<FoundConversations> {
  const plan = searchPlan(dialect, asked, window, candidates);
  const { by, between } = dialect.wayThrough(window, candidates);
  const sql = `SELECT ${headOf(dialect)} FROM conversations c ${by}
    WHERE ${[...between.map((one) => one.sql), IS_THERE, ...plan.conditions].join(' AND ')} ORDER BY ${plan.order} LIMIT ?`;
  const values = [...between.flatMap((one) => one.values), ...plan.values, asked.limit];
  const found = yield* rows<HeadRow>({ name: 'search', sql, varies: true }, values);
  const conversations = found.map((row) => toConversationRow(dialect, row));
  const { next, seen } = plan.found(conversations);
  return { rows: conversations, next, lookedAt: candidates?.count ?? (yield* countIn(seen)) };
}

/** Counts among the candidates alone, of which there are few. */
function* totalOf(
  dialect: IndexedSearch,
  asked: ConversationSearch,
  { rows: shown }: FoundConversations,
  candidates: CandidateRows,
): Rule<number> {
  if (shown.length < asked.limit) return shown.length;
  const window = { ...stretchOf(asked), hasOlder: false, rows: EVERYWHERE };
  const { conditions, values } = searchPlan(dialect, asked, window, candidates);
  const sql = `SELECT count(*) AS conversations FROM conversations c WHERE ${[IS_THERE, ...conditions].join(' AND ')}`;
  const [row] = yield* rows<Counted>({ name: 'count-found', sql, varies: true }, values);
  return row?.conversations ?? 0;
}

/** Filed turns have made others, which the engine does not know yet. */
const IS_THERE = 'first_closed_at IS NOT NULL';
const IN_STRETCH = `${IS_THERE} AND ${inStretch(stretchOf({}), '').sql}`;
const LATEST_FIRST = 'ORDER BY began_at DESC, id DESC';
const WINDOW: Statement = {
  name: 'search-window',
  sql: `SELECT id, began_at FROM conversations WHERE ${IN_STRETCH} ${LATEST_FIRST} LIMIT 2 OFFSET ?`,
};
const COUNT: Statement = {
  name: 'count-in-stretch',
  sql: `SELECT count(*) AS conversations FROM conversations WHERE ${IN_STRETCH}`,
};
const COUNT_SOME: Statement = {
  name: 'count-some-in-stretch',
  sql: `SELECT count(*) AS conversations FROM (SELECT 1 FROM conversations WHERE ${IN_STRETCH} LIMIT ?) counted`,
};
const EVERY: Statement = {
  name: 'every-in-stretch',
  sql: `SELECT id, began_at FROM (
      SELECT id, began_at, row_number() OVER (${LATEST_FIRST}) AS number
      FROM conversations WHERE ${IN_STRETCH} ${LATEST_FIRST} LIMIT ?) counted
    WHERE (number - 1) % CAST(? AS bigint) = 0 ORDER BY number`,
};
interface Counted {
  readonly conversations: number;
}

export interface PlaceRow {
  readonly id: number;
  readonly began_at: number;
}

export function toPlace({ id, began_at: at }: PlaceRow): Place {
  return { at, row: id };
}

/** The latest conversations of a stretch, up to so many. */
function* windowOf(dialect: IndexedSearch, stretch: Stretch, max: number): Rule<Window> {
  const places = yield* rows<PlaceRow>(WINDOW, [...inStretch(stretch).values, max - 1]);
  const [last, older] = places.map(toPlace);
  const walked = yield* dialect.rowsOf(stretch, max);
  return { from: last ?? stretch.from, before: stretch.before, hasOlder: older !== undefined, ...walked };
}

function* countIn(stretch: Stretch): Rule<number> {
  const [row] = yield* rows<Counted>(COUNT, inStretch(stretch).values);
  return row?.conversations ?? 0;
}

/** Divides the conversations of a time into parts of one size. */
export function* parts(_: Dialect, { since, until, parts: number, max }: PartsAsked): Rule<ConversationParts> {
  const stretch = inStretch(stretchOf({ since, until })).values;
  const [row] = yield* rows<Counted>(COUNT_SOME, [...stretch, max + 1]);
  const conversations = row?.conversations ?? 0;
  const size = Math.max(1, Math.ceil(Math.min(conversations, max) / number));
  const first = yield* rows<PlaceRow>(EVERY, [...stretch, max, size]);
  return { conversations, first: first.map(toPlace) };
}

/** Agents of evaluated conversations, one step through the index of the frame for each. */
const AGENTS: Statement = {
  name: 'count-agents',
  sql: `WITH RECURSIVE named (agent, number) AS (
      SELECT min(agent), 1 FROM conversations WHERE frame IS NOT NULL
      UNION ALL SELECT (SELECT min(agent) FROM conversations WHERE frame IS NOT NULL AND agent > named.agent), number + 1
        FROM named WHERE named.agent IS NOT NULL AND number <= ?)
    SELECT count(agent) AS agents FROM named`,
};

/** Agents of evaluated conversations, or the limit if there are more. */
export function* countAgents(_: Dialect, limit: number): Rule<number> {
  const [row] = yield* rows<{ readonly agents: number }>(AGENTS, [limit - 1]);
  return row?.agents ?? 0;
}

/** Conversations, or the limit if there are more. */
export function* countUpTo({ anyOrder }: IndexedSearch, limit: number): Rule<number> {
  const sql = `SELECT count(*) AS conversations FROM (SELECT 1 FROM conversations WHERE ${anyOrder} LIMIT ?) counted`;
  const [row] = yield* rows<Counted>({ name: 'count-up-to', sql }, [limit]);
  return row?.conversations ?? 0;
}
