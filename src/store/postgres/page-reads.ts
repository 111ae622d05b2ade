/** Reads of the shared store for the answers of `/api/v1`: each is bounded, whatever the store holds. */
import { namesOf } from '../column.ts';
import type { ConversationRow } from '../conversation-row.ts';
import {
  askedWords,
  type CandidateRows,
  type ConversationSearch,
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
import { type EvaluationCells, evaluationFrom, SEEN_COLUMNS, seenFrom, SHOWN_COLUMNS } from '../evaluation-columns.ts';
import { RecentPlaces } from '../recent-places.ts';
import type { CountedPlace, KeptLabel, ReadEvaluation } from '../read-evaluation.ts';
import type { ScannedEvaluation } from '../evaluation-scan.ts';
import type { JudgingState } from '../question-store.ts';
import type { ConversationParts, PageReader, PartsAsked, WhichEvaluations } from '../page-reader.ts';
import { lastScanned } from './evaluation-scan.ts';
import type { Link } from './link.ts';
import { judgingState } from './questions.ts';
import { HEAD, type HeadRow, toConversationRow } from './read-conversation.ts';
import { textKey } from './row-keys.ts';
import { numbered, type Session, type Value } from './session.ts';
import { fromStorable, toStorable } from './storable-text.ts';
import { readWaiting } from './waiting.ts';

/** Conversations that one page looks at. */
const LIMITS = { lookedAt: 10_000, searched: 5_000 };
const WITH_WORDS_MAX = 1000;
const PLACES_READ_MAX = 200_000;

const IS_LAST = `NOT EXISTS (
  SELECT 1 FROM evaluations n
  WHERE n.conversation = e.conversation AND n.suite = e.suite AND n.turn_id = e.turn_id AND n.revision > e.revision)`;
/** Rows of shadows are marked by their name (suite-key.ts). */
const IS_LIVE = `left(e.suite, 7) <> 'shadow:'`;
/** Evaluations are no older than their conversation, which leaves the partitions of earlier days out. */
const IN_ITS_DAYS = '(e.day >= c.first_day OR e.day < 0)';

const WITH_WORDS = numbered(`SELECT c.id, c.began_at FROM spoken s JOIN conversations c ON c.key = s.key
  WHERE s.words @@ ?::tsquery AND c.first_closed_at IS NOT NULL AND ${inStretch(Number, stretchOf({})).sql}
  ORDER BY c.began_at DESC, c.id DESC LIMIT ?`);

const DIALECT: SearchDialect<Value> = {
  among: (column) => `${column} = ANY(?)`,
  texts: (values) => values.map(toStorable),
  numbers: (values) => values,
  text: toStorable,
  number: (value) => value,
  evaluated: `EXISTS (SELECT 1 FROM evaluations e WHERE e.conversation = c.id AND ${IN_ITS_DAYS} AND ${IS_LIVE} AND ${IS_LAST}`,
  failedAmong: 'e.failed && ?::text[]',
  isWaiting: `EXISTS (SELECT 1 FROM waiting_evaluations w WHERE w.conversation = c.id AND left(w.suite, 7) <> 'shadow:')`,
  isLabelled: 'EXISTS (SELECT 1 FROM labels l WHERE l.conversation = c.key)',
  contains: (text) => `strpos(${text}, ?) > 0`,
};

export class PostgresPages implements PageReader {
  readonly #link: Link;
  readonly #places = new RecentPlaces();

  constructor(link: Link) {
    this.#link = link;
  }

  async search(search: ConversationSearch): Promise<FoundConversations> {
    return this.#link.use((session) => searchConversations(session, search));
  }

  async parts(asked: PartsAsked): Promise<ConversationParts> {
    return this.#link.use((session) => partsOf(session, asked));
  }

  async evaluations(
    conversations: readonly ConversationRow[],
    which: WhichEvaluations,
  ): Promise<ReadonlyMap<number, readonly ReadEvaluation[]>> {
    return this.#link.use((session) => readEvaluations(session, conversations, which));
  }

  async lastScanned(
    conversations: readonly ConversationRow[],
    suiteKey: string,
  ): Promise<readonly ScannedEvaluation[]> {
    const rows = conversations.map(({ row }) => row);
    return this.#link.use((session) => lastScanned(session, rows, suiteKey));
  }

  async labelsOf({ conversationId }: ConversationRow, limit: number): Promise<readonly KeptLabel[]> {
    return this.#link.use((session) => labelsOf(session, conversationId, limit));
  }

  async countedPlaces(of: { readonly width: number; readonly since: number }): Promise<readonly CountedPlace[]> {
    return this.#places.of(of, (asked) => this.#link.use((session) => countedPlaces(session, asked)));
  }

  async countUpTo(limit: number): Promise<number> {
    return this.#link.use((session) => countUpTo(session, limit));
  }

  async judging(at: number): Promise<JudgingState> {
    return this.#link.use((session) => judgingState(session, at));
  }

  async firstTimes(metric: string): Promise<readonly { readonly labels: string; readonly at: number }[]> {
    return this.#link.use((session) => firstTimes(session, metric));
  }
}

type Window = Stretch & { readonly hasOlder: boolean };

async function searchConversations(session: Session, search: ConversationSearch): Promise<FoundConversations> {
  const stretch = stretchOf(search);
  const withWords = await rowsWithWords(session, search, stretch);
  if (withWords !== undefined) {
    const window = { ...stretch, from: withWords.last ?? stretch.from, hasOlder: withWords.last !== undefined };
    return pageIn(session, search, window, withWords);
  }
  if (search.order === 'latest') {
    const near = await windowOf(session, stretch, nearMax(search));
    const page = await pageIn(session, search, near);
    if (page.rows.length === search.limit || !near.hasOlder) return page;
  }
  return pageIn(session, search, await windowOf(session, stretch, lookedAtMax(search, LIMITS)));
}

async function pageIn(
  session: Session,
  search: ConversationSearch,
  window: Window,
  candidates?: CandidateRows<Value>,
): Promise<FoundConversations> {
  const plan = searchPlan(DIALECT, search, { ...window, rows: EVERYWHERE }, candidates);
  const sql = `SELECT ${HEAD} FROM conversations c
    WHERE c.first_closed_at IS NOT NULL AND ${plan.conditions.join(' AND ')} ORDER BY ${plan.order} LIMIT ?`;
  const found = await session.once<HeadRow>(numbered(sql), [...plan.values, search.limit]);
  const rows = found.map(toConversationRow);
  const { next, seen } = plan.found(rows);
  return { rows, next, lookedAt: candidates?.count ?? (await countIn(session, seen)) };
}

interface PlaceRow {
  readonly id: number;
  readonly began_at: number;
}

const IN_STRETCH = `first_closed_at IS NOT NULL AND ${inStretch(Number, stretchOf({}), '').sql}`;
const WINDOW = numbered(
  `SELECT id, began_at FROM conversations WHERE ${IN_STRETCH} ORDER BY began_at DESC, id DESC LIMIT 2 OFFSET ?`,
);
const COUNT = numbered(`SELECT count(*) AS conversations FROM conversations WHERE ${IN_STRETCH}`);
const COUNT_UP_TO = numbered(
  `SELECT count(*) AS conversations FROM (SELECT 1 FROM conversations WHERE ${IN_STRETCH} LIMIT ?) counted`,
);
const EVERY = numbered(`SELECT id, began_at FROM (
    SELECT id, began_at, row_number() OVER (ORDER BY began_at DESC, id DESC) AS number
    FROM conversations WHERE ${IN_STRETCH} ORDER BY began_at DESC, id DESC LIMIT ?) counted
  WHERE (number - 1) % ?::bigint = 0 ORDER BY number`);

/** The latest conversations of a stretch, up to so many. */
async function windowOf(session: Session, stretch: Stretch, max: number): Promise<Window> {
  const rows = await session.once<PlaceRow>(WINDOW, [...inStretch(Number, stretch).values, max - 1]);
  const [last, older] = rows.map(toPlace);
  return { from: last ?? stretch.from, before: stretch.before, hasOlder: older !== undefined };
}

async function countIn(session: Session, stretch: Stretch): Promise<number> {
  const [row] = await session.once<{ conversations: number }>(COUNT, inStretch(Number, stretch).values);
  return Number(row?.conversations ?? 0);
}

async function partsOf(session: Session, { since, until, parts, max }: PartsAsked): Promise<ConversationParts> {
  const stretch = inStretch(Number, stretchOf({ since, until })).values;
  const [row] = await session.once<{ conversations: number }>(COUNT_UP_TO, [...stretch, max + 1]);
  const conversations = Number(row?.conversations ?? 0);
  const size = Math.max(1, Math.ceil(Math.min(conversations, max) / parts));
  const first = await session.once<PlaceRow>(EVERY, [...stretch, max, size]);
  return { conversations, first: first.map(toPlace) };
}

function toPlace({ id, began_at: at }: PlaceRow): Place {
  return { at, row: id };
}

/** Undefined where no words are asked for, or none are kept. */
async function rowsWithWords(
  session: Session,
  search: ConversationSearch,
  stretch: Stretch,
): Promise<(CandidateRows<Value> & { readonly count: number }) | undefined> {
  const asked = askedWords(search);
  if (asked === undefined) return undefined;
  const [kept] = await session.once<{ has: boolean }>('SELECT EXISTS (SELECT 1 FROM spoken) AS has');
  if (kept?.has !== true) return undefined;
  const query = asked.map((word, index) => `'${word}'${index === asked.length - 1 ? ':*' : ''}`).join(' & ');
  const found = await session.once<PlaceRow>(WITH_WORDS, [query, ...inStretch(Number, stretch).values, WITH_WORDS_MAX]);
  const last = found.length === WITH_WORDS_MAX ? found.map(toPlace).at(-1) : undefined;
  const isOneOf = () => ({ sql: 'c.id = ANY(?::bigint[])', values: [found.map(({ id }) => id)] });
  return { isOneOf, count: found.length, last, hasWords: true };
}

interface ReadRow extends EvaluationCells {
  readonly conversation: number;
  readonly created_at: number;
  readonly labels: string;
  readonly is_last: boolean;
  readonly [seen: string]: unknown;
}

async function readEvaluations(
  session: Session,
  conversations: readonly ConversationRow[],
  { revisions, of }: WhichEvaluations,
): Promise<ReadonlyMap<number, readonly ReadEvaluation[]>> {
  if (conversations.length === 0) return new Map();
  const seenColumns = Object.values(SEEN_COLUMNS);
  const rows = await session.once<ReadRow>(
    `SELECT e.conversation, e.created_at, e.labels, ${namesOf(SHOWN_COLUMNS, 'e')}, ${namesOf(seenColumns, 'e')}, ${IS_LAST} AS is_last
     FROM unnest($1::bigint[]) AS wanted (id) JOIN conversations c ON c.id = wanted.id
     JOIN evaluations e ON e.conversation = c.id AND ${IN_ITS_DAYS}
     WHERE ${of === 'live' ? '' : 'NOT '}${IS_LIVE} ${revisions === 'last' ? `AND ${IS_LAST}` : ''} ORDER BY e.id`,
    [conversations.map(({ row }) => row)],
  );
  const byConversation = Map.groupBy(rows, ({ conversation }) => conversation);
  const read = new Map<number, readonly ReadEvaluation[]>();
  for (const conversation of conversations) {
    const made = (byConversation.get(conversation.row) ?? []).map((row) => ({
      evaluation: evaluationFrom(conversation.conversationId, row, fromStorable),
      madeAt: row.created_at,
      seen: seenFrom(seenColumns.map(({ name }) => row[name])),
      labels: row.labels,
      isLast: row.is_last,
    }));
    read.set(conversation.row, made);
  }
  for (const { row, waiting } of await readWaiting(session, conversations, of))
    read.set(row, [
      ...(read.get(row) ?? []),
      { evaluation: waiting, madeAt: undefined, seen: undefined, labels: undefined, isLast: true },
    ]);
  return read;
}

interface LabelRow {
  readonly id: number;
  readonly turn_id: string;
  readonly suite: string;
  readonly criterion: string;
  readonly person: string;
  readonly label: string;
  readonly note: string | null;
  readonly put_at: number;
}

async function labelsOf(session: Session, conversationId: string, limit: number): Promise<readonly KeptLabel[]> {
  const rows = await session.once<LabelRow>(
    `SELECT id, turn_id, suite, criterion, person, label, note, put_at FROM labels
     WHERE conversation = $1 ORDER BY id DESC LIMIT $2`,
    [textKey(conversationId), limit],
  );
  return rows
    .map(({ id, turn_id, suite, criterion, person, label, note, put_at: putAt }) => ({
      id,
      turnId: turn_id === '' ? undefined : fromStorable(turn_id),
      suite: fromStorable(suite),
      criterion: fromStorable(criterion),
      label,
      by: fromStorable(person),
      note: note === null ? undefined : fromStorable(note),
      putAt,
    }))
    .reverse();
}

interface CountedRow {
  readonly agent: string;
  readonly agent_version: string;
  readonly environment: string;
  readonly segment: string;
  readonly first: number;
  readonly last: number;
}

async function countedPlaces(
  session: Session,
  { width, since }: { readonly width: number; readonly since: number },
): Promise<readonly CountedPlace[]> {
  const rows = await session.once<CountedRow>(
    `SELECT agent, agent_version, environment, segment, min(begins) AS first, max(begins) AS last
     FROM (SELECT * FROM history WHERE width = $1 AND begins >= $2 AND evaluations > 0
       ORDER BY begins DESC LIMIT ${PLACES_READ_MAX}) latest
     GROUP BY agent, agent_version, environment, segment`,
    [width, since],
  );
  return rows.map(({ agent, agent_version, environment, segment, first, last }) => ({
    agent: fromStorable(agent),
    agentVersion: fromStorable(agent_version),
    environment: fromStorable(environment),
    segment: fromStorable(segment),
    first,
    last,
  }));
}

async function firstTimes(
  session: Session,
  metric: string,
): Promise<readonly { readonly labels: string; readonly at: number }[]> {
  const rows = await session.once<{ labels: string; at: number }>(
    'SELECT labels, at FROM first_times WHERE metric = $1',
    [metric],
  );
  return rows.map(({ labels, at }) => ({ labels: fromStorable(labels), at }));
}

async function countUpTo(session: Session, limit: number): Promise<number> {
  const [row] = await session.once<{ conversations: number }>(
    `SELECT count(*)::int AS conversations
     FROM (SELECT 1 FROM conversations WHERE id > 0 AND first_closed_at IS NOT NULL ORDER BY id DESC LIMIT $1) counted`,
    [limit],
  );
  return row?.conversations ?? 0;
}
