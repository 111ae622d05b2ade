/**
 * Rows that a search may find, from an index that has them: then a page looks at those alone, and not at the newest
 * thousands of which few may match. Only where an index costs no conversation that does not match: words that were said,
 * failures, criteria that failed, labels, outcomes, feedback, and what is still open or waits.
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
  placesOf,
  type Stretch,
  stretchOf,
} from '../conversation-search.ts';
import { cameOutValues } from '../frame-columns.ts';
import { toPlace, type PlaceRow } from '../rules/search.ts';
import { type Rule, rows, type Statement } from '../sql.ts';

/** Beyond it a search among the newest rows finds enough. */
const CANDIDATES_MAX = 2000;
/** Candidates for a row of the page: an evaluation may have been replaced by one that is no failure. */
const FAILURES_A_ROW = 8;
const NOWHERE: Place = { at: 0, row: 0 };
const SEVERITIES = [1, 2, 3];

const HAS_WORDS: Statement = {
  name: 'has-words',
  sql: 'SELECT EXISTS (SELECT 1 FROM spoken_content) OR EXISTS (SELECT 1 FROM open_words) AS has',
};
const WITH_WORDS = 'SELECT rowid AS id FROM spoken WHERE spoken MATCH ?';
/** Conversations that go on (word-rows.ts): their words are read through. */
const OPEN_WITH_WORDS = `SELECT conversation AS id FROM open_words
  WHERE NOT EXISTS (SELECT 1 FROM json_each(?) asked
    WHERE NOT EXISTS (SELECT 1 FROM json_each(asked.value) form WHERE instr(words, form.value) > 0))`;
const IN_STRETCH = inStretch({ from: NOWHERE, before: NOWHERE }, '').sql;
// The second condition makes SQLite see that the partial index has all of them.
const FAILED: Statement = {
  name: 'failed-conversations',
  sql: `SELECT id, began_at FROM conversations WHERE worst_outcome = ? AND worst_outcome > 0 AND ${IN_STRETCH}
  ORDER BY began_at DESC, id DESC LIMIT ?`,
};
const FAILED_CRITERION: Statement = {
  name: 'failed-criterion',
  sql: 'SELECT evaluation AS id FROM failed_verdicts WHERE criterion = ? LIMIT ?',
};
const OF_EVALUATIONS: Statement = {
  name: 'of-evaluations',
  sql: 'SELECT conversation AS id FROM evaluations WHERE id IN (SELECT value FROM json_each(?))',
};
const LABELLED: Statement = {
  name: 'labelled-ids',
  sql: 'SELECT conversation_id FROM labels ORDER BY conversation_id LIMIT ?',
};
const OF_IDS: Statement = {
  name: 'of-ids',
  sql: 'SELECT id FROM conversations WHERE conversation_id IN (SELECT value FROM json_each(?))',
};
const OPEN: Statement = {
  name: 'open-conversations',
  sql: 'SELECT id FROM conversations WHERE due_at IS NOT NULL LIMIT ?',
};
const withValue = (column: string): Statement => ({
  name: `with-${column}`,
  sql: `SELECT id, began_at FROM conversations WHERE ${column} = ? AND ${IN_STRETCH}
  ORDER BY began_at DESC, id DESC LIMIT ?`,
});
const WITH_FEEDBACK = withValue('feedback');
const WITH_OUTCOME = withValue('came_out');
const WAITING: Statement = {
  name: 'waiting-conversations',
  sql: 'SELECT conversation AS id FROM waiting_evaluations LIMIT ?',
};

/** All that a page of the worst shows, where nothing else is asked and it is full of failures; else undefined. */
export function* worstRows(asked: ConversationSearch, window: Stretch): Rule<CandidateRows | undefined> {
  const { order, limit, cursor, since: _since, until: _until, ...conditions } = asked;
  if (order !== 'worst' || Object.values(conditions).some((one) => one !== undefined)) return undefined;
  const last = cursor?.last;
  const found: Place[] = [];
  for (const severity of SEVERITIES.toReversed()) {
    if (last !== undefined && severity > last.value) continue;
    const before = severity === last?.value && isBefore(last, window.before) ? last : window.before;
    found.push(...(yield* placesIn(FAILED, severity, { ...window, before }, limit - found.length)));
    if (found.length === limit) return { isOneOf: oneOf(found.map(({ row }) => row)), count: undefined };
  }
  return undefined;
}

/** Undefined where no index has them, or too many. */
export function* candidateRows(asked: ConversationSearch): Rule<CandidateRows | undefined> {
  const { cameOut, feedback } = asked;
  const isUnknown = cameOut?.includes('unknown');
  return (
    (yield* withWords(asked)) ??
    whole(yield* failedCriteria(asked)) ??
    whole(yield* labelled(asked)) ??
    whole(yield* unfinished(asked)) ??
    (yield* latestBy(WITH_OUTCOME, asked, isUnknown ? undefined : cameOut && cameOutValues(cameOut))) ??
    (yield* latestBy(WITH_FEEDBACK, asked, placesOf(feedback, POLARITIES))) ??
    (yield* failed(asked))
  );
}

/** Undefined where no words are asked for, or none are kept. */
function* withWords(search: ConversationSearch): Rule<CandidateRows | undefined> {
  const asked = askedWords(search);
  if (asked === undefined) return undefined;
  const [kept] = yield* rows<{ has: number }>(HAS_WORDS);
  if (kept?.has !== 1) return undefined;
  const { forms, beginning } = asked;
  const last = forms.length - 1;
  const matching = (more: readonly string[]) =>
    forms
      .map((all, at) => `(${[...all.map((form) => `"${form}"`), ...(at === last ? more : [])].join(' OR ')})`)
      .join(' AND ');
  const words = matching([]);
  const parts = JSON.stringify(
    forms.map((all, at) => [...all.map((form) => ` ${form} `), ...(at === last ? [` ${beginning}`] : [])]),
  );
  // For a beginning, FTS5 first gathers all rows of all words that have it.
  const exact = yield* ids({ name: 'with-words', sql: `${WITH_WORDS} LIMIT ?` }, words);
  const match = exact.length > CANDIDATES_MAX ? words : matching([`"${beginning}"*`]);
  const indexed = match === words ? exact : yield* ids({ name: 'with-words', sql: `${WITH_WORDS} LIMIT ?` }, match);
  const open = yield* ids({ name: 'open-with-words', sql: `${OPEN_WITH_WORDS} LIMIT ?` }, parts);
  const found = [...new Set([...indexed, ...open])];
  if (found.length <= CANDIDATES_MAX) return { isOneOf: oneOf(found), count: found.length, hasWords: true };
  // A page of so many ends soon, and the index has them in the order in which they were stored.
  const isOneOf = ({ first, last }: Ends) => ({
    sql: `c.id IN (${WITH_WORDS} AND rowid BETWEEN ? AND ? UNION ALL ${OPEN_WITH_WORDS})`,
    values: [match, first, last, parts],
  });
  return { isOneOf, count: undefined, hasWords: true };
}

function* failed(asked: ConversationSearch): Rule<CandidateRows | undefined> {
  const { outcomes, order, limit } = asked;
  const severities = outcomes?.map((outcome) => severityOf(outcome) ?? 0) ?? [0];
  const least = Math.min(...severities);
  if (least === 0) return undefined;
  // The worst outcome that a conversation ever had is no better than that of its last evaluation.
  const max = order !== 'latest' ? CANDIDATES_MAX : Math.min(CANDIDATES_MAX, limit * FAILURES_A_ROW);
  const keys = SEVERITIES.filter((severity) => severity >= least);
  return yield* latestOf(FAILED, { keys, stretch: stretchOf(asked), max });
}

function* latestBy(
  by: Statement,
  asked: ConversationSearch,
  keys?: readonly number[],
): Rule<CandidateRows | undefined> {
  return keys && (yield* latestOf(by, { keys, stretch: stretchOf(asked), max: CANDIDATES_MAX }));
}

/** The latest ones in a stretch under any of the keys. */
function* latestOf(
  statement: Statement,
  { keys, stretch, max }: { readonly keys: readonly number[]; readonly stretch: Stretch; readonly max: number },
): Rule<CandidateRows> {
  const all: Place[] = [];
  for (const key of keys) all.push(...(yield* placesIn(statement, key, stretch, max)));
  const found = all.sort((a, b) => (isBefore(a, b) ? 1 : -1)).slice(0, max);
  const last = found.length === max ? found.at(-1) : undefined;
  return { isOneOf: oneOf(found.map(({ row }) => row)), count: found.length, last };
}

function* failedCriteria({ failedCriteria: criteria }: ConversationSearch): Rule<readonly number[] | undefined> {
  if (criteria === undefined) return undefined;
  const evaluations: number[] = [];
  for (const criterion of criteria) evaluations.push(...(yield* ids(FAILED_CRITERION, criterion)));
  if (evaluations.length > CANDIDATES_MAX) return undefined;
  return (yield* rows<IdRow>(OF_EVALUATIONS, [evaluations])).map(idOf);
}

function* labelled({ isLabelled }: ConversationSearch): Rule<readonly number[] | undefined> {
  if (isLabelled !== true) return undefined;
  const found = yield* rows<{ conversation_id: string }>(LABELLED, [CANDIDATES_MAX + 1]);
  if (found.length > CANDIDATES_MAX) return undefined;
  return (yield* rows<IdRow>(OF_IDS, [found.map(({ conversation_id: id }) => id)])).map(idOf);
}

function* unfinished({ states }: ConversationSearch): Rule<readonly number[] | undefined> {
  if (states === undefined || states.some((state) => state !== 'open' && state !== 'waiting')) return undefined;
  const found: number[] = [];
  for (const state of states) found.push(...(yield* ids(state === 'open' ? OPEN : WAITING)));
  return found.length > CANDIDATES_MAX ? undefined : found;
}

/** All that there are, of which earlier pages have shown some. */
function whole(found: readonly number[] | undefined): CandidateRows | undefined {
  return found === undefined ? undefined : { isOneOf: oneOf([...new Set(found)]), count: found.length };
}

function oneOf(found: readonly number[]): () => Condition {
  return () => ({ sql: 'c.id IN (SELECT value FROM json_each(?))', values: [found] });
}

function* placesIn(statement: Statement, key: number, stretch: Stretch, limit: number): Rule<readonly Place[]> {
  return (yield* rows<PlaceRow>(statement, [key, ...inStretch(stretch).values, limit])).map(toPlace);
}

interface IdRow {
  readonly id: number;
}

/** At most one more than there may be. */
function* ids(statement: Statement, ...values: readonly string[]): Rule<readonly number[]> {
  return (yield* rows<IdRow>(statement, [...values, CANDIDATES_MAX + 1])).map(idOf);
}

function idOf({ id }: IdRow): number {
  return id;
}
