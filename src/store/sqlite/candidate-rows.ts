/**
 * Rows that a search may find, from an index that has them: then a page looks at those alone, and not at the newest
 * thousands of which few may match. Only where an index costs no conversation that does not match: words that were said,
 * failures, criteria that failed, labels, and what is still open or waits.
 */
import { POLARITIES } from '../../model/feedback.ts';
import { severityOf } from '../../model/severity.ts';
import { askedWords, type CandidateRows, type ConversationSearch } from '../conversation-search.ts';
import type { Statements } from './statements.ts';

/** Beyond it a search among the newest rows finds enough. */
const CANDIDATES_MAX = 2000;
/** Candidates for a row of the page: an evaluation may have been replaced by one that is no failure. */
const FAILURES_A_ROW = 8;
const NEWEST = Number.MAX_SAFE_INTEGER;
const SEVERITIES = [1, 2, 3];

const HAS_WORDS = 'SELECT EXISTS (SELECT 1 FROM spoken_content) OR EXISTS (SELECT 1 FROM open_words) AS has';
const WITH_WORDS = 'SELECT rowid AS id FROM spoken WHERE spoken MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?';
/** Conversations that go on (word-rows.ts): their words are read through. */
const OPEN_WITH_WORDS = `SELECT conversation AS id FROM open_words WHERE conversation < ?
  AND NOT EXISTS (SELECT 1 FROM json_each(?) asked WHERE instr(words, asked.value) = 0)
  ORDER BY conversation DESC LIMIT ?`;
// The second condition makes SQLite see that the partial index has all of them.
const FAILED = `SELECT id FROM conversations WHERE worst_outcome = ? AND worst_outcome > 0 AND id < ?
  ORDER BY id DESC LIMIT ?`;
const FAILED_BETWEEN = `SELECT id FROM conversations WHERE worst_outcome = ? AND worst_outcome > 0 AND id >= ? AND id < ?
  ORDER BY id DESC LIMIT ?`;
const FAILED_CRITERION = 'SELECT evaluation AS id FROM failed_verdicts WHERE criterion = ? LIMIT ?';
const OF_EVALUATIONS = 'SELECT conversation AS id FROM evaluations WHERE id IN (SELECT value FROM json_each(?))';
const LABELLED = 'SELECT conversation_id FROM labels ORDER BY conversation_id LIMIT ?';
const OF_IDS = 'SELECT id FROM conversations WHERE conversation_id IN (SELECT value FROM json_each(?))';
const OPEN = 'SELECT id FROM conversations WHERE due_at IS NOT NULL LIMIT ?';
const WITH_FEEDBACK = 'SELECT id FROM conversations WHERE feedback = ? AND id < ? ORDER BY id DESC LIMIT ?';
const WAITING = 'SELECT conversation AS id FROM waiting_evaluations LIMIT ?';

/** The row in which a page ends where it begins, and where it may look at last. */
interface Window {
  readonly from: number;
  readonly before: number;
}

/** All that a page of the worst shows, where nothing else is asked and it is full of failures; else undefined. */
export function worstRows(statements: Statements, search: ConversationSearch, { from, before }: Window) {
  const { order, limit, cursor, ...asked } = search;
  if (order !== 'worst' || Object.values(asked).some((one) => one !== undefined)) return undefined;
  const last = cursor?.last;
  const rows: number[] = [];
  for (const severity of SEVERITIES.toReversed()) {
    if (last !== undefined && severity > last.severity) continue;
    const end = severity === last?.severity ? Math.min(before, last.row) : before;
    rows.push(
      ...statements
        .of(FAILED_BETWEEN)
        .all(severity, from, end, limit - rows.length)
        .map(idOf),
    );
    if (rows.length === limit) return { rows, hasMore: true, isOfWindow: true } as const;
  }
  return undefined;
}

/** Undefined where no index has them, or too many. */
export function candidateRows(statements: Statements, search: ConversationSearch): CandidateRows | undefined {
  return (
    withWords(statements, search) ??
    whole(search, failedCriteria(statements, search)) ??
    whole(search, labelled(statements, search)) ??
    whole(search, unfinished(statements, search)) ??
    withFeedback(statements, search) ??
    failed(statements, search)
  );
}

/** Undefined where no words are asked for, or none are kept. */
function withWords(statements: Statements, search: ConversationSearch): CandidateRows | undefined {
  const asked = askedWords(search);
  if (asked === undefined || statements.of(HAS_WORDS).get()?.has !== 1) return undefined;
  const words = asked.map((word) => `"${word}"`).join(' AND ');
  const before = search.cursor?.before ?? NEWEST;
  const rowsWith = (query: string) => statements.of(WITH_WORDS).all(query, before, CANDIDATES_MAX).map(idOf);
  // Whole words are read from the newest row back. For a beginning, FTS5 first gathers all rows of all words that have it.
  const exact = rowsWith(words);
  const indexed = exact.length === CANDIDATES_MAX ? exact : rowsWith(`${words}*`);
  const parts = asked.map((word, at) => (at === asked.length - 1 ? ` ${word}` : ` ${word} `));
  const open = statements.of(OPEN_WITH_WORDS).all(before, JSON.stringify(parts), CANDIDATES_MAX).map(idOf);
  const rows = [...new Set([...indexed, ...open])].sort((a, b) => b - a);
  return { rows: rows.slice(0, CANDIDATES_MAX), hasMore: rows.length >= CANDIDATES_MAX, hasWords: true };
}

function failed(statements: Statements, { outcomes, order, limit, cursor }: ConversationSearch) {
  const severities = outcomes?.map((outcome) => severityOf(outcome) ?? 0) ?? [0];
  const least = Math.min(...severities);
  if (least === 0) return undefined;
  // The worst outcome that a conversation ever had is no better than that of its last evaluation.
  const max = order === 'worst' ? CANDIDATES_MAX : Math.min(CANDIDATES_MAX, limit * FAILURES_A_ROW);
  const rows = SEVERITIES.filter((severity) => severity >= least)
    .flatMap((severity) =>
      statements
        .of(FAILED)
        .all(severity, cursor?.before ?? NEWEST, max)
        .map(idOf),
    )
    .sort((a, b) => b - a);
  return { rows: rows.slice(0, max), hasMore: rows.length >= max };
}

function withFeedback(statements: Statements, { feedback, cursor }: ConversationSearch): CandidateRows | undefined {
  if (feedback === undefined) return undefined;
  const rows = feedback
    .flatMap((polarity) =>
      statements
        .of(WITH_FEEDBACK)
        .all(POLARITIES.indexOf(polarity), cursor?.before ?? NEWEST, CANDIDATES_MAX)
        .map(idOf),
    )
    .sort((a, b) => b - a);
  return { rows: rows.slice(0, CANDIDATES_MAX), hasMore: rows.length >= CANDIDATES_MAX };
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
function whole({ cursor }: ConversationSearch, rows: readonly number[] | undefined): CandidateRows | undefined {
  const before = cursor?.before ?? NEWEST;
  if (rows === undefined) return undefined;
  return { rows: [...new Set(rows)].filter((row) => row < before).sort((a, b) => b - a), hasMore: false };
}

function idOf({ id }: Record<string, unknown>): number {
  return Number(id);
}
