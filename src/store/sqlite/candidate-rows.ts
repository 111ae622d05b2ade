/**
 * Rows that a search may find, from an index that has them: then a page looks at those alone, and not at the newest
 * thousands of which few may match. Only where an index costs no conversation that does not match: words that were said,
 * failures, criteria that failed, labels, and what is still open or waits.
 */
import { POLARITIES } from '../../model/feedback.ts';
import { severityOf } from '../../model/severity.ts';
import {
  askedWords,
  type CandidateRows,
  type Condition,
  type ConversationSearch,
  type Ends,
  inStretch,
  isBefore,
  type Place,
  type Stretch,
  stretchOf,
} from '../conversation-search.ts';
import type { Statements } from './statements.ts';

/** Beyond it a search among the newest rows finds enough. */
const CANDIDATES_MAX = 2000;
/** Candidates for a row of the page: an evaluation may have been replaced by one that is no failure. */
const FAILURES_A_ROW = 8;
const NOWHERE: Place = { at: 0, row: 0 };
const SEVERITIES = [1, 2, 3];

const HAS_WORDS = 'SELECT EXISTS (SELECT 1 FROM spoken_content) OR EXISTS (SELECT 1 FROM open_words) AS has';
const WITH_WORDS = 'SELECT rowid AS id FROM spoken WHERE spoken MATCH ?';
/** Conversations that go on (word-rows.ts): their words are read through. */
const OPEN_WITH_WORDS = `SELECT conversation AS id FROM open_words
  WHERE NOT EXISTS (SELECT 1 FROM json_each(?) asked WHERE instr(words, asked.value) = 0)`;
const IN_STRETCH = inStretch(Number, { from: NOWHERE, before: NOWHERE }, '').sql;
// The second condition makes SQLite see that the partial index has all of them.
const FAILED = `SELECT id, began_at FROM conversations WHERE worst_outcome = ? AND worst_outcome > 0 AND ${IN_STRETCH}
  ORDER BY began_at DESC, id DESC LIMIT ?`;
const FAILED_CRITERION = 'SELECT evaluation AS id FROM failed_verdicts WHERE criterion = ? LIMIT ?';
const OF_EVALUATIONS = 'SELECT conversation AS id FROM evaluations WHERE id IN (SELECT value FROM json_each(?))';
const LABELLED = 'SELECT conversation_id FROM labels ORDER BY conversation_id LIMIT ?';
const OF_IDS = 'SELECT id FROM conversations WHERE conversation_id IN (SELECT value FROM json_each(?))';
const OPEN = 'SELECT id FROM conversations WHERE due_at IS NOT NULL LIMIT ?';
const WITH_FEEDBACK = `SELECT id, began_at FROM conversations WHERE feedback = ? AND ${IN_STRETCH}
  ORDER BY began_at DESC, id DESC LIMIT ?`;
const WAITING = 'SELECT conversation AS id FROM waiting_evaluations LIMIT ?';

type Candidates = CandidateRows<string | number>;

/** All that a page of the worst shows, where nothing else is asked and it is full of failures; else undefined. */
export function worstRows(statements: Statements, search: ConversationSearch, window: Stretch): Candidates | undefined {
  const { order, limit, cursor, since: _since, until: _until, ...asked } = search;
  if (order !== 'worst' || Object.values(asked).some((one) => one !== undefined)) return undefined;
  const last = cursor?.last;
  const found: Place[] = [];
  for (const severity of SEVERITIES.toReversed()) {
    if (last !== undefined && severity > last.severity) continue;
    const before = severity === last?.severity && isBefore(last, window.before) ? last : window.before;
    found.push(...placesIn(statements, FAILED, severity, { ...window, before }, limit - found.length));
    if (found.length === limit) return { isOneOf: oneOf(found.map(({ row }) => row)), count: undefined };
  }
  return undefined;
}

/** Undefined where no index has them, or too many. */
export function candidateRows(statements: Statements, search: ConversationSearch): Candidates | undefined {
  return (
    withWords(statements, search) ??
    whole(failedCriteria(statements, search)) ??
    whole(labelled(statements, search)) ??
    whole(unfinished(statements, search)) ??
    withFeedback(statements, search) ??
    failed(statements, search)
  );
}

/** Undefined where no words are asked for, or none are kept. */
function withWords(statements: Statements, search: ConversationSearch): Candidates | undefined {
  const asked = askedWords(search);
  if (asked === undefined || statements.of(HAS_WORDS).get()?.has !== 1) return undefined;
  const words = asked.map((word) => `"${word}"`).join(' AND ');
  const parts = JSON.stringify(asked.map((word, at) => (at === asked.length - 1 ? ` ${word}` : ` ${word} `)));
  const limited = (sql: string, values: string) =>
    statements
      .of(`${sql} LIMIT ?`)
      .all(values, CANDIDATES_MAX + 1)
      .map(idOf);
  // For a beginning, FTS5 first gathers all rows of all words that have it.
  const exact = limited(WITH_WORDS, words);
  const match = exact.length > CANDIDATES_MAX ? words : `${words}*`;
  const indexed = match === words ? exact : limited(WITH_WORDS, match);
  const rows = [...new Set([...indexed, ...limited(OPEN_WITH_WORDS, parts)])];
  if (rows.length <= CANDIDATES_MAX) return { isOneOf: oneOf(rows), count: rows.length, hasWords: true };
  // A page of so many ends soon, and the index has them in the order in which they were stored.
  const isOneOf = ({ first, last }: Ends) => ({
    sql: `c.id IN (${WITH_WORDS} AND rowid BETWEEN ? AND ? UNION ALL ${OPEN_WITH_WORDS})`,
    values: [match, first, last, parts],
  });
  return { isOneOf, count: undefined, hasWords: true };
}

function failed(statements: Statements, search: ConversationSearch): Candidates | undefined {
  const { outcomes, order, limit } = search;
  const severities = outcomes?.map((outcome) => severityOf(outcome) ?? 0) ?? [0];
  const least = Math.min(...severities);
  if (least === 0) return undefined;
  // The worst outcome that a conversation ever had is no better than that of its last evaluation.
  const max = order === 'worst' ? CANDIDATES_MAX : Math.min(CANDIDATES_MAX, limit * FAILURES_A_ROW);
  const keys = SEVERITIES.filter((severity) => severity >= least);
  return latestOf(statements, FAILED, { keys, stretch: stretchOf(search), max });
}

function withFeedback(statements: Statements, search: ConversationSearch): Candidates | undefined {
  const keys = search.feedback?.map((polarity) => POLARITIES.indexOf(polarity));
  if (keys === undefined) return undefined;
  return latestOf(statements, WITH_FEEDBACK, { keys, stretch: stretchOf(search), max: CANDIDATES_MAX });
}

/** The latest ones in a stretch under any of the keys. */
function latestOf(
  statements: Statements,
  sql: string,
  { keys, stretch, max }: { readonly keys: readonly number[]; readonly stretch: Stretch; readonly max: number },
): Candidates {
  const found = keys
    .flatMap((key) => placesIn(statements, sql, key, stretch, max))
    .sort((a, b) => (isBefore(a, b) ? 1 : -1))
    .slice(0, max);
  const last = found.length === max ? found.at(-1) : undefined;
  return { isOneOf: oneOf(found.map(({ row }) => row)), count: found.length, last };
}

function failedCriteria(statements: Statements, { failedCriteria: criteria }: ConversationSearch) {
  if (criteria === undefined) return undefined;
  const evaluations = criteria.flatMap((criterion) =>
    statements
      .of(FAILED_CRITERION)
      .all(criterion, CANDIDATES_MAX + 1)
      .map(idOf),
  );
  if (evaluations.length > CANDIDATES_MAX) return undefined;
  return statements.of(OF_EVALUATIONS).all(JSON.stringify(evaluations)).map(idOf);
}

function labelled(statements: Statements, { isLabelled }: ConversationSearch) {
  if (isLabelled !== true) return undefined;
  const ids = statements.of(LABELLED).all(CANDIDATES_MAX + 1);
  if (ids.length > CANDIDATES_MAX) return undefined;
  return statements
    .of(OF_IDS)
    .all(JSON.stringify(ids.map(({ conversation_id: id }) => id)))
    .map(idOf);
}

function unfinished(statements: Statements, { states }: ConversationSearch) {
  if (states === undefined || states.some((state) => state !== 'open' && state !== 'waiting')) return undefined;
  const rows = states.flatMap((state) =>
    statements
      .of(state === 'open' ? OPEN : WAITING)
      .all(CANDIDATES_MAX + 1)
      .map(idOf),
  );
  return rows.length > CANDIDATES_MAX ? undefined : rows;
}

/** All that there are, of which earlier pages have shown some. */
function whole(rows: readonly number[] | undefined): Candidates | undefined {
  return rows === undefined ? undefined : { isOneOf: oneOf([...new Set(rows)]), count: rows.length };
}

function oneOf(rows: readonly number[]): () => Condition<string> {
  return () => ({ sql: 'c.id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(rows)] });
}

function placesIn(statements: Statements, sql: string, key: number, stretch: Stretch, limit: number): readonly Place[] {
  return statements
    .of(sql)
    .all(key, ...inStretch(Number, stretch).values, limit)
    .map(({ id, began_at: at }) => ({ at: Number(at), row: Number(id) }));
}

function idOf({ id }: Record<string, unknown>): number {
  return Number(id);
}
