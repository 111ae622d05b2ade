/** Reads of the store of one machine for the answers of `/api/v1`: each is bounded, whatever the store holds. */
import type { ConversationId } from '../../model/ids.ts';
import type { ConversationRow } from '../conversation-row.ts';
import {
  type CandidateRows,
  type ConversationSearch,
  type Ends,
  EVERYWHERE,
  type FoundConversations,
  inStretch,
  lookedAtMax,
  nearMax,
  type Place,
  type SearchDialect,
  searchPlan,
  type Stretch,
  stretchOf,
} from '../conversation-search.ts';
import { EVALUATION_COLUMNS, seenFrom, SEEN_COLUMNS } from '../evaluation-columns.ts';
import { RecentPlaces } from '../recent-places.ts';
import type { CountedPlace, KeptLabel, ReadEvaluation } from '../read-evaluation.ts';
import type { ScannedEvaluation } from '../evaluation-scan.ts';
import type { JudgingState } from '../question-store.ts';
import type { ConversationParts, PageReader, PartsAsked, WhichEvaluations } from '../page-reader.ts';
import { candidateRows, worstRows } from './candidate-rows.ts';
import { toEvaluation } from './evaluation-row.ts';
import { lastScanned } from './evaluation-scan.ts';
import { judgingState } from './question-rows.ts';
import type { Statements } from './statements.ts';
import { toConversationRow } from './conversation-row.ts';

/** Conversations that one page looks at. */
const LIMITS = { lookedAt: 50_000, searched: 20_000 };
const PLACES_READ_MAX = 200_000;
/** Rows that are read for one of a window. */
const DENSE = 4;

const IS_LAST = `NOT EXISTS (
  SELECT 1 FROM evaluations n
  WHERE n.conversation = e.conversation AND n.suite = e.suite AND n.turn_id = e.turn_id AND n.revision > e.revision)`;
/** Rows of shadows are marked by their name (suite-key.ts). */
const IS_LIVE = `e.suite NOT LIKE 'shadow:%'`;

const DIALECT: SearchDialect<string | number> = {
  among: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  texts: (values) => JSON.stringify(values),
  numbers: (values) => JSON.stringify(values),
  text: (value) => value,
  number: (value) => value,
  evaluated: `EXISTS (SELECT 1 FROM evaluations e WHERE e.conversation = c.id AND ${IS_LIVE} AND ${IS_LAST}`,
  failedAmong: `EXISTS (SELECT 1 FROM failed_verdicts f
    WHERE f.criterion IN (SELECT value FROM json_each(?)) AND f.evaluation = e.id)`,
  isWaiting: `EXISTS (SELECT 1 FROM waiting_evaluations w WHERE w.conversation = c.id AND w.suite NOT LIKE 'shadow:%')`,
  isLabelled: 'EXISTS (SELECT 1 FROM labels l WHERE l.conversation_id = c.conversation_id)',
  contains: (text) => `instr(${text}, ?) > 0`,
};

export class SqlitePages implements PageReader {
  readonly #statements: Statements;
  readonly #places = new RecentPlaces();
  #isUpToDate = false;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  search(search: ConversationSearch): FoundConversations {
    this.needUpToDate();
    return searchConversations(this.#statements, search);
  }

  /** Throws if a column of evaluations is not there. The service migrates its store before it reads. */
  needUpToDate(): void {
    if (this.#isUpToDate) return;
    const columns = new Set(
      this.#statements
        .of('PRAGMA table_info(evaluations)')
        .all()
        .map(({ name }) => name),
    );
    if (!EVALUATION_COLUMNS.every(({ name }) => columns.has(name)))
      throw new Error(
        'the store was written by an older Assay: start `assay serve` on it once, which brings it up to date',
      );
    this.#isUpToDate = true;
  }

  parts(asked: PartsAsked): ConversationParts {
    return partsOf(this.#statements, asked);
  }

  evaluations(
    conversations: readonly ConversationRow[],
    which: WhichEvaluations,
  ): ReadonlyMap<number, readonly ReadEvaluation[]> {
    return readEvaluations(this.#statements, conversations, which);
  }

  lastScanned(conversations: readonly ConversationRow[], suiteKey: string): readonly ScannedEvaluation[] {
    const rows = conversations.map(({ row }) => row);
    return lastScanned(this.#statements, rows, suiteKey);
  }

  labelsOf({ conversationId }: ConversationRow, limit: number): readonly KeptLabel[] {
    return labelsOf(this.#statements, conversationId, limit);
  }

  countedPlaces(of: { readonly width: number; readonly since: number }): Promise<readonly CountedPlace[]> {
    return this.#places.of(of, (asked) => countedPlaces(this.#statements, asked));
  }

  countUpTo(limit: number): number {
    return countUpTo(this.#statements, limit);
  }

  judging(at: number): JudgingState {
    return judgingState(this.#statements, at);
  }

  firstTimes(metric: string): readonly { readonly labels: string; readonly at: number }[] {
    return firstTimes(this.#statements, metric);
  }
}

const IN_STRETCH = inStretch(Number, stretchOf({}), '').sql;
const WINDOW = `SELECT id, began_at FROM conversations WHERE ${IN_STRETCH} ORDER BY began_at DESC, id DESC LIMIT 2 OFFSET ?`;
const ROWS = `SELECT min(id) AS first, max(id) AS last, count(*) AS size
  FROM (SELECT id FROM conversations WHERE ${IN_STRETCH} ORDER BY began_at DESC, id DESC LIMIT ?)`;
const COUNT = `SELECT count(*) AS conversations FROM conversations WHERE ${IN_STRETCH}`;
const COUNT_UP_TO = `SELECT count(*) AS conversations FROM (SELECT 1 FROM conversations WHERE ${IN_STRETCH} LIMIT ?)`;
const EVERY = `SELECT id, began_at FROM (
    SELECT id, began_at, row_number() OVER (ORDER BY began_at DESC, id DESC) AS number
    FROM conversations WHERE ${IN_STRETCH} ORDER BY began_at DESC, id DESC LIMIT ?)
  WHERE (number - 1) % ? = 0 ORDER BY number`;

type Window = Stretch & {
  readonly hasOlder: boolean;
  readonly rows: Ends;
  /** Conversations in it; undefined where an index gives them. */
  readonly size?: number;
};

function searchConversations(statements: Statements, search: ConversationSearch): FoundConversations {
  const stretch = stretchOf(search);
  const given = candidateRows(statements, search);
  if (given?.count !== undefined) {
    const window = { ...stretch, from: given.last ?? stretch.from, hasOlder: given.last !== undefined };
    return pageIn(statements, search, { ...window, rows: EVERYWHERE }, given);
  }
  if (search.order === 'latest') {
    const near = windowOf(statements, stretch, nearMax(search));
    const page = pageIn(statements, search, near, given);
    if (page.rows.length === search.limit || !near.hasOlder) return page;
  }
  const window = windowOf(statements, stretch, lookedAtMax(search, LIMITS));
  return pageIn(statements, search, window, given ?? worstRows(statements, search, window));
}

function pageIn(
  statements: Statements,
  search: ConversationSearch,
  window: Window,
  candidates: CandidateRows<string | number> | undefined,
): FoundConversations {
  const plan = searchPlan(DIALECT, search, window, candidates);
  const { by, between } = wayThrough(window, candidates);
  const conditions = [...between, ...plan.conditions].join(' AND ');
  const sql = `SELECT c.* FROM conversations c ${by} WHERE ${conditions} ORDER BY ${plan.order} LIMIT ?`;
  const ends = between.length === 0 ? [] : [window.rows.first, window.rows.last];
  const rows = statements
    .of(sql)
    .all(...ends, ...plan.values, search.limit)
    .map(toConversationRow);
  const { next, seen } = plan.found(rows);
  return { rows, next, lookedAt: candidates?.count ?? countIn(statements, seen) };
}

/** One row after the other is several times as fast as a search for each, if not many lie between those of the window. */
function wayThrough(window: Window, candidates?: { readonly count: number | undefined }) {
  if (candidates?.count !== undefined) return { by: 'NOT INDEXED', between: [] };
  const {
    rows: { first, last },
    size,
  } = window;
  const isDense = size !== undefined && last - first < DENSE * size;
  return isDense
    ? { by: 'NOT INDEXED', between: ['c.id BETWEEN ? AND ?'] }
    : { by: 'INDEXED BY conversations_began', between: [] };
}

/** The latest conversations of a stretch, up to so many. */
function windowOf(statements: Statements, stretch: Stretch, max: number): Window {
  const { values } = inStretch(Number, stretch);
  const [last, older] = statements
    .of(WINDOW)
    .all(...values, max - 1)
    .map(toPlace);
  const rows = statements.of(ROWS).get(...values, max);
  return {
    from: last ?? stretch.from,
    before: stretch.before,
    hasOlder: older !== undefined,
    rows: { first: Number(rows?.first ?? 0), last: Number(rows?.last ?? 0) },
    size: Number(rows?.size ?? 0),
  };
}

function countIn(statements: Statements, stretch: Stretch): number {
  return Number(statements.of(COUNT).get(...inStretch(Number, stretch).values)?.conversations ?? 0);
}

function partsOf(statements: Statements, { since, until, parts, max }: PartsAsked): ConversationParts {
  const stretch = inStretch(Number, stretchOf({ since, until })).values;
  const conversations = Number(statements.of(COUNT_UP_TO).get(...stretch, max + 1)?.conversations ?? 0);
  const size = Math.max(1, Math.ceil(Math.min(conversations, max) / parts));
  const first = statements
    .of(EVERY)
    .all(...stretch, max, size)
    .map(toPlace);
  return { conversations, first };
}

function toPlace({ id, began_at: at }: Record<string, unknown>): Place {
  return { at: Number(at), row: Number(id) };
}

/** By row, in the order in which they were made; then those that wait. */
function readEvaluations(
  statements: Statements,
  conversations: readonly ConversationRow[],
  { revisions, of }: WhichEvaluations,
): ReadonlyMap<number, readonly ReadEvaluation[]> {
  const wanted = of === 'live' ? IS_LIVE : `NOT ${IS_LIVE}`;
  const columns = `e.*, ${IS_LAST} AS is_last`;
  const made = statements.of(
    `SELECT ${columns} FROM evaluations e WHERE conversation = ? AND ${wanted} ${revisions === 'last' ? `AND ${IS_LAST}` : ''} ORDER BY id`,
  );
  const waiting = statements.of(
    `SELECT e.*, 1 AS is_last FROM waiting_evaluations e WHERE conversation = ? AND ${wanted} ORDER BY id`,
  );
  return new Map(
    conversations.map(({ row, conversationId }) => [
      row,
      [...made.all(row), ...waiting.all(row)].map((cells) => toRead(cells, conversationId)),
    ]),
  );
}

function toRead(row: Record<string, unknown>, conversationId: ConversationId): ReadEvaluation {
  const isMade = typeof row.waits_for !== 'string';
  return {
    evaluation: toEvaluation(row, conversationId),
    madeAt: isMade ? Number(row.created_at) : undefined,
    seen: isMade ? seenFrom(Object.values(SEEN_COLUMNS).map(({ name }) => row[name])) : undefined,
    labels: isMade ? String(row.labels) : undefined,
    isLast: row.is_last === 1,
  };
}

/** In the order in which they were put. */
function labelsOf(statements: Statements, conversationId: string, limit: number): readonly KeptLabel[] {
  return statements
    .of('SELECT * FROM labels WHERE conversation_id = ? ORDER BY id DESC LIMIT ?')
    .all(conversationId, limit)
    .map((row) => ({
      id: Number(row.id),
      turnId: row.turn_id === '' ? undefined : String(row.turn_id),
      suite: String(row.suite),
      criterion: String(row.criterion),
      label: String(row.label),
      by: String(row.person),
      note: typeof row.note === 'string' ? row.note : undefined,
      putAt: Number(row.put_at),
    }))
    .reverse();
}

/** From the history of the given width: as many of its latest rows as may be read. */
function countedPlaces(
  statements: Statements,
  { width, since }: { readonly width: number; readonly since: number },
): readonly CountedPlace[] {
  return statements
    .of(
      `SELECT agent, agent_version, environment, segment, min(begins) AS first, max(begins) AS last
       FROM (SELECT * FROM history WHERE width = ? AND begins >= ? AND evaluations > 0 ORDER BY begins DESC LIMIT ${PLACES_READ_MAX})
       GROUP BY agent, agent_version, environment, segment`,
    )
    .all(width, since)
    .map((row) => ({
      agent: String(row.agent),
      agentVersion: String(row.agent_version),
      environment: String(row.environment),
      segment: String(row.segment),
      first: Number(row.first),
      last: Number(row.last),
    }));
}

/** When each series of a metric was seen first. */
function firstTimes(
  statements: Statements,
  metric: string,
): readonly { readonly labels: string; readonly at: number }[] {
  return statements
    .of('SELECT labels, at FROM first_times WHERE metric = ?')
    .all(metric)
    .map(({ labels, at }) => ({ labels: String(labels), at: Number(at) }));
}

function countUpTo(statements: Statements, limit: number): number {
  const row = statements.of('SELECT count(*) AS conversations FROM (SELECT 1 FROM conversations LIMIT ?)').get(limit);
  return Number(row?.conversations ?? 0);
}
